"""Chat sessions: create, rename, favorite, archive, read and delete, with access rules and notices."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import select

from loremark.base import clock, ids
from loremark.base.caller import Scope
from loremark.features.chats import service as chats
from loremark.features.history.tokens import count_tokens
from loremark.storage.tables import chat_favorites, chat_messages
from loremark.storage.tables import chats as chats_table
from tests.contract.examples_chats import MODEL, keep_turn, make_chat, new_source
from tests.features.live_stream import in_process
from tests.features.steps import ARCHIVED, FORBIDDEN, NO_PROJECT, status_and_body
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

PATH = "/api/v2/chat-sessions"
NO_CHAT = (404, {"error": "Session not found"})
NOTHING_VALID = (400, {"error": "No valid fields to update"})


async def _get_chat(person: Person, chat: str) -> dict[str, Any]:
    answer = await person.get(f"{PATH}/{chat}")
    assert answer.status_code == 200, answer.text
    chat_fields: dict[str, Any] = answer.json()
    return chat_fields


async def _list_ids(person: Person, project: str, query: str = "") -> list[str]:
    answer = await person.get(f"{PATH}?projectId={project}{query}")
    assert answer.status_code == 200, answer.text
    return [each["id"] for each in answer.json()["sessions"]]


async def _add_member(service: Service, owner: Person, project: str) -> Person:
    member = await service.join(owner)
    added = await owner.post(f"/api/projects/{project}/members", {"email": member.email})
    assert added.status_code == 201, added.text
    return member


async def test_chat_from_creation_to_the_first_answer(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    started_ms = clock.now_ms()
    with clock.use(lambda: started_ms):
        created = await owner.post(PATH, {"projectId": project})
    chat = created.json()["sessionId"]
    new = {
        "id": chat,
        "projectId": project,
        "userId": owner.user_id,
        "title": "New conversation",
        "messageCount": 0,
        "aiTokensUsed": 0,
        "storageTokens": 0,
        "model": None,
        "favoritedBy": [],
        "status": "active",
        "lastMessageAt": clock.iso(started_ms),
        "createdAt": clock.iso(started_ms),
    }
    assert status_and_body(created) == (201, {"ok": True, "sessionId": chat, "session": new})
    assert status_and_body(await owner.get(f"{PATH}/{chat}/messages")) == (200, {"messages": [], "total": 0})

    source = new_source(similarity=0.5, files=["a.py", "ä.py"])
    with clock.use(lambda: started_ms + 5_000):
        assert await keep_turn(service, owner, chat, question="Where?", answer="In **Redis**.", sources=[source])
    messages = (await owner.get(f"{PATH}/{chat}/messages")).json()["messages"]
    at = clock.iso(started_ms + 5_000)
    nothing = {"promptTokens": 0, "completionTokens": 0, "totalTokens": 0, "model": None}
    usage = {"promptTokens": 100, "completionTokens": 20, "totalTokens": 120, "model": MODEL}
    cited = {
        "itemId": source.item_id,
        "type": "decision",
        "title": "Sessions are kept in Redis",
        "facts": "They outlive a restart.",
        "schemaKey": "root/api/sessions",
        "similarity": 0.5,
        "confidence": 0.9,
        "files": ["a.py", "ä.py"],
        "used": True,
    }
    assert messages == [
        {"id": messages[0]["id"], "role": "user", "content": "Where?", "sources": [], "createdAt": at, **nothing},
        {
            "id": messages[1]["id"],
            "role": "assistant",
            "content": "In **Redis**.",
            "sources": [cited],
            "createdAt": at,
            **usage,
        },
    ]
    stored = count_tokens("Where?") + count_tokens("In **Redis**.")
    answered = {"messageCount": 2, "aiTokensUsed": 120, "storageTokens": stored, "model": MODEL, "lastMessageAt": at}
    assert await _get_chat(owner, chat) == {**new, **answered}
    assert status_and_body(await owner.get(f"{PATH}?projectId={project}")) == (
        200,
        {"sessions": [{**new, **answered}], "total": 1},
    )


async def test_chats_are_listed_by_latest_activity_in_consistent_pages(service: Service) -> None:
    owner = await service.owner()
    project, other = await owner.create_project(), await owner.create_project("Other")
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms):  # at the same time, so their ids decide the order
        created = [await make_chat(owner, project) for _ in range(7)]
    await make_chat(owner, other)
    with clock.use(lambda: now_ms + 10):
        assert await keep_turn(service, owner, created[2])
    order = [created[2], *(chat for chat in created[::-1] if chat != created[2])]
    assert await _list_ids(owner, project) == order
    pages = [await _list_ids(owner, project, f"&limit=3&offset={offset}") for offset in (0, 3, 6, 9)]
    assert [chat for page in pages for chat in page] == order
    with clock.use(lambda: now_ms - clock.DAY_MS):  # a clock set back does not move the chat back
        assert await keep_turn(service, owner, created[2])
    assert (await _get_chat(owner, created[2]))["lastMessageAt"] == clock.iso(now_ms + 10)


async def test_only_valid_fields_change_a_chat(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    chat = await make_chat(owner, project, title="First")
    path = f"{PATH}/{chat}"
    for body in ({}, {"status": "active"}, {"title": ""}, {"title": "\u200b "}, {"title": None}, {"userId": "x"}):
        assert status_and_body(await owner.patch(path, body)) == NOTHING_VALID, body
    for status in (5, None, True, 1.5, ["archived"], {"status": "archived"}, "Archived"):
        assert status_and_body(await owner.patch(path, {"status": status})) == NOTHING_VALID
    assert (await owner.patch(path, {"title": 5})).status_code == 400
    assert (await owner.patch(path, {"title": "x" * 300, "status": "archived"})).status_code == 400
    assert (await _get_chat(owner, chat))["title"] == "First"
    done = (200, {"ok": True, "sessionId": chat})
    assert status_and_body(await owner.patch(path, {"title": "Second", "status": "deleted", "color": "red"})) == done
    assert ((await _get_chat(owner, chat))["title"], (await _get_chat(owner, chat))["status"]) == ("Second", "active")
    assert status_and_body(await owner.patch(path, {"title": "Third", "status": 5})) == done
    assert status_and_body(await owner.patch(path, {"title": "Second", "status": ["archived"]})) == done
    assert ((await _get_chat(owner, chat))["title"], (await _get_chat(owner, chat))["status"]) == ("Second", "active")
    assert status_and_body(await owner.patch(path, {"title": " ", "status": "archived"})) == done
    assert status_and_body(await owner.patch(path, {"status": "archived"})) == done
    assert status_and_body(await owner.patch(path, {"status": "active"})) == NOTHING_VALID, "archiving is final"
    assert ((await _get_chat(owner, chat))["title"], (await _get_chat(owner, chat))["status"]) == ("Second", "archived")
    assert await _list_ids(owner, project) == [chat]


@pytest.mark.parametrize("title", ["100%_\\ 'x'; --", "🧑‍💻 数据库", "<b>x</b>", "é\u0301\u202e", "x" * 256, "🚀"])
async def test_title_is_stored_unchanged(service: Service, title: str) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    chat = await make_chat(owner, project, title=title)
    assert (await _get_chat(owner, chat))["title"] == title
    renamed = await make_chat(owner, project)
    assert (await owner.patch(f"{PATH}/{renamed}", {"title": title})).status_code == 200
    assert (await _get_chat(owner, renamed))["title"] == title


async def test_invalid_titles_are_rejected_and_empty_ones_get_the_default(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    chat = await make_chat(owner, project)
    for title, error in (("x" * 257, "title must have at most 256 characters"), ("a\0b", None), (7, "title must")):
        for answer in (
            await owner.post(PATH, {"projectId": project, "title": title}),
            await owner.patch(f"{PATH}/{chat}", {"title": title}),
        ):
            assert answer.status_code == 400
            assert answer.json()["error"].startswith(error or "Text must not contain NUL")
    for empty in ("", "  \n", None):
        blank = await make_chat(owner, project, title=empty)
        assert (await _get_chat(owner, blank))["title"] == "New conversation"


async def test_favorites_are_per_user(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    member = await _add_member(service, owner, project)
    chat, other = await make_chat(owner, project), await make_chat(member, project)
    path = f"{PATH}/{chat}/favorite"
    assert status_and_body(await owner.post(path)) == (200, {"ok": True, "favorited": True})
    assert status_and_body(await member.post(path)) == (200, {"ok": True, "favorited": True})
    assert (await _get_chat(owner, chat))["favoritedBy"] == [owner.user_id, member.user_id]
    assert await _list_ids(member, project, "&favorites=true") == [chat]
    assert status_and_body(await owner.post(path)) == (200, {"ok": True, "favorited": False})
    assert (await _get_chat(member, chat))["favoritedBy"] == [member.user_id]
    answer = await owner.get(f"{PATH}?projectId={project}&favorites=true")
    assert answer.json() == {"sessions": [], "total": 0}
    assert await _list_ids(owner, project, "&favorites=false") == [other, chat]
    assert (await owner.get(f"{PATH}?projectId={project}&limit=1&favorites=true")).json()["total"] == 0


async def test_concurrent_favorite_toggles_all_count(service: Service) -> None:
    owner = await service.owner()
    chat = await make_chat(owner, await owner.create_project())
    answers = await asyncio.gather(*[owner.post(f"{PATH}/{chat}/favorite") for _ in range(11)])
    assert [answer.status_code for answer in answers] == [200] * 11
    assert sum(answer.json()["favorited"] for answer in answers) == 6
    assert (await _get_chat(owner, chat))["favoritedBy"] == [owner.user_id]


async def test_other_members_can_read_and_favorite_but_not_change(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    author, member = await _add_member(service, owner, project), await _add_member(service, owner, project)
    outsider, stranger = await service.join(owner), await service.owner("Pebbles")
    chat = await make_chat(author, project)
    assert await keep_turn(service, owner, chat)
    assert await _list_ids(member, project) == [chat]
    assert len((await member.get(f"{PATH}/{chat}/messages")).json()["messages"]) == 2
    assert status_and_body(await member.patch(f"{PATH}/{chat}", {"title": "Mine"})) == FORBIDDEN
    assert status_and_body(await member.delete(f"{PATH}/{chat}")) == FORBIDDEN
    for hidden_from in (outsider, stranger):
        for method, suffix, body in (
            ("GET", "", None),
            ("PATCH", "", {"title": "x"}),
            ("DELETE", "", None),
            ("POST", "/favorite", None),
            ("GET", "/messages", None),
        ):
            assert status_and_body(await hidden_from.call(method, f"{PATH}/{chat}{suffix}", body)) == NO_CHAT
        assert status_and_body(await hidden_from.get(f"{PATH}?projectId={project}")) == NO_PROJECT
        assert status_and_body(await hidden_from.post(PATH, {"projectId": project})) == NO_PROJECT
    assert status_and_body(await author.patch(f"{PATH}/{chat}", {"title": "Mine"})) == (
        200,
        {"ok": True, "sessionId": chat},
    )
    assert (await owner.patch(f"{PATH}/{chat}", {"title": "The owner's word"})).status_code == 200
    async with service.runtime.database.read() as tx:
        for user, found in ((author, True), (member, False), (owner, False)):
            row = await chats.find_for_answer(tx, Scope(owner.team_id), chat, project, user.user_id)
            assert (row is not None) == found, "only the author can continue a chat"
        for scope, project_id in ((stranger.team_id, project), (owner.team_id, ids.new("prj"))):
            assert await chats.find_for_answer(tx, Scope(scope), chat, project_id, author.user_id) is None


async def test_archived_project_is_read_only(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    chat = await make_chat(owner, project)
    assert (await owner.patch(f"/api/projects/{project}", {"status": "archived"})).status_code == 200
    assert status_and_body(await owner.post(PATH, {"projectId": project})) == ARCHIVED
    assert status_and_body(await owner.patch(f"{PATH}/{chat}", {"title": "x"})) == ARCHIVED
    assert status_and_body(await owner.delete(f"{PATH}/{chat}")) == ARCHIVED
    assert status_and_body(await owner.post(f"{PATH}/{chat}/favorite")) == ARCHIVED
    assert await _list_ids(owner, project) == [chat]
    assert (await owner.get(f"{PATH}/{chat}/messages")).status_code == 200


@pytest.mark.own_service
async def test_deleted_chat_leaves_only_the_audit_entry(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    deleted, kept = await make_chat(owner, project, title="Gone"), await make_chat(owner, project)
    for chat in (deleted, kept):
        assert await keep_turn(service, owner, chat)
        assert (await owner.post(f"{PATH}/{chat}/favorite")).status_code == 200
    assert status_and_body(await owner.delete(f"{PATH}/{deleted}")) == (200, {"ok": True, "sessionId": deleted})
    for method, suffix in (("GET", ""), ("DELETE", ""), ("GET", "/messages"), ("POST", "/favorite")):
        assert status_and_body(await owner.call(method, f"{PATH}/{deleted}{suffix}")) == NO_CHAT
    assert not await keep_turn(service, owner, deleted), "a late answer is not stored"
    async with service.runtime.database.read() as tx:
        for table, column in ((chats_table, "id"), (chat_messages, "chat_id"), (chat_favorites, "chat_id")):
            assert {row["of"] for row in await tx.many(select(table.c[column].label("of")))} == {kept}
    entry = (await owner.get("/api/audit?action=chat.deleted")).json()[0]
    assert (entry["target"], entry["projectId"], entry["details"]) == (deleted, project, {"title": "Gone"})


async def test_open_pages_are_notified_of_each_change(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    expected = ("changed", "chats", project)
    async with in_process(service, {"Authorization": f"Bearer {owner.key}"}) as stream:
        chat = await make_chat(owner, project)
        assert await stream.event() == expected
        assert await keep_turn(service, owner, chat)
        assert await stream.event() == expected
        for method, suffix, body in (
            ("PATCH", "", {"title": "Renamed"}),
            ("PATCH", "", {"status": "archived"}),
            ("POST", "/favorite", None),
            ("DELETE", "", None),
        ):
            assert (await owner.call(method, f"{PATH}/{chat}{suffix}", body)).status_code == 200
            assert await stream.event() == expected
