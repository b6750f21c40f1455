"""Which items a list holds: its filters, its pages, and how many there are in all."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, and_, bindparam, func, or_, select

from loremark.base import limits
from loremark.base.caller import Caller, Scope
from loremark.features.items.store import WHOLE
from loremark.features.projects.access import visible_to
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import events, item_files, items, projects

_OF_SESSION = and_(events.c.team_id == bindparam("scope"), events.c.session_id == bindparam("of_session"))
_SPAN = Sql(
    select(
        events.c.project_id,
        func.min(events.c.id).label("first"),
        func.max(events.c.id).label("last"),
    )
    .where(_OF_SESSION)
    .group_by(events.c.project_id)
)
_THOSE_OF_SESSION = Sql(select(events.c.id).where(_OF_SESSION, InList(events.c.id, "event_ids")))


_MOST_WORDS = 12
_EVIDENCE_AT_ONCE = 200


@dataclass(frozen=True)
class Wanted:
    """What holds for the items that are wanted, and the lists it speaks of."""

    condition: ColumnElement[bool]
    lists: Mapping[str, list[str]]


async def find_wanted(tx: Tx, caller: Caller, project_id: str | None, filters: Mapping[str, Any]) -> Wanted:
    """Which items of one project, or of all the caller may see, are asked for.

    ``filters``: type, status and branch by their value; schema_key with all below it; flag; files by one path;
    q by words that all occur; min_confidence and max_confidence, both included; session_id by their evidence.
    """
    conditions = [items.c.team_id == caller.scope, _in_projects(items.c.project_id, caller, project_id)]
    lists: dict[str, list[str]] = {}
    for name, value in filters.items():
        if name == "session_id":
            lists["confirmed"] = await _find_confirmed(tx, caller.scope, project_id, value)
            conditions.append(or_(items.c.session_id == value, InList(items.c.id, "confirmed")))
        elif name == "q":
            conditions += [_says(word, caller, project_id) for word in _words(value)]
        else:
            conditions.append(_condition(name, value))
    return Wanted(and_(*conditions), lists)


async def list_items(tx: Tx, caller: Caller, wanted: Wanted, *, before: str | None, take: int) -> list[Row]:
    """Newest first. Fewer where they are very long; ``found`` in each row says how many there were to take."""
    chosen = select(items.c.id).where(items.c.team_id == caller.scope, wanted.condition)
    if before is not None:
        chosen = chosen.where(items.c.id < before)
    first = chosen.order_by(items.c.id.desc()).limit(take).subquery()
    # The sizes of these alone: measuring a text means reading it.
    sized = select(items.c.id, func.length(items.c.content).label("size")).join(first, first.c.id == items.c.id)
    page = sized.where(items.c.team_id == caller.scope).subquery()
    up_to = func.sum(page.c.size).over(order_by=page.c.id.desc()).label("up_to")
    sizes = select(page, up_to, func.count().over().label("found")).subquery()
    statement = (
        WHOLE.add_columns(sizes.c.found)
        .join(sizes, sizes.c.id == items.c.id)
        .where(items.c.team_id == caller.scope, sizes.c.up_to - sizes.c.size <= limits.TEXTS_PAGE_CHARS)
    )
    return await tx.many(statement.order_by(items.c.id.desc()), **wanted.lists)


async def count_items(tx: Tx, caller: Caller, wanted: Wanted, page: Sequence[Row], *, is_first: bool, take: int) -> int:
    """How many there are in all. A first page that had room for more has told it already."""
    found = int(page[0]["found"]) if page else 0
    if is_first and found < take:
        return found
    counting = select(func.count().label("total")).where(items.c.team_id == caller.scope, wanted.condition)
    return int((await tx.many(counting, **wanted.lists))[0]["total"])


def _in_projects(column: ColumnElement[str], caller: Caller, project_id: str | None) -> ColumnElement[bool]:
    if project_id is not None:
        return column == project_id
    return column.in_(select(projects.c.id).where(visible_to(caller)))


def _condition(name: str, value: Any) -> ColumnElement[bool]:
    if name == "schema_key":
        return or_(items.c.schema_key == value, items.c.schema_key.startswith(f"{value}/", autoescape=True))
    if name == "flag":  # a closed set of words, kept as a JSON list
        return items.c.flags.contains(f'"{value}"', autoescape=True)
    if name == "files":
        having = select(item_files.c.item_id).where(
            item_files.c.project_id == items.c.project_id,
            item_files.c.item_id == items.c.id,
            item_files.c.path == value,
        )
        return having.exists()
    if name == "min_confidence":
        return and_(items.c.confidence >= value)
    if name == "max_confidence":
        return and_(items.c.confidence <= value)
    return and_(items.c[name] == value)


def _words(asked: str) -> list[str]:
    """The words that must occur: not those that are part of another one, and of very many the longest."""
    kept: list[str] = []
    for word in sorted(asked.split(), key=lambda word: (-len(word), word)):
        if len(kept) < _MOST_WORDS and not any(word.lower() in longer.lower() for longer in kept):
            kept.append(word)
    return kept


def _says(word: str, caller: Caller, project_id: str | None) -> ColumnElement[bool]:
    """Whether a word occurs in what an item says of itself or in the path of one of its files."""
    forms = _forms(word)
    # By itself, not for each item: the paths of a project are read once.
    having = select(item_files.c.item_id).where(
        item_files.c.team_id == caller.scope,
        _in_projects(item_files.c.project_id, caller, project_id),
        or_(*(item_files.c.path.icontains(form, autoescape=True) for form in forms)),
    )
    told = (items.c.title, items.c.schema_key, items.c.content)
    return or_(*(column.icontains(form, autoescape=True) for column in told for form in forms), items.c.id.in_(having))


def _forms(word: str) -> list[str]:
    """How a word may be written. SQLite knows upper and lower case of plain letters only."""
    return [word] if word.isascii() else list(dict.fromkeys((word, word.lower(), word.upper(), word.capitalize())))


async def _find_confirmed(tx: Tx, scope: Scope, project_id: str | None, session_id: str) -> list[str]:
    """The items that quote an event of a session, wherever they were first learnt.

    Ids of events begin with their time: what all of a session have in common is in the evidence of few other items.
    """
    confirmed: list[str] = []
    for span in await tx.many(_SPAN, scope=scope, of_session=session_id):
        if project_id is not None and span["project_id"] != project_id:
            continue
        after = ""
        while quoted := await _quoting(tx, scope, span, after):
            after = max(quoted)
            named = {one for each in quoted.values() for one in each if span["first"] <= one <= span["last"]}
            found = await tx.many(_THOSE_OF_SESSION, scope=scope, of_session=session_id, event_ids=sorted(named))
            own = {row["id"] for row in found}
            confirmed += [item_id for item_id, each in quoted.items() if not own.isdisjoint(each)]
    return confirmed


async def _quoting(tx: Tx, scope: Scope, span: Row, after: str) -> dict[str, Sequence[str]]:
    """The next items that may quote an event of the span, each with the events it quotes: a portion at a time."""
    quoting = select(items.c.id, items.c.evidence).where(
        items.c.team_id == scope,
        items.c.project_id == span["project_id"],
        items.c.id > after,
        items.c.evidence.contains(_shared_start(span["first"], span["last"]), autoescape=True),
    )
    rows = await tx.many(quoting.order_by(items.c.id).limit(_EVIDENCE_AT_ONCE))
    return await asyncio.to_thread(lambda: {row["id"]: _quoted(row) for row in rows})


def _shared_start(one: str, another: str) -> str:
    same = next((at for at, pair in enumerate(zip(one, another, strict=False)) if pair[0] != pair[1]), len(one))
    return one[:same]


def _quoted(row: Row) -> Sequence[str]:
    """The events an item quotes."""
    return [quote["eventId"] for quote in msgspec.json.decode(row["evidence"], type=list[dict[str, str]])]
