"""The house, built from the settings: database, tools, routes, background work."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from cairn.base.clock import HOUR_MS, SECOND_MS
from cairn.base.crypto import Sealer
from cairn.base.passwords import Passwords
from cairn.base.plans import load_plans
from cairn.base.settings import DEFAULT_ROUTE_LIMITS, Settings, SettingsError
from cairn.entry import engines, upkeep
from cairn.entry.keys import load_sealer
from cairn.features.audit.routes import routes as audit_routes
from cairn.features.contexts.routes import routes as contexts_routes
from cairn.features.dashboard.routes import routes as dashboard_routes
from cairn.features.enrichment import jobs as enrichment
from cairn.features.enrichment.deep import DeepReader
from cairn.features.enrichment.jobs import EmbedAnew, Enrichment, Upkeep
from cairn.features.enrichment.routes import routes as enrichment_routes
from cairn.features.enrichment.task import Kit
from cairn.features.identity import store as people
from cairn.features.identity.cookies import LoginCookie, own_origins
from cairn.features.identity.routes import routes as identity_routes
from cairn.features.identity.service import Door
from cairn.features.ingest.routes import routes as ingest_routes
from cairn.features.ingest.service import Capture
from cairn.features.items.routes import routes as items_routes
from cairn.features.keys.last_use import LastUse
from cairn.features.keys.routes import routes as keys_routes
from cairn.features.live.routes import KeepAlive
from cairn.features.live.routes import routes as live_routes
from cairn.features.operations.routes import Description, Readiness
from cairn.features.operations.routes import routes as operations_routes
from cairn.features.projects import service as projects
from cairn.features.projects.jobs import ProjectPurge
from cairn.features.projects.repository import RepoHosts
from cairn.features.projects.routes import routes as projects_routes
from cairn.features.projects.signatures import Signatures
from cairn.features.sessions import jobs as sessions_jobs
from cairn.features.sessions.jobs import SessionSweep
from cairn.features.sessions.routes import routes as sessions_routes
from cairn.features.sessions.service import Models
from cairn.features.sessions.store import ENRICHMENT
from cairn.features.team import service as team
from cairn.features.team.jobs import InvitationMail
from cairn.features.team.routes import routes as team_routes
from cairn.features.team.tokens import InvitationTokens
from cairn.features.webhooks import jobs as webhooks_jobs
from cairn.features.webhooks import service as webhooks
from cairn.features.webhooks.jobs import Deliverer
from cairn.features.webhooks.mail import DisabledMail
from cairn.features.webhooks.routes import routes as webhooks_routes
from cairn.jobs import outbox
from cairn.jobs.outbox import Pump
from cairn.jobs.place import take_place
from cairn.jobs.runner import Kind, Runner
from cairn.ports.blobs.store import Blobs, open_blobs
from cairn.ports.git.repository import Repositories
from cairn.ports.mail.mailer import open_mailer
from cairn.ports.outbound.guard import Guard
from cairn.ports.outbound.sender import HttpsSender
from cairn.storage import schema
from cairn.storage.database import Database, StorageUnavailable
from cairn.storage.opening import open_database
from cairn.web.addresses import Addresses
from cairn.web.app import App
from cairn.web.call import Tools
from cairn.web.metrics import Metrics
from cairn.web.needs import Authenticators, Origins
from cairn.web.openapi import document
from cairn.web.ratelimit import RateLimits, open_counter, parse_route_limits
from cairn.web.routes import Route

VERSION = version("cairn")
_SWEEP_EVERY_MS = 30 * SECOND_MS
_EMBED_EVERY_MS = 15 * SECOND_MS

ROUTES: list[Route] = [
    *identity_routes,
    *team_routes,
    *projects_routes,
    *keys_routes,
    *contexts_routes,
    *items_routes,
    *ingest_routes,
    *sessions_routes,
    *enrichment_routes,
    *webhooks_routes,
    *audit_routes,
    *live_routes,
    *operations_routes,
    *dashboard_routes,
]


def database_address(settings: Settings) -> str | Path:
    return settings.sqlite_path if settings.on_sqlite else settings.database_url


@dataclass(frozen=True)
class House:
    """What every process shares: settings, database, and the installation's key."""

    settings: Settings
    database: Database
    sealer: Sealer
    blobs: Blobs


@asynccontextmanager
async def open_house(settings: Settings) -> AsyncIterator[House]:
    """Open the database, which must be at the schema of this version, and check that the key is its key."""
    sealer = load_sealer(settings)
    await schema.require_current(database_address(settings))
    database = await open_database(database_address(settings), pool=settings.database_pool)
    try:
        await _check_key(database, sealer)
        yield House(settings, database, sealer, open_blobs(settings.blobs_url, s3_endpoint=settings.s3_endpoint))
    finally:
        await database.close()


async def _check_key(database: Database, sealer: Sealer) -> None:
    async with database.write() as tx:
        await people.claim(tx, "encryption_key", sealer.fingerprint)
        known = await people.find_claim(tx, "encryption_key")
    if known != sealer.fingerprint:
        raise SettingsError(
            "CAIRN_ENCRYPTION_KEY (or keys/encryption.key in the data folder) is not the key this database "
            "was made with; its stored secrets would not open"
        )


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
    embedder, models = engines.open_embedder(settings), engines.open_models(settings)
    repositories = Repositories(settings.cache_dir / "repositories", guard, ca_file=settings.ca_file)
    kit = Kit(
        database,
        house.blobs,
        embedder,
        load_plans(settings.default_plan, settings.plans_file),
        Models(settings.llm_small, settings.llm_medium),
        models,
        DeepReader(repositories, house.sealer),
        settings.meter_builtin,
    )
    kinds = {
        ENRICHMENT: Kind(Enrichment(kit), at_once=4, per_team=2, given_up=enrichment.given_up),
        enrichment.UPKEEP: Kind(Upkeep(database), every_ms=_SWEEP_EVERY_MS),
        enrichment.EMBED_ANEW: Kind(EmbedAnew(database, embedder), every_ms=_EMBED_EVERY_MS),
        team.INVITATION_MAIL: Kind(InvitationMail(database, mailer, tokens, settings.base_url)),
        projects.PURGE: Kind(ProjectPurge(database, house.blobs), at_once=2, per_team=1),
        sessions_jobs.SWEEP: Kind(
            SessionSweep(database, settings.session_window_s * SECOND_MS), every_ms=_SWEEP_EVERY_MS
        ),
        upkeep.PRUNE: Kind(upkeep.Prune(database), every_ms=HOUR_MS),
        webhooks.DELIVER: Kind(Deliverer(house.sealer, sender, settings.webhook_retry_delays), at_once=48, per_team=4),
        webhooks_jobs.DISABLED_MAIL: Kind(DisabledMail(database, mailer, settings.base_url)),
        outbox.ASIDE: Kind(outbox.put_back),
    }
    background = Background(Runner(database, kinds), Pump(database, webhooks_jobs.fan_out))
    async with take_place(database, settings.sqlite_path) if settings.on_sqlite else nullcontext():
        background.runner.start()
        background.pump.start()
        try:
            yield background
        finally:
            await background.pump.stop()
            await background.runner.stop()
            await sender.close()
            await guard.close()
            await embedder.close()
            for model in models.values():
                await model.close()


@asynccontextmanager
async def open_app(house: House, background: Background | None = None) -> AsyncIterator[App]:
    """The API as an ASGI application."""
    settings = house.settings
    cookie = LoginCookie(settings.base_url)
    origins = Origins(own_origins(settings.base_url))
    last_use = LastUse(house.database)
    passwords = Passwords()
    plans = load_plans(settings.default_plan, settings.plans_file)
    description = Description()
    description.describe(document(ROUTES, version=VERSION, server=settings.base_url, cookie_name=cookie.name))
    metrics = Metrics()
    guard = Guard(settings.outbound_allow)
    sender = HttpsSender(guard, ca_file=settings.ca_file)
    limits = _open_limits(settings)
    capture = Capture(house.database, house.blobs, window_ms=settings.session_window_s * SECOND_MS)
    tools = Tools(
        house.sealer,
        cookie,
        origins,
        last_use,
        passwords,
        plans,
        description,
        metrics,
        Door(settings.registration, passwords, plans),
        InvitationTokens(house.sealer),
        RepoHosts(settings.repo_hosts),
        KeepAlive(settings.keepalive_s),
        _readiness(house, background),
        house.blobs,
        capture,
        Models(settings.llm_small, settings.llm_medium),
        guard,
        Deliverer(house.sealer, sender, ()),
    )
    app = App(
        ROUTES,
        database=house.database,
        authenticators=Authenticators(
            find_by_key=last_use.find_by_key,
            find_by_login=people.find_by_login,
            verify_signature=Signatures(house.sealer).verify,
            cookie_name=cookie.name,
            origins=origins,
        ),
        limits=limits,
        addresses=Addresses(settings.trusted_proxies),
        tools=tools,
        metrics=metrics,
        https=settings.base_url.startswith("https://"),
    )
    last_use.start()
    try:
        yield app
    finally:
        await last_use.stop()
        await limits.close()
        passwords.close()
        capture.close()
        await sender.close()
        await guard.close()


def _open_limits(settings: Settings) -> RateLimits:
    try:
        routes = parse_route_limits(DEFAULT_ROUTE_LIMITS) | parse_route_limits(settings.route_limits)
    except ValueError as error:
        raise SettingsError(f"CAIRN_ROUTE_LIMITS: {error}") from None
    try:
        counter = open_counter(settings.redis_url)
    except ValueError as error:
        raise SettingsError(f"CAIRN_REDIS_URL: {error}") from None
    return RateLimits(counter, per_minute=settings.rate_limit_per_minute, routes=routes)


def _readiness(house: House, background: Background | None) -> Readiness:
    async def database() -> bool:
        try:
            async with house.database.read() as tx:
                await people.find_claim(tx, "encryption_key")
        except StorageUnavailable:
            return False
        return True

    async def migrations() -> bool:
        try:
            async with house.database.read() as tx:
                return await schema.version_in(tx) == schema.HEAD
        except StorageUnavailable:
            return False

    checks = {"database": database, "migrations": migrations}
    if background is not None:

        async def jobs() -> bool:
            return background.alive

        checks["jobs"] = jobs
    return Readiness(checks)
