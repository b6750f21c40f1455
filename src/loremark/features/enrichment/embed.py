"""The second stage: every candidate gets its vector. A text that was embedded before is not embedded again."""

from __future__ import annotations

from collections.abc import Mapping

from loremark.base.caller import Scope
from loremark.features.enrichment import store, vectors
from loremark.features.enrichment.records import ItemFound, decode, text_hash
from loremark.features.enrichment.task import Task
from loremark.features.items.records import item_text
from loremark.jobs.run import RetryLater
from loremark.ports.embeddings.compact import pack
from loremark.ports.embeddings.embedder import Embedder, EmbedderFailed
from loremark.storage.database import Database

STAGE = "embed"
_TEXTS_AT_ONCE = 64
_PAUSE_MS = 15_000


async def embed(task: Task) -> None:
    """In bounded batches; the embedder is asked with no transaction open."""
    after = 0
    while True:
        async with task.kit.database.read() as tx:
            rows = await store.list_to_embed(tx, task.scope, task.job_id, after=after, take=_TEXTS_AT_ONCE)
        if not rows:
            break
        texts: dict[int, str] = {}
        for row in rows:
            found = decode(row["content"])
            assert isinstance(found, ItemFound)
            texts[row["position"]] = item_text(found.item)
        made = await vectors_of(task.kit.database, task.kit.embedder, task.scope, task.project_id, set(texts.values()))
        async with task.run.step() as tx:
            await vectors.cache(tx, task.scope, task.project_id, task.kit.embedder.name, made.new)
            for position, text in texts.items():
                await store.set_vector(tx, task.scope, task.job_id, position, made.all[text_hash(text)])
        after = rows[-1]["position"]
    async with task.run.finish(STAGE):
        pass


class Made:
    """Vectors by the hash of their text: all that were asked for, and those that are new."""

    def __init__(self, cached: Mapping[str, bytes], new: Mapping[str, bytes]) -> None:
        self.all = {**cached, **new}
        self.new = new


async def vectors_of(database: Database, embedder: Embedder, scope: Scope, project_id: str, texts: set[str]) -> Made:
    """The vectors of these texts, from the cache or made now."""
    by_hash = {text_hash(text): text for text in sorted(texts)}
    async with database.read() as tx:
        cached = await vectors.find_cached(tx, scope, project_id, embedder.name, list(by_hash))
    missing = {hashed: text for hashed, text in by_hash.items() if hashed not in cached}
    if not missing:
        return Made(cached, {})
    try:
        embedded = await embedder.embed(list(missing.values()))
    except EmbedderFailed as failure:
        raise RetryLater(f"the embedder failed: {failure}", _PAUSE_MS) from failure
    return Made(cached, dict(zip(missing, pack(embedded.vectors), strict=True)))
