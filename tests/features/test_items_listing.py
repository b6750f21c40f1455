"""Listing items by words, confidence and session, with pages and totals."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from sqlalchemy import update

from loremark.base import ids
from loremark.features.items import listing
from loremark.storage.tables import items
from tests.contract.examples_memory import keep_item
from tests.features.memory_project import Memory, save
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

PATH = "/api/v2/items"


async def _titles(person: Person, query: str) -> set[str]:
    answer = await person.get(f"{PATH}?{query}")
    assert answer.status_code == 200, answer.text
    return {item["title"] for item in answer.json()}


async def _pages(person: Person, query: str) -> tuple[list[str], set[str | None]]:
    """All ids of a paged list, and the totals the pages reported."""
    found: list[str] = []
    totals: set[str | None] = set()
    cursor = ""
    while True:
        answer = await person.get(f"{PATH}?{query}{cursor}")
        assert answer.status_code == 200, answer.text
        found += [item["id"] for item in answer.json()]
        totals.add(answer.headers.get("x-total-count"))
        if "x-next-cursor" not in answer.headers:
            return found, totals
        cursor = f"&cursor={answer.headers['x-next-cursor']}"


def test_query_words_are_deduplicated_and_limited_to_the_longest() -> None:
    assert listing._words("Stock sto STOCK of o") == ["STOCK", "of"]
    assert listing._words("") == []
    many = listing._words(" ".join(f"word{number:02}" for number in range(40)))
    assert len(many) == listing._MAX_WORDS


async def test_every_query_word_must_match(service: Service) -> None:
    owner = await service.owner()
    project, other = await owner.create_project(), await owner.create_project()
    plain: dict[str, Any] = {"content": "", "files": (), "schema_key": "root/misc"}
    for fields in (
        {"title": "Sessions live in Redis", "content": "They outlive a RESTART of the server."},
        {"title": "Cache", "schema_key": "root/redis/cache", "files": ("src/cache/restart.py",)},
        {"title": "100% of calls are logged", "content": "Also under load_test"},
        {"title": "Über den Größenwahn", "content": "ÄPFEL und BIRNEN"},
    ):
        await keep_item(service, owner, project, **{**plain, **fields})
    await keep_item(service, owner, other, title="Redis elsewhere", content="restart", files=())
    both = {"Sessions live in Redis", "Cache"}
    for words, found in (
        ("redis", both),
        ("  rEdIs\trestart ", both),
        ("redis OUTLIVE", {"Sessions live in Redis"}),
        ("restart.py", {"Cache"}),
        ("redis nowhere", set()),
        ("100%", {"100% of calls are logged"}),
        ("1%0", set()),
        ("load_test", {"100% of calls are logged"}),
        ("load.test", set()),
        ("l_ad", set()),
        ("a/b\\c'\";--", set()),
        ("über größenwahn", {"Über den Größenwahn"}),
        ("ÜBER äpfel", {"Über den Größenwahn"}),
    ):
        assert await _titles(owner, f"projectId={project}&q={quote(words)}") == found, words
    assert await _titles(owner, "q=redis") == {*both, "Redis elsewhere"}
    stranger = await service.owner("Pebbles")
    assert await _titles(stranger, "q=redis") == set()


async def test_filtered_pages_are_complete_and_report_the_total(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    created = [
        await keep_item(service, owner, project, title=f"Stone {number}", confidence=number / 20)
        for number in range(21)
    ]
    query = f"projectId={project}&q=stone&limit=4"
    assert await _pages(owner, f"{query}&count=true") == (created[::-1], {"21"})
    assert await _pages(owner, query) == (created[::-1], {None})
    filtered = f"{query}&minConfidence=0.25&maxConfidence=0.5&count=true"
    assert await _pages(owner, filtered) == (created[10:4:-1], {"6"})
    assert await _pages(owner, f"{query}&minConfidence=0.9&maxConfidence=0.1&count=true") == ([], {"0"})
    member = await service.join(owner)
    assert await _pages(member, "q=stone&count=true") == ([], {"0"}), "other users' private projects are not searched"


async def test_session_filter_returns_created_and_confirmed_items(service: Service) -> None:
    memory = await Memory.of(service)
    first = await memory.send(
        save(("decision", "Sessions live in Redis", "We keep login sessions in Redis so that they outlive a restart."))
    )
    await memory.enrich(first["sessionId"])
    await memory.owner.patch(f"/api/v2/sessions/{first['sessionId']}", {"status": "completed"})
    second = await memory.send(save(("decision", "Money is kept in cents", "We store all prices as integer cents.")))
    assert second["sessionId"] != first["sessionId"]
    await memory.enrich(second["sessionId"])
    redis, cents = sorted(await memory.items(), key=lambda item: "cents" in item["title"])

    async def items_of(session_id: str) -> list[str]:
        return [item["id"] for item in await memory.items(f"&sessionId={session_id}")]

    assert (await items_of(first["sessionId"]), await items_of(second["sessionId"])) == ([redis["id"]], [cents["id"]])
    evidence_template = '[{"eventId":"%s","quote":"a"},{"eventId":"%s","quote":"b"}]'  # like after a merge
    async with service.runtime.database.write() as tx:
        both = evidence_template % (first["eventId"], second["eventId"])
        await tx.run(update(items).where(items.c.id == redis["id"]).values(evidence=both))
    assert await items_of(second["sessionId"]) == [redis["id"], cents["id"]]
    assert await items_of(first["sessionId"]) == [redis["id"]]
    assert (await items_of(ids.new("ses")), await items_of("x")) == ([], [])
    answer = await memory.owner.get(f"{PATH}?sessionId={second['sessionId']}&q=cents&count=true")
    assert ([item["id"] for item in answer.json()], answer.headers["x-total-count"]) == ([cents["id"]], "1")
