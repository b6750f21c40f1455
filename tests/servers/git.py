"""A real git server: `git http-backend` behind TLS in threads of this process, with repositories for each run."""

from __future__ import annotations

import base64
import os
import socket
import subprocess
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.servers.https import Authority

_MAX_WAIT_S = 30.0
_ENVIRONMENT = {
    "PATH": os.defpath,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.fsync",
    "GIT_CONFIG_VALUE_0": "none",
    "LC_ALL": "C",
}


@dataclass(frozen=True)
class Commit:
    """A commit to create: contents by path (``None`` deletes a file), and modes of files that are not plain."""

    message: bytes
    files: Mapping[bytes, bytes | None]
    modes: Mapping[bytes, str] = field(default_factory=dict)
    author: bytes = b"Ada"
    second: int = 1_700_000_000


def make_repository(path: Path, commits: Sequence[Commit], *, filters: bool = True, hash_name: str = "sha1") -> None:
    """Create a bare repository for the server."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _git("init", "--quiet", "--bare", f"--object-format={hash_name}", "--initial-branch=main", str(path))
    _git("config", "uploadpack.allowFilter", str(filters).lower(), repository=path)
    add_commits(path, commits)


def add_commits(path: Path, commits: Sequence[Commit], branch: str = "main") -> list[str]:
    """Add commits to a branch, oldest first, and return their hashes."""
    old = _git("rev-list", "-1", f"refs/heads/{branch}", "--", repository=path, check=False).decode().strip()
    pieces: list[bytes] = []
    for number, commit in enumerate(commits):
        head = f"commit refs/heads/{branch}\nmark :{number + 1}\n".encode()
        head += b"author %s <ada@example.com> %d +0000\n" % (commit.author, commit.second)
        head += b"committer C <c@example.com> %d +0000\n" % commit.second
        pieces += [head, _data(commit.message)]
        if number == 0 and old:
            pieces.append(f"from {old}\n".encode())
        pieces += [_file(name, content, commit.modes.get(name, "100644")) for name, content in commit.files.items()]
    marks = path / "marks"
    _git("fast-import", "--quiet", f"--export-marks={marks}", repository=path, stdin=b"".join(pieces))
    lines = sorted(marks.read_text().splitlines(), key=lambda line: int(line.split()[0][1:]))
    return [line.split()[1] for line in lines]


def run_git(path: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """Run git in a served repository and return its output, for what ``add_commits`` cannot create."""
    return _git(*arguments, repository=path, stdin=stdin)


def import_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """Stream commits to `git fast-import` when they are too large for memory."""
    with subprocess.Popen(["git", "fast-import", "--quiet"], stdin=subprocess.PIPE, env=_environment(path)) as process:
        assert process.stdin is not None
        for piece in pieces:
            process.stdin.write(piece)
    if process.returncode:
        raise RuntimeError("git fast-import failed")


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _file(name: bytes, content: bytes | None, mode: str) -> bytes:
    if content is None:
        return b"D %s\n" % name
    if mode == "160000":
        return b"M 160000 %s %s\n" % (content, name)
    return b"M %s inline %s\n%s" % (mode.encode(), name, _data(content))


def _git(*arguments: str, repository: Path | None = None, stdin: bytes = b"", check: bool = True) -> bytes:
    done = subprocess.run(
        ["git", *arguments], input=stdin, env=_environment(repository), capture_output=True, check=False, timeout=30
    )
    if check and done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace"))
    return done.stdout


def _environment(repository: Path | None) -> dict[str, str]:
    return _ENVIRONMENT | ({} if repository is None else {"GIT_DIR": str(repository)})


class GitServer:
    """Serves the repositories in a folder until ``stop``; can be used as a context manager.

    Paths under ``/moved/`` redirect to the same path without the prefix. Paths under ``/silent/`` start to answer a
    fetch and then send nothing more.
    """

    def __init__(self, authority: Authority, root: Path, *, token: str | None = None) -> None:
        self.root = root
        self.token = token
        self.calls: list[str] = []
        self.authorizations: set[str | None] = set()
        self.went_silent = threading.Event()
        self.is_silent = True
        self._hung_up = threading.Event()
        self._context = authority.server_context()
        self._server = _Server(self, ("127.0.0.1", 0))
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def __enter__(self) -> GitServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def hang_up(self) -> None:
        """End the silent responses."""
        self._hung_up.set()

    def stop(self) -> None:
        self.hang_up()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"https://{host}:{self.port}/{path}"

    def wait_for_hang_up(self) -> None:
        self._hung_up.wait(_MAX_WAIT_S)

    def fetches(self) -> int:
        """The number of fetch requests."""
        return self.calls.count("fetch")

    def accepts(self, authorization: str | None) -> bool:
        if self.token is None:
            return True
        expected = base64.b64encode(f"x-access-token:{self.token}".encode()).decode()
        return authorization == f"Basic {expected}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, git: GitServer, address: tuple[str, int]) -> None:
        self.git = git
        super().__init__(address, _Handler)

    def finish_request(self, request: Any, client_address: Any) -> None:
        connection: socket.socket = request
        connection.settimeout(_MAX_WAIT_S)
        with self.git._context.wrap_socket(connection, server_side=True) as secured:
            _Handler(secured, client_address, self)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        git = self.server.git
        body = self._body()
        authorization = self.headers.get("Authorization")
        git.authorizations.add(authorization)
        path, _, query = self.path.partition("?")
        git.calls.append("fetch" if b"command=fetch" in body else "refs" if b"command=ls-refs" in body else "hello")
        if path.startswith("/moved/"):
            self._answer(301, {"Location": self.path.removeprefix("/moved")}, b"")
        elif not git.accepts(authorization):
            self._answer(401, {"WWW-Authenticate": 'Basic realm="git"'}, b"")
        elif path.startswith("/silent/") and git.is_silent and b"command=fetch" in body:
            self._stall()
        else:
            self._serve(path.removeprefix("/silent"), query, body)

    do_GET = do_POST

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        pieces = []
        while size := int(self.rfile.readline(), 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def _serve(self, path: str, query: str, body: bytes) -> None:
        environment = _ENVIRONMENT | {
            "GIT_PROJECT_ROOT": str(self.server.git.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
        }
        done = subprocess.run(
            ["git", "http-backend"], input=body, env=environment, capture_output=True, check=False, timeout=30
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
        self._answer(int(headers.pop("Status", "200").split()[0]), headers, content)

    def _stall(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-git-upload-pack-result")
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        self.wfile.flush()
        self.server.git.went_silent.set()
        self.server.git.wait_for_hang_up()
        self.close_connection = True

    def _answer(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
        """Always send a length: git does not continue after a response without one."""
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""
