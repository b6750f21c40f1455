"""A session as a model reads it: numbered passages, in parts that fit a prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from loremark.memory.extraction.payloads import as_list, as_text, first_text, truncate_event
from loremark.memory.items import RawEvent
from loremark.memory.recall.turns import READ_EVENTS, Role, turns_of

PART_CHARS = 40_000
MAX_PARTS = 8
PASSAGE_CHARS = 6_000
_EVENT_CHARS = 6_000
_FIELD_CHARS = 3_000
_DIFF_CHARS = 1_500
_ERROR_CHARS = 300
_SPEAKERS: dict[Role, str] = {"user": "person", "assistant": "agent", "note": "saved", "commit": "commit"}
_SKIPPED = frozenset(
    (
        *("sha", "hash", "blobSha", "tree", "parents", "nonce", "date", "timestamp", "author", "committer", "source"),
        *("schema_version", "turnIds", "agentVersion", "model", "tools"),
    )
)
_CUT = "\n[…]\n"
_BLANK = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class Passage:
    """Something that was said or recorded, verbatim, with its number in the session."""

    number: int
    speaker: str
    text: str
    event_id: str
    commit_sha: str = ""


def passages(events: Iterable[RawEvent]) -> list[Passage]:
    """Return what the events say, in order."""
    found: list[Passage] = []
    for event in events:
        listed = _of_turns(event) if event.event in READ_EVENTS else _of_fields(event)
        found += [replace(passage, number=len(found) + place) for place, passage in enumerate(listed, start=1)]
    return found


def _of_turns(event: RawEvent) -> Iterator[Passage]:
    for turn in turns_of(event):
        for message in turn.messages:
            if text := _clean(message.text):
                yield Passage(0, _SPEAKERS[message.role], text, event.id, turn.commit_sha or "")
    if event.event == "session_save" and (work := _clean("\n".join(_work(event.payload)))):
        yield Passage(0, "tools", work, event.id)


def _work(payload: dict[str, Any]) -> Iterator[str]:
    """The files and commands of a save. The conversation rarely repeats which command worked in the end."""
    files = [path for path in as_list(payload.get("files")) if isinstance(path, str)]
    if files:
        yield f"files changed: {', '.join(files)}"
    for command in as_list(payload.get("commands")):
        if isinstance(command, str):
            yield f"ran: {command}"
    for failed in as_list(payload.get("failedCommands")):
        if isinstance(failed, dict) and as_text(failed.get("command")):
            yield f"failed: {as_text(failed.get('command'))}\n  {first_text(failed, 'error')[:_ERROR_CHARS]}"


def _of_fields(event: RawEvent) -> Iterator[Passage]:
    lines: list[str] = []
    _gather(truncate_event(event).payload, "", lines)
    if text := _clean("\n".join(lines))[:_EVENT_CHARS]:
        yield Passage(0, event.event, text, event.id)


def _gather(value: Any, name: str, lines: list[str]) -> None:
    if isinstance(value, str):
        if value.strip():
            field = name.rsplit(".", 1)[-1]
            lines.append(f"{name}: {value.strip()[: _DIFF_CHARS if field in ('diff', 'patch') else _FIELD_CHARS]}")
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in _SKIPPED:
                _gather(inner, f"{name}.{key[:40]}" if name else str(key)[:40], lines)
    elif isinstance(value, list):
        if value and all(isinstance(inner, str) for inner in value):
            _gather(", ".join(value), name, lines)
            return
        for inner in value:
            _gather(inner, name, lines)


def _clean(text: str) -> str:
    printable = "".join(char if char.isprintable() or char in "\n\t" else " " for char in text)
    return _BLANK.sub("\n\n", printable).strip()


def parts(found: Sequence[Passage]) -> list[list[Passage]]:
    """Divide a session into parts."""
    divided: list[list[Passage]] = [[]]
    room = PART_CHARS
    for passage in found:
        shown = replace(passage, text=_shortened(passage.text))
        if divided[-1] and len(shown.text) > room:
            divided.append([])
            room = PART_CHARS
        divided[-1].append(shown)
        room -= len(shown.text)
    return [part for part in divided if part]


def without_middle(divided: Sequence[Sequence[Passage]]) -> list[Sequence[Passage]]:
    """Return the parts to read. Of a very long session the middle is left out: it ends with what holds."""
    return list(divided) if len(divided) <= MAX_PARTS else [divided[0], *divided[-(MAX_PARTS - 1) :]]


def _shortened(text: str) -> str:
    """Keep the beginning and the end of a very long message."""
    if len(text) <= PASSAGE_CHARS:
        return text
    head = PASSAGE_CHARS // 2
    return f"{text[:head].rstrip()}{_CUT}{text[-(PASSAGE_CHARS - head) :].lstrip()}"
