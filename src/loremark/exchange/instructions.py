"""Read agents' instruction files: one document per file, or per set of files with mostly the same content."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from loremark.exchange.files import find_files, has_no_symlink, is_regular_file, read_text, relative_name
from loremark.exchange.frontmatter import get_list, get_text, split_frontmatter
from loremark.exchange.headings import sections, without_comments, without_own_block
from loremark.exchange.notes import Note

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
_MIRRORED = 0.5
_LINE_CHARS = 12
_PART_CHARS = 40_000


@dataclass(frozen=True, slots=True)
class _Document:
    origin: str
    title: str
    text: str
    globs: tuple[str, ...]

    def lines(self) -> frozenset[str]:
        """The lines that say something, without indentation."""
        return frozenset(line for each in self.text.split("\n") if _says_something(line := each.strip()))


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
    files = find(path) if path.is_dir() else [path]
    for document in _without_mirrors([_document(read_text(file), relative_name(file, folder)) for file in files]):
        yield from _notes(document)


def read_document(text: str, origin: str) -> Iterator[Note]:
    yield from _notes(_document(text, origin))


def _document(text: str, origin: str) -> _Document:
    head, body = split_frontmatter(text)
    body = without_comments(without_own_block(body)).strip()
    first = next((part.title for part in sections(body) if part.title), "")
    title = get_text(head, "description") or first or Path(origin).stem
    if not first and body and title:
        body = f"# {title}\n\n{body}"
    return _Document(origin, title, body, tuple(get_list(head, "globs", "applyTo", "paths")))


def _without_mirrors(documents: list[_Document]) -> list[_Document]:
    """Join documents that mostly repeat another one with it. What only they say is kept."""
    kept: list[tuple[_Document, frozenset[str]]] = []
    for document in sorted(documents, key=lambda each: (-len(each.text), each.origin)):
        lines = document.lines()
        mirrored = (
            at
            for at, (other, known) in enumerate(kept)
            if other.globs == document.globs and len(lines & known) >= _MIRRORED * len(lines)
        )
        place = next(mirrored, None)
        if place is None:
            kept.append((document, lines))
            continue
        first, known = kept[place]
        more = [line for line in document.text.split("\n") if line.strip() not in known]
        text = "\n".join(more) if lines - known else ""
        joined = replace(first, origin=f"{first.origin}, {document.origin}", text=f"{first.text}\n\n{text}".strip())
        kept[place] = (joined, known | lines)
    order = {document.origin: at for at, document in enumerate(documents)}
    return sorted((document for document, _ in kept), key=lambda each: order[each.origin.split(", ")[0]])


def _says_something(line: str) -> bool:
    return len(line) >= _LINE_CHARS and not line.startswith("#")


def _notes(document: _Document) -> Iterator[Note]:
    """One note, or several if the document is long."""
    for text in filter(None, _parts(document.text)):
        yield Note(
            tool=TOOL, kind="document", title=document.title, content=text, origin=document.origin, files=document.globs
        )


def _parts(text: str) -> Iterator[str]:
    """The text, cut at its headings if it is long."""
    if len(text) <= _PART_CHARS:
        yield text
        return
    part = ""
    for section in sections(text, depth=2):
        heading = "\n".join(f"{'#' * level} {name}" for level, name in enumerate(section.headings, 1))
        piece = f"{heading}\n\n{section.text}".strip()
        if part and len(part) + len(piece) > _PART_CHARS:
            yield part
            part = ""
        part = f"{part}\n\n{piece}".strip()
    if part:
        yield part
