"""Plans and credit packs. An operator can override them with a TOML file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec

UNBOUNDED = 2**53 - 1
_MIB = 1024 * 1024
_GIB = 1024 * _MIB


Amount = Annotated[int, msgspec.Meta(ge=0)]


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A team's monthly limits and price."""

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


class Pack(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A purchasable amount of credits, which never expire."""

    id: str
    tokens: Annotated[int, msgspec.Meta(ge=1)]
    price_cents: Amount


PACKS: dict[str, Pack] = {
    pack.id: pack
    for pack in (
        Pack(id="credits_1m", tokens=1_000_000, price_cents=500),
        Pack(id="credits_2_5m", tokens=2_500_000, price_cents=1_000),
        Pack(id="credits_7m", tokens=7_000_000, price_cents=2_500),
        Pack(id="credits_15m", tokens=15_000_000, price_cents=5_000),
    )
}


class PlansError(Exception):
    """The operator's plans file cannot be used; the message is one line."""


Row = TypeVar("Row", Plan, Pack)


class Plans:
    """The active plans and packs, and the default plan for new teams."""

    def __init__(self, table: dict[str, Plan], default: str, packs: dict[str, Pack] | None = None) -> None:
        if default not in table:
            raise PlansError(f"LOREMARK_DEFAULT_PLAN names an unknown plan: {default!r}")
        self._table = table
        self.default = default
        self.packs = PACKS if packs is None else packs

    def get(self, plan_id: str) -> Plan:
        """Return the plan, or the default plan if it no longer exists."""
        return self._table.get(plan_id) or self._table[self.default]

    @property
    def purchasable(self) -> dict[str, Plan]:
        """The plans with a price."""
        return {plan.id: plan for plan in self._table.values() if plan.price_cents}


def load_plans(default: str, file: str = "") -> Plans:
    """Return the built-in plans and packs, overridden by a TOML file (``[plan.<id>]``, ``[pack.<id>]``)."""
    if not file:
        return Plans(dict(PLANS), default)
    try:
        content = tomllib.loads(Path(file).read_text(encoding="utf-8"))
        if not content.keys() & {"plan", "pack"}:
            raise PlansError("LOREMARK_PLANS_FILE cannot be used: it has neither [plan.<id>] nor [pack.<id>]")
        plans = _merge(PLANS, Plan, content.get("plan", {}))
        packs = _merge(PACKS, Pack, content.get("pack", {}))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise PlansError(f"LOREMARK_PLANS_FILE cannot be used: {error}") from error
    return Plans(plans, default, packs)


def _merge(table: dict[str, Row], kind: type[Row], given: object) -> dict[str, Row]:
    rows = dict(table)
    for row_id, row in msgspec.convert(given, dict[str, dict[str, object]]).items():
        rows[row_id] = msgspec.convert(row | {"id": row.get("id", row_id)}, kind)
        if rows[row_id].id != row_id:
            what = kind.__name__.lower()
            raise PlansError(f"LOREMARK_PLANS_FILE cannot be used: {what} {row_id} must not set a different id")
    return rows
