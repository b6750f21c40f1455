"""Queries for what came of briefings: which sessions went on, what they said, and what was decided."""

from __future__ import annotations

from sqlalchemy import and_, bindparam, func, literal, select, update

from loremark.base import clock, ids
from loremark.base.caller import Scope
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import briefing_entries, briefings, projects, sessions, turns

_LOOK_BACK_MS = 3 * clock.DAY_MS
"""How long after a briefing its session is looked at."""
_MOST_TURNS = 300

# A turn's id starts with that of its event. Ids sort by time, so these are the turns that arrived after the briefing.
_after_briefing = turns.c.id > literal("evt_").concat(func.substr(briefings.c.id, len("brf_") + 1))
_of_session = and_(sessions.c.project_id == briefings.c.project_id, sessions.c.source == briefings.c.source)
_later_turns = and_(
    turns.c.project_id == briefings.c.project_id,
    turns.c.session_id == sessions.c.id,
    turns.c.kind == "session",
    _after_briefing,
)
_DUE = Sql(
    select(
        briefings.c.id,
        briefings.c.team_id,
        briefings.c.project_id,
        briefings.c.looked_at_turn,
        func.max(turns.c.id).label("newest_turn"),
    )
    .join(sessions, _of_session)
    .join(turns, and_(_later_turns, turns.c.id > func.coalesce(briefings.c.looked_at_turn, "")))
    .join(projects, and_(projects.c.id == briefings.c.project_id, projects.c.deleted_at_ms.is_(None)))
    .where(briefings.c.id >= bindparam("since"), briefings.c.source != "")
    .group_by(briefings.c.id)
    .order_by(briefings.c.id)
    .limit(bindparam("take"))
)
_ONE = and_(
    briefings.c.team_id == bindparam("scope"),
    briefings.c.project_id == bindparam("of_project"),
    briefings.c.id == bindparam("of_briefing"),
)
_LATER = Sql(
    select(turns.c.id, turns.c.event_id, turns.c.messages, turns.c.files, turns.c.commands)
    .select_from(briefings)
    .join(sessions, _of_session)
    .join(turns, _later_turns)
    .where(_ONE, turns.c.id <= bindparam("up_to"))
    .order_by(turns.c.id)
    .limit(bindparam("take"))
)
_OF_BRIEFING = and_(
    briefing_entries.c.team_id == bindparam("scope"),
    briefing_entries.c.project_id == bindparam("of_project"),
    briefing_entries.c.briefing_id == bindparam("of_briefing"),
)
_ENTRIES = Sql(
    select(
        briefing_entries.c.entry_id, briefing_entries.c.kind, briefing_entries.c.turn_ids, briefing_entries.c.outcome
    )
    .where(_OF_BRIEFING)
    .order_by(briefing_entries.c.entry_id)
)
_SET_OUTCOME = Sql(
    update(briefing_entries)
    .where(_OF_BRIEFING, briefing_entries.c.entry_id == bindparam("of_entry"))
    .values(outcome=bindparam("new_outcome"))
)
_SET_LOOKED_AT = Sql(update(briefings).where(_ONE).values(looked_at_turn=bindparam("new_turn")))


async def list_due(tx: Tx, take: int) -> list[Row]:
    """List recent briefings whose session has gone on since the last look. Unscoped: maintenance across teams."""
    return await tx.many(_DUE, since=ids.earlier(ids.new("brf"), _LOOK_BACK_MS), take=take)


async def list_later_turns(tx: Tx, scope: Scope, project_id: str, briefing_id: str, up_to: str) -> list[Row]:
    """List what a session said after its briefing, up to a turn, in order."""
    return await tx.many(
        _LATER, scope=scope, of_project=project_id, of_briefing=briefing_id, up_to=up_to, take=_MOST_TURNS
    )


async def list_entries(tx: Tx, scope: Scope, project_id: str, briefing_id: str) -> list[Row]:
    return await tx.many(_ENTRIES, scope=scope, of_project=project_id, of_briefing=briefing_id)


async def set_outcome(tx: Tx, scope: Scope, project_id: str, briefing_id: str, entry_id: str, outcome: str) -> None:
    await tx.run(
        _SET_OUTCOME,
        scope=scope,
        of_project=project_id,
        of_briefing=briefing_id,
        of_entry=entry_id,
        new_outcome=outcome,
    )


async def set_looked_at(tx: Tx, scope: Scope, project_id: str, briefing_id: str, turn_id: str) -> None:
    """Remember up to which turn the session was looked at."""
    await tx.run(_SET_LOOKED_AT, scope=scope, of_project=project_id, of_briefing=briefing_id, new_turn=turn_id)
