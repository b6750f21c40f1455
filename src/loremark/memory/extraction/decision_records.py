"""Reads architecture decision records: the decision with its reason, what follows, and the context in short."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Literal

from loremark.memory.extraction.document_text import is_drawing, is_placeholder, render, shorten
from loremark.memory.extraction.document_titles import clean_heading
from loremark.memory.extraction.markdown_blocks import Block, Section

Status = Literal["accepted", "proposed", "outdated"]
_Part = Literal["status", "context", "decision", "reason", "options", "consequences", "other"]

_NAMES: tuple[tuple[_Part, str], ...] = (
    ("status", r"status"),
    ("context", r"context(?: and problem statement)?|problem(?: statement)?|background|motivation|issue"),
    ("decision", r"(?:the )?decisions?(?: outcome| made)?|chosen option|change"),
    ("reason", r"rationale|reasons?|reasoning|justification|why(?: .{1,60})?"),
    ("options", r"(?:considered |rejected |other )?(?:options?|alternatives?)(?: considered)?|pros and cons.*"),
    ("consequences", r"consequences|implications|impacts?|trade-?offs"),
)
_PARTS = tuple((part, re.compile(words, re.IGNORECASE)) for part, words in _NAMES)
_SHOWN: tuple[tuple[_Part, str, int], ...] = (
    ("context", "Context", 350),
    ("decision", "Decision", 1_000),
    ("options", "Alternatives", 200),
    ("consequences", "Consequences", 400),
)
_LABEL = re.compile(r"[*_]{0,3}([A-Za-z][A-Za-z ]{2,30}?)[*_]{0,3}:[*_]{0,3}[ \t]*")
_NUMBER = re.compile(
    r"^(?:(?:adr|decision)[ -]?)?\d{1,5} ?[.:)–—-]{0,2} +|^(?:adr|decision(?: record)?) ?[:–—-] ?", re.IGNORECASE
)
_TO_NAME = re.compile(r"<[^<>]{1,60}>|\bN{2,}\b|\bX{3,}\b|\[[^\[\]]{1,60}\]|^N\. ")
_NO_LONGER = re.compile(r"supersed(?!es)|deprecat|reject|obsolete|withdrawn", re.IGNORECASE)
_REPLACES = re.compile(r"\b(?:supersed|replac|amend)(?:es|ing|s)\b[^.\n]{0,60}\d[^.\n]{0,80}", re.IGNORECASE)
"""Says which other record this one replaces."""
_PROPOSED = re.compile(r"propos|draft|discuss", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """``decided``: the blocks of the decision, in order."""

    title: str
    content: str
    status: Status
    decided: tuple[Block, ...]


def has_part(headings: tuple[str, ...]) -> bool:
    return split_parts(headings) != headings


def split_parts(headings: tuple[str, ...]) -> tuple[str, ...]:
    """The headings above the parts of a record: ``# Use Redis`` of ``# Use Redis / ## Decision``."""
    place = next((at for at, name in enumerate(headings) if _part_named(name) != "other"), len(headings))
    return headings[:place]


def read_decision_record(sections: Sequence[Section]) -> DecisionRecord | None:
    """The record in these sections, if they are one: a single decision, and why it was made or what follows."""
    parts: dict[_Part, list[tuple[str, Block]]] = {}
    has_headings = any(has_part(section.headings) for section in sections)
    found, decisions = set(), set()
    for section in sections:
        for part, below, named_by, block in _parts_of(section):
            parts.setdefault("decision" if part == "reason" else part, []).append((below, block))
            found.add(part)
            if part == "decision" and not (has_headings and isinstance(named_by, int)):
                decisions.add(named_by)
    if len(decisions) != 1 or found.isdisjoint(("context", "consequences", "reason", "options")):
        return None
    decided = tuple(block for _, block in parts["decision"] if not is_placeholder(block.text or render(block.blocks)))
    if not decided or any(_TO_NAME.search(name) for section in sections for name in section.headings[:1]):
        return None
    status = " ".join(block.text for _, block in parts.get("status", ()))[:200]
    title = clean_heading(_NUMBER.sub("", (split_parts(sections[0].headings) or ("",))[-1], count=1))
    shown = [_render(parts.get(part, ()), label, room) for part, label, room in _SHOWN]
    replaces = next(
        (
            match[0].strip(" -*")
            for part in ("status", "other")
            for _, block in parts.get(part, ())
            if (match := _REPLACES.search(block.text))
        ),
        "",
    )
    if _NO_LONGER.search(status):
        return DecisionRecord(title, "\n\n".join(filter(None, (f"Status: {status}", *shown))), "outdated", decided)
    kind: Status = "proposed" if _PROPOSED.search(status) else "accepted"
    return DecisionRecord(title, "\n\n".join(filter(None, (replaces, *shown))), kind, decided)


def is_decision_entry(item: Block) -> bool:
    """Whether an entry of a list states a decision with its reason."""
    return any(block.kind == "list" and is_decision(block) for block in item.blocks)


def is_decision(listed: Block) -> bool:
    """Whether the entries of a list are the parts of a decision: "**Decision:** …", "**Rationale:** …"."""
    return any(label is not None and label[0] == "decision" for label in map(_labeled, listed.blocks))


def _parts_of(section: Section) -> Iterator[tuple[_Part, str, tuple[str, ...] | int, Block]]:
    """Each block with its part of the record, the heading below that, and the heading or label that names the part."""
    found = [_part_named(name) for name in section.headings]
    place = next((at for at, part in enumerate(found) if part != "other"), -1)
    if place >= 0:
        below = clean_heading(section.headings[-1]) if place < len(found) - 1 else ""
        yield from ((found[place], below, section.headings[: place + 1], block) for block in section.blocks)
        return
    part: _Part = "other"
    named_by = 0
    for block in section.blocks:
        is_labeled = block.kind == "list" and any(_labeled(item) for item in block.blocks)
        for piece in block.blocks if is_labeled else (block,):
            label = _labeled(piece)
            if label is not None:
                part, piece = label
                named_by = piece.start
            if piece.text or piece.blocks:
                yield part, "", named_by, piece


def _labeled(block: Block) -> tuple[_Part, Block] | None:
    """The part that a label names, as in ``**Decision:** …``, and the block without the label."""
    found = _LABEL.match(block.text) if block.kind in ("paragraph", "item") else None
    part = _part_named(found[1]) if found is not None else "other"
    if found is None or part == "other":
        return None
    said = block.text[found.end() :].strip()
    return part, replace(block, lines=[said] if said else [])


@lru_cache(maxsize=512)
def _part_named(name: str) -> _Part:
    said = clean_heading(name)
    return next((part for part, form in _PARTS if form.fullmatch(said)), "other")


def _render(blocks: Sequence[tuple[str, Block]], label: str, room: int) -> str:
    pieces = []
    for below, group in groupby(blocks, key=lambda pair: pair[0]):
        text = render(block for _, block in group if not (block.kind == "code" and is_drawing(block)))
        pieces.append(f"### {below}\n{text}" if below and text else text)
    whole = "\n\n".join(filter(None, pieces))
    return f"## {label}\n{shorten(whole, room)}" if whole else ""
