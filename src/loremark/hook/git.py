"""Run git safely in an untrusted repository: no shell, bounded time and output, no code from the repository.

A repository's configuration can name programs to run (external diffs, text converters, monitors, pagers, hooks,
transports). None of them runs: only plumbing commands are used, such settings are overridden, and transports are off.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

TIMEOUT_S = 20.0
_MAX_BYTES = 1_048_576
_KEPT_VARIABLES = ("HOME", "PATH", "XDG_CONFIG_HOME", "TMPDIR", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")
_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.attributesFile=/dev/null",
    "core.bigFileThreshold=8m",  # don't diff larger files line by line
    "core.quotePath=false",
    "core.warnAmbiguousRefs=false",
    "protocol.allow=never",
    "diff.external=",
    "diff.renameLimit=400",
    "diff.suppressBlankEmpty=false",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "diff.orderFile=",
    "log.showSignature=false",
    "log.mailmap=false",
    "i18n.logOutputEncoding=UTF-8",
    "gc.auto=0",
    "maintenance.auto=false",
)


class GitError(Exception):
    """Git is not installed, timed out, or found no repository."""


class Output(NamedTuple):
    """Git's exit code and output. If the output was cut, the code is meaningless."""

    code: int
    out: bytes
    is_cut: bool

    @property
    def is_ok(self) -> bool:
        return self.code == 0 or self.is_cut


def run(
    arguments: Sequence[str],
    *,
    gitdir: str | None = None,
    folder: str | None = None,
    stdin: bytes = b"",
    max_bytes: int = _MAX_BYTES,
    seconds: float = TIMEOUT_S,
    own_hooks_path: bool = False,
) -> Output:
    """Run a git command in the repository with this git folder, or in the one that contains ``folder``.

    ``own_hooks_path`` keeps the repository's core.hooksPath, for the one command that reads it.
    """
    settings = [text for text in _SETTINGS if not (own_hooks_path and text.startswith("core.hooksPath"))]
    command = [_program(), "--no-pager", *(part for text in settings for part in ("-c", text)), *arguments]
    with tempfile.TemporaryFile() as stdin_file:  # a file avoids a pipe deadlock
        stdin_file.write(stdin)
        stdin_file.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603
                command,
                cwd=folder or gitdir,
                env=_environment(gitdir),
                stdin=stdin_file if stdin else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise GitError(f"git could not run in this folder: {error.strerror}") from error
        return _read(process, max_bytes, seconds)


def _read(process: subprocess.Popen[bytes], max_bytes: int, seconds: float) -> Output:
    timed_out = threading.Event()

    def on_timeout() -> None:
        timed_out.set()
        _kill(process)

    timer = threading.Timer(seconds, on_timeout)
    timer.daemon = True
    timer.start()
    assert process.stdout is not None
    try:
        out = process.stdout.read(max_bytes + 1)
        if len(out) > max_bytes:
            _kill(process)
        code = process.wait()
    finally:
        timer.cancel()
        _kill(process)
        process.stdout.close()
        process.wait()
    if timed_out.is_set():
        raise GitError("git timed out")
    return Output(code, out[:max_bytes], len(out) > max_bytes)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process group, unless the process has already been reaped."""
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _program() -> str:
    """Return the absolute path of git, ignoring relative PATH entries."""
    path = os.pathsep.join(part for part in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(part))
    found = shutil.which("git", path=path)
    if found is None:
        raise GitError("git is not installed")
    return found


def _environment(gitdir: str | None) -> dict[str, str]:
    """Return a minimal environment: inherited GIT_ variables could redirect git or make it run programs."""
    environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    environment |= {
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "",  # older git would lazily fetch in a partial clone
        "GIT_ATTR_NOSYSTEM": "1",
    }
    if gitdir is not None:
        # No index, so git ignores the working tree and its attributes.
        environment |= {"GIT_DIR": gitdir, "GIT_INDEX_FILE": os.path.join(gitdir, "loremark-no-index")}
    return environment
