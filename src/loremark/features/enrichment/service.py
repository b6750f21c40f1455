"""Starting and retrying the pipeline, and failing sessions."""

from __future__ import annotations

from typing import Any

import msgspec

from loremark.base import clock, errors
from loremark.base.caller import Caller, Scope
from loremark.base.plans import Plan
from loremark.features.enrichment import store
from loremark.features.metering import service as metering
from loremark.features.metering.counter_slots import ENRICHMENTS
from loremark.features.metering.plan_limits import count_one, count_unchecked
from loremark.features.projects.access import Access
from loremark.features.reading import store as readings
from loremark.features.sessions import service as sessions
from loremark.features.sessions import store as sessions_store
from loremark.features.sessions.store import ENRICHMENT
from loremark.jobs import outbox, queue
from loremark.jobs.notices import notify_changed
from loremark.jobs.queue import Stage
from loremark.memory import states
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent
from loremark.wire.sessions import EnrichmentStarted, RetryStarted

PIPELINE = ("enrich", "embed", "dedup", "drift_check")
_ATTEMPTS = 5


async def start(tx: Tx, caller: Caller, session_id: str, plan: Plan, *, paid: bool) -> EnrichmentStarted:
    """Enqueue a job for all events not enriched yet. It takes over the candidates of a failed job.

    If a developer's agent has read the session meanwhile, the job applies what it said.
    """
    session, _ = await sessions.get_session(tx, caller, session_id, Access.WRITE)
    if session["status"] == "enriching":
        raise errors.ENRICHMENT_RUNNING()
    read = await readings.find_latest(tx, caller.scope, session_id)
    about = {"readingId": read["id"]} if read is not None and read["status"] == "answered" else {}
    if not about:
        await _check_token_limit(tx, caller.scope, plan, paid)
    failed = await _failed_job(tx, caller.scope, session)
    await count_one(tx, caller.scope, plan, ENRICHMENTS, clock.now_ms())
    job_id = await _enqueue(tx, caller.scope, session, failed, [Stage(name) for name in PIPELINE], about)
    return EnrichmentStarted(job_id=job_id, status="queued", pipeline=list(PIPELINE))


async def retry(tx: Tx, caller: Caller, session_id: str, plan: Plan, *, paid: bool) -> RetryStarted:
    """Enqueue a job that replaces the failed one, starting at the failed stage."""
    session, _ = await sessions.get_session(tx, caller, session_id, Access.WRITE)
    failed = await _failed_job(tx, caller.scope, session)
    if failed is None:
        raise errors.NO_FAILED_JOB()
    stages = msgspec.json.decode(failed["stages"], type=list[Stage])
    if stages[0].status != "completed":  # only the first stage calls a model
        await _check_token_limit(tx, caller.scope, plan, paid)
    await count_one(tx, caller.scope, plan, ENRICHMENTS, clock.now_ms())
    left = [known if known.status == "completed" else Stage(known.stage) for known in stages]
    job_id = await _enqueue(tx, caller.scope, session, failed, left)
    return RetryStarted(job_id=job_id, status="queued", retried_from=failed["id"])


async def start_internal(tx: Tx, scope: Scope, session: Row) -> str:
    """Enqueue a job for a session created by the server, which is counted but never rejected; return the job id."""
    await count_unchecked(tx, scope, {ENRICHMENTS: 1}, clock.now_ms())
    return await _enqueue(tx, scope, session, None, [Stage(name) for name in PIPELINE])


async def _check_token_limit(tx: Tx, scope: Scope, plan: Plan, paid: bool) -> None:
    if paid and await metering.tokens_left(tx, scope, plan) <= 0:
        raise errors.AI_TOKEN_LIMIT()


async def _failed_job(tx: Tx, scope: Scope, session: Row) -> Row | None:
    if session["status"] != "failed":
        return None
    return await store.find_latest_job(tx, scope, session["id"], ENRICHMENT)


async def _enqueue(
    tx: Tx, scope: Scope, session: Row, failed: Row | None, stages: list[Stage], about: dict[str, Any] | None = None
) -> str:
    assert states.SESSION.allows(session["status"], "enriching")
    before = msgspec.json.decode(failed["result"]) if failed is not None and failed["result"] else None
    payload: dict[str, Any] = {"before": before, "wasCompleted": session["status"] == "completed"}
    if failed is not None and not about:  # a retry applies the same reading
        earlier = msgspec.json.decode(failed["payload"], type=dict[str, Any])
        about = {name: earlier[name] for name in ("readingId",) if name in earlier}
    payload |= about or {}
    job_id = await queue.enqueue(
        tx,
        ENRICHMENT,
        payload,
        team_id=scope,
        project_id=session["project_id"],
        session_id=session["id"],
        max_attempts=_ATTEMPTS,
        stages=stages,
        retried_from=failed["id"] if failed is not None else None,
    )
    if failed is not None:
        await store.transfer_candidates(tx, scope, failed["id"], job_id)
    await sessions_store.update_status(tx, scope, session["id"], "enriching")
    data = {"sessionId": session["id"], "jobId": job_id}
    await outbox.emit(tx, scope, WebhookEvent.ENRICHMENT_STARTED, session["project_id"], data)
    notify_changed(tx, scope, "sessions", session["project_id"])
    return job_id


async def mark_session_failed(tx: Tx, scope: Scope, session: Row, job: Row | None, error: str) -> None:
    """Mark a session as failed. Its events and candidates are kept for a retry."""
    await sessions_store.update_status(tx, scope, session["id"], "failed")
    stages = msgspec.json.decode(job["stages"], type=list[Stage]) if job is not None else []
    data = {
        "sessionId": session["id"],
        "jobId": job["id"] if job is not None else None,
        "stage": next((known.stage for known in stages if known.status != "completed"), PIPELINE[0]),
        "error": error,
    }
    await outbox.emit(tx, scope, WebhookEvent.ENRICHMENT_FAILED, session["project_id"], data)
    notify_changed(tx, scope, "sessions", session["project_id"])
