"""Read architecture decision records (MADR or Nygard format)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from loremark.exchange.files import find_files, read_text, relative_name
from loremark.exchange.frontmatter import get_text, split_frontmatter
from loremark.exchange.headings import Section, sections
from loremark.exchange.notes import Note, schema_key

TOOL = "adr"
FOLDERS = ("docs/adr", "docs/adrs", "docs/decisions", "doc/adr", "adr", "decisions", "docs/architecture/decisions")
_NUMBERED = re.compile(r"(?:adr-?)?\d{1,5}[-_ ].{1,150}\.md", re.IGNORECASE)
_TITLE = re.compile(r"(?:adr[- ]?)?\d{1,5}[.:)]?\s*[-–—:]?\s+|adr[- ]?\d{1,5}\s*[:.–—-]\s*", re.IGNORECASE)
_STATUS_LINE = re.compile(r"^[*-]?\s*\**status\**\s*:\**\s*(.{1,200})$", re.IGNORECASE | re.MULTILINE)
_SUPERSEDED = re.compile(r"supersed|deprecat|reject|obsolete|withdrawn", re.IGNORECASE)
_PROPOSED = re.compile(r"propos|draft|discuss", re.IGNORECASE)
_SKIPPED_SECTIONS = ("status", "links", "more information", "date", "deciders")


def looks_like(path: Path, text: str) -> bool:
    """Return whether a document is a decision record."""
    titles = {part.title.lower() for part in sections(text[:20_000])}
    has_decision = any(title.startswith(("decision", "considered options")) for title in titles)
    return has_decision and (_NUMBERED.fullmatch(path.name) is not None or any("context" in title for title in titles))


def read(path: Path) -> Iterator[Note]:
    """Read a record, or all records below a folder."""
    folder = path if path.is_dir() else path.parent
    for file in find_files(path, ".md") if path.is_dir() else [path]:
        text = read_text(file)
        if looks_like(file, text):
            yield read_document(text, relative_name(file, folder))


def read_document(text: str, origin: str) -> Note:
    frontmatter, body = split_frontmatter(text)
    parts = sections(body)
    title = (
        get_text(frontmatter, "title") or next((part.title for part in parts if part.title), "") or Path(origin).stem
    )
    title = _TITLE.sub("", title, count=1).strip() if _TITLE.match(title) else title
    status = get_text(frontmatter, "status") or _status(body, parts)
    is_superseded = bool(_SUPERSEDED.search(status))
    kept = [part for part in parts if part.text and not part.title.lower().startswith(_SKIPPED_SECTIONS)]
    content = "\n\n".join(f"## {part.title}\n{part.text}" if part.headings[1:] else part.text for part in kept)
    content = _STATUS_LINE.sub("", content).strip()
    return Note(
        tool=TOOL,
        kind="item",
        title=title,
        content=f"Status: {status}\n\n{content}" if is_superseded else content,
        origin=origin,
        type="decision",
        tags=("adr", "superseded") if is_superseded else ("adr",),
        confidence=0.6 if _PROPOSED.search(status) else None,
        schema_key=schema_key("decisions", title),
        status="deprecated" if is_superseded else None,
    )


def _status(body: str, parts: list[Section]) -> str:
    for part in parts:
        if part.title.lower() == "status":
            return " ".join(part.text.split())[:200]
    found = _STATUS_LINE.search(body[:5_000])
    return found[1].strip(" *") if found else ""
