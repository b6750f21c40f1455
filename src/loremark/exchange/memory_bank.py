"""Read Cline's memory bank: documents with fixed names, each of which becomes a context."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from loremark.exchange.files import find_files, read_text, relative_name
from loremark.exchange.frontmatter import split_frontmatter
from loremark.exchange.headings import sections, without_own_block
from loremark.exchange.notes import Note, schema_key

TOOL = "cline"
_KEYS = {
    "projectbrief": "project",
    "productcontext": "product",
    "activecontext": "active",
    "systempatterns": "patterns",
    "techcontext": "tech",
    "progress": "progress",
}
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


def looks_like(folder: Path) -> bool:
    return sum((folder / f"{name}.md").is_file() for name in ("projectbrief", "activeContext", "systemPatterns")) >= 2


def read(path: Path) -> Iterator[Note]:
    folder = path if path.is_dir() else path.parent
    for file in find_files(path, ".md") if path.is_dir() else [path]:
        _, body = split_frontmatter(read_text(file))
        body = without_own_block(body).strip()
        if not body:
            continue
        first = next((part.title for part in sections(body) if part.title), "")
        below = [
            *Path(relative_name(file, folder)).parts[:-1],
            _KEYS.get(file.stem.lower(), _WORDS.sub(" ", file.stem)),
        ]
        yield Note(
            tool=TOOL,
            kind="context",
            title=first or _WORDS.sub(" ", file.stem).capitalize(),
            content=body,
            origin=relative_name(file, folder),
            schema_key=schema_key(*below),
        )
