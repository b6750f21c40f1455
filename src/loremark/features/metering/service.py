"""The cap: what a call could cost is set aside before it is made, and what it did cost is charged with its result.

A reservation is a row, so that every process sees it. It ends with the transaction that keeps what the call gave:
work that is lost with its process was never charged, and is charged once when it is done again. The reservation of
a lost process runs out by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.base.plans import Plan
from loremark.features.metering import slots, store
from loremark.features.metering.counting import limits_of
from loremark.features.metering.periods import FOR_EVER
from loremark.features.metering.periods import period as period
from loremark.ports.llm.model import CapReached, Usage
from loremark.storage.database import Database, Tx

AI_TOKENS = "ai_tokens"
BUILTIN_TOKENS = "builtin_tokens"
CHAT_STORAGE = "chat_storage"
_CALL_ENDS_WITHIN_MS = 10 * clock.MINUTE_MS


async def counters(tx: Tx, scope: Scope, plan: Plan) -> dict[str, tuple[int, int]]:
    """Sessions, events, enrichments (of this month) and storage (bytes): how much is used, and how much may be."""
    used, limits = await slots.read_use(tx, scope, period()), limits_of(plan)
    return {counter: (max(0, use.total), limits[counter]) for counter, use in used.items()}


async def tokens_left(tx: Tx, scope: Scope, plan: Plan) -> int:
    """The rest of the allowance and the credits, without what is set aside."""
    used = await store.used(tx, scope, period(), AI_TOKENS)
    allowance = max(0, plan.ai_tokens - used)
    return allowance + await store.balance(tx, scope) - await store.reserved_tokens(tx, scope)


async def count_builtin(tx: Tx, scope: Scope, plan: Plan, tokens: int, *, metered: bool, reference: str) -> None:
    """The built-in engine's tokens are counted; they cost something only where a setting says so."""
    if tokens:
        await store.count(tx, scope, period(), BUILTIN_TOKENS, tokens)
    if tokens and metered:
        await _charge(tx, scope, plan, tokens, reference=reference)


async def count_chat_storage(tx: Tx, scope: Scope, more: int) -> None:
    """What the team's conversations hold, in tokens; less when one of them goes.

    Last in a transaction: the team's counter stays held until its end.
    """
    if more:
        await store.count(tx, scope, FOR_EVER, CHAT_STORAGE, more)


async def chat_storage(tx: Tx, scope: Scope) -> int:
    return await store.used(tx, scope, FOR_EVER, CHAT_STORAGE)


async def _charge(tx: Tx, scope: Scope, plan: Plan, tokens: int, *, reference: str) -> None:
    """From the plan's allowance first, then from the credits."""
    await tx.lock(f"tokens/{scope}")
    before = await store.used(tx, scope, period(), AI_TOKENS)
    await store.count(tx, scope, period(), AI_TOKENS, tokens)
    beyond = max(0, before + tokens - plan.ai_tokens) - max(0, before - plan.ai_tokens)
    if beyond:
        await store.take_credits(tx, scope, beyond, reference=reference, description="AI tokens beyond the plan")


@dataclass
class TeamMeter:
    """Counts the calls of one piece of work against its team's cap."""

    database: Database
    scope: Scope
    plan: Plan
    project_id: str
    _spent: dict[str, int] = field(default_factory=dict)

    async def reserve(self, tokens: int) -> str:
        async with self.database.write() as tx:
            await tx.lock(f"tokens/{self.scope}")
            await store.delete_expired(tx, self.scope)
            if await tokens_left(tx, self.scope, self.plan) < tokens:
                raise CapReached("The team's AI tokens do not suffice for this call")
            return await store.create_reservation(
                tx,
                self.scope,
                project_id=self.project_id,
                tokens=tokens,
                expires_at_ms=clock.now_ms() + _CALL_ENDS_WITHIN_MS,
            )

    async def spent(self, reservation: str, usage: Usage) -> None:
        """Kept until the work is: see ``charge``."""
        self._spent[reservation] = usage.total_tokens

    async def release(self, reservation: str) -> None:
        async with self.database.write() as tx:
            await store.delete_reservation(tx, self.scope, reservation)

    async def charge(self, tx: Tx) -> None:
        """Charge what was spent, in the transaction that keeps what it was spent for."""
        for reservation, tokens in self._spent.items():
            await store.delete_reservation(tx, self.scope, reservation)
            await _charge(tx, self.scope, self.plan, tokens, reference=reservation)

    def forget_charged(self) -> None:
        """After the commit."""
        self._spent.clear()
