"""Search: ranking, explanations, and index updates across processes."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from sqlalchemy import update

from loremark.base.caller import Scope
from loremark.features.enrichment.records import text_hash
from loremark.features.index import store as index
from loremark.features.index import vectors
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.features.search.service import Finder
from loremark.memory.ranking.ranking import Filters
from loremark.ports.embeddings.embedder import Embedder
from loremark.ports.embeddings.embedders import Embedders
from loremark.ports.embeddings.vector_packing import pack
from loremark.storage.tables import item_index
from tests.contract.examples_memory import keep_item, new_item
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

MEGABYTE = 1024 * 1024
FACTS: dict[str, dict[str, Any]] = {
    "retries": {
        "title": "Webhook deliveries are retried five times",
        "content": "The dispatcher waits longer before each attempt; after the fifth the delivery is marked dead.",
        "files": ("src/webhooks/dispatcher.py",),
        "schema_key": "root/webhooks",
    },
    "passwords": {
        "title": "Passwords are hashed with Argon2id",
        "content": "bcrypt was dropped because it cuts off after 72 bytes.",
        "files": ("src/auth/passwords.py",),
        "schema_key": "root/auth",
    },
    "timezone": {
        "title": "Invoices use the customer's time zone",
        "content": "ERR_TZ_4711 was raised at the end of the month when totals were cut at midnight UTC.",
        "files": ("src/billing/invoices.py",),
        "schema_key": "root/billing",
        "type": "bug",
    },
    "draft": {
        "title": "Search may move to another engine",
        "content": "Somebody suggested it; nothing is decided.",
        "files": (),
        "schema_key": "root/search",
        "status": "draft",
    },
}


class SearchProject:
    """A project with items embedded as enrichment does."""

    def __init__(self, service: Service, owner: Person, project: str) -> None:
        self.service = service
        self.owner = owner
        self.project = project
        self.scope = Scope(owner.team_id)

    @classmethod
    async def of(cls, service: Service) -> SearchProject:
        owner = await service.owner()
        created = await owner.post("/api/projects", {"name": "Searched"})
        assert created.status_code == 201, created.text
        return cls(service, owner, created.json()["id"])

    async def add_item(self, embedder: Embedder | None = None, **fields: Any) -> str:
        item = new_item(**{"status": "approved", "branch": None, **fields})
        async with self.service.runtime.database.write() as tx:
            item_id = await items.create_item(
                tx, self.scope, self.project, item, session_id=None, source_ref=None, reason="created"
            )
        await self.embed(item_id, embedder)
        return item_id

    async def embed(self, item_id: str, embedder: Embedder | None = None) -> None:
        embedder = embedder or self.service.runtime.engines.embedder
        async with self.service.runtime.database.read() as tx:
            row = await items.find_item(tx, self.scope, item_id)
        assert row is not None
        text = records.item_text(records.to_item(row))
        vector = pack((await embedder.embed([text])).vectors)[0]
        async with self.service.runtime.database.write() as tx:
            await vectors.upsert_vector(
                tx, self.scope, self.project, item_id, model=embedder.name, text_hash=text_hash(text), vector=vector
            )

    async def version(self) -> int | None:
        async with self.service.runtime.database.read() as tx:
            return await index.find_version(tx, self.scope, self.project)

    async def search(self, question: str, **query: Any) -> list[dict[str, Any]]:
        parameters = {"projectId": self.project, "q": question, **query}
        answer = await self.owner.get("/api/v2/search", params=parameters)
        assert answer.status_code == 200, answer.text
        assert answer.json()["query"] == question
        results: list[dict[str, Any]] = answer.json()["results"]
        return results

    async def add_facts(self) -> dict[str, str]:
        return {name: await self.add_item(**fields) for name, fields in FACTS.items()}


async def test_best_match_comes_first(service: Service) -> None:
    searched = await SearchProject.of(service)
    item_ids = await searched.add_facts()
    expected = {
        "how often do we try to deliver a hook?": "retries",
        "why did we stop using bcrypt": "passwords",
        "ERR_TZ_4711": "timezone",
        "src/auth/passwords.py": "passwords",
    }
    for question, name in expected.items():
        first = (await searched.search(question, minSimilarity=0))[0]
        assert first["itemId"] == item_ids[name], question
        assert first["facts"] == FACTS[name]["content"]
        assert first["files"] == list(FACTS[name]["files"])
        assert first["used"] is False
        assert "explanation" not in first
    explained = (await searched.search("why did we stop using bcrypt", explain="true"))[0]
    assert abs(sum(reason["score"] for reason in explained["explanation"]) - explained["score"]) < 0.01
    assert all(reason["description"] for reason in explained["explanation"])


async def test_dissimilar_items_are_left_out(service: Service) -> None:
    searched = await SearchProject.of(service)
    await searched.add_facts()
    assert await searched.search("which restaurant is good for lunch on Friday?") == []
    near = await searched.search("how are passwords hashed?")
    assert near[0]["similarity"] >= 0.5
    assert all(result["similarity"] >= 0.5 for result in near)


async def test_filters_for_drafts_types_files_and_branches(service: Service) -> None:
    searched = await SearchProject.of(service)
    item_ids = await searched.add_facts()
    on_branch = await searched.add_item(
        title="Hooks are signed twice", content="On the branch only.", branch="feature/hooks"
    )

    async def found(**query: Any) -> set[str]:
        return {result["itemId"] for result in await searched.search("anything at all", minSimilarity=0, **query)}

    approved = {item_ids["retries"], item_ids["passwords"], item_ids["timezone"]}
    assert await found() == approved
    assert await found(status="draft") == {item_ids["draft"]}
    assert await found(type="bug") == {item_ids["timezone"]}
    assert await found(files="src/auth/passwords.py,src/billing/invoices.py") == {
        item_ids["passwords"],
        item_ids["timezone"],
    }
    assert await found(branch="feature/hooks") == approved | {on_branch}
    assert len(await found(limit=2)) == 2
    for query in ({"limit": 0}, {"limit": 51}, {"minSimilarity": 2}, {"status": "deprecated"}, {"type": "song"}):
        answer = await searched.owner.get("/api/v2/search", params={"projectId": searched.project, "q": "x", **query})
        assert answer.status_code == 400, query
        assert answer.json()["error"].startswith(next(iter(query)))


async def test_deprecated_item_disappears_in_every_process(service: Service) -> None:
    """Each finder has its own index, like each process."""
    searched = await SearchProject.of(service)
    item_ids = await searched.add_facts()
    other_finder = Finder(service.runtime.database, service.runtime.engines.embedders, MEGABYTE)

    async def found() -> set[str]:
        here = {result["itemId"] for result in await searched.search("passwords and hooks", minSimilarity=0)}
        there = await other_finder.find(
            searched.scope, searched.project, "passwords and hooks", limit=10, min_similarity=0
        )
        assert here == {source.item_id for source in there.sources}
        return here

    assert await found() == {item_ids["retries"], item_ids["passwords"], item_ids["timezone"]}
    await searched.owner.patch(f"/api/v2/items/{item_ids['passwords']}", {"status": "deprecated"})
    assert await found() == {item_ids["retries"], item_ids["timezone"]}
    await searched.owner.patch(f"/api/v2/items/{item_ids['passwords']}", {"status": "approved"})
    assert item_ids["passwords"] in await found()
    await searched.owner.delete(f"/api/v2/items/{item_ids['retries']}")
    assert await found() == {item_ids["passwords"], item_ids["timezone"]}
    await searched.owner.patch(f"/api/v2/items/{item_ids['draft']}", {"status": "approved"})
    assert item_ids["draft"] in await found()


async def test_updated_index_ranks_like_a_reloaded_one(service: Service) -> None:
    """Random changes in random order."""
    searched = await SearchProject.of(service)
    item_ids = list((await searched.add_facts()).values())
    incremental = Finder(service.runtime.database, service.runtime.engines.embedders, MEGABYTE)
    rng = random.Random(7)
    words = ["retry", "password", "invoice", "zone", "queue", "cache", "token", "branch", "deploy", "index"]
    for _ in range(25):
        await _apply_random_change(searched, item_ids, rng, words)
        fresh = Finder(service.runtime.database, service.runtime.engines.embedders, MEGABYTE)
        question = " ".join(rng.sample(words, 3))
        for status in ("approved", "draft"):
            rankings = await _rank_at_same_version(searched, incremental, fresh, question, status)
            assert rankings[0] == rankings[1]


async def _rank_at_same_version(
    searched: SearchProject, first: Finder, second: Finder, question: str, status: str
) -> list[list[tuple[str, float]]]:
    """The rankings of two finders at the same index version, because vectors of edited items arrive later."""
    while True:
        before = await searched.version()
        found = [
            await finder.find(
                searched.scope, searched.project, question, limit=20, filters=Filters(status=status), min_similarity=0
            )
            for finder in (first, second)
        ]
        if await searched.version() == before:
            return [[(source.item_id, round(source.score, 5)) for source in each.sources] for each in found]


async def _apply_random_change(
    searched: SearchProject, item_ids: list[str], rng: random.Random, words: list[str]
) -> None:
    text = " ".join(rng.choices(words, k=6))
    action = rng.choice(("create", "edit", "retire", "approve", "delete"))
    if action == "create" or len(item_ids) < 3:
        item_ids.append(
            await searched.add_item(title=text, content=text[::-1], status=rng.choice(("approved", "draft")))
        )
        return
    item_id = rng.choice(item_ids)
    if action == "delete":
        item_ids.remove(item_id)
        await searched.owner.delete(f"/api/v2/items/{item_id}")
        return
    change = {"edit": {"title": text}, "retire": {"status": "deprecated"}, "approve": {"status": "approved"}}[action]
    assert (await searched.owner.patch(f"/api/v2/items/{item_id}", change)).status_code == 200


async def test_old_vectors_are_used_until_the_new_ones_exist(service: Service) -> None:
    from loremark.ports.embeddings.builtin import BuiltinEmbedder

    searched = await SearchProject.of(service)
    item_ids = await searched.add_facts()
    new_embedder = BuiltinEmbedder("fp32", cache_dir=service.settings.cache_dir / "models")
    finder = Finder(
        service.runtime.database, Embedders(new_embedder, cache_dir=service.settings.cache_dir / "models"), MEGABYTE
    )

    async def first() -> str:
        found = await finder.find(searched.scope, searched.project, "is bcrypt still used?", limit=1, min_similarity=0)
        return found.sources[0].item_id

    assert await first() == item_ids["passwords"]
    for item_id in item_ids.values():
        await searched.embed(item_id, new_embedder)
        assert await first() == item_ids["passwords"]
    async with service.runtime.database.write() as tx:
        await vectors.delete_other_models(tx, searched.scope, searched.project, new_embedder.name)
    assert await first() == item_ids["passwords"]
    index = await finder._indexes.get(searched.scope, searched.project)
    assert index is not None
    assert index.model == new_embedder.name
    await new_embedder.close()


async def test_concurrent_searches_load_an_index_once(service: Service) -> None:
    searched = await SearchProject.of(service)
    item_ids = await searched.add_facts()
    found = await asyncio.gather(*(searched.search("how are passwords hashed?") for _ in range(20)))
    assert {results[0]["itemId"] for results in found} == {item_ids["passwords"]}


async def test_evicted_index_is_reloaded(service: Service) -> None:
    """With a tiny cache, every project still gets results."""
    finder = Finder(service.runtime.database, service.runtime.engines.embedders, 1)
    search_projects = [await SearchProject.of(service) for _ in range(3)]
    expected = [await searched.add_facts() for searched in search_projects]
    for _ in range(2):
        for searched, item_ids in zip(search_projects, expected, strict=True):
            found = await finder.find(searched.scope, searched.project, "how are passwords hashed?", limit=3)
            assert found.sources[0].item_id == item_ids["passwords"]
            other = await finder.find(Scope("team_of_others"), searched.project, "how are passwords hashed?", limit=3)
            assert other.sources == []


@pytest.mark.parametrize("terms", [b"\x01old", b"\x03torn", b""])
async def test_outdated_or_corrupt_terms_are_rebuilt(service: Service, terms: bytes) -> None:
    searched = await SearchProject.of(service)
    item_ids = await searched.add_facts()
    async with service.runtime.database.write() as tx:
        await tx.run(update(item_index).where(item_index.c.item_id == item_ids["passwords"]).values(terms=terms))
    finder = Finder(service.runtime.database, service.runtime.engines.embedders, MEGABYTE)
    found = await finder.find(
        searched.scope, searched.project, "src/auth/passwords.py", limit=1, min_similarity=0, explain=True
    )
    assert found.sources[0].item_id == item_ids["passwords"]
    assert any(reason.signal == "names" for reason in found.sources[0].reasons)


async def test_project_searched_while_empty_is_searched_correctly_later(service: Service) -> None:
    """Including items without a vector."""
    searched = await SearchProject.of(service)
    assert await searched.search("how are passwords hashed?") == []
    unembedded = await keep_item(
        service, searched.owner, searched.project, status="approved", branch=None, title="Bare fact"
    )
    assert [result["itemId"] for result in await searched.search("bare fact", minSimilarity=0)] == [unembedded]
    item_ids = await searched.add_facts()
    assert (await searched.search("how are passwords hashed?"))[0]["itemId"] == item_ids["passwords"]
    assert (await searched.owner.patch(f"/api/v2/items/{unembedded}", {"title": "Kestrel table"})).status_code == 200
    assert (await searched.search("kestrel table", minSimilarity=0))[0]["itemId"] == unembedded
