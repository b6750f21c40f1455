"""Reads events as turns: what the person said, what the agent answered, and what commits say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from loremark.memory.extraction.commit_parser import parse_commits
from loremark.memory.extraction.payloads import as_list, as_text, first_text
from loremark.memory.items import RawEvent
from loremark.memory.spoken_text import spoken_text

Role = Literal["user", "assistant", "note", "commit"]
Kind = Literal["session", "commit"]

READ_EVENTS = frozenset(("session_save", "git_digest"))
TURN_CHARS = 1_800
"""Longer turns are split at paragraphs. The embedding model reads about this much."""
_HEAD_CHARS = 240
"""How much of the prompt stands before the later parts of a long turn, so that each part has its topic."""
_BEFORE_CHARS = 300
_MAX_TURNS = 400
_MAX_FILES = 50
_MAX_COMMANDS = 15
_BLANK_LINES = re.compile(r"\n\s*\n+")
_SPEAKERS: Mapping[Role, str] = {"user": "user: ", "assistant": "agent: "}
_MERGE = re.compile(r"Merge (?:branch|remote-tracking branch|pull request|tag) ")
# Trailers and markers in a commit message that say nothing about the change.
_TRAILER = re.compile(
    r"(?:Signed-off-by|Co-authored-by|Reviewed-by|Change-Id|Acked-by|Tested-by|Cc)\s*:", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Message:
    """Something one side said, verbatim."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A prompt with its answer, part of a long one, or a commit.

    ``before``: the end of what was said before, without which a short reply says nothing. ``said_at_ms``: None if the
    event does not say.
    """

    kind: Kind
    messages: tuple[Message, ...]
    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    agent: str = ""
    branch: str | None = None
    commit_sha: str | None = None
    said_at_ms: int | None = None
    before: str = ""


def turns_of(event: RawEvent, before: str = "") -> list[Turn]:
    """Return the turns of an event in order; none for events that only state facts or files.

    ``before``: how the session's previous event ended.
    """
    payload = event.payload if isinstance(event.payload, dict) else {}
    if event.event == "git_digest":
        return list(_commits(payload))[:_MAX_TURNS]
    if event.event == "session_save":
        return list(_parts(_exchanges(payload), before))[:_MAX_TURNS]
    return []


def searched_text(before: str, messages: Sequence[Message]) -> str:
    """What a turn is found by: its messages, and the end of what was said before."""
    return "\n".join(text for text in (before, *(message.text for message in messages)) if text)


def transcript(before: str, messages: Sequence[Message]) -> str:
    """A turn as the reader reads it: one line for each message, with who said it."""
    lines = [before, *(f"{_SPEAKERS.get(message.role, '')}{message.text}" for message in messages)]
    return "\n".join(" ".join(line.split()) for line in lines if line.strip())


def ending(messages: Sequence[Message]) -> str:
    """The end of the last message, from the start of a sentence."""
    text = messages[-1].text.strip() if messages else ""
    if len(text) <= _BEFORE_CHARS:
        return text
    cut = text[-_BEFORE_CHARS:]
    start = max(cut.find(". "), cut.find("\n"))
    return cut[start + 1 :].strip() if 0 <= start < _BEFORE_CHARS - 80 else cut


def _commits(payload: dict[str, Any]) -> Iterator[Turn]:
    listed = as_list(payload.get("commits"))
    branch = as_text(payload.get("branch")) or None
    for place, commit in enumerate(parse_commits(payload)):
        body = _body(commit.body)
        if not commit.subject or (_MERGE.match(commit.subject) and not body):
            continue
        entry = listed[place] if place < len(listed) and isinstance(listed[place], dict) else payload
        yield Turn(
            "commit",
            (Message("commit", f"{commit.subject}\n\n{body}".strip()[: 2 * TURN_CHARS]),),
            files=tuple(file.path for file in commit.files[:_MAX_FILES]),
            agent=commit.author,
            branch=branch,
            commit_sha=commit.sha or None,
            said_at_ms=_epoch_ms(entry.get("date")),
        )


def _body(body: str) -> str:
    return "\n".join(line for line in body.splitlines() if not _TRAILER.match(line.strip())).strip()


def _exchanges(payload: dict[str, Any]) -> Iterator[Turn]:
    """The exchanges of a save: those it lists, or a single one of all prompts and all answers."""
    files = _files(payload)
    commands = tuple(line for line in as_list(payload.get("commands")) if isinstance(line, str))[:_MAX_COMMANDS]
    about = Turn(
        "session",
        (),
        files=files,
        commands=commands,
        agent=as_text(payload.get("agent")),
        branch=as_text(payload.get("branch")) or None,
        said_at_ms=_epoch_ms(payload.get("startedAt")),
    )
    listed = [entry for entry in as_list(payload.get("turns")) if isinstance(entry, dict)]
    if listed:
        for entry in listed:
            messages = _messages(first_text(entry, "prompt", "user"), first_text(entry, "answer", "assistant"))
            if messages:
                yield replace(about, messages=messages, files=_files(entry) or files)
        return
    prompt, answer = first_text(payload, "notes"), first_text(payload, "summary")
    messages = (*_messages(prompt, answer), *_notes(payload, f"{prompt}\n{answer}"))
    if messages:
        yield replace(about, messages=messages)


def _files(entry: dict[str, Any]) -> tuple[str, ...]:
    return tuple(path for path in as_list(entry.get("files")) if isinstance(path, str))[:_MAX_FILES]


def _messages(prompt: str, answer: str) -> tuple[Message, ...]:
    said = (Message("user", spoken_text(prompt)), Message("assistant", spoken_text(answer)))
    return tuple(message for message in said if message.text)


def _notes(payload: dict[str, Any], said: str) -> Iterator[Message]:
    """Changes that were sent apart from the conversation."""
    for change in as_list(payload.get("changes")):
        title, content = first_text(change, "title").strip(), first_text(change, "content").strip()
        if content and content not in said:
            yield Message("note", content if content.startswith(title) else f"{title}\n{content}")
        elif title and not content and title not in said:
            yield Message("note", title)


def _parts(turns: Iterable[Turn], before: str) -> Iterator[Turn]:
    """The turns, long ones in parts of whole paragraphs, each with what came before it."""
    for turn in turns:
        topic = next((message.text[:_HEAD_CHARS] for message in turn.messages if message.role == "user"), "")
        for number, messages in enumerate(_split(turn.messages)):
            yield replace(turn, messages=messages, before=topic if number else before)
        before = ending(turn.messages)


def _split(messages: tuple[Message, ...]) -> Iterator[tuple[Message, ...]]:
    if sum(len(message.text) for message in messages) <= TURN_CHARS:
        yield messages
        return
    part: list[Message] = []
    room = TURN_CHARS
    for message in messages:
        for piece in _pieces(message.text):
            if part and len(piece) > room:
                yield tuple(part)
                part, room = [], TURN_CHARS - _HEAD_CHARS
            if part and part[-1].role == message.role:
                part[-1] = Message(message.role, f"{part[-1].text}\n\n{piece}")
            else:
                part.append(Message(message.role, piece))
            room -= len(piece)
    if part:
        yield tuple(part)


def _pieces(text: str) -> Sequence[str]:
    """The paragraphs of a text, none of them longer than a turn."""
    found: list[str] = []
    for paragraph in _BLANK_LINES.split(text):
        rest = paragraph.strip()
        while len(rest) > TURN_CHARS:
            cut = max(rest.rfind("\n", 0, TURN_CHARS), rest.rfind(". ", 0, TURN_CHARS) + 1)
            cut = cut if cut > TURN_CHARS // 2 else TURN_CHARS
            found.append(rest[:cut].rstrip())
            rest = rest[cut:].lstrip()
        if rest:
            found.append(rest)
    return found


def _epoch_ms(value: Any) -> int | None:
    """A time as milliseconds, from ISO 8601, seconds or milliseconds; None if it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        seconds = value / 1000 if value > 1e11 else value
        return int(seconds * 1000) if 0 < seconds < 1e11 else None
    try:
        found = datetime.fromisoformat(as_text(value).strip())
        return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
