"""Single entries: read one whole, retire one."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from loremark.client.calls.items import get_item, update_item
from loremark.mcp.memory import Memory, checked_id
from loremark.mcp.shown import cut, framed, one_line
from loremark.mcp.tool import Arguments, Progress, Remembered, Result, Tool
from loremark.wire.items import MemoryItem

_CONTENT_CHARS = 12_000
_QUOTES = 3
_QUOTE_CHARS = 300

ItemId = Annotated[str, Meta(min_length=1, max_length=100, description="The entry's id, as search shows it (itm_…).")]


class ItemArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: ItemId


class ItemShown(Remembered):
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
    updated_at: str
    version: int
    replaced_by: str


async def _item(memory: Memory, given: ItemArguments, progress: Progress) -> ItemShown:
    return _shown(await memory.client.send(get_item(checked_id(given.id, "Item"))))


def _shown(item: MemoryItem) -> ItemShown:
    return ItemShown(
        id=item.id,
        title=item.title,
        content=cut(item.content, _CONTENT_CHARS),
        type=item.type,
        status=item.status,
        schema_key=item.schema_key,
        confidence=item.confidence,
        files=item.files,
        tags=item.tags,
        flags=list(item.flags),
        evidence=[cut(quote.quote, _QUOTE_CHARS) for quote in item.evidence[:_QUOTES]],
        updated_at=item.updated_at,
        version=item.version,
        replaced_by=item.superseded_by or "",
    )


def _tell(item: ItemShown) -> str:
    facts = [f"{item.status} {item.type}", f"confidence {item.confidence:.2f}", f"updated {item.updated_at}"]
    facts += [f"flags: {', '.join(item.flags)}"] if item.flags else []
    facts += [f"replaced by {item.replaced_by}"] if item.replaced_by else []
    lines = [f"# {one_line(item.title)} ({item.id})", "; ".join(facts), "", item.content]
    lines += ["", f"files: {', '.join(item.files)}"] if item.files else []
    lines += (
        ["", "Evidence:", *(f"> {one_line(quote, _QUOTE_CHARS)}" for quote in item.evidence)] if item.evidence else []
    )
    return framed("\n".join(lines))


ITEM = Tool(
    "memory_item",
    "Read one entry",
    "One memory entry whole: content, state, confidence, files, flags (stale, conflict …) and the quotes it rests on. "
    "Use it when a search result is cut or you must know how sure an entry is.",
    ItemArguments,
    ItemShown,
    _item,
    _tell,
)


class Deprecated(Result):
    id: str
    title: str
    status: str


async def _deprecate(memory: Memory, given: ItemArguments, progress: Progress) -> Deprecated:
    item = await memory.client.send(update_item(checked_id(given.id, "Item"), status="deprecated"))
    return Deprecated(id=item.id, title=item.title, status=item.status)


def _tell_deprecated(item: Deprecated) -> str:
    return f"“{one_line(item.title)}” ({item.id}) is deprecated and no longer part of briefings."


DEPRECATE = Tool(
    "memory_deprecate",
    "Retire an entry",
    "Mark a memory entry as no longer true: it leaves briefings and search, its history stays and it can be brought "
    "back. Only when you have seen in the code, or were told, that it no longer holds; save what holds instead with "
    "memory_save.",
    ItemArguments,
    Deprecated,
    _deprecate,
    _tell_deprecated,
    reads_only=False,
    destroys=True,
)
