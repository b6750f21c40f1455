"""Lists by pages: whole up to the limit; a header says where to go on, exactly when more follows."""

from __future__ import annotations

import bisect

import pytest

from loremark.base import ids
from loremark.storage.database import Database
from loremark.web.authentication import ANYONE
from loremark.web.call import Call
from loremark.web.paging import Page, cut
from loremark.web.routes import Routes
from loremark.wire.shapes import Shape
from tests.web.kit import app_of, speaking_to

pytestmark = pytest.mark.anyio


class Entry(Shape):
    id: str


class Shelf:
    """What there is to list, oldest first."""

    def __init__(self, size: int) -> None:
        self.ids = [ids.new("ent") for _ in range(size)]

    def after(self, cursor: str | None, take: int) -> list[str]:
        start = bisect.bisect_right(self.ids, cursor) if cursor else 0
        return self.ids[start : start + take]


routes = Routes("small")


@routes.add("GET", "/entries", ANYONE, name="list")
async def list_entries(call: Call, query: Page) -> list[Entry]:
    """The entries."""
    found = call.use(Shelf).after(query.cursor, query.take)
    return cut(call, query, [Entry(id=one) for one in found], found)


@pytest.mark.parametrize(
    ("size", "limit", "pages"), [(0, 3, 1), (1, 3, 1), (3, 3, 1), (4, 3, 2), (6, 3, 2), (7, 3, 3), (5, 1, 5)]
)
async def test_by_pages_everything_is_seen_once(sqlite: Database, size: int, limit: int, pages: int) -> None:
    shelf = Shelf(size)
    seen: list[str] = []
    cursor: str | None = None
    async with speaking_to(app_of(routes, sqlite, tools=(shelf,))) as http:
        for page in range(1, pages + 1):
            answer = await http.get("/entries", params={"limit": limit, **({"cursor": cursor} if cursor else {})})
            seen += [entry["id"] for entry in answer.json()]
            cursor = answer.headers.get("x-next-cursor")
            assert (cursor is None) == (page == pages)
    assert seen == shelf.ids


async def test_without_a_limit_a_thousand_are_given(sqlite: Database) -> None:
    for size, following in ((1000, False), (1001, True)):
        async with speaking_to(app_of(routes, sqlite, tools=(Shelf(size),))) as http:
            answer = await http.get("/entries")
        assert len(answer.json()) == 1000
        assert ("x-next-cursor" in answer.headers) == following
