"""Instruction files of agents: each section becomes a convention, about the files that the rule is for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from loremark.exchange.frontmatter import many, one, split_head
from loremark.exchange.headings import sections, without_comments, without_own_block
from loremark.exchange.notes import Note, headline, schema_key
from loremark.exchange.reading import find_files, is_own, is_plain, name_in, read_text
from loremark.wire.items import SECTION_MARK

TOOL = "instructions"
NAMES = frozenset(
    (
        "CLAUDE.md",
        "CLAUDE.local.md",
        "AGENTS.md",
        "GEMINI.md",
        ".cursorrules",
        ".clinerules",
        ".windsurfrules",
        ".rules",
    )
)
_PLACES = (".github/copilot-instructions.md",)
_FOLDERS = (".cursor/rules", ".clinerules", ".claude/rules", ".github/instructions", ".windsurf/rules")
_LEAST_CHARS = 10
_CONFIDENCE = 0.9


def is_file(path: Path) -> bool:
    told = path.as_posix()
    return (
        path.name in NAMES
        or path.suffix == ".mdc"
        or path.name.endswith(".instructions.md")
        or told.endswith("copilot-instructions.md")
    )


def find(folder: Path) -> list[Path]:
    """The instruction files of a repository, or of a folder of rules."""
    found = [folder / name for name in (*sorted(NAMES), *_PLACES) if is_plain(folder / name) and is_own(folder, name)]
    for name in _FOLDERS:
        place = folder / name
        if place.is_dir() and is_own(folder, name):
            found += find_files(place, ".md", ".mdc")
    if not found and folder.as_posix().endswith(_FOLDERS):
        found = find_files(folder, ".md", ".mdc")
    return found


def read(path: Path) -> Iterator[Note]:
    folder = path if path.is_dir() else path.parent
    for file in find(path) if path.is_dir() else [path]:
        yield from read_document(read_text(file), name_in(file, folder))


def read_document(text: str, origin: str) -> Iterator[Note]:
    head, body = split_head(text)
    globs = tuple(many(head, "globs", "applyTo", "paths"))
    about = one(head, "description")
    body = without_comments(without_own_block(body))
    parts = [part for part in sections(body) if len(part.text) >= _LEAST_CHARS]
    for part in parts:
        shown = [name for name in part.headings if name]
        title = SECTION_MARK.join(shown[-2:]) or about or headline(part.text)
        yield Note(
            tool=TOOL,
            kind="item",
            title=title,
            content=part.text,
            origin=f"{origin}#{'/'.join(shown)}" if shown else origin,
            type="convention",
            files=globs,
            confidence=_CONFIDENCE,
            schema_key=schema_key("conventions", *shown[-2:]),
        )
