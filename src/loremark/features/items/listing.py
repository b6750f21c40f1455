"""Listing items: filters, pages and total counts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, and_, bindparam, func, or_, select

from loremark.base import limits
from loremark.base.caller import Caller, Scope
from loremark.features.items.store import ITEM_SELECT
from loremark.features.projects.access import visible_to
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import events, item_files, items, projects

_SESSION_EVENTS = and_(events.c.team_id == bindparam("scope"), events.c.session_id == bindparam("of_session"))
_SPAN = Sql(
    select(
        events.c.project_id,
        func.min(events.c.id).label("first"),
        func.max(events.c.id).label("last"),
    )
    .where(_SESSION_EVENTS)
    .group_by(events.c.project_id)
)
_SESSION_EVENT_IDS = Sql(select(events.c.id).where(_SESSION_EVENTS, InList(events.c.id, "event_ids")))


_MAX_WORDS = 12
_EVIDENCE_BATCH = 200


@dataclass(frozen=True)
class ItemFilter:
    """A SQL condition, and the values of the ``IN`` lists it refers to."""

    condition: ColumnElement[bool]
    lists: Mapping[str, list[str]]


async def build_filter(tx: Tx, caller: Caller, project_id: str | None, filters: Mapping[str, Any]) -> ItemFilter:
    """Build the condition for items of one project, or of all projects visible to the caller.

    ``filters``: type, status, branch, flag and files (one path) match exactly; schema_key also matches its
    descendants; q requires every word; min_confidence and max_confidence are inclusive; session_id also matches
    items with evidence from that session.
    """
    conditions = [items.c.team_id == caller.scope, _in_projects(items.c.project_id, caller, project_id)]
    lists: dict[str, list[str]] = {}
    for name, value in filters.items():
        if name == "session_id":
            lists["quoting"] = await _find_quoting_session(tx, caller.scope, project_id, value)
            conditions.append(or_(items.c.session_id == value, InList(items.c.id, "quoting")))
        elif name == "q":
            conditions += [_contains_word(word, caller, project_id) for word in _words(value)]
        else:
            conditions.append(_condition(name, value))
    return ItemFilter(and_(*conditions), lists)


async def list_items(tx: Tx, caller: Caller, item_filter: ItemFilter, *, before: str | None, take: int) -> list[Row]:
    """List items, newest first. Stops early on very long texts; ``found`` in each row is the untruncated count."""
    matching = select(items.c.id).where(items.c.team_id == caller.scope, item_filter.condition)
    if before is not None:
        matching = matching.where(items.c.id < before)
    first = matching.order_by(items.c.id.desc()).limit(take).subquery()
    # Measuring a text means reading it, so only measure the candidates of this page.
    sized = select(items.c.id, func.length(items.c.content).label("size")).join(first, first.c.id == items.c.id)
    page = sized.where(items.c.team_id == caller.scope).subquery()
    up_to = func.sum(page.c.size).over(order_by=page.c.id.desc()).label("up_to")
    sizes = select(page, up_to, func.count().over().label("found")).subquery()
    statement = (
        ITEM_SELECT.add_columns(sizes.c.found)
        .join(sizes, sizes.c.id == items.c.id)
        .where(items.c.team_id == caller.scope, sizes.c.up_to - sizes.c.size <= limits.TEXTS_PAGE_CHARS)
    )
    return await tx.many(statement.order_by(items.c.id.desc()), **item_filter.lists)


async def count_items(
    tx: Tx, caller: Caller, item_filter: ItemFilter, page: Sequence[Row], *, is_first: bool, take: int
) -> int:
    """Return the total number of items. A first page that is not full already contains all of them."""
    found = int(page[0]["found"]) if page else 0
    if is_first and found < take:
        return found
    counting = select(func.count().label("total")).where(items.c.team_id == caller.scope, item_filter.condition)
    return int((await tx.many(counting, **item_filter.lists))[0]["total"])


def _in_projects(column: ColumnElement[str], caller: Caller, project_id: str | None) -> ColumnElement[bool]:
    if project_id is not None:
        return column == project_id
    return column.in_(select(projects.c.id).where(visible_to(caller)))


def _condition(name: str, value: Any) -> ColumnElement[bool]:
    if name == "schema_key":
        return or_(items.c.schema_key == value, items.c.schema_key.startswith(f"{value}/", autoescape=True))
    if name == "flag":  # a fixed set of words, stored as a JSON list
        return items.c.flags.contains(f'"{value}"', autoescape=True)
    if name == "files":
        matching_files = select(item_files.c.item_id).where(
            item_files.c.project_id == items.c.project_id,
            item_files.c.item_id == items.c.id,
            item_files.c.path == value,
        )
        return matching_files.exists()
    if name == "min_confidence":
        return and_(items.c.confidence >= value)
    if name == "max_confidence":
        return and_(items.c.confidence <= value)
    return and_(items.c[name] == value)


def _words(query: str) -> list[str]:
    """Split a query into its longest words, dropping words contained in another one."""
    words: list[str] = []
    for word in sorted(query.split(), key=lambda word: (-len(word), word)):
        if len(words) < _MAX_WORDS and not any(word.lower() in longer.lower() for longer in words):
            words.append(word)
    return words


def _contains_word(word: str, caller: Caller, project_id: str | None) -> ColumnElement[bool]:
    """Match items whose title, schema key, content or file paths contain the word."""
    variants = _case_variants(word)
    # Not correlated with the item: the paths of a project are read once.
    matching_files = select(item_files.c.item_id).where(
        item_files.c.team_id == caller.scope,
        _in_projects(item_files.c.project_id, caller, project_id),
        or_(*(item_files.c.path.icontains(form, autoescape=True) for form in variants)),
    )
    columns = (items.c.title, items.c.schema_key, items.c.content)
    in_text = (column.icontains(form, autoescape=True) for column in columns for form in variants)
    return or_(*in_text, items.c.id.in_(matching_files))


def _case_variants(word: str) -> list[str]:
    """Return spellings of a word in different case. SQLite folds the case of ASCII letters only."""
    return [word] if word.isascii() else list(dict.fromkeys((word, word.lower(), word.upper(), word.capitalize())))


async def _find_quoting_session(tx: Tx, scope: Scope, project_id: str | None, session_id: str) -> list[str]:
    """Return ids of items that quote an event of the session, whichever session created them.

    Event ids start with a timestamp, so the prefix shared by a session's events rules out most other items.
    """
    found: list[str] = []
    for span in await tx.many(_SPAN, scope=scope, of_session=session_id):
        if project_id is not None and span["project_id"] != project_id:
            continue
        after = ""
        while quoted := await _quoting(tx, scope, span, after):
            after = max(quoted)
            named = {one for each in quoted.values() for one in each if span["first"] <= one <= span["last"]}
            rows = await tx.many(_SESSION_EVENT_IDS, scope=scope, of_session=session_id, event_ids=sorted(named))
            own = {row["id"] for row in rows}
            found += [item_id for item_id, each in quoted.items() if not own.isdisjoint(each)]
    return found


async def _quoting(tx: Tx, scope: Scope, span: Row, after: str) -> dict[str, Sequence[str]]:
    """Return the next batch of items that may quote an event of the span, with the event ids they quote."""
    quoting = select(items.c.id, items.c.evidence).where(
        items.c.team_id == scope,
        items.c.project_id == span["project_id"],
        items.c.id > after,
        items.c.evidence.contains(_common_prefix(span["first"], span["last"]), autoescape=True),
    )
    rows = await tx.many(quoting.order_by(items.c.id).limit(_EVIDENCE_BATCH))
    return await asyncio.to_thread(lambda: {row["id"]: _quoted(row) for row in rows})


def _common_prefix(one: str, another: str) -> str:
    same = next((at for at, pair in enumerate(zip(one, another, strict=False)) if pair[0] != pair[1]), len(one))
    return one[:same]


def _quoted(row: Row) -> Sequence[str]:
    """Return the ids of the events an item quotes."""
    return [quote["eventId"] for quote in msgspec.json.decode(row["evidence"], type=list[dict[str, str]])]
