"""Read agents' instruction files: each section becomes a convention for the files that the rule applies to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from loremark.exchange.files import find_files, has_no_symlink, is_regular_file, read_text, relative_name
from loremark.exchange.frontmatter import get_list, get_text, split_frontmatter
from loremark.exchange.headings import sections, without_comments, without_own_block
from loremark.exchange.notes import Note, headline, schema_key
from loremark.wire.items import SECTION_SEPARATOR

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
_OTHER_FILES = (".github/copilot-instructions.md",)
_FOLDERS = (".cursor/rules", ".clinerules", ".claude/rules", ".github/instructions", ".windsurf/rules")
_MIN_CHARS = 10


def is_file(path: Path) -> bool:
    posix_path = path.as_posix()
    return (
        path.name in NAMES
        or path.suffix == ".mdc"
        or path.name.endswith(".instructions.md")
        or posix_path.endswith("copilot-instructions.md")
    )


def find(folder: Path) -> list[Path]:
    """Find the instruction files of a repository or a rules folder."""
    found = [
        folder / name
        for name in (*sorted(NAMES), *_OTHER_FILES)
        if is_regular_file(folder / name) and has_no_symlink(folder, name)
    ]
    for name in _FOLDERS:
        subfolder = folder / name
        if subfolder.is_dir() and has_no_symlink(folder, name):
            found += find_files(subfolder, ".md", ".mdc")
    if not found and folder.as_posix().endswith(_FOLDERS):
        found = find_files(folder, ".md", ".mdc")
    return found


def read(path: Path) -> Iterator[Note]:
    folder = path if path.is_dir() else path.parent
    for file in find(path) if path.is_dir() else [path]:
        yield from read_document(read_text(file), relative_name(file, folder))


def read_document(text: str, origin: str) -> Iterator[Note]:
    head, body = split_frontmatter(text)
    globs = tuple(get_list(head, "globs", "applyTo", "paths"))
    description = get_text(head, "description")
    body = without_comments(without_own_block(body))
    parts = [part for part in sections(body) if len(part.text) >= _MIN_CHARS]
    for part in parts:
        headings = [name for name in part.headings if name]
        title = SECTION_SEPARATOR.join(headings[-2:]) or description or headline(part.text)
        yield Note(
            tool=TOOL,
            kind="item",
            title=title,
            content=part.text,
            origin=f"{origin}#{'/'.join(headings)}" if headings else origin,
            type="convention",
            files=globs,
            schema_key=schema_key("conventions", *headings[-2:]),
        )
