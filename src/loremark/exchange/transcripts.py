"""An agent session in a common form: prompts, final answers and changed files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from loremark.base import briefing_markers
from loremark.base.session_source import session_source
from loremark.base.statements import find_statements
from loremark.exchange.notes import Note, headline

_PART_CHARS = 30_000
_ASK_CHARS = 4_000
_ANSWER_CHARS = 12_000
_MAX_FILES = 50
PRIVATE_PREFIX = "[private]"
"""Prompts that start with it are left out, and so are the answers to them."""
_INJECTED = re.compile(
    r"\s*<(?:command-|local-command|system-reminder|environment_context|user_instructions|permissions|hook_context"
    r"|turn_aborted|bash-|task-notification)|\s*# AGENTS\.md instructions|\s*Caveat: The messages below"
    r"|\s*\[Request interrupted"
)


@dataclass(slots=True)
class Turn:
    """A prompt, the final answer to it, and the files that were changed in between."""

    prompt: str
    answer: str = ""
    files: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class Session:
    """The parts of a session that are worth remembering."""

    id: str = ""
    folder: str = ""
    branch: str = ""
    started_at: str = ""
    turns: list[Turn] = field(default_factory=list)
    private_prefix: str = PRIVATE_PREFIX
    _is_private: bool = False

    def add_prompt(self, text: str) -> None:
        text = strip_injected(text)
        if not text:
            return
        prefix = self.private_prefix.casefold()
        self._is_private = bool(prefix) and text[: 2 * len(prefix)].casefold().startswith(prefix)
        if not self._is_private:
            self.turns.append(Turn(text[:_ASK_CHARS]))

    def add_answer(self, text: str) -> None:
        """Set the answer of the current turn. The last message wins; earlier ones are intermediate steps."""
        text = strip_injected(text)
        if text and self.turns and not self._is_private:
            self.turns[-1].answer = text[:_ANSWER_CHARS]

    def add_file(self, path: str) -> None:
        if path and len(path) < 500 and "\n" not in path and self.turns and not self._is_private:
            self.turns[-1].files[_relative_path(path, self.folder)] = None

    def notes(self, tool: str, origin: str) -> Iterator[Note]:
        """Yield one note per session, several if it is long, none if it has no answers."""
        answered = [turn for turn in self.turns if turn.answer]
        for number, part in enumerate(_parts(answered), start=1):
            extra: dict[str, Any] = {
                "turns": [_entry(turn) for turn in part],
                "changes": find_statements(turn.prompt for turn in part),
                "agent": tool,
                "agentSession": self.id,
                "branch": self.branch,
                "startedAt": self.started_at,
                "part": number,
            }
            yield Note(
                tool=tool,
                kind="session",
                title=headline(part[0].prompt),
                content=headline(part[0].prompt),
                origin=origin,
                files=tuple(_files_of(*part)),
                source=session_source(tool, self.id),
                extra={name: value for name, value in extra.items() if value},
            )


def _entry(turn: Turn) -> dict[str, Any]:
    entry: dict[str, Any] = {"prompt": turn.prompt, "answer": turn.answer}
    files = _files_of(turn)
    return {**entry, "files": files} if files else entry


def _files_of(*turns: Turn) -> list[str]:
    """The changed files inside the project."""
    changed = dict.fromkeys(path for turn in turns for path in turn.files)
    return [path for path in changed if not path.startswith(("/", ".."))][:_MAX_FILES]


def strip_injected(text: str) -> str:
    """Return the text without our briefing, or an empty string if a tool injected it."""
    text = briefing_markers.strip(text).replace("\0", "").strip()
    return "" if _INJECTED.match(text) else text


def _parts(turns: Iterable[Turn]) -> Iterator[list[Turn]]:
    part: list[Turn] = []
    size = 0
    for turn in turns:
        if part and size + len(turn.prompt) + len(turn.answer) > _PART_CHARS:
            yield part
            part, size = [], 0
        part.append(turn)
        size += len(turn.prompt) + len(turn.answer)
    if part:
        yield part


def _relative_path(path: str, folder: str) -> str:
    """Return the path relative to the project folder if possible."""
    if folder and os.path.isabs(path) and os.path.isabs(folder):
        return os.path.relpath(path, folder)
    return os.path.normpath(path)
