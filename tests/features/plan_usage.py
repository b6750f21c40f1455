"""Small plans, and a team's counters and row counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import func, select, update

from loremark.base.caller import Scope
from loremark.base.plans import UNBOUNDED, Plan, load_plans
from loremark.features.metering import service as metering
from loremark.storage.database import Database
from loremark.storage.tables import blobs, events, jobs, sessions, teams
from tests.support.service import Service

_LIMITS = ("sessions", "events", "enrichments", "storage_bytes")
WIDE_LIMITS = {"sessions": 10_000, "events": 1_000_000, "enrichments": 10_000, "storage_bytes": 10**12}


def write_plans(folder: Path, **plans: dict[str, int]) -> str:
    """Write a plans file with these limits; all others are wide."""
    lines: list[str] = []
    for name, limits in plans.items():
        merged = {**WIDE_LIMITS, **limits}
        lines += [f"[plan.{name}]", "ai_tokens = 1000000", "projects = 1000", "price_cents = 0"]
        lines += [f"{limit} = {merged[limit]}" for limit in _LIMITS]
    path = folder / "metered.toml"
    path.write_text("\n".join(lines))
    return str(path)


def limit_reached(counter: str) -> tuple[int, Any]:
    return 403, {"error": f"Plan limit reached: {counter}"}


async def set_plan(service: Service, team_id: str, plan: str) -> None:
    """Change the plan directly in the database."""
    async with service.runtime.database.write() as tx:
        await tx.run(update(teams).where(teams.c.id == team_id).values(plan=plan))


async def read_counters(database: Database, team_id: str) -> dict[str, int]:
    """The team's counters."""
    async with database.read() as tx:
        found = await metering.counters(tx, Scope(team_id), _wide_plan())
    return {counter: used for counter, (used, _) in found.items()}


async def count_rows(database: Database, team_id: str) -> dict[str, int]:
    """The team's rows, all created this month."""
    async with database.read() as tx:
        found: dict[str, int] = {}
        for counter, table in (("events", events), ("sessions", sessions)):
            rows = await tx.many(select(func.count().label("n")).where(table.c.team_id == team_id))
            found[counter] = int(rows[0]["n"])
        kinds = (jobs.c.team_id == team_id, jobs.c.kind == "enrichment")
        found["enrichments"] = int((await tx.many(select(func.count().label("n")).where(*kinds)))[0]["n"])
        found["storage"] = 0
        for table in (events, blobs):
            size = func.coalesce(func.sum(table.c.size_bytes), 0).label("n")
            found["storage"] += int((await tx.many(select(size).where(table.c.team_id == team_id)))[0]["n"])
    return found


def _wide_plan() -> Plan:
    plan = load_plans("enterprise").get("enterprise")
    assert plan.events == UNBOUNDED
    return plan
