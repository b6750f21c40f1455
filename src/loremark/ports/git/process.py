"""Runs the git binary without a shell, in a clean environment, with limits on output and memory."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from loremark.ports.child_process import start_process
from loremark.ports.git.failures import RepositoryFailed

Config = tuple[tuple[str, str], ...]

_OLDEST = (2, 37)  # the first version with http.curloptResolve, which pins the resolved address
_PIECE_BYTES = 65_536
_SAID_BYTES = 16_384
_MEMORY_BYTES = 1024**3

_ALWAYS: Config = (
    ("core.hooksPath", "/dev/null"),
    ("core.attributesFile", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.bigFileThreshold", "8m"),  # larger files are streamed and not diffed
    ("core.fsync", "none"),  # a mirror damaged by a power failure is fetched again
    ("core.quotePath", "false"),
    ("core.warnAmbiguousRefs", "false"),
    ("credential.helper", ""),
    ("protocol.allow", "never"),
    ("protocol.https.allow", "always"),
    ("protocol.ext.allow", "never"),
    ("protocol.file.allow", "never"),
    ("protocol.version", "2"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("fetch.unpackLimit", "1"),  # always packs, never loose objects
    ("fetch.writeCommitGraph", "false"),
    ("transfer.bundleURI", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("pack.threads", "1"),
    ("diff.renameLimit", "400"),
    ("log.mailmap", "false"),
    ("log.showSignature", "false"),
    ("i18n.logOutputEncoding", "UTF-8"),
)


@dataclass(frozen=True)
class Output:
    """Git's output. If it exceeded the limit, ``cut`` is set and ``code`` is meaningless."""

    code: int
    out: bytes
    said: str
    cut: bool


class Git:
    """Runs git with its own home directory, ignoring system and user configuration."""

    def __init__(self, home: Path, max_file_bytes: int) -> None:
        self._home = home
        self._max_file_bytes = max_file_bytes
        self._program = ""
        self._is_ready = False

    async def prepare(self) -> None:
        """Find the binary and check its version."""
        if self._is_ready:
            return
        found = await asyncio.to_thread(shutil.which, "git")
        if found is None:
            raise RepositoryFailed("Repositories cannot be read: git is not installed on this server.")
        self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._program = str(Path.cwd() / found)
        version = re.match(rb"git version (\d+)\.(\d+)", (await self.run(["--version"])).out)
        if version is None or (int(version[1]), int(version[2])) < _OLDEST:
            raise RepositoryFailed("Repositories cannot be read: git on this server is older than 2.37.")
        self._is_ready = True

    async def run(
        self,
        arguments: Sequence[str | bytes],
        *,
        repository: Path | None = None,
        config: Config = (),
        online: bool = False,
        stdin: bytes = b"",
        max_bytes: int = 1_048_576,
        keep_open: tuple[int, ...] = (),
    ) -> Output:
        """Run git until it ends or exceeds ``max_bytes``. Cancellation kills it."""
        process = await start_process(
            [self._program, *arguments],
            streams=("stdin", "stdout", "stderr") if stdin else ("stdout", "stderr"),
            env=self._environment(repository, config, online),
            cwd=self._home,
            pass_fds=keep_open,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            self._limit(process.pid)
            out, said, _ = await asyncio.gather(
                _read(process.stdout, max_bytes, lambda: _kill(process.pid)),
                _read(process.stderr, _SAID_BYTES, lambda: None),
                _feed(process.stdin, stdin),
            )
            code = await process.wait()
        finally:
            if process.returncode is None:  # cancelled
                _kill(process.pid)
                await process.wait()
        return Output(code, out[:max_bytes], said.decode(errors="replace"), len(out) > max_bytes)

    def _environment(self, repository: Path | None, config: Config, online: bool) -> dict[str, str]:
        """Return git's environment. Settings are passed here, because other users can see command lines."""
        settings = _ALWAYS + config
        environment = {
            "HOME": str(self._home),
            "PATH": os.path.dirname(self._program),
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "",
            "GIT_ALLOW_PROTOCOL": "https" if online else "",
            "GIT_NO_LAZY_FETCH": "0" if online else "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_CONFIG_COUNT": str(len(settings)),
        }
        if repository is not None:
            environment["GIT_DIR"] = str(repository)
        for number, (key, value) in enumerate(settings):
            environment[f"GIT_CONFIG_KEY_{number}"] = key
            environment[f"GIT_CONFIG_VALUE_{number}"] = value
        return environment

    def _limit(self, pid: int) -> None:
        """Limit memory and file size against malicious repositories. Child processes inherit the limits."""
        if sys.platform != "linux":
            return
        with suppress(ProcessLookupError):  # already ended
            for kind, most in (
                (resource.RLIMIT_DATA, _MEMORY_BYTES),
                (resource.RLIMIT_FSIZE, self._max_file_bytes),
                (resource.RLIMIT_CORE, 0),
            ):
                hard = resource.prlimit(pid, kind)[1]
                bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
                resource.prlimit(pid, kind, (bound, bound))


async def _read(stream: asyncio.StreamReader, most: int, when_full: Callable[[], None]) -> bytes:
    """Read up to ``most`` + 1 bytes and discard the rest, so the writer does not block."""
    kept = bytearray()
    while piece := await stream.read(_PIECE_BYTES):
        if len(kept) <= most:
            kept += piece
            if len(kept) > most:
                when_full()
    return bytes(kept[: most + 1])


async def _feed(stream: asyncio.StreamWriter | None, content: bytes) -> None:
    """Write stdin. Git may exit before reading all of it."""
    if stream is None or stream.is_closing():
        return
    with suppress(BrokenPipeError, ConnectionResetError):
        stream.write(content)
        await stream.drain()
    stream.close()


def _kill(group: int) -> None:
    """Kill the process group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
