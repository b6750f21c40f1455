"""Parses a model's answer about a session, and drops every claim that the session does not support."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from loremark.memory import schema_keys
from loremark.memory.extraction import salience
from loremark.memory.extraction.facts import MAX_CONTENT_CHARS, MAX_FILES, MAX_QUOTES
from loremark.memory.extraction.payloads import as_list, as_number, as_text, first_text
from loremark.memory.extraction.schema_key_rules import infer_schema_key, parse_schema_key
from loremark.memory.extraction.type_rules import TYPES, type_for_category
from loremark.memory.items import TIER_OF_TYPE, Item, Quote
from loremark.memory.json_answer import MAX_ENTRIES, MalformedAnswer, find_entries
from loremark.memory.paths import parse_file_field
from loremark.memory.reading.source_text import SourceText
from loremark.wire.items import ItemType

__all__ = ["MAX_FINDINGS", "Finding", "Findings", "MalformedAnswer", "parse_answer"]

MAX_FINDINGS = 12
"""Items of one part of a session. A model that lists more has not chosen."""
_TITLE_CHARS = 160
_FIELD_CHARS = 600
_MAX_TAGS = 5
_MAX_REJECTED = 5
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LABELS = (("reason", "Reason"), ("cause", "Cause"), ("fix", "Fix"), ("check", "Check"))
Verdict = Literal["new", "repeats", "supersedes"]


@dataclass(frozen=True, slots=True)
class Finding:
    """An item that passed every check, and how it relates to what memory already says.

    ``known_id``: the item that it repeats or supersedes. ``sureness``: the model's own confidence, 0 to 1.
    """

    item: Item
    verdict: Verdict
    known_id: str
    sureness: float


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of an answer, and why others were dropped."""

    found: tuple[Finding, ...]
    unsupported: int = 0
    invalid: int = 0
    unknown_ids: int = 0
    beyond_limit: int = 0


class _Unsupported(ValueError):
    """A claim that the session does not support."""


def parse_answer(answer: str, source: SourceText, known_ids: Collection[str], *, branch: str | None) -> Findings:
    """Return what an answer says that holds. Raises MalformedAnswer if it contains no usable JSON."""
    found: list[Finding] = []
    unsupported = invalid = unknown = 0
    entries = find_entries(answer)
    for entry in entries[:MAX_ENTRIES]:
        if len(found) == MAX_FINDINGS:
            break
        if not isinstance(entry, dict):
            invalid += 1
            continue
        try:
            item = _item_of(entry, source, branch)
        except _Unsupported:
            unsupported += 1
            continue
        if item is None:
            invalid += 1
            continue
        verdict, known_id = _verdict_of(entry)
        if verdict != "new" and known_id not in known_ids:
            unknown += 1
            verdict, known_id = "new", ""
        sureness = as_number(entry.get("confidence"))
        found.append(Finding(item, verdict, known_id, 0.5 if sureness is None else min(1.0, max(0.0, sureness))))
    read = len(found) + unsupported + invalid
    return Findings(_distinct(found), unsupported, invalid, unknown, max(0, len(entries) - read))


def _distinct(found: Sequence[Finding]) -> tuple[Finding, ...]:
    """Each statement once; of several that supersede one item, the first."""
    kept: dict[tuple[str, ...], Finding] = {}
    for one in found:
        text = ("text", " ".join(f"{one.item.title} {one.item.content}".casefold().split()))
        target = ("target", one.known_id) if one.known_id else text
        if text not in kept and target not in kept:
            kept[text] = kept[target] = one
    return tuple(dict.fromkeys(kept.values()))


def _verdict_of(entry: dict[str, Any]) -> tuple[Verdict, str]:
    known_id = as_text(entry.get("known")).strip().strip("[]")
    verdict = as_text(entry.get("verdict")).strip().lower()
    if known_id and verdict == "repeats":
        return "repeats", known_id
    if known_id and verdict == "supersedes":
        return "supersedes", known_id
    return "new", ""


def _item_of(entry: dict[str, Any], source: SourceText, branch: str | None) -> Item | None:
    """Return the item, or None if the entry is not one. Raises _Unsupported."""
    title = _line(entry.get("title"), _TITLE_CHARS).rstrip(".")
    content = _block(entry)
    kind = _type_of(as_text(entry.get("type")))
    if not title or not content or kind is None:
        return None
    claim = f"{title}\n{content}"
    quotes = _quotes_of(entry, source)
    if not quotes or salience.targets_model(claim) or source.invented(claim) is not None:
        raise _Unsupported
    named = (parse_file_field(path) for path in as_list(entry.get("files"))[: 2 * MAX_FILES])
    files = tuple(dict.fromkeys(path for path in named if path is not None and source.has_path(path)))[:MAX_FILES]
    tags = (schema_keys.slug(tag) for tag in as_list(entry.get("tags")) if isinstance(tag, str) and tag.strip())
    return Item(
        title=title,
        content=content,
        type=kind,
        schema_key=parse_schema_key(entry.get("schemaKey")) or infer_schema_key(kind, files, "", f"{title}. {content}"),
        confidence=0.0,
        files=files,
        tags=tuple(dict.fromkeys(tags))[:_MAX_TAGS],
        evidence=quotes,
        branch=branch,
        tier=TIER_OF_TYPE[kind],
    )


def _block(entry: dict[str, Any]) -> str:
    """The item's text: what holds, then why, what was rejected, and how a bug was fixed, each on its own line."""
    content = _CONTROL.sub(" ", first_text(entry, "content")).strip()
    lines = [content] if content else []
    for field, label in _LABELS:
        text = _line(entry.get(field), _FIELD_CHARS)
        if text and text not in content:
            lines.append(f"{label}: {text}")
        if field == "reason":
            rejected = [_line(one, _FIELD_CHARS) for one in as_list(entry.get("rejected"))[:_MAX_REJECTED]]
            lines += [f"Rejected: {one}" for one in rejected if one and one not in content]
    command = _line(entry.get("command"), _FIELD_CHARS)
    if command and command not in content:
        lines.append(f"Command: `{command}`" if "`" not in command else f"Command: {command}")
    return "\n".join(lines)[:MAX_CONTENT_CHARS].strip() if content else ""


def _line(value: Any, limit: int) -> str:
    return " ".join(_CONTROL.sub(" ", as_text(value)).split())[:limit].strip()


def _quotes_of(entry: dict[str, Any], source: SourceText) -> tuple[Quote, ...]:
    found: dict[Quote, None] = {}
    for claimed in as_list(entry.get("quotes"))[:10]:
        words = claimed if isinstance(claimed, str) else first_text(claimed, "quote", "text")
        turn = claimed.get("turn") if isinstance(claimed, dict) else None
        own = source.find_quote(_CONTROL.sub(" ", words), turn if isinstance(turn, int) else None)
        if own is not None:
            passage, quote = own
            found.setdefault(Quote(passage.event_id, quote, passage.commit_sha))
    return tuple(found)[:MAX_QUOTES]


def _type_of(name: str) -> ItemType | None:
    name = name.strip().lower()
    known = next((kind for kind in TYPES if kind == name), None)
    if known is not None or not name:
        return known
    named = type_for_category(name)
    return named[0] if named is not None else None
