"""Builds the background work of a process: recurring and queued jobs, and the outbox pump."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass

from loremark.base.clock import HOUR_MS, SECOND_MS
from loremark.base.plans import load_plans
from loremark.entry import job_triggers, pruning
from loremark.entry.runtime import Runtime
from loremark.features.billing import recharge, subscriptions
from loremark.features.billing.payment_webhooks import EndSubscription
from loremark.features.billing.recharge import Recharge, RechargePausedEmail
from loremark.features.brain import jobs as brain
from loremark.features.brain.jobs import BrainWatch
from loremark.features.briefing import jobs as briefing
from loremark.features.briefing.jobs import DecideOutcomes
from loremark.features.chats.jobs import clear_chats
from loremark.features.enrichment import jobs as enrichment
from loremark.features.enrichment.deep_enrichment import DeepReader
from loremark.features.enrichment.jobs import Enrichment, Reembed, Upkeep
from loremark.features.enrichment.task import Dependencies as EnrichmentDependencies
from loremark.features.genesis import jobs as genesis
from loremark.features.genesis import service as genesis_service
from loremark.features.genesis.jobs import GenesisScan
from loremark.features.genesis.task import Dependencies as GenesisDependencies
from loremark.features.hygiene import jobs as hygiene
from loremark.features.hygiene.jobs import PrunePlans
from loremark.features.identity.passkey_email import PasskeyEmail
from loremark.features.identity.passkeys import PASSKEY_EMAIL
from loremark.features.index import jobs as index
from loremark.features.metering import recount
from loremark.features.metering.project_deletion import CLEAR_FUNCTIONS, RETENTION, SESSION_PURGE
from loremark.features.metering.recount import Recount
from loremark.features.projects import service as projects
from loremark.features.projects.jobs import ProjectPurge
from loremark.features.projects.repository_cleanup import CopyCleaner
from loremark.features.recall import jobs as recall
from loremark.features.recall.jobs import IndexTurns
from loremark.features.retention import jobs as retention
from loremark.features.retention.jobs import EnforceRetention, RetentionSchedule
from loremark.features.session_deletion.jobs import SessionPurge
from loremark.features.sessions import jobs as sessions_jobs
from loremark.features.sessions.jobs import SessionSweep
from loremark.features.sessions.service import Models
from loremark.features.sessions.store import ENRICHMENT
from loremark.features.team import service as team
from loremark.features.team.departures import DEPARTURE_EMAIL, DepartureEmail
from loremark.features.team.jobs import InvitationEmail
from loremark.features.team.tokens import InvitationTokens
from loremark.features.webhooks import jobs as webhooks_jobs
from loremark.features.webhooks import service as webhooks
from loremark.features.webhooks.jobs import Deliverer
from loremark.features.webhooks.mail import DisabledEmail
from loremark.jobs import outbox
from loremark.jobs.outbox import OutboxRelay
from loremark.jobs.runner import JobKind, Runner
from loremark.jobs.runner_lock import hold_runner_lock
from loremark.ports.git.repository import Repositories
from loremark.ports.mail.mailer import open_mailer
from loremark.ports.outbound.guard import Guard
from loremark.ports.outbound.sender import HttpsSender

_SWEEP_EVERY_MS = 30 * SECOND_MS
_EMBED_EVERY_MS = 15 * SECOND_MS
_TURNS_EVERY_MS = 15 * SECOND_MS
_OUTCOMES_EVERY_MS = 60 * SECOND_MS
_BRAINS_EVERY_MS = 10 * SECOND_MS
_BILLING_EVERY_MS = 10 * SECOND_MS


@dataclass(frozen=True)
class Background:
    """The running job runner and outbox pump."""

    runner: Runner
    pump: OutboxRelay

    @property
    def alive(self) -> bool:
        return self.runner.alive and self.pump.alive


@asynccontextmanager
async def open_background(runtime: Runtime) -> AsyncIterator[Background]:
    """Run the background work for the duration of the block."""
    settings, database = runtime.settings, runtime.database
    mailer = open_mailer(settings.mail_url, settings.mail_from)
    tokens = InvitationTokens(runtime.sealer)
    guard = Guard(settings.outbound_allow)
    sender = HttpsSender(guard, ca_file=settings.ca_file)
    embedder, models = runtime.engines.embedder, runtime.engines.models
    folder, owner = settings.cache_dir / "repositories", runtime.sealer.fingerprint
    repositories = Repositories(folder, guard, owner=owner, ca_file=settings.ca_file)
    copies = CopyCleaner(database, repositories.mirrors, runtime.sealer)
    plans = load_plans(settings.default_plan, settings.plans_file)
    names = Models(settings.llm_small, settings.llm_medium)
    scans = GenesisDependencies(database, repositories, runtime.sealer, plans, names, models, settings.scan_cpu_s)
    kit = EnrichmentDependencies(
        database,
        runtime.blobs,
        embedder,
        plans,
        names,
        models,
        DeepReader(repositories, runtime.sealer),
        settings.meter_builtin,
    )
    payments = runtime.payments(plans)
    window_ms = settings.session_window_s * SECOND_MS
    kinds = {
        ENRICHMENT: JobKind(Enrichment(kit), concurrency=4, per_team=2, on_failed=enrichment.mark_job_failed),
        enrichment.UPKEEP: JobKind(
            Upkeep(database), every_ms=_SWEEP_EVERY_MS, has_work=job_triggers.has_stranded_sessions
        ),
        enrichment.REEMBED: JobKind(
            Reembed(database, embedder),
            every_ms=_EMBED_EVERY_MS,
            has_work=job_triggers.has_missing_vectors(embedder.name),
            wake_on="items",
        ),
        recall.INDEX: JobKind(
            IndexTurns(database, runtime.blobs, embedder),
            every_ms=_TURNS_EVERY_MS,
            has_work=recall.has_work(embedder.name),
            wake_on="sessions",
        ),
        briefing.OUTCOMES: JobKind(
            DecideOutcomes(database, embedder),
            every_ms=_OUTCOMES_EVERY_MS,
            has_work=briefing.has_work,
            wake_on="sessions",
        ),
        genesis_service.SCAN: JobKind(
            GenesisScan(scans), concurrency=2, per_team=1, on_failed=genesis.mark_scan_failed
        ),
        genesis.UPKEEP: JobKind(
            genesis.Upkeep(database), every_ms=_SWEEP_EVERY_MS, has_work=job_triggers.has_stranded_scans
        ),
        hygiene.PRUNE: JobKind(PrunePlans(database), every_ms=HOUR_MS),
        brain.WATCH: JobKind(
            BrainWatch(database), every_ms=_BRAINS_EVERY_MS, has_work=job_triggers.has_changed_memory, wake_on="memory"
        ),
        PASSKEY_EMAIL: JobKind(PasskeyEmail(database, mailer, settings.base_url)),
        team.INVITATION_EMAIL: JobKind(InvitationEmail(database, mailer, tokens, settings.base_url)),
        DEPARTURE_EMAIL: JobKind(DepartureEmail(database, mailer)),
        projects.PURGE: JobKind(
            ProjectPurge(database, runtime.blobs, {**CLEAR_FUNCTIONS, "chats": clear_chats}, copies),
            concurrency=2,
            per_team=1,
        ),
        sessions_jobs.SWEEP: JobKind(
            SessionSweep(database, window_ms),
            every_ms=_SWEEP_EVERY_MS,
            has_work=job_triggers.has_idle_sessions(window_ms),
        ),
        SESSION_PURGE: JobKind(SessionPurge(runtime.blobs), concurrency=2, per_team=1),
        retention.SCHEDULE: JobKind(RetentionSchedule(database), every_ms=HOUR_MS),
        RETENTION: JobKind(EnforceRetention(runtime.blobs), concurrency=2, per_team=1),
        recount.RECOUNT: JobKind(Recount(database), every_ms=recount.INTERVAL_MS),
        pruning.PRUNE: JobKind(pruning.Prune(database, settings.audit_retention_days), every_ms=HOUR_MS),
        index.UPKEEP: JobKind(index.Upkeep(database, embedder.name), every_ms=HOUR_MS),
        webhooks.DELIVER: JobKind(
            Deliverer(runtime.sealer, sender, settings.webhook_retry_delays), concurrency=48, per_team=4
        ),
        webhooks.PURGE: JobKind(webhooks_jobs.purge, concurrency=2, per_team=1),
        webhooks_jobs.DISABLED_EMAIL: JobKind(DisabledEmail(database, mailer, settings.base_url)),
        recharge.SWEEP: JobKind(
            recharge.BillingSweep(database, plans), every_ms=_BILLING_EVERY_MS, has_work=job_triggers.has_billing_due
        ),
        recharge.RECHARGE: JobKind(Recharge(payments), per_team=1),
        recharge.PAUSED_EMAIL: JobKind(RechargePausedEmail(database, mailer, settings.base_url)),
        subscriptions.END: JobKind(EndSubscription(payments)),
        outbox.FAILED_EVENT: JobKind(outbox.requeue),
    }
    background = Background(Runner(database, kinds), OutboxRelay(database, webhooks_jobs.fan_out))
    async with hold_runner_lock(database, settings.sqlite_path) if settings.on_sqlite else nullcontext():
        background.runner.start()
        background.pump.start()
        copies.start()
        try:
            yield background
        finally:
            await copies.stop()
            await background.pump.stop()
            await background.runner.stop()
            await sender.close()
            await guard.close()
