"""Read or deprecate a single item."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from loremark.client.calls.items import get_item, update_item
from loremark.mcp.formatting import fenced, one_line, quoted, truncate, unreviewed_mark
from loremark.mcp.memory import Memory, validate_id
from loremark.mcp.tool import Arguments, MemoryResult, Progress, Result, Tool
from loremark.wire.items import MemoryItem

_CONTENT_CHARS = 12_000
_QUOTES = 3
_QUOTE_CHARS = 300

ItemId = Annotated[
    str, Meta(min_length=1, max_length=100, description="The item's ID (itm_…), as shown by memory_search.")
]


class ItemArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: ItemId


class ItemDetail(MemoryResult):
    id: str
    title: str
    content: str
    type: str
    status: str
    schema_key: str
    confidence: float
    files: list[str]
    tags: list[str]
    flags: list[str]
    evidence: list[str]
    source_ref: str
    updated_at: str
    version: int
    replaced_by: str
    reviewed: bool


async def _item(memory: Memory, given: ItemArguments, progress: Progress) -> ItemDetail:
    return _item_detail(await memory.client.send(get_item(validate_id(given.id, "Item"))))


def _item_detail(item: MemoryItem) -> ItemDetail:
    return ItemDetail(
        id=item.id,
        title=item.title,
        content=truncate(item.content, _CONTENT_CHARS),
        type=item.type,
        status=item.status,
        schema_key=item.schema_key,
        confidence=item.confidence,
        files=item.files,
        tags=item.tags,
        flags=list(item.flags),
        evidence=[truncate(quote.quote, _QUOTE_CHARS) for quote in item.evidence[:_QUOTES]],
        source_ref=item.source_ref or "",
        updated_at=item.updated_at,
        version=item.version,
        replaced_by=item.superseded_by or "",
        reviewed=item.status == "approved" and item.reviewed,
    )


def _render(item: ItemDetail) -> str:
    mark = "" if item.reviewed else f"[{unreviewed_mark(item.source_ref)}] "
    facts = [f"{item.status} {item.type}", f"confidence {item.confidence:.2f}", f"updated {item.updated_at}"]
    facts += [f"flags: {', '.join(item.flags)}"] if item.flags else []
    facts += [f"superseded by {item.replaced_by}"] if item.replaced_by else []
    lines = [f"# {mark}{one_line(item.title)} ({item.id})", "; ".join(facts), "", quoted(item.content)]
    lines += ["", f"files: {', '.join(map(one_line, item.files))}"] if item.files else []
    lines += (
        ["", "Evidence:", *(f"> {one_line(quote, _QUOTE_CHARS)}" for quote in item.evidence)] if item.evidence else []
    )
    return fenced("\n".join(lines))


ITEM = Tool(
    "memory_item",
    "Read an item",
    "Read one memory item in full: content, status, confidence, files, flags (stale, conflict …) and evidence. Use it "
    "when a search result is truncated, or to check how reliable an item is.",
    ItemArguments,
    ItemDetail,
    _item,
    _render,
)


class Deprecated(Result):
    id: str
    title: str
    status: str


async def _deprecate(memory: Memory, given: ItemArguments, progress: Progress) -> Deprecated:
    item = await memory.client.send(update_item(validate_id(given.id, "Item"), status="deprecated"))
    return Deprecated(id=item.id, title=item.title, status=item.status)


def _render_deprecated(item: Deprecated) -> str:
    """Without the title, which is memory and would need a fence."""
    if item.status != "deprecated":
        return (
            f"A person approved {item.id}, so it stays in use. It is now marked as possibly out of date, for a review."
        )
    return f"{item.id} is now deprecated and no longer included in briefings."


DEPRECATE = Tool(
    "memory_deprecate",
    "Deprecate an item",
    "Mark a memory item as no longer true. It disappears from briefings and search, but keeps its history and can be "
    "restored; one that a person approved may only be marked for a review. Only use it if the code or the user shows "
    "that the item is outdated. Save what is true now with memory_save.",
    ItemArguments,
    Deprecated,
    _deprecate,
    _render_deprecated,
    read_only=False,
    destructive=True,
)
