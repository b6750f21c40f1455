"""Paginated lists: a header carries the next cursor exactly when more entries follow."""

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
from tests.web.kit import client_for, make_app

pytestmark = pytest.mark.anyio


class Entry(Shape):
    id: str


class EntryStore:
    """The entries to list, oldest first."""

    def __init__(self, size: int) -> None:
        self.ids = [ids.new("ent") for _ in range(size)]

    def after(self, cursor: str | None, take: int) -> list[str]:
        start = bisect.bisect_right(self.ids, cursor) if cursor else 0
        return self.ids[start : start + take]


routes = Routes("small")


@routes.add("GET", "/entries", ANYONE, name="list")
async def list_entries(call: Call, query: Page) -> list[Entry]:
    """The entries."""
    found = call.use(EntryStore).after(query.cursor, query.take)
    return cut(call, query, [Entry(id=one) for one in found], found)


@pytest.mark.parametrize(
    ("size", "limit", "pages"), [(0, 3, 1), (1, 3, 1), (3, 3, 1), (4, 3, 2), (6, 3, 2), (7, 3, 3), (5, 1, 5)]
)
async def test_paging_returns_every_entry_once(sqlite: Database, size: int, limit: int, pages: int) -> None:
    store = EntryStore(size)
    seen: list[str] = []
    cursor: str | None = None
    async with client_for(make_app(routes, sqlite, services=(store,))) as http:
        for page in range(1, pages + 1):
            response = await http.get("/entries", params={"limit": limit, **({"cursor": cursor} if cursor else {})})
            seen += [entry["id"] for entry in response.json()]
            cursor = response.headers.get("x-next-cursor")
            assert (cursor is None) == (page == pages)
    assert seen == store.ids


async def test_default_limit_is_a_thousand(sqlite: Database) -> None:
    for size, more in ((1000, False), (1001, True)):
        async with client_for(make_app(routes, sqlite, services=(EntryStore(size),))) as http:
            response = await http.get("/entries")
        assert len(response.json()) == 1000
        assert ("x-next-cursor" in response.headers) == more
