"""Putting a brain together: the columns of all memory first, then the texts of what may stand in it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from loremark.base.caller import Scope
from loremark.features.brain import store
from loremark.features.brain.asked import Asked
from loremark.features.history.tokens import count_tokens
from loremark.memory.brain.document import Document, compose
from loremark.memory.brain.entries import Entry, Text
from loremark.memory.brain.head import Project
from loremark.memory.brain.nearness import nearness
from loremark.memory.brain.planning import Choice, choose
from loremark.storage.database import Database, Row, Tx

_TRIES = 3
_NO_FLAGS = "[]"


@dataclass(frozen=True, slots=True)
class Assembled:
    """A document of the memory at a version."""

    document: Document
    version: int
    etag: str


async def assemble(database: Database, scope: Scope, asked: Asked) -> Assembled | None:
    """The brain as it is now; None when the project has gone.

    Several statements read it. Where the memory changed between them it is read again; in a memory that never
    rests the last reading counts, under the version it began with: nobody takes it for the newer one.
    """
    for _ in range(_TRIES):
        made = await _read_and_write(database, scope, asked)
        if made is None:
            return None
        async with database.read() as tx:
            project = await store.find_project(tx, scope, asked.project_id)
        if project is None or project["memory_version"] == made.version:
            break
    return made


async def _read_and_write(database: Database, scope: Scope, asked: Asked) -> Assembled | None:
    async with database.read() as tx:
        project = await store.find_project(tx, scope, asked.project_id)
        if project is None:
            return None
        items = await store.list_items(tx, scope, asked.project_id, asked.branch)
        contexts = await store.list_contexts(tx, scope, asked.project_id)
        files = await store.list_files(tx, scope, asked.project_id) if asked.files else []
    entries, chosen = await asyncio.to_thread(_choose, asked, items, contexts, files)
    async with database.read() as tx:
        texts = await read_texts(tx, scope, asked.project_id, chosen)
    document, etag = await asyncio.to_thread(write, about(project, asked), entries, chosen, texts, asked.budget)
    return Assembled(document, int(project["memory_version"]), etag)


def about(project: Row, asked: Asked) -> Project:
    """What layer 0 says."""
    return Project(project["name"], project["description"], project["repo_url"], asked.branch)


def _choose(
    asked: Asked, items: Sequence[Row], contexts: Sequence[Row], files: Sequence[Row]
) -> tuple[list[Entry], list[Choice]]:
    entries = entries_of(items, contexts)
    near = nearness(asked.files, ((row["item_id"], row["path"]) for row in files)) if asked.files else None
    return entries, choose(entries, asked.budget, near)


def entries_of(items: Sequence[Row], contexts: Sequence[Row]) -> list[Entry]:
    """What the rows of the store say, items first."""
    # By position, in the order of the statement: by name it takes twice the time, and there are thousands.
    columns: Any = items
    entries = [
        Entry(
            item_id,
            "item",
            tier,
            kind,
            schema_key,
            confidence,
            () if flags == _NO_FLAGS else tuple(msgspec.json.decode(flags, type=list[str])),
            tokens,
            updated_at_ms,
            bool(has_evidence),
            bool(on_branch),
        )
        for (
            item_id,
            tier,
            kind,
            schema_key,
            confidence,
            flags,
            tokens,
            updated_at_ms,
            has_evidence,
            on_branch,
        ) in columns
    ]
    entries += [
        Entry(
            row["id"],
            "context",
            row["tier"],
            row["context_type"],
            row["schema_key"],
            1.0,
            (),
            row["token_count"],
            row["updated_at_ms"],
            True,
            False,
        )
        for row in contexts
    ]
    return entries


async def read_texts(tx: Tx, scope: Scope, project_id: str, chosen: Iterable[Choice]) -> dict[str, Text]:
    """The texts of what was chosen, by id; those that have gone meanwhile are not among them."""
    found: dict[str, Text] = {}
    chosen = list(chosen)
    for beginnings in (False, True):
        wanted = [choice.entry for choice in chosen if choice.whole is not beginnings]
        items = [entry.id for entry in wanted if entry.kind == "item"]
        contexts = [entry.id for entry in wanted if entry.kind == "context"]
        for row in await store.list_item_texts(tx, scope, project_id, items, beginnings=beginnings):
            paths = tuple(sorted(row["paths"].split(store.PATH_SEPARATOR))) if row["paths"] else ()
            found[row["id"]] = Text(row["title"], row["content"], paths)
        for row in await store.list_context_texts(tx, scope, project_id, contexts, beginnings=beginnings):
            found[row["id"]] = Text(row["name"], context_content(row["description"], row["content"]))
    return found


def context_content(description: str, content: str) -> str:
    """What a context says below its name."""
    return "\n\n".join(part for part in (description, content) if part)


def write(
    project: Project, entries: Sequence[Entry], chosen: Sequence[Choice], texts: dict[str, Text], budget: int
) -> tuple[Document, str]:
    """The document of what was chosen and has a text, and its tag."""
    told = [(choice, texts[choice.entry.id]) for choice in chosen if choice.entry.id in texts]
    document = compose(project, entries, told, budget, count_tokens)
    return document, hashlib.sha256(document.markdown.encode()).hexdigest()[:32]
