"""Read basic-memory notes: front matter, prose, and observations like ``- [category] fact #tag (context)``.

Each observation becomes an item. A note without observations, or one exported by Loremark, becomes a single item.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from loremark.exchange.files import find_files, read_text, relative_name
from loremark.exchange.frontmatter import Frontmatter, get_list, get_text, split_frontmatter
from loremark.exchange.headings import without_own_block
from loremark.exchange.notes import Note, headline, schema_key, type_of

TOOL = "basic-memory"
OWN_TYPES = ("architecture", "convention", "implementation", "decision", "bug", "todo", "codemap")
_OBSERVATION = re.compile(r"^[-*] \[([A-Za-z][A-Za-z0-9 _-]{0,40})\][ \t]+(\S.{0,4000})$", re.MULTILINE)
_TAG = re.compile(r"(?<!\S)#([A-Za-z][\w/-]{0,49})")
_CONTEXT = re.compile(r"[ \t]\(([^()]{1,500})\)$")
_LISTED = re.compile(r"^## (?:Observations|Relations)[ \t]*$.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_NOT_TAGS = frozenset(("x", "X", " "))


def looks_like(text: str) -> bool:
    head, body = split_frontmatter(text)
    return bool(get_text(head, "permalink")) or (bool(head.get("title")) and _OBSERVATION.search(body) is not None)


def read(path: Path) -> Iterator[Note]:
    """Read a note, or all notes below a folder."""
    folder = path if path.is_dir() else path.parent
    for file in find_files(path, ".md") if path.is_dir() else [path]:
        text = read_text(file)
        if looks_like(text):
            yield from read_document(text, relative_name(file, folder))


def read_document(text: str, origin: str) -> Iterator[Note]:
    head, body = split_frontmatter(without_own_block(text))
    title = get_text(head, "title") or Path(origin).stem
    prose = _LISTED.sub("", body).strip()
    observations = _OBSERVATION.findall(body)
    if get_text(head, "type") in OWN_TYPES or not observations:
        if prose or title:
            yield _whole_note(head, title, prose, origin)
        return
    for category, observation in observations:
        yield _observation_note(head, title, category, observation.strip(), origin)


def _whole_note(head: Frontmatter, title: str, prose: str, origin: str) -> Note:
    prose = re.sub(r"^# .{0,300}\n+", "", prose, count=1)
    confidence = get_text(head, "confidence")
    return Note(
        tool=TOOL,
        kind="item",
        title=title,
        content=prose or title,
        origin=origin,
        type=type_of(get_text(head, "type"), "implementation"),
        files=tuple(get_list(head, "files")),
        tags=tuple(get_list(head, "tags")),
        confidence=float(confidence) if re.fullmatch(r"0?\.\d{1,6}|[01](?:\.0{1,6})?", confidence) else None,
        schema_key=_key(head, title),
        status="deprecated" if get_text(head, "status") == "deprecated" else None,
    )


def _observation_note(head: Frontmatter, title: str, category: str, observation: str, origin: str) -> Note:
    context = _CONTEXT.search(observation)
    fact = _TAG.sub("", _CONTEXT.sub("", observation)).strip() or observation
    content = f"{fact}\n\n({context[1]})" if context else fact
    return Note(
        tool=TOOL,
        kind="item",
        title=headline(fact),
        content=content,
        origin=f"{origin}#{title}",
        type=type_of(category, "implementation"),
        tags=tuple(dict.fromkeys((*_TAG.findall(observation), *get_list(head, "tags")))),
        schema_key=_key(head, title),
    )


def _key(head: Frontmatter, title: str) -> str:
    return get_text(head, "schemaKey") or schema_key(get_text(head, "permalink") or title)
