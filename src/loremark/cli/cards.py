"""Items and contexts as a person reads them: one line in a list, or whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from loremark.cli import markdown, page

if TYPE_CHECKING:
    from loremark.wire.contexts import ContextDetail
    from loremark.wire.history import Revision
    from loremark.wire.items import MemoryItem

ITEM_HEADS = ("id", "type", "status", "sure", "title")
_COLOURS = {"approved": "green", "draft": "yellow", "deprecated": "dim"}
_FACT_CHARS = 160


def item_row(item: MemoryItem) -> Sequence[str]:
    marks = f" [{', '.join(item.flags)}]" if item.flags else ""
    return (item.id, item.type, item.status, f"{item.confidence:.2f}", item.title + marks)


def list_items(items: Iterable[MemoryItem]) -> None:
    page.table(map(item_row, items), ITEM_HEADS)


def show_item(item: MemoryItem) -> None:
    """All that is known of an item, and whose words it rests on."""
    page.write(page.styled(page.one_line(item.title), "bold"))
    page.write(
        f"{page.styled(item.status, _COLOURS.get(item.status, 'dim'))} {item.type}, "
        f"{item.confidence:.2f} sure, version {item.version}, {page.plain(item.schema_key)}"
    )
    for name, values in (("flags", item.flags), ("files", item.files), ("tags", item.tags)):
        if values:
            page.write(f"{name}: {page.one_line(', '.join(values))}")
    for name, value in (("branch", item.branch), ("session", item.source_ref), ("replaced by", item.superseded_by)):
        if value:
            page.write(f"{name}: {page.one_line(value)}")
    page.write(page.styled(f"{item.id}, changed {item.updated_at}", "dim"))
    if item.content.strip():
        page.write()
        markdown.show(item.content)
    if item.evidence:
        page.write()
        page.write(page.styled("evidence", "bold"))
        for proof in item.evidence:
            page.write(f"  “{page.one_line(proof.quote)}” {page.styled(proof.event_id, 'dim')}")


def show_context(context: ContextDetail) -> None:
    page.write(page.styled(page.one_line(context.name), "bold"))
    state = page.styled(context.state, _COLOURS.get(context.state, "dim"))
    page.write(f"{state} {context.context_type}, tier {context.tier}, {page.plain(context.schema_key)}")
    if context.description:
        page.write(page.one_line(context.description))
    page.write(page.styled(f"{context.id}, changed {context.updated_at}", "dim"))
    if context.content.strip():
        page.write()
        markdown.show(context.content)


def list_revisions(revisions: Iterable[Revision], people: Mapping[str, str]) -> None:
    """``people``: names by id, for those who are known."""
    rows = [(str(each.version), each.created_at[:19], each.change, _who(each.actor_id, people)) for each in revisions]
    page.table(rows, ("version", "when", "what", "who"))


def _who(actor_id: str | None, people: Mapping[str, str]) -> str:
    return people.get(actor_id, actor_id) if actor_id else "by itself"


def fact(text: str) -> str:
    """What an item says, in one line."""
    return page.one_line(text, _FACT_CHARS)
