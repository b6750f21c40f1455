"""Architecture decision records, as MADR or Michael Nygard write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from loremark.exchange.frontmatter import one, split_head
from loremark.exchange.headings import Section, sections
from loremark.exchange.notes import Note, schema_key
from loremark.exchange.reading import find_files, name_in, read_text

TOOL = "adr"
FOLDERS = ("docs/adr", "docs/adrs", "docs/decisions", "doc/adr", "adr", "decisions", "docs/architecture/decisions")
_NUMBERED = re.compile(r"(?:adr-?)?\d{1,5}[-_ ].{1,150}\.md", re.IGNORECASE)
_TITLE = re.compile(r"(?:adr[- ]?)?\d{1,5}[.:)]?\s*[-–—:]?\s+|adr[- ]?\d{1,5}\s*[:.–—-]\s*", re.IGNORECASE)
_STATUS_LINE = re.compile(r"^[*-]?\s*\**status\**\s*:\**\s*(.{1,200})$", re.IGNORECASE | re.MULTILINE)
_PAST = re.compile(r"supersed|deprecat|reject|obsolete|withdrawn", re.IGNORECASE)
_OPEN = re.compile(r"propos|draft|discuss", re.IGNORECASE)
_PASSED_OVER = ("status", "links", "more information", "date", "deciders")


def looks_like(path: Path, text: str) -> bool:
    """Whether a document is such a record."""
    heads = {part.title.lower() for part in sections(text[:20_000])}
    told = any(head.startswith(("decision", "considered options")) for head in heads)
    return told and (_NUMBERED.fullmatch(path.name) is not None or any("context" in head for head in heads))


def read(path: Path) -> Iterator[Note]:
    """A record, or all below a folder."""
    folder = path if path.is_dir() else path.parent
    for file in find_files(path, ".md") if path.is_dir() else [path]:
        text = read_text(file)
        if looks_like(file, text):
            yield read_document(text, name_in(file, folder))


def read_document(text: str, origin: str) -> Note:
    head, body = split_head(text)
    parts = sections(body)
    title = one(head, "title") or next((part.title for part in parts if part.title), "") or Path(origin).stem
    title = _TITLE.sub("", title, count=1).strip() if _TITLE.match(title) else title
    status = one(head, "status") or _status(body, parts)
    past = bool(_PAST.search(status))
    kept = [part for part in parts if part.text and not part.title.lower().startswith(_PASSED_OVER)]
    content = "\n\n".join(f"## {part.title}\n{part.text}" if part.headings[1:] else part.text for part in kept)
    content = _STATUS_LINE.sub("", content).strip()
    return Note(
        tool=TOOL,
        kind="item",
        title=title,
        content=f"Status: {status}\n\n{content}" if past else content,
        origin=origin,
        type="decision",
        tags=("adr", "superseded") if past else ("adr",),
        confidence=0.6 if _OPEN.search(status) else 0.9,
        schema_key=schema_key("decisions", title),
        status="deprecated" if past else None,
    )


def _status(body: str, parts: list[Section]) -> str:
    for part in parts:
        if part.title.lower() == "status":
            return " ".join(part.text.split())[:200]
    found = _STATUS_LINE.search(body[:5_000])
    return found[1].strip(" *") if found else ""
