"""Memories imported from other tools, and the events that send them to Loremark.

The same file always gives the same events, so the server can detect duplicates.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any, Literal

from loremark.base import limits
from loremark.base.redaction.redactor import redact_payload

Kind = Literal["item", "context", "document", "session"]
_SEGMENT_CHARS = 60
_CONTENT_CHARS = 60_000
_MAX_WORDS = 20


@dataclass(frozen=True, slots=True)
class Note:
    """One imported memory: an item, a context, a session, or a document that only its statements are kept of."""

    tool: str
    kind: Kind
    title: str
    content: str
    origin: str
    """The source file, relative to the imported folder."""
    type: str | None = None
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    confidence: float | None = None
    schema_key: str | None = None
    status: str | None = None
    """``deprecated`` if it no longer applies."""
    source: str = ""
    """For sessions: the source of their events."""
    extra: dict[str, Any] = field(default_factory=dict)
    """For sessions: turns, agent, branch and so on."""


@dataclass(frozen=True, slots=True)
class Event:
    """An ingest event."""

    event: str
    payload: dict[str, Any]


def to_event(note: Note) -> Event:
    """Return the redacted event for a note."""
    write = {"item": _operation, "context": _context, "document": _document, "session": _session}[note.kind]
    payload = write(note)
    payload, _ = redact_payload(payload | {"source": note.source or f"import:{note.tool}", "origin": note.origin})
    event = {"item": "memory_operation", "session": "session_save"}.get(note.kind, "context_update")
    return Event(event, payload)


def _operation(note: Note) -> dict[str, Any]:
    item: dict[str, Any] = {"title": note.title[: limits.ITEM_TITLE_CHARS], "content": note.content[:_CONTENT_CHARS]}
    optional = {
        "type": note.type,
        "files": list(note.files[: limits.ITEM_FILES]),
        "tags": list(note.tags[:_MAX_WORDS]),
        "confidence": note.confidence,
        "schemaKey": note.schema_key,
        "status": note.status,
    }
    return {"operation": "create", "item": item | {name: value for name, value in optional.items() if value}}


def _context(note: Note) -> dict[str, Any]:
    name = note.title[: limits.CONTEXT_NAME_CHARS]
    return {"schemaKey": note.schema_key, "name": name, "content": note.content[: limits.CONTENT_CHARS]}


def _document(note: Note) -> dict[str, Any]:
    """Without a name and a key, so that no context is created."""
    payload: dict[str, Any] = {"content": note.content[: limits.CONTENT_CHARS]}
    return payload | ({"files": list(note.files[: limits.ITEM_FILES])} if note.files else {})


def _session(note: Note) -> dict[str, Any]:
    payload: dict[str, Any] = {"summary": note.content[:_CONTENT_CHARS], "changes": [], "title": note.title}
    if note.files:
        payload["files"] = list(note.files[: limits.ITEM_FILES])
    return payload | note.extra


def slug(name: str) -> str:
    """Turn a name into a schema key segment."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_SEGMENT_CHARS].strip("-") or "untitled"


def schema_key(*names: str) -> str:
    """Build a schema key below the root, up to the maximum depth."""
    segments = [slug(part) for name in names for part in name.split("/") if part.strip()]
    return "/".join(["root", *[segment for segment in segments if segment != "root"]][:8])


_TYPES = {
    "architecture": ("architecture", "design", "tech", "technology", "component", "system", "structure", "pattern"),
    "convention": (
        *(
            "convention",
            "conventions",
            "rule",
            "rules",
            "preference",
            "preferences",
            "requirement",
            "style",
            "standard",
        ),
        *("guideline", "practice", "method", "process", "user_preference", "coding_convention"),
    ),
    "decision": ("decision", "decisions", "choice", "adr", "architecture_decision"),
    "bug": ("bug", "bugfix", "issue", "problem", "fix", "error", "security_alert", "security_note", "anti_pattern"),
    "todo": ("todo", "task", "tasks", "next", "next_steps", "question", "plan"),
    "codemap": ("codemap", "map", "file", "files"),
    "implementation": ("implementation", "feature", "refactor", "change", "discovery", "task_learning", "learning"),
}
_TYPE_OF = {word: name for name, words in _TYPES.items() for word in words}


def type_of(word: str, default: str | None = None) -> str | None:
    """Return our item type for another tool's category."""
    return _TYPE_OF.get(word.strip().lower().replace("-", "_").replace(" ", "_"), default)


def headline(text: str) -> str:
    """Return the first sentence of a text as a title."""
    first = next((line.strip(" #*->\t") for line in text.splitlines() if line.strip(" #*->\t")), "")
    sentence = re.split(r"(?<=[.!?])\s", first, maxsplit=1)[0]
    return sentence if len(sentence) <= 120 else sentence[:119].rstrip() + "…"
