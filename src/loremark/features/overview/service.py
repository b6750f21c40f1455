"""Key figures of projects."""

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
from loremark.features.billing.service import get_usage
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
    ReviewCounts,
    SessionCounts,
    Spend,
    WeeklyGrowth,
)

_WEEKS = 12
_FIRST_MONDAY_MS = 4 * DAY_MS
"""The epoch was a Thursday."""


@dataclass
class _ProjectCounts:
    """Counts of one project."""

    items: Counter[str] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)
    sessions: Counter[str] = field(default_factory=Counter)
    growth: Counter[int] = field(default_factory=Counter)
    tokens: int = 0
    last_event_ms: int | None = None


async def get_projects(tx: Tx, scope: Scope, rows: Sequence[Row]) -> list[ProjectOverview]:
    """Key figures of these projects, with a fixed number of queries."""
    project_ids = [row["id"] for row in rows]
    if not project_ids:
        return []
    since_ms = _first_week_ms(clock.now_ms())
    by_project: dict[str, _ProjectCounts] = defaultdict(_ProjectCounts)
    for row in await store.count_items(tx, scope, project_ids):
        _count_items(by_project[row["project_id"]], row)
    for row in await store.count_growth(tx, scope, project_ids, since_ms):
        by_project[row["project_id"]].growth[row["week"]] += row["found"]
    for row in await store.count_sessions(tx, scope, project_ids):
        _count_sessions(by_project[row["project_id"]], row)
    contexts = await store.count_contexts(tx, scope, project_ids)
    return [_shape(row, by_project[row["id"]], contexts.get(row["id"], 0), since_ms) for row in rows]


async def get_project_health(tx: Tx, scope: Scope, row: Row) -> ProjectHealth:
    """Key figures of one project, with more detail."""
    [overview] = await get_projects(tx, scope, [row])
    return ProjectHealth(
        **{name: getattr(overview, name) for name in overview.__struct_fields__},
        by_type=await store.count_types(tx, scope, row["id"]),
        review=ReviewCounts(
            drafts=overview.items.draft,
            low_confidence=overview.flags.low_confidence,
            conflicts=overview.flags.conflict,
            stale=overview.flags.stale,
        ),
    )


async def get_spend(tx: Tx, scope: Scope, plans: Plans) -> Spend:
    """This month's usage of the team, with the AI token allowance and credits."""
    usage = await get_usage(tx, scope, plans)
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
    """The start of the first week shown; the current week is the last one."""
    return now_ms - (now_ms - _FIRST_MONDAY_MS) % WEEK_MS - (_WEEKS - 1) * WEEK_MS


def _count_items(counts: _ProjectCounts, row: Row) -> None:
    counts.items[row["status"]] += row["found"]
    if row["status"] == "approved":
        counts.tokens += int(row["tokens"])
    if row["status"] != "deprecated":
        for flag in flags_of(row):
            counts.flags[flag] += row["found"]


def _count_sessions(counts: _ProjectCounts, row: Row) -> None:
    counts.sessions[row["status"]] += row["found"]
    if row["last_event_ms"] is not None:
        counts.last_event_ms = max(counts.last_event_ms or 0, row["last_event_ms"])


def _shape(row: Row, counts: _ProjectCounts, contexts: int, since_ms: int) -> ProjectOverview:
    flags, sessions = counts.flags, counts.sessions
    return ProjectOverview(
        id=row["id"],
        name=row["name"],
        status=row["status"],
        visibility=row["visibility"],
        items=ItemCounts(**{status: counts.items[status] for status in ItemCounts.__struct_fields__}),
        flags=FlagCounts(**{flag: flags[flag] for flag in FlagCounts.__struct_fields__}),
        contexts=contexts,
        sessions=SessionCounts(
            active=sessions["active"],
            enriching=sessions["enriching"],
            failed=sessions["failed"],
            total=sessions.total(),
        ),
        last_event_at=clock.iso_or_none(counts.last_event_ms),
        growth=[
            WeeklyGrowth(week_start=clock.iso(since_ms + week * WEEK_MS)[:10], added=counts.growth[week])
            for week in range(_WEEKS)
        ],
        tokens=counts.tokens,
    )
