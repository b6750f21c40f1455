"""AI token metering: the maximum cost is reserved before a call, the actual cost is charged with its result.

A reservation is a row, visible to every process. It is deleted in the transaction that stores the result of the call,
so work lost in a crash is not charged, and is charged once when repeated. Reservations of crashed processes expire.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.base.plans import Plan
from loremark.features.metering import counter_slots, store
from loremark.features.metering.periods import ALL_TIME
from loremark.features.metering.periods import period as period
from loremark.features.metering.plan_limits import limits_of
from loremark.ports.llm.model import CapReached, Usage
from loremark.storage.database import Database, Tx

AI_TOKENS = "ai_tokens"
BUILTIN_TOKENS = "builtin_tokens"
CHAT_STORAGE = "chat_storage"
_RESERVATION_MS = 10 * clock.MINUTE_MS


async def counters(tx: Tx, scope: Scope, plan: Plan) -> dict[str, tuple[int, int]]:
    """Usage and limit of this month's sessions, events and enrichments, and of storage (bytes)."""
    used, limits = await counter_slots.read_usage(tx, scope, period()), limits_of(plan)
    return {counter: (max(0, use.total), limits[counter]) for counter, use in used.items()}


async def tokens_left(tx: Tx, scope: Scope, plan: Plan) -> int:
    """The remaining allowance plus credits, minus reservations."""
    used = await store.used(tx, scope, period(), AI_TOKENS)
    allowance = max(0, plan.ai_tokens - used)
    return allowance + await store.balance(tx, scope) - await store.reserved_tokens(tx, scope)


async def count_builtin(tx: Tx, scope: Scope, plan: Plan, tokens: int, *, metered: bool, reference: str) -> None:
    """Count the built-in engine's tokens, and charge them if ``metered``."""
    if tokens:
        await store.count(tx, scope, period(), BUILTIN_TOKENS, tokens)
    if tokens and metered:
        await _charge(tx, scope, plan, tokens, reference=reference)


async def count_chat_storage(tx: Tx, scope: Scope, more: int) -> None:
    """Change the token size of the team's conversations.

    Call it last in a transaction, because it locks the team's counter until the commit.
    """
    if more:
        await store.count(tx, scope, ALL_TIME, CHAT_STORAGE, more)


async def chat_storage(tx: Tx, scope: Scope) -> int:
    return await store.used(tx, scope, ALL_TIME, CHAT_STORAGE)


async def _charge(tx: Tx, scope: Scope, plan: Plan, tokens: int, *, reference: str) -> None:
    """Charge the plan's allowance first, then the credits."""
    await tx.lock(f"tokens/{scope}")
    before = await store.used(tx, scope, period(), AI_TOKENS)
    await store.count(tx, scope, period(), AI_TOKENS, tokens)
    beyond = max(0, before + tokens - plan.ai_tokens) - max(0, before - plan.ai_tokens)
    if beyond:
        await store.spend_credits(
            tx, scope, beyond, reference=reference, description="AI tokens beyond the plan allowance"
        )


@dataclass
class TeamMeter:
    """Meters the model calls of one task against the team's token limit."""

    database: Database
    scope: Scope
    plan: Plan
    project_id: str | None
    _spent: dict[str, int] = field(default_factory=dict)

    async def reserve(self, tokens: int) -> str:
        async with self.database.write() as tx:
            await tx.lock(f"tokens/{self.scope}")
            await store.delete_expired(tx, self.scope)
            if await tokens_left(tx, self.scope, self.plan) < tokens:
                raise CapReached("The team does not have enough AI tokens for this call")
            return await store.create_reservation(
                tx,
                self.scope,
                project_id=self.project_id,
                tokens=tokens,
                expires_at_ms=clock.now_ms() + _RESERVATION_MS,
            )

    async def spent(self, reservation: str, usage: Usage) -> None:
        """Remember the usage until ``charge``."""
        self._spent[reservation] = usage.total_tokens

    async def release(self, reservation: str) -> None:
        async with self.database.write() as tx:
            await store.delete_reservation(tx, self.scope, reservation)

    async def charge(self, tx: Tx) -> None:
        """Charge the usage, in the transaction that stores the results."""
        for reservation, tokens in self._spent.items():
            await store.delete_reservation(tx, self.scope, reservation)
            await _charge(tx, self.scope, self.plan, tokens, reference=reservation)

    def forget_charged(self) -> None:
        """Call after the commit."""
        self._spent.clear()
