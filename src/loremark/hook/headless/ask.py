"""Ask an agent: prepare a private folder, run its command line there, read the answer and clean up."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from loremark.base import clock
from loremark.base.folders import cache_folder
from loremark.base.redaction.redactor import redact
from loremark.hook import agents, files
from loremark.hook.headless import environment
from loremark.hook.headless.answer import Answer, HeadlessFailed
from loremark.hook.headless.claude import CLAUDE
from loremark.hook.headless.cline import CLINE
from loremark.hook.headless.codex import CODEX
from loremark.hook.headless.command_line import Call, CommandLine, return_login
from loremark.hook.headless.copilot import COPILOT
from loremark.hook.headless.gemini import GEMINI
from loremark.hook.headless.opencode import OPENCODE
from loremark.hook.headless.process import MAX_BYTES, Output
from loremark.hook.headless.qwen import QWEN

_COMMAND_LINES = {
    agents.CLAUDE: CLAUDE,
    agents.CODEX: CODEX,
    agents.COPILOT: COPILOT,
    agents.GEMINI: GEMINI,
    agents.OPENCODE: OPENCODE,
    agents.CLINE: CLINE,
    agents.QWEN: QWEN,
}
SUPPORTED = frozenset(_COMMAND_LINES)
"""Agents that can be asked. Editors such as Cursor and Windsurf have no command line that answers without a window."""
# A prompt that starts with a slash would be taken for one of the agent's own commands.
_PREFIX = "Answer this message.\n\n"
_MODEL = re.compile(r"[A-Za-z0-9][\w./:@+\[\]-]{0,199}")
_REASON_CHARS = 300
_UNPRINTABLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[^\x20-\x7e\u00a0-\ufffd]+")
# Folders of calls whose process was killed.
_STALE_S = 86_400.0


def ask(agent: str, prompt: str, *, model: str = "", seconds: float) -> Answer:
    """Ask the agent once, without tools, and return its answer. Raises HeadlessFailed."""
    if environment.is_headless():
        raise HeadlessFailed("An agent that runs in the background can't start another one.")
    line, program = _command_line(agent), installed(agent)
    if program is None:
        raise HeadlessFailed(f"{line.title} is not installed: there is no program named {line.program} on the PATH.")
    if model and not _MODEL.fullmatch(model):
        raise HeadlessFailed(f"{model[:50]!r} is not the name of a model.")
    try:
        with _private_folder() as folder:
            return _ask(line, program, _PREFIX + prompt, model or line.default_model, folder, seconds)
    except OSError as error:
        raise HeadlessFailed(f"{line.title} could not be run: {error.strerror or error}.") from error


def default_model(agent: str) -> str:
    """Return the small model that is used unless another one is chosen; empty for the agent's own default."""
    return _command_line(agent).default_model


def title(agent: str) -> str:
    """Return the agent's name for people."""
    return _COMMAND_LINES[agent].title if agent in _COMMAND_LINES else agent


def installed(agent: str) -> str | None:
    """Return the path of the agent's program, or None if it is not on the PATH."""
    line = _COMMAND_LINES.get(agent)
    parts = os.environ.get("PATH", os.defpath).split(os.pathsep)
    path = os.pathsep.join(part for part in parts if os.path.isabs(part))
    return shutil.which(line.program, path=path) if line else None


def _command_line(agent: str) -> CommandLine:
    if agent not in _COMMAND_LINES:
        raise HeadlessFailed(f"{agent} can't run in the background.")
    return _COMMAND_LINES[agent]


def _ask(line: CommandLine, program: str, prompt: str, model: str, folder: str, seconds: float) -> Answer:
    deadline = clock.monotonic() + seconds
    work, private, temporary = (os.path.join(folder, name) for name in ("work", "private", "tmp"))
    for path in (work, private, temporary):
        os.mkdir(path, 0o700)
    variables = environment.build(os.path.basename(folder), temporary, folder)
    call = Call(program, prompt, model, work, private, variables, deadline)
    command = line.command(call)
    try:
        output = call.run(command.arguments, command.variables, prompt if command.prompt is None else command.prompt)
    finally:
        return_login(command.links)
    if output.timed_out:
        raise HeadlessFailed(f"{line.title} did not answer within {seconds:.0f} seconds.")
    if output.too_large:
        raise HeadlessFailed(f"{line.title} printed more than {MAX_BYTES >> 20} MiB.")
    answer = _read(line, call, output)
    return replace(answer, model=answer.model or command.model)


def _read(line: CommandLine, call: Call, output: Output) -> Answer:
    """Return the answer in the output. Raises HeadlessFailed with what the agent says about a failure."""
    try:
        answer = line.answer(call, output.text)
    except HeadlessFailed as error:
        answer, problem = None, error.reason
    except (ValueError, LookupError, TypeError, AttributeError, StopIteration):
        answer, problem = None, ""
    if answer is not None and output.code == 0 and answer.text.strip():
        return answer
    said = problem if answer is None else ""
    if re.search(line.signed_out, said or output.errors, re.IGNORECASE):
        raise HeadlessFailed(f"{line.title} is not signed in.")
    if output.code:
        detail = _printable(said or output.errors)
        raise HeadlessFailed(f"{line.title} exited with code {output.code}{': ' + detail if detail else ''}.")
    if said:
        raise HeadlessFailed(f"{line.title} failed: {_printable(said)}.")
    if answer is None:
        raise HeadlessFailed(f"{line.title}'s output could not be read as an answer.")
    raise HeadlessFailed(f"{line.title} gave an empty answer.")


def _printable(text: str) -> str:
    """Return the end of a message on one line, without secrets and control characters."""
    line = " ".join(_UNPRINTABLE.sub(" ", redact(text)[0]).split())
    return (f"… {line[-_REASON_CHARS:]}" if len(line) > _REASON_CHARS else line).rstrip(".")


@contextmanager
def _private_folder() -> Iterator[str]:
    """Create a folder that only the person can read, and remove it in any case.

    Not below /tmp, where others could leave settings that agents read from parent folders.
    """
    parent = files.ensure_private_folder(os.path.join(cache_folder(), "headless"))
    _remove_stale(parent)
    folder = tempfile.mkdtemp(prefix="", dir=parent)
    try:
        yield folder
    finally:
        _remove(folder)


def _remove_stale(parent: str) -> None:
    for entry in os.scandir(parent):
        if clock.now_ms() / 1000 - entry.stat(follow_symlinks=False).st_mtime > _STALE_S:
            _remove(entry.path)


def _remove(folder: str) -> None:
    """Remove a folder, also if the agent left folders in it that can't be written to."""
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.exists(folder):
        for path, _, _ in os.walk(folder):
            os.chmod(path, 0o700)
        shutil.rmtree(folder, ignore_errors=True)
