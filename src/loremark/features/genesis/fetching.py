"""The first three phases: fetch the tree, choose the files and build chunks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from loremark.features.genesis import files, store
from loremark.features.genesis.task import Task
from loremark.memory.codebase.graph.import_graph import import_counts
from loremark.memory.codebase.selection import file_selection
from loremark.memory.codebase.selection.file_selection import Candidates, ListedFile
from loremark.memory.codebase.selection.quick_imports import quick_imports
from loremark.ports.git.repository import TreeEntry
from loremark.ports.git.snapshot import Snapshot

_MAX_IGNORE_FILES = 50
_MAX_IMPORT_FILES = 25_000
"""Maximum number of files whose imports are counted to choose the most important ones."""
_BATCH = 400
_CHUNK_FILES = 40
_CHUNK_BYTES = 768 * 1024


async def fetch_tree(task: Task) -> None:
    """Fetch the tip of the branch and list its files."""
    async with task.snapshot() as snapshot:
        entries = await task.entries(snapshot)
        found = await _candidates(snapshot, entries)
    task.note(_describe_tree(len(entries), found))
    async with task.finish("fetch_tree") as tx:
        await task.save(tx, {"commit_sha": snapshot.commit, "files_total": len(found.kept)})


async def _candidates(snapshot: Snapshot, entries: Sequence[TreeEntry]) -> Candidates:
    named = [entry for entry in entries if entry.path.rpartition("/")[2] == ".gitignore"][:_MAX_IGNORE_FILES]
    contents = await snapshot.read([entry.blob for entry in named if entry.size_bytes is not None])
    ignored = {entry.path: contents[entry.blob].decode(errors="replace") for entry in named if entry.blob in contents}
    listed = [ListedFile(entry.path, entry.size_bytes) for entry in entries]
    return await asyncio.to_thread(file_selection.list_candidates, listed, ignored)


def _describe_tree(total: int, kept: Candidates) -> str:
    reasons = file_selection.describe_left_out(kept.left_out)
    left_out = f" (left out: {reasons})" if reasons else ""
    return f"Readable files in the repository: {len(kept.kept)} of {total}{left_out}."


async def fetch_files(task: Task) -> None:
    """Choose the files to read. A selective scan carries over the facts of unchanged files."""
    max_files = task.scan["max_files"]
    async with task.snapshot() as snapshot:
        entries = await task.entries(snapshot)
        found = await _candidates(snapshot, entries)
        imported: dict[str, int] = {}
        blobs = {entry.path: entry.blob for entry in entries}
        if len(found.kept) > max_files:
            imported = await _import_counts(task, snapshot, found.kept, blobs)
        await task.recent_commits(snapshot)  # fetched here, so that later phases need not contact the host
    chosen = await asyncio.to_thread(file_selection.select_files, found.kept, max_files, imported)
    known = await _carried(task, {path: blobs[path] for path in chosen})
    rows = [(path, blobs[path], files.CARRIED if path in known else files.WAITING) for path in chosen]
    async with task.finish("fetch_files") as tx:
        await store.delete_files(tx, task.scope, task.scan_id)
        await files.create_files(tx, task.scope, task.project_id, task.scan_id, rows, known)
        await task.save(tx, {"files_total": len(rows), "files_processed": 0})


async def _import_counts(
    task: Task, snapshot: Snapshot, kept: Sequence[ListedFile], blobs: dict[str, str]
) -> dict[str, int]:
    """Count how many files import each file. Only needed if there are more files than may be read."""
    candidates = [listed.path for listed in kept[:_MAX_IMPORT_FILES]]
    imports: dict[str, Sequence[str]] = {}
    for start in range(0, len(candidates), _BATCH):
        paths = candidates[start : start + _BATCH]
        contents = await snapshot.read([blobs[path] for path in paths])
        imports |= await asyncio.to_thread(_quick_imports, paths, [contents.get(blobs[path]) for path in paths])
        async with task.run.step() as tx:
            share = (start + len(paths)) / len(candidates)
            await task.save(tx, {"progress": task.progress_in("fetch_files", share)})
    return await asyncio.to_thread(import_counts, imports, tuple(listed.path for listed in kept))


def _quick_imports(paths: Sequence[str], contents: Sequence[bytes | None]) -> dict[str, Sequence[str]]:
    return {
        path: quick_imports(path, content.decode(errors="replace"))
        for path, content in zip(paths, contents, strict=True)
        if content is not None
    }


async def _carried(task: Task, chosen: dict[str, str]) -> dict[str, str]:
    """Return the stored facts of files that have not changed since the last complete scan."""
    before = task.scan["base_scan_id"]
    if not task.scan["selective"] or before is None:
        return {}
    known: dict[str, str] = {}
    after = ""
    async with task.deps.database.read() as tx:
        earlier = await store.find_scan(tx, task.scope, before)
        if earlier is None or earlier["engine"] != task.scan["engine"]:
            return {}
        while page := await files.list_facts(tx, task.scope, before, after):
            known |= {row["path"]: row["facts"] for row in page if chosen.get(row["path"]) == row["blob_hash"]}
            after = page[-1]["path"]
    return known


async def build_chunks(task: Task) -> None:
    """Group the files to read into chunks of bounded size, keeping neighboring files together."""
    async with task.deps.database.read() as tx:
        waiting = await files.list_waiting(tx, task.scope, task.scan_id)
    async with task.snapshot() as snapshot:
        sizes = {entry.path: entry.size_bytes or 0 for entry in await task.entries(snapshot)}
    chunks = list(chunked([(path, blob, sizes.get(path, 0)) for path, blob in waiting]))
    rows = [(path, blob, number) for number, chunk in enumerate(chunks) for path, blob in chunk]
    async with task.finish("build_chunks") as tx:
        await files.delete_waiting(tx, task.scope, task.scan_id)
        await files.create_files(tx, task.scope, task.project_id, task.scan_id, rows, {})
        await task.save(tx, {"chunks_total": len(chunks), "chunks_processed": 0})


def chunked(sized: Sequence[tuple[str, str, int]]) -> Iterator[list[tuple[str, str]]]:
    """Yield files (path, blob, size) in groups bounded by number and bytes, sorted by path."""
    chunk: list[tuple[str, str]] = []
    chunk_bytes = 0
    for path, blob, size in sorted(sized):
        if chunk and (len(chunk) >= _CHUNK_FILES or chunk_bytes + size > _CHUNK_BYTES):
            yield chunk
            chunk, chunk_bytes = [], 0
        chunk.append((path, blob))
        chunk_bytes += size
    if chunk:
        yield chunk
