"""Running git to read a repository that may be hostile: no shell, nothing of it executed, bounded time and output.

A repository's own configuration can name programs (external diffs, text converters, monitors, pagers, hooks, ways
to fetch). None of them is run: only plumbing is asked, each such setting is overruled, and no transport is allowed.
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

SECONDS = 20.0
_MOST_BYTES = 1_048_576
_KEPT = ("HOME", "PATH", "XDG_CONFIG_HOME", "TMPDIR", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")
_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.attributesFile=/dev/null",
    "core.bigFileThreshold=8m",  # larger files are not compared line by line
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


class GitFailed(Exception):
    """Git is not there, did not answer in time, or knows no repository here."""


class Output(NamedTuple):
    """What git wrote; if that was more than wanted it is cut, and the code says nothing."""

    code: int
    out: bytes
    is_cut: bool

    @property
    def is_good(self) -> bool:
        return self.code == 0 or self.is_cut


def run(
    arguments: Sequence[str],
    *,
    gitdir: str | None = None,
    folder: str | None = None,
    stdin: bytes = b"",
    most_bytes: int = _MOST_BYTES,
    seconds: float = SECONDS,
    own_hooks_path: bool = False,
) -> Output:
    """Run one command in a repository that is named by its git folder, or looked for from a folder upwards.

    ``own_hooks_path`` lets the repository's setting of that name be seen, by the one command that asks for it.
    """
    settings = [text for text in _SETTINGS if not (own_hooks_path and text.startswith("core.hooksPath"))]
    command = [_program(), "--no-pager", *(part for text in settings for part in ("-c", text)), *arguments]
    with tempfile.TemporaryFile() as fed:  # a file, so that git never waits for us while we wait for it
        fed.write(stdin)
        fed.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603
                command,
                cwd=folder or gitdir,
                env=_environment(gitdir),
                stdin=fed if stdin else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise GitFailed(f"git could not be run in this folder: {error.strerror}") from error
        return _read(process, most_bytes, seconds)


def _read(process: subprocess.Popen[bytes], most_bytes: int, seconds: float) -> Output:
    late = threading.Event()

    def end() -> None:
        late.set()
        _kill(process)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    assert process.stdout is not None
    try:
        out = process.stdout.read(most_bytes + 1)
        if len(out) > most_bytes:
            _kill(process)
        code = process.wait()
    finally:
        timer.cancel()
        _kill(process)
        process.stdout.close()
        process.wait()
    if late.is_set():
        raise GitFailed("git did not answer in time")
    return Output(code, out[:most_bytes], len(out) > most_bytes)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """The process and all it has started, while it is ours: it leads a group of its own."""
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _program() -> str:
    """Git by its full name; never one that lies in the folder we happen to be in."""
    path = os.pathsep.join(part for part in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(part))
    found = shutil.which("git", path=path)
    if found is None:
        raise GitFailed("git is not installed")
    return found


def _environment(gitdir: str | None) -> dict[str, str]:
    """What git sees: a hook's own GIT_ variables would lead it elsewhere, or make it run programs."""
    made = {name: os.environ[name] for name in _KEPT if name in os.environ}
    made |= {
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "",  # an older git would fetch what a partial clone lacks, by means the repository names
        "GIT_ATTR_NOSYSTEM": "1",
    }
    if gitdir is not None:
        # No index: files of the working tree, and attributes in it, are none of our business.
        made |= {"GIT_DIR": gitdir, "GIT_INDEX_FILE": os.path.join(gitdir, "loremark-no-index")}
    return made
