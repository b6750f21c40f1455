"""The prompt for one part of a session, and the schema of the answer. The wording is in ``prompts``, by version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from loremark.memory.extraction.type_rules import TYPES
from loremark.memory.reading.transcript import Passage

VERSION = "2026-11-2"
ANSWER_TOKENS = 4_000
_KNOWN_CHARS = 600


@dataclass(frozen=True, slots=True)
class KnownItem:
    """What memory already says about the session's subjects, as the model is shown it."""

    id: str
    type: str
    title: str
    content: str
    reviewed: bool = True
    date: str = ""


@dataclass(frozen=True, slots=True)
class ReadingPrompt:
    """What the model is sent."""

    system: str
    user: str


def build_prompt(
    part: Sequence[Passage],
    known: Sequence[KnownItem] = (),
    earlier: Sequence[KnownItem] = (),
    *,
    number: int = 1,
    parts: int = 1,
) -> ReadingPrompt:
    """Return the prompt for a part. ``earlier``: findings of the parts before it."""
    session = "\n\n".join(f"#{passage.number} {passage.speaker}: {passage.text}" for passage in part)
    listed = "\n\n".join(map(_described, known)) or "(nothing)"
    found = "\n\n".join(map(_described, earlier))
    fence = _fence((session, listed, found))
    blocks = [f"What memory already knows (data):\n{fence} BEGIN MEMORY\n{listed}\n{fence} END MEMORY"]
    if earlier:
        blocks.append(f"Findings from earlier parts (data):\n{fence} BEGIN FINDINGS\n{found}\n{fence} END FINDINGS")
    place = f" (part {number} of {parts})" if parts > 1 else ""
    blocks.append(f"The session{place} (data):\n{fence} BEGIN SESSION\n{session}\n{fence} END SESSION")
    blocks.append("Write the items of this session as JSON now.")
    return ReadingPrompt(_template(VERSION).format(fence=fence), "\n\n".join(blocks))


def _described(item: KnownItem) -> str:
    about = ", ".join(filter(None, (item.type, "" if item.reviewed else "unreviewed", item.date)))
    return f"[{item.id}] ({about}) {item.title}\n{item.content[:_KNOWN_CHARS]}"


@lru_cache(maxsize=4)
def _template(version: str) -> str:
    return (files("loremark.memory.reading") / "prompts" / f"{version}.md").read_text(encoding="utf-8")


def _fence(texts: Iterable[str]) -> str:
    """A line prefix that no text contains: it is a hash of the texts themselves."""
    joined = "\x00".join(texts)
    fence = "=====" + hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()[:16]
    while fence in joined:
        fence = "=====" + hashlib.sha256(fence.encode()).hexdigest()[:16]
    return fence


def answer_schema() -> dict[str, Any]:
    """The JSON schema of an answer. Everything is required, because strict modes insist on it."""
    text, words = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
    quote = {
        "type": "object",
        "properties": {"turn": {"type": "integer"}, "quote": text},
        "required": ["turn", "quote"],
        "additionalProperties": False,
    }
    fields: dict[str, Any] = {
        "verdict": {"type": "string", "enum": ["new", "repeats", "supersedes"]},
        "known": text,
        "title": text,
        "content": text,
        "reason": text,
        "rejected": words,
        "cause": text,
        "fix": text,
        "check": text,
        "command": text,
        "type": {"type": "string", "enum": list(TYPES)},
        "schemaKey": text,
        "files": words,
        "tags": words,
        "confidence": {"type": "number"},
        "quotes": {"type": "array", "items": quote},
    }
    item = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    return {
        "type": "object",
        "properties": {"items": {"type": "array", "items": item}},
        "required": ["items"],
        "additionalProperties": False,
    }
