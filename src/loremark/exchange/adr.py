"""Read architecture decision records (MADR or Nygard format)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from loremark.exchange.files import find_files, read_text, relative_name
from loremark.exchange.frontmatter import get_text, split_frontmatter
from loremark.exchange.headings import sections, without_own_block
from loremark.exchange.notes import Note

TOOL = "adr"
FOLDERS = ("docs/adr", "docs/adrs", "docs/decisions", "doc/adr", "adr", "decisions", "docs/architecture/decisions")
_NUMBERED = re.compile(r"(?:adr-?)?\d{1,5}[-_ ].{1,150}\.md", re.IGNORECASE)


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
    """The record as a document; a title and status in the front matter become part of the text."""
    frontmatter, body = split_frontmatter(text)
    body = without_own_block(body).strip()
    title = next((part.title for part in sections(body) if part.title), "")
    if not title:
        title = get_text(frontmatter, "title") or Path(origin).stem
        body = f"# {title}\n\n{body}"
    if status := get_text(frontmatter, "status"):
        body = f"{body}\n\n## Status\n\n{status}"
    return Note(tool=TOOL, kind="document", title=title, content=body, origin=origin)
