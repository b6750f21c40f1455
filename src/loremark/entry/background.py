"""The background work of a process: jobs, and the outbox being emptied."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass

from loremark.base.clock import HOUR_MS, SECOND_MS
from loremark.base.plans import load_plans
from loremark.entry import looks, upkeep
from loremark.entry.house import House
from loremark.features.billing import recharge, subscriptions
from loremark.features.billing.events import EndSubscription
from loremark.features.billing.recharge import PausedMail, Recharge
from loremark.features.brain import jobs as brain
from loremark.features.brain.jobs import BrainWatch
from loremark.features.chats.jobs import clear_chats
from loremark.features.enrichment import jobs as enrichment
from loremark.features.enrichment.deep import DeepReader
from loremark.features.enrichment.jobs import EmbedAnew, Enrichment, Upkeep
from loremark.features.enrichment.task import Kit
from loremark.features.genesis import jobs as genesis
from loremark.features.genesis import service as genesis_service
from loremark.features.genesis.jobs import GenesisScan
from loremark.features.genesis.task import Kit as GenesisKit
from loremark.features.hygiene import jobs as hygiene
from loremark.features.hygiene.jobs import PrunePlans
from loremark.features.index import jobs as index
from loremark.features.metering import recount
from loremark.features.metering.clearing import CLEARS
from loremark.features.metering.recount import Recount
from loremark.features.projects import service as projects
from loremark.features.projects.copies import CopyKeeper
from loremark.features.projects.jobs import ProjectPurge
from loremark.features.sessions import jobs as sessions_jobs
from loremark.features.sessions.jobs import SessionSweep
from loremark.features.sessions.service import Models
from loremark.features.sessions.store import ENRICHMENT
from loremark.features.team import service as team
from loremark.features.team.jobs import InvitationMail
from loremark.features.team.tokens import InvitationTokens
from loremark.features.webhooks import jobs as webhooks_jobs
from loremark.features.webhooks import service as webhooks
from loremark.features.webhooks.jobs import Deliverer
from loremark.features.webhooks.mail import DisabledMail
from loremark.jobs import outbox
from loremark.jobs.outbox import Pump
from loremark.jobs.place import take_place
from loremark.jobs.runner import Kind, Runner
from loremark.ports.git.repository import Repositories
from loremark.ports.mail.mailer import open_mailer
from loremark.ports.outbound.guard import Guard
from loremark.ports.outbound.sender import HttpsSender

_SWEEP_EVERY_MS = 30 * SECOND_MS
_EMBED_EVERY_MS = 15 * SECOND_MS
_BRAINS_EVERY_MS = 10 * SECOND_MS
_BILLING_EVERY_MS = 10 * SECOND_MS


@dataclass(frozen=True)
class Background:
    """The background work of a process: jobs, and the outbox being emptied."""

    runner: Runner
    pump: Pump

    @property
    def alive(self) -> bool:
        return self.runner.alive and self.pump.alive


@asynccontextmanager
async def open_background(house: House) -> AsyncIterator[Background]:
    """The background work, while the block runs."""
    settings, database = house.settings, house.database
    mailer = open_mailer(settings.mail_url, settings.mail_from)
    tokens = InvitationTokens(house.sealer)
    guard = Guard(settings.outbound_allow)
    sender = HttpsSender(guard, ca_file=settings.ca_file)
    embedder, models = house.engines.embedder, house.engines.models
    folder, owner = settings.cache_dir / "repositories", house.sealer.fingerprint
    repositories = Repositories(folder, guard, owner=owner, ca_file=settings.ca_file)
    copies = CopyKeeper(database, repositories.copies, house.sealer)
    plans = load_plans(settings.default_plan, settings.plans_file)
    names = Models(settings.llm_small, settings.llm_medium)
    scans = GenesisKit(database, repositories, house.sealer, plans, names, models)
    kit = Kit(
        database,
        house.blobs,
        embedder,
        plans,
        names,
        models,
        DeepReader(repositories, house.sealer),
        settings.meter_builtin,
    )
    cashier = house.cashier(plans)
    window_ms = settings.session_window_s * SECOND_MS
    kinds = {
        ENRICHMENT: Kind(Enrichment(kit), at_once=4, per_team=2, given_up=enrichment.given_up),
        enrichment.UPKEEP: Kind(Upkeep(database), every_ms=_SWEEP_EVERY_MS, wanted=looks.is_stranded),
        enrichment.EMBED_ANEW: Kind(
            EmbedAnew(database, embedder),
            every_ms=_EMBED_EVERY_MS,
            wanted=looks.lacks_vectors(embedder.name),
            woken_by="items",
        ),
        genesis_service.SCAN: Kind(GenesisScan(scans), at_once=2, per_team=1, given_up=genesis.given_up),
        genesis.UPKEEP: Kind(genesis.Upkeep(database), every_ms=_SWEEP_EVERY_MS, wanted=looks.is_scan_stranded),
        hygiene.PRUNE: Kind(PrunePlans(database), every_ms=HOUR_MS),
        brain.WATCH: Kind(
            BrainWatch(database), every_ms=_BRAINS_EVERY_MS, wanted=looks.is_memory_touched, woken_by="memory"
        ),
        team.INVITATION_MAIL: Kind(InvitationMail(database, mailer, tokens, settings.base_url)),
        projects.PURGE: Kind(
            ProjectPurge(database, house.blobs, {**CLEARS, "chats": clear_chats}, copies), at_once=2, per_team=1
        ),
        sessions_jobs.SWEEP: Kind(
            SessionSweep(database, window_ms), every_ms=_SWEEP_EVERY_MS, wanted=looks.has_silent_sessions(window_ms)
        ),
        recount.RECOUNT: Kind(Recount(database), every_ms=recount.LOOK_EVERY_MS),
        upkeep.PRUNE: Kind(upkeep.Prune(database), every_ms=HOUR_MS),
        index.UPKEEP: Kind(index.Upkeep(database, embedder.name), every_ms=HOUR_MS),
        webhooks.DELIVER: Kind(Deliverer(house.sealer, sender, settings.webhook_retry_delays), at_once=48, per_team=4),
        webhooks.PURGE: Kind(webhooks_jobs.purge, at_once=2, per_team=1),
        webhooks_jobs.DISABLED_MAIL: Kind(DisabledMail(database, mailer, settings.base_url)),
        recharge.WATCH: Kind(recharge.Watch(database, plans), every_ms=_BILLING_EVERY_MS, wanted=looks.is_billing_due),
        recharge.RECHARGE: Kind(Recharge(cashier), per_team=1),
        recharge.PAUSED_MAIL: Kind(PausedMail(database, mailer, settings.base_url)),
        subscriptions.END: Kind(EndSubscription(cashier)),
        outbox.ASIDE: Kind(outbox.put_back),
    }
    background = Background(Runner(database, kinds), Pump(database, webhooks_jobs.fan_out))
    async with take_place(database, settings.sqlite_path) if settings.on_sqlite else nullcontext():
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
