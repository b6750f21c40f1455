"""The git binary: no shell, an environment of our own, and bounds of time, output and memory."""

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

from loremark.ports.git.failures import RepositoryFailed

Config = tuple[tuple[str, str], ...]

_OLDEST = (2, 37)  # an older one does not know http.curloptResolve, and would ask the name servers again
_PIECE_BYTES = 65_536
_SAID_BYTES = 16_384
_MEMORY_BYTES = 1024**3

_ALWAYS: Config = (
    ("core.hooksPath", "/dev/null"),
    ("core.attributesFile", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.bigFileThreshold", "8m"),  # larger files are not held in memory, and not compared line by line
    ("core.fsync", "none"),  # what a power cut spoils is fetched again
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
    ("fetch.unpackLimit", "1"),  # always packs: never a file for each object
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
    """What git wrote. If it was more than wanted it is cut, and the code says nothing."""

    code: int
    out: bytes
    said: str
    cut: bool


class Git:
    """Runs git in a home of its own; what the machine or a user has configured for git is not seen."""

    def __init__(self, home: Path, max_file_bytes: int) -> None:
        self._home = home
        self._max_file_bytes = max_file_bytes
        self._program = ""
        self._is_ready = False

    async def prepare(self) -> None:
        """Find the binary; refuse one that is too old to be held to an address."""
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
        """Run it to its end, or until it has written more than wanted. Who gives up waiting ends it."""
        process = await asyncio.create_subprocess_exec(
            self._program,
            *arguments,
            stdin=asyncio.subprocess.PIPE if stdin else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self._environment(repository, config, online),
            cwd=self._home,
            start_new_session=True,
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
            if process.returncode is None:  # somebody has given up waiting
                _kill(process.pid)
                if process.stdin is not None:
                    process.stdin.close()
                await process.communicate()  # the little that is left in the pipes
        return Output(code, out[:max_bytes], said.decode(errors="replace"), len(out) > max_bytes)

    def _environment(self, repository: Path | None, config: Config, online: bool) -> dict[str, str]:
        """All that git sees. Settings come this way too: an environment is not shown to other users."""
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
        """A repository can be made so that git would take all memory. Its children inherit these bounds."""
        if sys.platform != "linux":
            return
        with suppress(ProcessLookupError):  # it has ended already
            for kind, most in (
                (resource.RLIMIT_DATA, _MEMORY_BYTES),
                (resource.RLIMIT_FSIZE, self._max_file_bytes),
                (resource.RLIMIT_CORE, 0),
            ):
                hard = resource.prlimit(pid, kind)[1]
                bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
                resource.prlimit(pid, kind, (bound, bound))


async def _read(stream: asyncio.StreamReader, most: int, when_full: Callable[[], None]) -> bytes:
    """Up to one byte more than wanted; the rest is read and forgotten, so that nobody waits to write it."""
    kept = bytearray()
    while piece := await stream.read(_PIECE_BYTES):
        if len(kept) <= most:
            kept += piece
            if len(kept) > most:
                when_full()
    return bytes(kept[: most + 1])


async def _feed(stream: asyncio.StreamWriter | None, content: bytes) -> None:
    """Git may end before it has read all, or anything."""
    if stream is None or stream.is_closing():
        return
    with suppress(BrokenPipeError, ConnectionResetError):
        stream.write(content)
        await stream.drain()
    stream.close()


def _kill(group: int) -> None:
    """The process and all it has started: it leads a group of its own."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
