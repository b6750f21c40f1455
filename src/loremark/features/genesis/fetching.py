"""The first three phases: the tree, the files to read, and the chunks they are read in."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from loremark.features.genesis import files, store
from loremark.features.genesis.task import Task
from loremark.memory.codebase.choosing import choosing
from loremark.memory.codebase.choosing.choosing import Candidates, Listed
from loremark.memory.codebase.choosing.glancing import quick_imports
from loremark.memory.codebase.graph.graph import counts
from loremark.ports.git.repository import TreeEntry
from loremark.ports.git.snapshot import Snapshot

_MOST_IGNORE_FILES = 50
_WEIGHED = 25_000
"""Of more files than these, only so many are asked what they import."""
_AT_ONCE = 400
_CHUNK_FILES = 40
_CHUNK_BYTES = 768 * 1024


async def fetch_tree(task: Task) -> None:
    """Fetch the branch's tip and look at what there is."""
    async with task.snapshot() as snapshot:
        entries = await task.entries(snapshot)
        kept = await _candidates(snapshot, entries)
    task.note(_told(len(entries), kept))
    async with task.finish("fetch_tree") as tx:
        await task.keep(tx, {"commit_sha": snapshot.commit, "files_total": len(kept.kept)})


async def _candidates(snapshot: Snapshot, entries: Sequence[TreeEntry]) -> Candidates:
    named = [entry for entry in entries if entry.path.rpartition("/")[2] == ".gitignore"][:_MOST_IGNORE_FILES]
    contents = await snapshot.read([entry.blob for entry in named if entry.size_bytes is not None])
    ignored = {entry.path: contents[entry.blob].decode(errors="replace") for entry in named if entry.blob in contents}
    listed = [Listed(entry.path, entry.size_bytes) for entry in entries]
    return await asyncio.to_thread(choosing.candidates, listed, ignored)


def _told(total: int, kept: Candidates) -> str:
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(kept.left_out.items()) if count)
    left_out = f"; left out: {reasons}" if reasons else ""
    return f"The repository has {total} files, of which {len(kept.kept)} can be read{left_out}."


async def fetch_files(task: Task) -> None:
    """Choose the files to read, and carry over what is known of those that have not changed."""
    most = task.scan["max_files"]
    async with task.snapshot() as snapshot:
        entries = await task.entries(snapshot)
        found = await _candidates(snapshot, entries)
        imported: dict[str, int] = {}
        blobs = {entry.path: entry.blob for entry in entries}
        if len(found.kept) > most:
            imported = await _import_counts(task, snapshot, found.kept, blobs)
        await task.past(snapshot)  # all that the host is asked for is fetched here
    chosen = await asyncio.to_thread(choosing.choose, found.kept, most, imported)
    known = await _carried(task, {path: blobs[path] for path in chosen})
    rows = [(path, blobs[path], files.CARRIED if path in known else files.WAITING) for path in chosen]
    async with task.finish("fetch_files") as tx:
        await store.forget_files(tx, task.scope, task.scan_id)
        await files.create_files(tx, task.scope, task.project_id, task.scan_id, rows, known)
        await task.keep(tx, {"files_total": len(rows), "files_processed": len(known)})


async def _import_counts(
    task: Task, snapshot: Snapshot, kept: Sequence[Listed], blobs: dict[str, str]
) -> dict[str, int]:
    """How many files import each; only asked for when there are more than may be read."""
    weighed = [listed.path for listed in kept[:_WEIGHED]]
    imports: dict[str, Sequence[str]] = {}
    for start in range(0, len(weighed), _AT_ONCE):
        paths = weighed[start : start + _AT_ONCE]
        contents = await snapshot.read([blobs[path] for path in paths])
        imports |= await asyncio.to_thread(_quick_imports, paths, [contents.get(blobs[path]) for path in paths])
        async with task.run.step() as tx:
            share = (start + len(paths)) / len(weighed)
            await task.keep(tx, {"progress": task.progress_in("fetch_files", share)})
    return await asyncio.to_thread(counts, imports, tuple(listed.path for listed in kept))


def _quick_imports(paths: Sequence[str], contents: Sequence[bytes | None]) -> dict[str, Sequence[str]]:
    return {
        path: quick_imports(path, content.decode(errors="replace"))
        for path, content in zip(paths, contents, strict=True)
        if content is not None
    }


async def _carried(task: Task, chosen: dict[str, str]) -> dict[str, str]:
    """The facts, as they are kept, of files that are as they were at the last complete scan."""
    before = task.scan["after_scan_id"]
    if not task.scan["selective"] or before is None:
        return {}
    known: dict[str, str] = {}
    after = ""
    async with task.kit.database.read() as tx:
        earlier = await store.find_scan(tx, task.scope, before)
        if earlier is None or earlier["engine"] != task.scan["engine"]:
            return {}
        while page := await files.page_of_facts(tx, task.scope, before, after):
            known |= {row["path"]: row["facts"] for row in page if chosen.get(row["path"]) == row["blob_hash"]}
            after = page[-1]["path"]
    return known


async def build_chunks(task: Task) -> None:
    """Group the files to be read: neighbours together, and no group too large to be held."""
    async with task.kit.database.read() as tx:
        waiting = await files.list_waiting(tx, task.scope, task.scan_id)
    async with task.snapshot() as snapshot:
        sizes = {entry.path: entry.size_bytes or 0 for entry in await task.entries(snapshot)}
    chunks = list(chunked([(path, blob, sizes.get(path, 0)) for path, blob in waiting]))
    rows = [(path, blob, number) for number, chunk in enumerate(chunks) for path, blob in chunk]
    async with task.finish("build_chunks") as tx:
        await files.forget_waiting(tx, task.scope, task.scan_id)
        await files.create_files(tx, task.scope, task.project_id, task.scan_id, rows, {})
        await task.keep(tx, {"chunks_total": len(chunks), "chunks_processed": 0})


def chunked(sized: Sequence[tuple[str, str, int]]) -> Iterator[list[tuple[str, str]]]:
    """Files (path, blob, size) in groups bounded by number and bytes, in the order of their paths."""
    chunk: list[tuple[str, str]] = []
    held = 0
    for path, blob, size in sorted(sized):
        if chunk and (len(chunk) >= _CHUNK_FILES or held + size > _CHUNK_BYTES):
            yield chunk
            chunk, held = [], 0
        chunk.append((path, blob))
        held += size
    if chunk:
        yield chunk
