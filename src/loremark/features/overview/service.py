"""Projects at a glance: what was counted of each, put together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.base.clock import DAY_MS
from loremark.base.plans import Plans
from loremark.features.billing import ledger
from loremark.features.billing.service import show_usage
from loremark.features.metering import service as metering
from loremark.features.metering import store as meter
from loremark.features.overview import store
from loremark.features.overview.store import WEEK_MS
from loremark.storage.database import Row, Tx
from loremark.wire.overview import (
    FlagCounts,
    ItemCounts,
    ProjectHealth,
    ProjectOverview,
    Review,
    SessionCounts,
    Spend,
    Week,
)

_WEEKS = 12
_FIRST_MONDAY_MS = 4 * DAY_MS
"""The epoch began on a Thursday."""


@dataclass
class _Counted:
    """What is known of one project."""

    items: Counter[str] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)
    sessions: Counter[str] = field(default_factory=Counter)
    growth: Counter[int] = field(default_factory=Counter)
    tokens: int = 0
    last_event_ms: int | None = None


async def show_projects(tx: Tx, scope: Scope, rows: Sequence[Row]) -> list[ProjectOverview]:
    """The same number of statements for one project as for two hundred."""
    project_ids = [row["id"] for row in rows]
    if not project_ids:
        return []
    since_ms = _first_week_ms(clock.now_ms())
    counted: dict[str, _Counted] = defaultdict(_Counted)
    for row in await store.count_items(tx, scope, project_ids):
        _count_items(counted[row["project_id"]], row)
    for row in await store.count_growth(tx, scope, project_ids, since_ms):
        counted[row["project_id"]].growth[row["week"]] += row["found"]
    for row in await store.count_sessions(tx, scope, project_ids):
        _count_sessions(counted[row["project_id"]], row)
    contexts = await store.count_contexts(tx, scope, project_ids)
    return [_shape(row, counted[row["id"]], contexts.get(row["id"], 0), since_ms) for row in rows]


async def show_project(tx: Tx, scope: Scope, row: Row) -> ProjectHealth:
    """The same of one, and more closely."""
    [shown] = await show_projects(tx, scope, [row])
    return ProjectHealth(
        **{name: getattr(shown, name) for name in shown.__struct_fields__},
        types=await store.count_types(tx, scope, row["id"]),
        review=Review(
            drafts=shown.items.draft,
            low_confidence=shown.flags.low_confidence,
            conflicts=shown.flags.conflict,
            stale=shown.flags.stale,
        ),
    )


async def show_spend(tx: Tx, scope: Scope, plans: Plans) -> Spend:
    """AI tokens against the plan's allowance; what goes beyond it is taken from the credits."""
    usage = await show_usage(tx, scope, plans)
    return Spend(
        plan=usage.plan,
        period=usage.period,
        used=await meter.used(tx, scope, metering.period(), metering.AI_TOKENS),
        limit=plans.get(usage.plan).ai_tokens,
        credits=await ledger.balance(tx, scope),
        usage=usage.usage,
    )


def flags_of(row: Row) -> list[str]:
    return msgspec.json.decode(row["flags"], type=list[str])


def _first_week_ms(now_ms: int) -> int:
    """When the first of the weeks began that are shown; the last is the one we are in."""
    return now_ms - (now_ms - _FIRST_MONDAY_MS) % WEEK_MS - (_WEEKS - 1) * WEEK_MS


def _count_items(known: _Counted, row: Row) -> None:
    known.items[row["status"]] += row["found"]
    if row["status"] == "approved":
        known.tokens += int(row["tokens"])
    if row["status"] != "deprecated":
        for flag in flags_of(row):
            known.flags[flag] += row["found"]


def _count_sessions(known: _Counted, row: Row) -> None:
    known.sessions[row["status"]] += row["found"]
    if row["last_event_ms"] is not None:
        known.last_event_ms = max(known.last_event_ms or 0, row["last_event_ms"])


def _shape(row: Row, known: _Counted, contexts: int, since_ms: int) -> ProjectOverview:
    flags, sessions = known.flags, known.sessions
    return ProjectOverview(
        id=row["id"],
        name=row["name"],
        status=row["status"],
        visibility=row["visibility"],
        items=ItemCounts(**{status: known.items[status] for status in ItemCounts.__struct_fields__}),
        flags=FlagCounts(**{flag: flags[flag] for flag in FlagCounts.__struct_fields__}),
        contexts=contexts,
        sessions=SessionCounts(
            active=sessions["active"],
            enriching=sessions["enriching"],
            failed=sessions["failed"],
            total=sessions.total(),
        ),
        last_event_at=clock.iso_or_none(known.last_event_ms),
        growth=[
            Week(from_=clock.iso(since_ms + week * WEEK_MS)[:10], added=known.growth[week]) for week in range(_WEEKS)
        ],
        tokens=known.tokens,
    )
