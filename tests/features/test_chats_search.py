"""Title search by word prefixes, ignoring case and accents, in any script and on both engines."""

from __future__ import annotations

import random
from urllib.parse import quote

import pytest

from loremark.features.chats.titles import search_words, title_words
from tests.contract.examples_chats import make_chat
from tests.support.service import Service

pytestmark = pytest.mark.anyio

PATH = "/api/v2/chat-sessions"
TITLES = [
    "Why do we keep sessions in Redis?",
    "(redis) cluster, fail-over",
    "Ünïcode: ÉCOLE Straße ΣΊΣΥΦΟΣ",
    "100% of the_tests \\ pass",
    "数据库连接池 の設定",
    "🚀 launch C++ / C#",
    "Reading re-reads",
]

FOUND: list[tuple[str, list[int]]] = [
    ("redis", [0, 1]),
    ("REDIS keep", [0]),
    ("red", [0, 1]),
    ("edis", []),
    ("redis cluster fail", [1]),
    ("(redis)", [1]),
    ("ecole", [2]),
    ("école STRASSE", [2]),
    ("E\u0301cole", [2]),
    ("σίσυφος", [2]),
    ("%%", []),
    ("100%", [3]),
    ("__", []),
    ("the_tests", [3]),
    ("tests", [3]),
    ("\\ pass", [3]),
    ("%_", []),
    ("连接", [4]),
    ("数据库", [4]),
    ("🚀 launch", [5]),
    ("c++", [5]),
    ("c#", [5]),
    ("re rea", [6]),
    ("re re re", [0, 1, 6]),
    ("nothing like it", []),
    ("  ", list(range(7))),
    ("' OR 1=1 --", []),
    (" ".join(f"w{number}" for number in range(60)), []),
    ("re " * 85, [0, 1, 6]),
]


async def test_search_matches_word_prefixes_in_titles(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    await make_chat(owner, await owner.create_project("Other"), title=TITLES[0])
    created = [await make_chat(owner, project, title=title) for title in TITLES]
    for search, found in FOUND:
        answer = await owner.get(f"{PATH}?projectId={project}&search={quote(search)}")
        assert answer.status_code == 200, search[:100]
        chats = [chat["id"] for chat in answer.json()["sessions"]]
        assert (chats, answer.json()["total"]) == ([created[number] for number in found[::-1]], len(found)), search[
            :100
        ]
    page = (await owner.get(f"{PATH}?projectId={project}&search=re&limit=1&offset=1")).json()
    assert ([chat["id"] for chat in page["sessions"]], page["total"]) == ([created[1]], 3)


async def test_renamed_chat_is_found_by_its_new_title_only(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    chat = await make_chat(owner, project, title="Queues")
    favorite = await make_chat(owner, project, title="Caches and queues")
    assert (await owner.patch(f"{PATH}/{chat}", {"title": "Caches"})).status_code == 200
    assert (await owner.post(f"{PATH}/{favorite}/favorite")).status_code == 200

    async def search(words: str) -> list[str]:
        answer = await owner.get(f"{PATH}?projectId={project}&search={words}")
        return [each["id"] for each in answer.json()["sessions"]]

    assert await search("queues") == [favorite]
    assert await search("caches") == [favorite, chat]
    assert await search("caches&favorites=true") == [favorite]


def test_every_title_matches_itself() -> None:
    rng = random.Random(3)
    characters = "aAeé\u0301ßẞİﬁǆＡ0_%\\-'\"/ \t\n🚀\u200d数のが한ไทยعàΣς\u202e\ufdfa"
    for _ in range(2_000):
        title = "".join(rng.choice(characters) for _ in range(rng.randrange(1, 40)))
        words, indexed = search_words(title), title_words(title)
        assert words is not None
        assert all(f" {word}" in indexed for word in words), title
        assert all(f" {word}" in indexed for word in search_words(title.upper()) or ()), title
