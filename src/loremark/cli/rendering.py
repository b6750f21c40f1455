"""Print items, contexts and revisions for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from loremark.cli import markdown, output

if TYPE_CHECKING:
    from loremark.wire.contexts import ContextDetail
    from loremark.wire.history import Revision
    from loremark.wire.items import MemoryItem

ITEM_HEADERS = ("id", "type", "status", "confidence", "title")
_COLORS = {"approved": "green", "draft": "yellow", "deprecated": "dim"}
_FACT_CHARS = 160


def item_row(item: MemoryItem) -> Sequence[str]:
    marks = f" [{', '.join(item.flags)}]" if item.flags else ""
    return (item.id, item.type, item.status, f"{item.confidence:.2f}", item.title + marks)


def list_items(items: Iterable[MemoryItem]) -> None:
    output.table(map(item_row, items), ITEM_HEADERS)


def show_item(item: MemoryItem) -> None:
    """Print an item with its evidence."""
    output.write(output.styled(output.one_line(item.title), "bold"))
    output.write(
        f"{output.styled(item.status, _COLORS.get(item.status, 'dim'))} {item.type}, "
        f"confidence {item.confidence:.2f}, version {item.version}, {output.plain(item.schema_key)}"
    )
    for name, values in (("flags", item.flags), ("files", item.files), ("tags", item.tags)):
        if values:
            output.write(f"{name}: {output.one_line(', '.join(values))}")
    for name, value in (("branch", item.branch), ("session", item.source_ref), ("superseded by", item.superseded_by)):
        if value:
            output.write(f"{name}: {output.one_line(value)}")
    output.write(output.styled(f"{item.id}, updated {item.updated_at}", "dim"))
    if item.content.strip():
        output.write()
        markdown.show(item.content)
    if item.evidence:
        output.write()
        output.write(output.styled("evidence", "bold"))
        for quote in item.evidence:
            output.write(f"  “{output.one_line(quote.quote)}” {output.styled(quote.event_id, 'dim')}")


def show_context(context: ContextDetail) -> None:
    output.write(output.styled(output.one_line(context.name), "bold"))
    state = output.styled(context.state, _COLORS.get(context.state, "dim"))
    output.write(f"{state} {context.context_type}, tier {context.tier}, {output.plain(context.schema_key)}")
    if context.description:
        output.write(output.one_line(context.description))
    output.write(output.styled(f"{context.id}, updated {context.updated_at}", "dim"))
    if context.content.strip():
        output.write()
        markdown.show(context.content)


def list_revisions(revisions: Iterable[Revision], people: Mapping[str, str]) -> None:
    """``people`` maps user IDs to names."""
    rows = [
        (str(each.version), each.created_at[:19], each.change, _author(each.actor_id, people)) for each in revisions
    ]
    output.table(rows, ("version", "date", "change", "by"))


def _author(actor_id: str | None, people: Mapping[str, str]) -> str:
    return people.get(actor_id, actor_id) if actor_id else "automatic"


def shorten_fact(text: str) -> str:
    """An item's content as one short line."""
    return output.one_line(text, _FACT_CHARS)
