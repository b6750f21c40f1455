"""Assembling a brain: reads the metadata of all approved memory, then the texts of the chosen entries."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from loremark.base.caller import Scope
from loremark.features.brain import store
from loremark.features.brain.request import BrainRequest
from loremark.features.history.tokens import count_tokens
from loremark.memory.brain.document import Document, compose
from loremark.memory.brain.entries import Entry, Text, context_origin
from loremark.memory.brain.file_proximity import file_proximity
from loremark.memory.brain.header import Project
from loremark.memory.brain.selection import Choice, select_entries
from loremark.memory.provenance import UNKNOWN_SOURCE, source_name
from loremark.storage.database import Database, Row, Tx

_ATTEMPTS = 3
_NO_FLAGS = "[]"


@dataclass(frozen=True, slots=True)
class Assembled:
    """A brain document at a memory version."""

    document: Document
    version: int
    etag: str


async def assemble(database: Database, scope: Scope, request: BrainRequest) -> Assembled | None:
    """Assemble the current brain, or return None if the project does not exist.

    Reading takes several statements and is repeated if the memory changes in between. If it keeps changing, the last
    result is returned with the version at which reading started, so it is never taken for a newer one.
    """
    for _ in range(_ATTEMPTS):
        assembled = await _assemble_once(database, scope, request)
        if assembled is None:
            return None
        async with database.read() as tx:
            project = await store.find_project(tx, scope, request.project_id)
        if project is None or project["memory_version"] == assembled.version:
            break
    return assembled


async def _assemble_once(database: Database, scope: Scope, request: BrainRequest) -> Assembled | None:
    async with database.read() as tx:
        project = await store.find_project(tx, scope, request.project_id)
        if project is None:
            return None
        items = await store.list_items(tx, scope, request.project_id, request.branch)
        contexts = await store.list_contexts(tx, scope, request.project_id)
        files = await store.list_files(tx, scope, request.project_id) if request.files else []
    entries, chosen = await asyncio.to_thread(_choose, request, items, contexts, files)
    async with database.read() as tx:
        texts = await read_texts(tx, scope, request.project_id, chosen)
    document, etag = await asyncio.to_thread(
        render, project_header(project, request), entries, chosen, texts, request.budget
    )
    return Assembled(document, int(project["memory_version"]), etag)


def project_header(project: Row, request: BrainRequest) -> Project:
    """Return the contents of layer 0."""
    return Project(project["name"], project["description"], project["repo_url"], request.branch)


def _choose(
    request: BrainRequest, items: Sequence[Row], contexts: Sequence[Row], files: Sequence[Row]
) -> tuple[list[Entry], list[Choice]]:
    entries = to_entries(items, contexts)
    near = file_proximity(request.files, ((row["item_id"], row["path"]) for row in files)) if request.files else None
    return entries, select_entries(entries, request.budget, near)


def to_entries(items: Sequence[Row], contexts: Sequence[Row]) -> list[Entry]:
    """Convert rows to entries, items first."""
    # Unpacked by position in the order of the statement: access by name takes twice as long for thousands of rows.
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
            origin,
            "" if reviewed else source_name(session_source or "") or UNKNOWN_SOURCE,
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
            origin,
            reviewed,
            session_source,
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
            context_origin(row["schema_key"]),
        )
        for row in contexts
    ]
    return entries


async def read_texts(tx: Tx, scope: Scope, project_id: str, chosen: Iterable[Choice]) -> dict[str, Text]:
    """Return the texts of the chosen entries by id, without those deleted in the meantime."""
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
    """Return a context's text below its name."""
    return "\n\n".join(part for part in (description, content) if part)


def render(
    project: Project, entries: Sequence[Entry], chosen: Sequence[Choice], texts: dict[str, Text], budget: int
) -> tuple[Document, str]:
    """Render the chosen entries that have a text; return the document and its ETag."""
    pairs = [(choice, texts[choice.entry.id]) for choice in chosen if choice.entry.id in texts]
    document = compose(project, entries, pairs, budget, count_tokens)
    return document, hashlib.sha256(document.markdown.encode()).hexdigest()[:32]
