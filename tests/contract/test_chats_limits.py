"""The contract's limits on chats, except text lengths."""

from __future__ import annotations

from typing import Any

import pytest

from loremark.base import limits
from tests.contract.cast import Cast
from tests.contract.contract import load
from tests.contract.examples_chats import keep_turn, make_chat

pytestmark = pytest.mark.anyio

CONTRACT = load()
PATH = "/api/v2/chat-sessions"


async def _refused(cast: Cast, path: str, name: str) -> str:
    answer = await cast.owner.get(path)
    assert answer.status_code == 400, path
    error: str = answer.json()["error"]
    assert error.partition(" ")[0] == name, error
    return error


async def test_chat_list_limit_and_offset(cast: Cast) -> None:
    limit, offset = CONTRACT.limit("count.chat_list"), CONTRACT.limit("count.chat_offset")
    assert (limit.min, limit.max, limit.default) == (1, limits.CHATS_PAGE, limits.CHATS_PAGE_DEFAULT)
    project = await cast.project()
    made = [await make_chat(cast.owner, project) for _ in range(limits.CHATS_PAGE + 3)]
    path = f"{PATH}?projectId={project}"

    async def page(query: str) -> list[str]:
        answer = await cast.owner.get(path + query)
        assert answer.status_code == 200, answer.text
        assert answer.json()["total"] == len(made)
        return [chat["id"] for chat in answer.json()["sessions"]]

    assert await page("") == made[::-1][: limits.CHATS_PAGE_DEFAULT]
    assert await page(f"&limit={limit.max}") == made[::-1][: limits.CHATS_PAGE]
    assert await page(f"&limit={limit.max}&offset={limit.max}") == made[2::-1]
    assert await page(f"&limit={limit.min}&offset={offset.min}") == made[-1:]
    for beyond in (len(made), 2**31, 2**63, 10**30):
        assert await page(f"&offset={beyond}") == []
    for query, name in (("limit=0", "limit"), (f"limit={limits.CHATS_PAGE + 1}", "limit"), ("offset=-1", "offset")):
        await _refused(cast, f"{path}&{query}", name)
    await _refused(cast, f"{path}&favorites=perhaps", "favorites")
    await _refused(cast, PATH, "projectId")


async def test_chat_search_length(cast: Cast) -> None:
    least, most = CONTRACT.limit("length.chat_search").min, CONTRACT.limit("length.chat_search").max
    assert (least, most) == (limits.CHAT_SEARCH_MIN_CHARS, limits.CHAT_TITLE_CHARS)
    project = await cast.project()
    chat = await make_chat(cast.owner, project, title="ab cd")
    found = await cast.owner.get(f"{PATH}?projectId={project}&search=ab")
    assert [each["id"] for each in found.json()["sessions"]] == [chat]
    for short in ("", "a"):
        error = await _refused(cast, f"{PATH}?projectId={project}&search={short}", "search")
        assert error == f"search must have at least {least} characters"
    long = "é" * limits.CHAT_TITLE_CHARS
    chat = await make_chat(cast.owner, project, title=long)
    found = await cast.owner.get(f"{PATH}?projectId={project}&search={long}")
    assert [each["id"] for each in found.json()["sessions"]] == [chat]
    error = await _refused(cast, f"{PATH}?projectId={project}&search={long}x", "search")
    assert error == f"search must have at most {most} characters"


async def test_message_list_limit_and_cursor(cast: Cast) -> None:
    limit = CONTRACT.limit("count.messages")
    assert (limit.min, limit.max, limit.default) == (1, limits.MESSAGES_PAGE, limits.MESSAGES_PAGE_DEFAULT)
    chat = await make_chat(cast.owner, await cast.project())
    turns = limits.MESSAGES_PAGE // 2 + 1
    for number in range(turns):
        assert await keep_turn(cast.service, cast.owner, chat, number, sources=[])
    path = f"{PATH}/{chat}/messages"

    async def page(query: str) -> tuple[list[Any], str | None]:
        answer = await cast.owner.get(path + query)
        assert answer.status_code == 200, answer.text
        assert answer.json()["total"] == 2 * turns
        return answer.json()["messages"], answer.headers.get("x-next-cursor")

    first, cursor = await page("?limit=500")
    rest, end = await page(f"?limit=500&cursor={cursor}")
    assert (len(first), len(rest), cursor, end) == (limits.MESSAGES_PAGE, 2, first[-1]["id"], None)
    everything = first + rest
    assert [message["content"] for message in everything[::2]] == [
        f"Where are sessions kept? ({number})" for number in range(turns)
    ]
    assert await page("") == (everything[: limits.MESSAGES_PAGE_DEFAULT], everything[199]["id"])
    assert await page("?limit=1") == (everything[:1], everything[0]["id"])
    assert await page(f"?cursor={everything[-1]['id']}") == ([], None)
    for query in ("limit=0", f"limit={limits.MESSAGES_PAGE + 1}"):
        await _refused(cast, f"{path}?{query}", "limit")
    for cursor in ("x", chat, f"{everything[0]['id']}%0a", "msg_"):
        await _refused(cast, f"{path}?cursor={cursor}", "cursor")


async def test_message_page_size_in_characters(cast: Cast) -> None:
    most, long = limits.TEXTS_PAGE_CHARS, 500_000
    assert "chat.messages" in CONTRACT.limit("size.texts_page").applies_to
    chat = await make_chat(cast.owner, await cast.project())
    turns = most // long + 2
    for number in range(turns):
        assert await keep_turn(cast.service, cast.owner, chat, number, answer=f"{number:03}" + " x" * (long // 2))
    seen: list[str] = []
    query, pages = "?limit=500", 0
    while query:
        answer = await cast.owner.get(f"{PATH}/{chat}/messages{query}")
        seen += [message["id"] for message in answer.json()["messages"]]
        assert len(answer.content) < most + 2 * long
        cursor = answer.headers.get("x-next-cursor")
        query, pages = (f"?limit=500&cursor={cursor}" if cursor else ""), pages + 1
    assert pages == 2
    assert len(seen) == 2 * turns
    assert seen == sorted(set(seen))
