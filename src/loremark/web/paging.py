"""Lists that are plain arrays: whole up to a thousand entries, then by cursor."""

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
    """The query of a list."""

    limit: Limit = limits.LIST_ENTRIES
    cursor: Cursor | None = None

    @property
    def take(self) -> int:
        """How many rows to read: one more than shown, to know whether more follow."""
        return self.limit + 1


def cut(call: Call, page: Page, entries: Sequence[T], cursors: Sequence[str]) -> list[T]:
    """The page's entries; when more follow, the header says where to go on."""
    if len(entries) > page.limit:
        go_on_after(call, cursors[page.limit - 1])
    return list(entries[: page.limit])


def go_on_after(call: Call, cursor: str) -> None:
    """Say that more follows after this entry."""
    call.set_header("X-Next-Cursor", cursor)
