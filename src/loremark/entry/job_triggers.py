"""Cheap checks whether a frequent recurring job has work to do, so an idle server does not write."""

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
from loremark.jobs.runner import HasWork
from loremark.storage.database import Tx


async def has_stranded_sessions(tx: Tx) -> bool:
    """Whether a session's enrichment ended without a result."""
    return bool(await enrichment.list_stranded(tx, ENRICHMENT, 1))


async def has_stranded_scans(tx: Tx) -> bool:
    return bool(await genesis.list_stranded(tx, 1))


async def has_changed_memory(tx: Tx) -> bool:
    return bool(await brain.list_touched(tx, "", 1))


async def has_billing_due(tx: Tx) -> bool:
    """Whether a team is low on credits, or its billing period has ended."""
    return bool(await billing.list_low_balances(tx, "", 1) or await billing.list_ended_periods(tx, 1))


def has_missing_vectors(model: str) -> HasWork:
    """Whether an item has no vector yet, or the embedding model changed."""

    async def wanted(tx: Tx) -> bool:
        return await people.find_claim(tx, "embedder") != model or bool(await vectors.list_queued(tx, 1))

    return wanted


def has_idle_sessions(window_ms: int) -> HasWork:
    """Whether a session has been idle for the whole window."""

    async def wanted(tx: Tx) -> bool:
        return bool(await sessions.list_expired(tx, idle_since_ms=clock.now_ms() - window_ms, take=1))

    return wanted
