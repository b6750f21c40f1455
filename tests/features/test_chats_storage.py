"""Chat storage is counted exactly, and pages of messages are consistent under concurrent writes."""

from __future__ import annotations

import asyncio
import random

import pytest
from sqlalchemy import func, select

from loremark.base import clock, errors, ids
from loremark.base.caller import Scope
from loremark.features.chats import service as chats
from loremark.features.metering.service import chat_storage
from loremark.storage.tables import chat_messages
from loremark.storage.tables import chats as chats_table
from tests.contract.examples_chats import keep_turn, make_chat
from tests.features.steps import status_and_body
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

PATH = "/api/v2/chat-sessions"


async def _storage_totals(service: Service, owner: Person) -> tuple[int, int]:
    """The team's storage total, and the sum over its chats."""
    scope = Scope(owner.team_id)
    async with service.runtime.database.read() as tx:
        team_total = await chat_storage(tx, scope)
        summed = func.coalesce(func.sum(chats_table.c.storage_tokens), 0).label("tokens")
        rows = await tx.many(select(summed).where(chats_table.c.team_id == scope))
    return team_total, int(rows[0]["tokens"])


async def test_team_total_equals_the_sum_of_its_chats_under_concurrency(service: Service) -> None:
    owner, other = await service.owner(), await service.owner("Pebbles")
    project, other_project = await owner.create_project(), await other.create_project()
    created = [await make_chat(owner, project) for _ in range(6)]
    other_chat = await make_chat(other, other_project)
    assert await keep_turn(service, other, other_chat)
    before = await _storage_totals(service, other)
    rng = random.Random(7)

    async def write(chat: str, number: int) -> None:
        await keep_turn(service, owner, chat, number, answer="word " * rng.randrange(1, 200))

    turns = [write(rng.choice(created), number) for number in range(40)]
    deletions = [owner.delete(f"{PATH}/{chat}") for chat in (*created[:3], created[0])]
    work = [*turns, *deletions]
    rng.shuffle(work)
    await asyncio.gather(*work)
    team_total, summed = await _storage_totals(service, owner)
    assert team_total == summed > 0
    async with service.runtime.database.read() as tx:
        left = {row["chat_id"] for row in await tx.many(select(chat_messages.c.chat_id).distinct())}
    assert left <= {*created[3:], other_chat}, "no message outlives its chat"
    for chat in created[3:]:
        assert (await owner.delete(f"{PATH}/{chat}")).status_code == 200
    assert await _storage_totals(service, owner) == (0, 0)
    assert await _storage_totals(service, other) == before


async def test_deleting_a_project_releases_its_chat_storage(service: Service) -> None:
    owner = await service.owner()
    deleted, kept = await owner.create_project(), await owner.create_project("Kept")
    for project in (deleted, kept):
        for number in range(3):
            chat = await make_chat(owner, project)
            assert await keep_turn(service, owner, chat, number)
            assert (await owner.post(f"{PATH}/{chat}/favorite")).status_code == 200
    async with service.runtime.database.read() as tx:
        summed = select(func.sum(chats_table.c.storage_tokens).label("tokens"))
        per_project = (await tx.many(summed.where(chats_table.c.project_id == kept)))[0]["tokens"]
    assert await _storage_totals(service, owner) == (2 * per_project, 2 * per_project)
    assert (await owner.delete(f"/api/projects/{deleted}")).status_code == 204
    await service.wait_for_jobs()
    assert await _storage_totals(service, owner) == (per_project, per_project)
    with pytest.raises(errors.Refusal, match="Project not found"):
        async with service.runtime.database.write() as tx:
            await chats.open_chat(tx, Scope(owner.team_id), project_id=deleted, user_id=owner.user_id, title="Late")


async def test_rolled_back_turn_is_not_counted(service: Service) -> None:
    owner = await service.owner()
    chat = await make_chat(owner, await owner.create_project())

    async def write_and_fail() -> None:
        async with service.runtime.database.write() as tx:
            assert await chats.add_turn(
                tx,
                Scope(owner.team_id),
                chat,
                question="Why?",
                answer="So.",
                sources=[],
                prompt_tokens=1,
                completion_tokens=1,
                model="m",
            )
            raise RuntimeError("the process is lost")

    with pytest.raises(RuntimeError):
        await write_and_fail()
    assert await _storage_totals(service, owner) == (0, 0)
    assert status_and_body(await owner.get(f"{PATH}/{chat}/messages")) == (200, {"messages": [], "total": 0})


async def test_unstorable_characters_are_replaced(service: Service) -> None:
    owner = await service.owner()
    chat = await make_chat(owner, await owner.create_project())
    question, answer = await chats.clean_texts("a\0b", "half \ud800 of a 🚀")
    assert await keep_turn(service, owner, chat, question=question, answer=answer)
    messages = (await owner.get(f"{PATH}/{chat}/messages")).json()["messages"]
    assert [message["content"] for message in messages] == ["a\ufffdb", "half ? of a 🚀"]
    async with service.runtime.database.read() as tx:
        for limit, expected in ((1, messages[1:]), (2, messages), (9, messages)):
            turns = await chats.list_turns(tx, Scope(owner.team_id), chat, limit)
            assert [(row["id"], row["role"]) for row in turns] == [(each["id"], each["role"]) for each in expected]


@pytest.mark.parametrize("seed", range(3))
async def test_pages_read_during_writes_neither_drop_nor_repeat_messages(service: Service, seed: int) -> None:
    """Each turn is written as by another process whose clock is off by up to a minute."""
    rng = random.Random(seed)
    owner = await service.owner()
    project = await owner.create_project()
    chat, noise = await make_chat(owner, project), await make_chat(owner, project)
    written, seen = 0, list[str]()

    async def write(target: str, number: int) -> None:
        assert await keep_turn(service, owner, target, number, sources=[])

    async def read() -> int:
        cursor = f"&cursor={seen[-1]}" if seen else ""
        answer = await owner.get(f"{PATH}/{chat}/messages?limit={rng.randrange(1, 7)}{cursor}")
        page = answer.json()
        seen.extend(message["id"] for message in page["messages"])
        assert page["total"] >= len(seen)
        assert ("x-next-cursor" not in answer.headers) or answer.headers["x-next-cursor"] == seen[-1]
        return len(page["messages"])

    for step in range(25):
        now_ms = clock.now_ms() + rng.randrange(-60_000, 60_000)
        ids._last = 0  # like in a process that has just started
        with clock.use(lambda now_ms=now_ms: now_ms):  # type: ignore[misc]
            count = rng.randrange(0, 4)
            await asyncio.gather(*[write(chat, step) for _ in range(count)], write(noise, step), read())
            written += 2 * count
    while await read():
        pass
    async with service.runtime.database.read() as tx:
        rows = await tx.many(
            select(chat_messages.c.id).where(chat_messages.c.chat_id == chat).order_by(chat_messages.c.id)
        )
    assert seen == [row["id"] for row in rows]
    assert len(seen) == written == (await owner.get(f"{PATH}/{chat}")).json()["messageCount"]


async def test_cursor_does_not_have_to_be_an_existing_message(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    chat, other = await make_chat(owner, project), await make_chat(owner, project)
    assert await keep_turn(service, owner, chat)
    assert await keep_turn(service, owner, other)
    assert await keep_turn(service, owner, chat)
    mine = [message["id"] for message in (await owner.get(f"{PATH}/{chat}/messages")).json()["messages"]]
    theirs = [message["id"] for message in (await owner.get(f"{PATH}/{other}/messages")).json()["messages"]]
    assert (await owner.delete(f"{PATH}/{other}")).status_code == 200
    for cursor, rest in ((f"msg_{'0' * 26}", mine), (theirs[1], mine[2:]), (f"msg_7{'z' * 25}", [])):
        page = (await owner.get(f"{PATH}/{chat}/messages?cursor={cursor}")).json()
        assert ([message["id"] for message in page["messages"]], page["total"]) == (rest, 4)
