"""Whether frequent recurring work has anything to do: cheap looks, so that an idle server need not write to know."""

from __future__ import annotations

from loremark.base import clock
from loremark.features.billing import store as billing
from loremark.features.brain import store as brain
from loremark.features.enrichment import store as enrichment
from loremark.features.enrichment import vectors
from loremark.features.genesis import store as genesis
from loremark.features.identity import store as people
from loremark.features.sessions import store as sessions
from loremark.features.sessions.store import ENRICHMENT
from loremark.jobs.runner import Wanted
from loremark.storage.database import Tx


async def is_stranded(tx: Tx) -> bool:
    """A session whose enrichment ended without a word."""
    return bool(await enrichment.list_stranded(tx, ENRICHMENT, 1))


async def is_scan_stranded(tx: Tx) -> bool:
    return bool(await genesis.list_stranded(tx, 1))


async def is_memory_touched(tx: Tx) -> bool:
    return bool(await brain.list_touched(tx, "", 1))


async def is_billing_due(tx: Tx) -> bool:
    """A team whose credits run low, or whose period is over."""
    return bool(await billing.list_low(tx, "", 1) or await billing.list_ended(tx, 1))


def lacks_vectors(model: str) -> Wanted:
    """An item that waits for its vector, or an embedder that is another one than before."""

    async def wanted(tx: Tx) -> bool:
        return await people.find_claim(tx, "embedder") != model or bool(await vectors.list_wanted(tx, 1))

    return wanted


def has_silent_sessions(window_ms: int) -> Wanted:
    """A session in which nothing has happened for the whole window."""

    async def wanted(tx: Tx) -> bool:
        return bool(await sessions.list_expired(tx, silent_since_ms=clock.now_ms() - window_ms, take=1))

    return wanted
