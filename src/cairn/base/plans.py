"""The plans: one table, which an operator may replace by a file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal

import msgspec

UNBOUNDED = 2**53 - 1
_MIB = 1024 * 1024
_GIB = 1024 * _MIB


Amount = Annotated[int, msgspec.Meta(ge=0)]


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a team may use in a month, and what it costs."""

    id: str
    ai_tokens: Amount
    projects: Amount
    sessions: Amount
    events: Amount
    enrichments: Amount
    storage_bytes: Amount
    price_cents: Amount
    ai_tier: Literal["small", "medium"] = "medium"
    per_seat: bool = False


PLANS: dict[str, Plan] = {
    plan.id: plan
    for plan in (
        Plan(
            id="free",
            ai_tokens=50_000,
            projects=1,
            sessions=100,
            events=5_000,
            enrichments=50,
            storage_bytes=100 * _MIB,
            price_cents=0,
            ai_tier="small",
        ),
        Plan(
            id="personal",
            ai_tokens=1_000_000,
            projects=20,
            sessions=1_000,
            events=50_000,
            enrichments=500,
            storage_bytes=_GIB,
            price_cents=900,
            ai_tier="small",
        ),
        Plan(
            id="team",
            ai_tokens=5_000_000,
            projects=50,
            sessions=10_000,
            events=1_000_000,
            enrichments=5_000,
            storage_bytes=50 * _GIB,
            price_cents=1_500,
            ai_tier="medium",
            per_seat=True,
        ),
        Plan(
            id="business",
            ai_tokens=20_000_000,
            projects=200,
            sessions=100_000,
            events=10_000_000,
            enrichments=50_000,
            storage_bytes=500 * _GIB,
            price_cents=2_900,
            ai_tier="medium",
            per_seat=True,
        ),
        Plan(
            id="enterprise",
            ai_tokens=UNBOUNDED,
            projects=UNBOUNDED,
            sessions=UNBOUNDED,
            events=UNBOUNDED,
            enrichments=UNBOUNDED,
            storage_bytes=UNBOUNDED,
            price_cents=0,
            ai_tier="medium",
        ),
    )
}


class PlansError(Exception):
    """The operator's table of plans cannot be read; the text is one line."""


class Plans:
    """The plans in force, and the one a new team gets."""

    def __init__(self, table: dict[str, Plan], default: str) -> None:
        if default not in table:
            raise PlansError(f"CAIRN_DEFAULT_PLAN names an unknown plan: {default!r}")
        self._table = table
        self.default = default

    def get(self, plan_id: str) -> Plan:
        """The plan; one that was taken out of the table counts as the default."""
        return self._table.get(plan_id) or self._table[self.default]


def load_plans(default: str, file: str = "") -> Plans:
    """The table in the code, with the rows of a TOML file (``[plan.<id>]``) laid over it."""
    table = dict(PLANS)
    if file:
        try:
            content = tomllib.loads(Path(file).read_text(encoding="utf-8"))
            for plan_id, row in msgspec.convert(content["plan"], dict[str, dict[str, object]]).items():
                table[plan_id] = msgspec.convert(row | {"id": row.get("id", plan_id)}, Plan)
                if table[plan_id].id != plan_id:
                    raise PlansError(f"CAIRN_PLANS_FILE cannot be used: plan {plan_id} must not have another id")
        except (OSError, KeyError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
            raise PlansError(f"CAIRN_PLANS_FILE cannot be used: {error}") from error
    return Plans(table, default)
