"""The house, built from the settings: database, tools, routes, background work."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from cairn.base.crypto import Sealer
from cairn.base.passwords import Passwords
from cairn.base.plans import load_plans
from cairn.base.settings import DEFAULT_ROUTE_LIMITS, Settings, SettingsError
from cairn.entry.keys import load_sealer
from cairn.features.audit.routes import routes as audit_routes
from cairn.features.dashboard.routes import routes as dashboard_routes
from cairn.features.identity import store as people
from cairn.features.identity.cookies import LoginCookie, own_origins
from cairn.features.identity.routes import routes as identity_routes
from cairn.features.identity.service import Door
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
from cairn.features.team import service as team
from cairn.features.team.jobs import InvitationMail
from cairn.features.team.routes import routes as team_routes
from cairn.features.team.tokens import InvitationTokens
from cairn.jobs.runner import Runner, Work
from cairn.ports.blobs.store import open_blobs
from cairn.ports.mail.mailer import open_mailer
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

ROUTES: list[Route] = [
    *identity_routes,
    *team_routes,
    *projects_routes,
    *keys_routes,
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


@asynccontextmanager
async def open_house(settings: Settings) -> AsyncIterator[House]:
    """Open the database, which must be at the schema of this version, and check that the key is its key."""
    sealer = load_sealer(settings)
    await schema.require_current(database_address(settings))
    database = await open_database(database_address(settings), pool=settings.database_pool)
    try:
        await _check_key(database, sealer)
        yield House(settings, database, sealer)
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


@asynccontextmanager
async def open_runner(house: House) -> AsyncIterator[Runner]:
    """The background work of a process that runs jobs."""
    settings = house.settings
    blobs = open_blobs(settings.blobs_url, s3_endpoint=settings.s3_endpoint)
    mailer = open_mailer(settings.mail_url, settings.mail_from)
    tokens = InvitationTokens(house.sealer)
    work: dict[str, Work] = {
        team.INVITATION_MAIL: InvitationMail(house.database, mailer, tokens, settings.base_url),
        projects.PURGE: ProjectPurge(house.database, blobs),
    }
    runner = Runner(house.database, work)
    runner.start()
    try:
        yield runner
    finally:
        await runner.stop()


@asynccontextmanager
async def open_app(house: House, runner: Runner | None = None) -> AsyncIterator[App]:
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
    limits = _open_limits(settings)
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
        _readiness(house, runner),
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


def _readiness(house: House, runner: Runner | None) -> Readiness:
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
    if runner is not None:

        async def jobs() -> bool:
            return runner.alive

        checks["jobs"] = jobs
    return Readiness(checks)
