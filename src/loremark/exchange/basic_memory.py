"""Notes of basic-memory: a head, prose, and observations such as ``- [category] fact #tag (context)``.

Each observation is an item; a note without any is one itself, and so is one that Loremark has written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from loremark.exchange.frontmatter import Head, many, one, split_head
from loremark.exchange.headings import without_own_block
from loremark.exchange.notes import Note, headline, schema_key, type_of
from loremark.exchange.reading import find_files, name_in, read_text

TOOL = "basic-memory"
OWN_TYPES = ("architecture", "convention", "implementation", "decision", "bug", "todo", "codemap")
_OBSERVATION = re.compile(r"^[-*] \[([A-Za-z][A-Za-z0-9 _-]{0,40})\][ \t]+(\S.{0,4000})$", re.MULTILINE)
_TAG = re.compile(r"(?<!\S)#([A-Za-z][\w/-]{0,49})")
_CONTEXT = re.compile(r"[ \t]\(([^()]{1,500})\)$")
_LISTED = re.compile(r"^## (?:Observations|Relations)[ \t]*$.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_NOT_TAGS = frozenset(("x", "X", " "))


def looks_like(text: str) -> bool:
    head, body = split_head(text)
    return bool(one(head, "permalink")) or (bool(head.get("title")) and _OBSERVATION.search(body) is not None)


def read(path: Path) -> Iterator[Note]:
    """A note, or all below a folder."""
    folder = path if path.is_dir() else path.parent
    for file in find_files(path, ".md") if path.is_dir() else [path]:
        text = read_text(file)
        if looks_like(text):
            yield from read_document(text, name_in(file, folder))


def read_document(text: str, origin: str) -> Iterator[Note]:
    head, body = split_head(without_own_block(text))
    title = one(head, "title") or Path(origin).stem
    prose = _LISTED.sub("", body).strip()
    observations = _OBSERVATION.findall(body)
    if one(head, "type") in OWN_TYPES or not observations:
        if prose or title:
            yield _whole(head, title, prose, origin)
        return
    for category, said in observations:
        yield _observed(head, title, category, said.strip(), origin)


def _whole(head: Head, title: str, prose: str, origin: str) -> Note:
    prose = re.sub(r"^# .{0,300}\n+", "", prose, count=1)
    confidence = one(head, "confidence")
    return Note(
        tool=TOOL,
        kind="item",
        title=title,
        content=prose or title,
        origin=origin,
        type=type_of(one(head, "type"), "implementation"),
        files=tuple(many(head, "files")),
        tags=tuple(many(head, "tags")),
        confidence=float(confidence) if re.fullmatch(r"0?\.\d{1,6}|[01](?:\.0{1,6})?", confidence) else None,
        schema_key=_key(head, title),
        status="deprecated" if one(head, "status") == "deprecated" else None,
    )


def _observed(head: Head, title: str, category: str, said: str, origin: str) -> Note:
    context = _CONTEXT.search(said)
    fact = _TAG.sub("", _CONTEXT.sub("", said)).strip() or said
    words = f"{fact}\n\n({context[1]})" if context else fact
    return Note(
        tool=TOOL,
        kind="item",
        title=headline(fact),
        content=words,
        origin=f"{origin}#{title}",
        type=type_of(category, "implementation"),
        tags=tuple(dict.fromkeys((*_TAG.findall(said), *many(head, "tags")))),
        schema_key=_key(head, title),
    )


def _key(head: Head, title: str) -> str:
    return one(head, "schemaKey") or schema_key(one(head, "permalink") or title)
