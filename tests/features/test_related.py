"""An item's evidence, conflicts and related items."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import delete, update

from loremark.base import ids, limits
from loremark.features.related.excerpts import EXCERPT_CHARS, find_excerpt
from loremark.memory.items import Quote
from loremark.storage.tables import events
from tests.contract.examples_memory import keep_item
from tests.features.memory_project import Memory, save
from tests.features.steps import status_and_body
from tests.support.service import Service

pytestmark = pytest.mark.anyio

PATH = "/api/v2/items"
NO_ITEM = (404, {"error": "Item not found"})


async def _evidence(memory: Memory, item_id: str) -> list[dict[str, Any]]:
    answer = await memory.owner.get(f"{PATH}/{item_id}/evidence")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()
    return found


async def _related(memory: Memory, item_id: str) -> dict[str, Any]:
    answer = await memory.owner.get(f"{PATH}/{item_id}/related")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_evidence_is_returned_with_context(service: Service) -> None:
    memory = await Memory.of(service)
    project = memory.tool.project_id
    reason = "We keep login sessions in Redis so that they outlive a restart."
    saved = await memory.send(save(("decision", "Sessions live in Redis", f"It was slow. {reason} Nothing else did.")))
    await memory.enrich(saved["sessionId"])
    (item,) = await memory.items()
    for entry, quote in zip(await _evidence(memory, item["id"]), item["evidence"], strict=True):
        assert (entry["eventId"], entry["quote"]) == (saved["eventId"], quote["quote"])
        assert (entry["event"], entry["sessionId"], entry["found"]) == ("session_save", saved["sessionId"], True)
        assert entry["quote"] in entry["excerpt"]
        assert isinstance(entry["source"], str)

    long = f"{'The pump hums. ' * 2_000}Prices are integers.\n{'A line after it. ' * 2_000}"
    large = await memory.send({"commits": [{"sha": "a" * 40, "message": long, "files": []}]}, "git_digest")
    missing_id = ids.new("evt")
    quotes = (
        Quote(large["eventId"], "Prices are integers."),
        Quote(large["eventId"], "Prices are floats."),
        Quote(saved["eventId"], reason),
        Quote(missing_id, "lost"),
    )
    cited = await keep_item(service, memory.owner, project, evidence=quotes)
    first, second, third, last = await _evidence(memory, cited)
    assert [entry["eventId"] for entry in (first, second, third, last)] == [
        saved["eventId"],
        large["eventId"],
        large["eventId"],
        missing_id,
    ], "oldest first"
    assert first["excerpt"] == f"It was slow. {reason} Nothing else did."
    assert second["found"]
    assert second["excerpt"].startswith("The pump hums. The pump")
    assert "hums. Prices are integers.\nA line after it." in second["excerpt"]
    assert second["excerpt"].endswith("A line after it.")
    assert len(second["excerpt"]) <= EXCERPT_CHARS
    assert (third["found"], third["excerpt"], third["event"]) == (False, "", "git_digest")
    unknown = dict.fromkeys(("event", "sessionId", "createdAt", "source"))
    assert last == {"eventId": missing_id, "quote": "lost", "commitSha": None, **unknown, "excerpt": "", "found": False}

    many = tuple(Quote(saved["eventId"], f"no such words {number:02}") for number in range(60))
    assert len(await _evidence(memory, await keep_item(service, memory.owner, project, evidence=many))) == 50
    async with service.runtime.database.write() as tx:
        too_large = limits.EVENTS_PAGE_BYTES
        await tx.run(update(events).where(events.c.id == large["eventId"]).values(size_bytes=too_large))
        await tx.run(delete(events).where(events.c.id == saved["eventId"]))
    assert [(entry["found"], entry["event"]) for entry in (await _evidence(memory, cited))[:2]] == [
        (False, None),
        (True, "git_digest"),
    ]
    async with service.runtime.database.write() as tx:
        await tx.run(update(events).where(events.c.id == large["eventId"]).values(size_bytes=too_large + 1))
    assert [(entry["found"], entry["event"]) for entry in (await _evidence(memory, cited))[:2]] == [
        (False, None),
        (False, "git_digest"),
    ], "too large to be read"
    stranger = await service.owner("Pebbles")
    theirs = await stranger.create_project()
    foreign = await keep_item(service, stranger, theirs, evidence=(Quote(large["eventId"], "Prices are integers."),))
    answer = await stranger.get(f"{PATH}/{foreign}/evidence")
    assert [(entry["found"], entry["event"]) for entry in answer.json()] == [(False, None)], "another team's event"
    for path in ("evidence", "related"):
        assert status_and_body(await stranger.get(f"{PATH}/{cited}/{path}")) == NO_ITEM


def test_excerpt_has_whole_sentences_or_words_and_bounded_length() -> None:
    words = " ".join(f"w{number}" for number in range(1_000))
    for text, quote in (
        (f"{words} HERE {words}", "HERE"),
        (f"{words} HERE", "HERE"),
        (f"HERE {words}", "HERE"),
        ("y" * 5_000 + "HERE" + "z" * 5_000, "HERE"),
        ("q" * 2_000, "q" * 2_000),
        ("one\n\nHERE\n\ntwo", "HERE"),
    ):
        found = find_excerpt({"a": [{"b": "x"}, {"c": text}]}, quote)
        assert found is not None
        assert quote[:EXCERPT_CHARS] in found
        assert len(found) <= EXCERPT_CHARS
        assert set(found.split()) <= {*text.split(), found}, "words are not cut"
        assert len(found) > EXCERPT_CHARS - 10 or len(text) < EXCERPT_CHARS or "y" in text, (
            "the excerpt uses the available length"
        )
    assert find_excerpt({"a": "A. Bb bb.  HERE is it.\nNext."}, "HERE is it.") == "A. Bb bb.  HERE is it.\nNext."
    assert find_excerpt({"a": ["x", None, 1, {"b": []}]}, "HERE") is None
    assert find_excerpt({"a": "x"}, "") is None


async def test_conflicting_items_are_related_both_ways(service: Service) -> None:
    memory = await Memory.of(service, autoApproveThreshold=0)
    first = "We cache search results for 5 minutes in Redis."
    await memory.learn(save(("decision", "Search results are cached for 5 minutes", first)))
    second = "We cache search results for 30 minutes in Redis."
    await memory.learn(save(("decision", "Search results are cached for 30 minutes", second)))
    five, thirty = await memory.items("&flag=conflict")
    for one, other, mine, theirs in ((five, thirty, "5", "30"), (thirty, five, "30", "5")):
        (conflict,) = (await _related(memory, one["id"]))["conflicts"]
        assert conflict["item"] == other
        assert conflict["reason"].index(mine) < conflict["reason"].index(theirs), (
            "each reason starts with the item's own value"
        )

    resolved = await memory.owner.patch(f"{PATH}/{five['id']}", {"status": "approved"})
    assert resolved.json()["flags"] == []
    assert (await _related(memory, five["id"]))["conflicts"] == []
    assert await memory.items("&flag=conflict") == []

    undone = await memory.owner.post(f"{PATH}/{five['id']}/revert", {"version": five["version"]})
    assert undone.json()["flags"] == ["conflict"]
    for one, other in ((five, thirty), (thirty, five)):
        (conflict,) = (await _related(memory, one["id"]))["conflicts"]
        assert conflict["item"]["id"] == other["id"], "both sides are in conflict again"
    assert {item["id"] for item in await memory.items("&flag=conflict")} == {five["id"], thirty["id"]}


async def test_similar_items_and_items_with_the_same_files_or_session(service: Service) -> None:
    memory = await Memory.of(service)
    project = memory.tool.project_id
    sent = await memory.send(
        save(
            (
                "decision",
                "Login sessions live in Redis",
                "We keep login sessions in Redis so that they outlive a restart.",
            ),
            ("convention", "Tabs in Makefiles", "Always indent recipes in Makefiles with tabs, never with spaces."),
        )
    )
    await memory.enrich(sent["sessionId"])
    later = save(("implementation", "Redis session expiry", "Login sessions in Redis expire after thirty days."))
    await memory.owner.patch(f"/api/v2/sessions/{sent['sessionId']}", {"status": "completed"})
    await memory.learn(later)
    redis, tabs, expiry = [
        next(item for item in await memory.items() if word in item["title"]) for word in ("Login", "akefile", "expir")
    ]
    for item, files in ((redis, ["src/a.py", "src/b.py"]), (expiry, ["src/b.py", "src/a.py"]), (tabs, ["Makefile"])):
        assert (await memory.owner.patch(f"{PATH}/{item['id']}", {"files": files})).status_code == 200
    assert (await memory.owner.patch(f"{PATH}/{expiry['id']}", {"status": "approved"})).status_code == 200
    half = await keep_item(service, memory.owner, project, title="Half", content="", files=("src/b.py",))
    deprecated = await keep_item(
        service, memory.owner, project, title="Old", content="", files=("src/a.py", "src/b.py")
    )
    assert (await memory.owner.patch(f"{PATH}/{deprecated}", {"status": "deprecated"})).status_code == 200

    found = await _related(memory, redis["id"])
    similar = {entry["item"]["id"]: entry["similarity"] for entry in found["similar"]}
    assert expiry["id"] in similar, "approved items are included"
    assert not similar.keys() & {redis["id"], tabs["id"], deprecated}
    assert all(0.5 <= similarity <= 1 for similarity in similar.values())
    assert list(similar.values()) == sorted(similar.values(), reverse=True)
    assert [item["id"] for item in found["sameFiles"]] == [expiry["id"], half], "most files first"
    assert [item["id"] for item in found["sameSession"]] == [tabs["id"]]
    assert found["conflicts"] == []
    assert redis["id"] in {entry["item"]["id"] for entry in (await _related(memory, expiry["id"]))["similar"]}, (
        "drafts are included"
    )
    assert found["sameSession"][0] == await memory.item(tabs["id"])
    alone = await _related(memory, half)
    assert alone["sameSession"] == []
