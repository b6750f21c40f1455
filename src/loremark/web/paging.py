"""Cursor pagination for plain JSON arrays, up to 1,000 entries per page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeVar

from msgspec import Meta, Struct

from loremark.base import limits
from loremark.web.call import Call

T = TypeVar("T")

Limit = Annotated[int, Meta(ge=1, le=limits.LIST_ENTRIES)]
Cursor = Annotated[str, Meta(pattern=r"^[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}$(?!\n)")]


class Page(Struct, frozen=True):
    """The query parameters of a list."""

    limit: Limit = limits.LIST_ENTRIES
    cursor: Cursor | None = None

    @property
    def take(self) -> int:
        """The number of rows to read: one more than the limit, to know whether more follow."""
        return self.limit + 1


def cut(call: Call, page: Page, entries: Sequence[T], cursors: Sequence[str]) -> list[T]:
    """Return the page's entries and set the cursor header if more follow."""
    if len(entries) > page.limit:
        set_next_cursor(call, cursors[page.limit - 1])
    return list(entries[: page.limit])


def set_next_cursor(call: Call, cursor: str) -> None:
    """Set the header with the cursor of the next page."""
    call.set_header("X-Next-Cursor", cursor)
