"""Pipeline stage 2: embeds every candidate. Texts embedded before are taken from the cache."""

from __future__ import annotations

from collections.abc import Mapping

from loremark.base.caller import Scope
from loremark.features.enrichment import store, vectors
from loremark.features.enrichment.records import ItemCandidate, decode, text_hash
from loremark.features.enrichment.task import Task
from loremark.features.items.records import item_text
from loremark.jobs.run import RetryLater
from loremark.ports.embeddings.embedder import Embedder, EmbedderFailed
from loremark.ports.embeddings.vector_packing import pack
from loremark.storage.database import Database

STAGE = "embed"
_BATCH = 64
_RETRY_MS = 15_000


async def embed(task: Task) -> None:
    """Embed candidates in bounded batches, with no transaction open during the embedder call."""
    after = 0
    while True:
        async with task.deps.database.read() as tx:
            rows = await store.list_to_embed(tx, task.scope, task.job_id, after=after, take=_BATCH)
        if not rows:
            break
        texts: dict[int, str] = {}
        for row in rows:
            found = decode(row["content"])
            assert isinstance(found, ItemCandidate)
            texts[row["position"]] = item_text(found.item)
        embedded_texts = await embed_texts(
            task.deps.database, task.deps.embedder, task.scope, task.project_id, set(texts.values())
        )
        async with task.run.step() as tx:
            await vectors.cache_vectors(tx, task.scope, task.project_id, task.deps.embedder.name, embedded_texts.new)
            for position, text in texts.items():
                await store.set_vector(tx, task.scope, task.job_id, position, embedded_texts.all[text_hash(text)])
        after = rows[-1]["position"]
    async with task.run.finish(STAGE):
        pass


class TextVectors:
    """Vectors by text hash: all requested ones, and the new ones among them."""

    def __init__(self, cached: Mapping[str, bytes], new: Mapping[str, bytes]) -> None:
        self.all = {**cached, **new}
        self.new = new


async def embed_texts(
    database: Database, embedder: Embedder, scope: Scope, project_id: str, texts: set[str]
) -> TextVectors:
    """Return the vectors of these texts, from the cache or newly embedded."""
    by_hash = {text_hash(text): text for text in sorted(texts)}
    async with database.read() as tx:
        cached = await vectors.find_cached(tx, scope, project_id, embedder.name, list(by_hash))
    missing = {hashed: text for hashed, text in by_hash.items() if hashed not in cached}
    if not missing:
        return TextVectors(cached, {})
    try:
        embedded = await embedder.embed(list(missing.values()))
    except EmbedderFailed as failure:
        raise RetryLater(f"the embedder failed: {failure}", _RETRY_MS) from failure
    return TextVectors(cached, dict(zip(missing, pack(embedded.vectors), strict=True)))
