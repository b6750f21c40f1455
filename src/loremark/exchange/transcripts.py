"""What was said in a session of an agent, whichever agent it was: asks, last words, files touched."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from loremark.base import marks
from loremark.exchange.notes import Note, headline

_PART_CHARS = 30_000
_ASK_CHARS = 4_000
_ANSWER_CHARS = 12_000
_MOST_FILES = 50
_NOT_SAID = re.compile(
    r"\s*<(?:command-|local-command|system-reminder|environment_context|user_instructions|permissions|hook_context"
    r"|turn_aborted|bash-|task-notification)|\s*# AGENTS\.md instructions|\s*Caveat: The messages below"
    r"|\s*\[Request interrupted"
)


@dataclass(slots=True)
class Turn:
    """What somebody asked, and the last that was said about it."""

    ask: str
    answer: str = ""


@dataclass(slots=True)
class Session:
    """One session, as far as it is worth remembering."""

    id: str = ""
    folder: str = ""
    branch: str = ""
    started_at: str = ""
    turns: list[Turn] = field(default_factory=list)
    files: dict[str, None] = field(default_factory=dict)

    def ask(self, text: str) -> None:
        text = said(text)
        if text:
            self.turns.append(Turn(text[:_ASK_CHARS]))

    def answer(self, text: str) -> None:
        """The newest word replaces the ones before it: what comes between is thinking aloud."""
        text = said(text)
        if text and self.turns:
            self.turns[-1].answer = text[:_ANSWER_CHARS]

    def touch(self, path: str) -> None:
        if path and len(path) < 500 and "\n" not in path:
            self.files[_inside(path, self.folder)] = None

    def notes(self, tool: str, origin: str) -> Iterator[Note]:
        """One for a session, several for a long one; none where nothing was answered."""
        answered = [turn for turn in self.turns if turn.answer]
        files = tuple(path for path in self.files if not path.startswith(("/", "..")))[:_MOST_FILES]
        for number, part in enumerate(_parts(answered), start=1):
            more = {
                "notes": "\n\n".join(turn.ask for turn in part),
                "agent": tool,
                "agentSession": self.id,
                "branch": self.branch,
                "startedAt": self.started_at,
                "part": number,
            }
            yield Note(
                tool=tool,
                kind="session",
                title=headline(part[0].ask),
                content="\n\n".join(turn.answer for turn in part),
                origin=origin,
                files=files if number == 1 else (),
                more={name: value for name, value in more.items() if value},
            )


def said(text: str) -> str:
    """What a person or a model said; not what tools have put into their mouths."""
    text = marks.strip(text).replace("\0", "").strip()
    return "" if _NOT_SAID.match(text) else text


def _parts(turns: Iterable[Turn]) -> Iterator[list[Turn]]:
    part: list[Turn] = []
    size = 0
    for turn in turns:
        if part and size + len(turn.ask) + len(turn.answer) > _PART_CHARS:
            yield part
            part, size = [], 0
        part.append(turn)
        size += len(turn.ask) + len(turn.answer)
    if part:
        yield part


def _inside(path: str, folder: str) -> str:
    """From the project's folder, where it is below it."""
    if folder and os.path.isabs(path) and os.path.isabs(folder):
        return os.path.relpath(path, folder)
    return os.path.normpath(path)
