"""Builds the API as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from loremark.base.clock import SECOND_MS
from loremark.base.passwords import Passwords
from loremark.base.plans import load_plans
from loremark.base.settings import DEFAULT_ROUTE_LIMITS, Settings, SettingsError
from loremark.entry.background import Background
from loremark.entry.engines import list_models
from loremark.entry.installation_secrets import load_worker_secret
from loremark.entry.mcp_endpoint import GROUP, McpMount, challenge
from loremark.entry.mcp_endpoint import routes as mcp_routes
from loremark.entry.runtime import Runtime
from loremark.features.ask.answering import Dependencies
from loremark.features.ask.routes import KeepAlive, worker_routes
from loremark.features.ask.routes import routes as ask_routes
from loremark.features.ask.streams import AnswerStreams
from loremark.features.ask.tickets import Tickets
from loremark.features.audit.routes import routes as audit_routes
from loremark.features.billing.pages import routes as billing_pages
from loremark.features.billing.routes import routes as billing_routes
from loremark.features.brain.past_brain import PastBrains
from loremark.features.brain.plans import BrainPlanner
from loremark.features.brain.routes import routes as brain_routes
from loremark.features.brain.service import BrainCache
from loremark.features.briefing.routes import item_routes as item_usage_routes
from loremark.features.briefing.routes import routes as briefing_routes
from loremark.features.briefing.service import Briefer
from loremark.features.chats.routes import routes as chats_routes
from loremark.features.contexts.routes import routes as contexts_routes
from loremark.features.dashboard.pages import Pages
from loremark.features.dashboard.routes import routes as dashboard_routes
from loremark.features.enrichment.agent_readings import AgentReadings
from loremark.features.enrichment.reading_routes import routes as reading_routes
from loremark.features.enrichment.routes import routes as enrichment_routes
from loremark.features.genesis.routes import routes as genesis_routes
from loremark.features.genesis.scan_routes import routes as scans_routes
from loremark.features.hygiene.analysis import HygieneAnalyzer
from loremark.features.hygiene.routes import routes as hygiene_routes
from loremark.features.identity import store as people
from loremark.features.identity.cookies import LoginCookie, is_loopback, own_origins
from loremark.features.identity.last_use import LoginUse
from loremark.features.identity.passkey_ceremonies import RelyingParty
from loremark.features.identity.passkey_challenges import Challenges
from loremark.features.identity.passkey_routes import routes as passkey_routes
from loremark.features.identity.passkeys import Passkeys
from loremark.features.identity.routes import routes as identity_routes
from loremark.features.identity.second_factor_routes import routes as second_factor_routes
from loremark.features.identity.service import AuthConfig
from loremark.features.ingest.routes import event_routes
from loremark.features.ingest.routes import routes as ingest_routes
from loremark.features.ingest.service import EventIntake
from loremark.features.items.routes import routes as items_routes
from loremark.features.keys.last_use import KeyUse
from loremark.features.keys.routes import routes as keys_routes
from loremark.features.live.routes import routes as live_routes
from loremark.features.live.streams import LiveStreams
from loremark.features.models.routes import routes as models_routes
from loremark.features.operations.routes import ApiDocs, Readiness
from loremark.features.operations.routes import routes as operations_routes
from loremark.features.overview.routes import routes as overview_routes
from loremark.features.projects.repository import RepoHosts
from loremark.features.projects.routes import routes as projects_routes
from loremark.features.projects.secrets import SecretsOfDeparted
from loremark.features.projects.signatures import Signatures
from loremark.features.recall.service import Recall
from loremark.features.related.routes import routes as related_routes
from loremark.features.search.routes import routes as search_routes
from loremark.features.search.service import Finder
from loremark.features.session_deletion.routes import routes as session_deletion_routes
from loremark.features.sessions.routes import routes as sessions_routes
from loremark.features.sessions.service import Models
from loremark.features.team.departures import DepartureSteps
from loremark.features.team.routes import routes as team_routes
from loremark.features.team.tokens import InvitationTokens
from loremark.features.transfer.routes import routes as transfer_routes
from loremark.features.webhooks.jobs import Deliverer
from loremark.features.webhooks.routes import routes as webhooks_routes
from loremark.features.webhooks.service import disable_of_departed
from loremark.ports.outbound.guard import Guard
from loremark.ports.outbound.sender import HttpsSender
from loremark.storage import schema
from loremark.storage.database import Database, StorageUnavailable
from loremark.web.allowed_hosts import AllowedHosts
from loremark.web.app import App
from loremark.web.authentication import Authenticators, Origins
from loremark.web.call import Services
from loremark.web.client_address import TrustedProxies
from loremark.web.metrics import Metrics
from loremark.web.openapi import document
from loremark.web.rate_limits import RateLimits, open_counter, parse_route_limits
from loremark.web.routes import Route

VERSION = version("loremark")
MEGABYTE = 1024 * 1024

ROUTES: list[Route] = [
    *identity_routes,
    *second_factor_routes,
    *passkey_routes,
    *team_routes,
    *projects_routes,
    *keys_routes,
    *contexts_routes,
    *items_routes,
    *related_routes,
    *brain_routes,
    *search_routes,
    *briefing_routes,
    *item_usage_routes,
    *ingest_routes,
    *event_routes,
    *sessions_routes,
    *enrichment_routes,
    *reading_routes,
    *session_deletion_routes,
    *genesis_routes,
    *scans_routes,
    *hygiene_routes,
    *overview_routes,
    *chats_routes,
    *ask_routes,
    *worker_routes,
    *transfer_routes,
    *webhooks_routes,
    *billing_routes,
    *billing_pages,
    *audit_routes,
    *models_routes,
    *live_routes,
    *operations_routes,
    *dashboard_routes,
]


@asynccontextmanager
async def open_app(runtime: Runtime, background: Background | None = None) -> AsyncIterator[App]:
    """The API as an ASGI application."""
    settings = runtime.settings
    cookie = LoginCookie(settings.base_url)
    origins = Origins(own_origins(settings.base_url))
    key_use, login_use = KeyUse(runtime.database), LoginUse(runtime.database)
    passwords = Passwords()
    plans = load_plans(settings.default_plan, settings.plans_file)
    description = ApiDocs(lambda: describe(settings))
    metrics = Metrics()
    guard = Guard(settings.outbound_allow)
    sender = HttpsSender(guard, ca_file=settings.ca_file)
    limits = open_limits(settings)
    finder = Finder(runtime.database, runtime.engines.embedders, settings.index_cache_mb * MEGABYTE)
    recall = Recall(runtime.database, runtime.engines.embedders, settings.index_cache_mb * MEGABYTE)
    names = Models(settings.llm_small, settings.llm_medium, meter_builtin=settings.meter_builtin)
    streams = AnswerStreams(
        Dependencies(
            runtime.database,
            finder,
            recall,
            runtime.engines.reader,
            plans,
            names,
            runtime.engines.models,
            settings.meter_builtin,
        )
    )
    capture = EventIntake(runtime.database, runtime.blobs, plans, window_ms=settings.session_window_s * SECOND_MS)
    brains = BrainCache(runtime.database)
    mount = McpMount(settings.base_url, origins)
    pages = Pages(settings.worker_url)
    tools = Services(
        runtime.sealer,
        cookie,
        origins,
        key_use,
        login_use,
        passwords,
        plans,
        description,
        metrics,
        AuthConfig(
            settings.registration,
            settings.sends_email,
            not is_loopback(settings.base_url),
            passwords,
            plans,
            runtime.sealer,
        ),
        Passkeys(RelyingParty.of(settings.base_url), Challenges(runtime.sealer)),
        InvitationTokens(runtime.sealer),
        DepartureSteps(SecretsOfDeparted(runtime.sealer), disable_of_departed),
        RepoHosts(settings.repo_hosts),
        LiveStreams(settings.keepalive_s),
        pages,
        readiness(runtime.database, background),
        runtime.blobs,
        capture,
        names,
        guard,
        Deliverer(runtime.sealer, sender, ()),
        finder,
        recall,
        AgentReadings(runtime.database, runtime.blobs, runtime.engines.embedders, plans),
        Briefer(runtime.database, finder, recall, runtime.engines.reader),
        brains,
        BrainPlanner(runtime.database),
        PastBrains(runtime.database),
        open_tickets(settings, load_worker_secret(settings)),
        streams,
        KeepAlive(settings.keepalive_s),
        HygieneAnalyzer(runtime.database, runtime.engines.embedders, plans, names, runtime.engines.models),
        runtime.payments(plans),
        # Where anyone can register, an owner of a team is not the operator.
        list_models(settings, runtime.engines, shows_servers=settings.registration != "open"),
        mount,
    )
    routes = [
        route for route in ROUTES if route.group != "worker" or background is not None or _serves_answers(settings)
    ]
    app = mount.app = App(
        [*routes, *mcp_routes],
        database=runtime.database,
        authenticators=Authenticators(
            find_by_key=key_use.find_by_key,
            find_by_login=login_use.find_by_login,
            verify_signature=Signatures(runtime.sealer).verify,
            cookie_name=cookie.name,
            origins=origins,
        ),
        limits=limits,
        proxies=TrustedProxies(settings.trusted_proxies),
        services=tools,
        metrics=metrics,
        https=settings.base_url.startswith("https://"),
        challenges={GROUP: challenge(settings.base_url)},
        not_found_page=pages.not_found,
        hosts=AllowedHosts((settings.base_url, settings.worker_url), settings.allowed_hosts),
    )
    key_use.start()
    login_use.start()
    try:
        yield app
    finally:
        await mount.close()
        await streams.close()
        await brains.close()
        await key_use.stop()
        await login_use.stop()
        await limits.close()
        passwords.close()
        capture.close()
        await sender.close()
        await guard.close()


def describe(settings: Settings) -> dict[str, Any]:
    """The OpenAPI document."""
    cookie = LoginCookie(settings.base_url)
    return document(ROUTES, version=VERSION, server=settings.base_url, cookie_name=cookie.name)


def _serves_answers(settings: Settings) -> bool:
    """Whether the API serves answers itself instead of a separate worker."""
    return settings.worker_url == f"{settings.base_url}/worker"


def open_tickets(settings: Settings, secret: str) -> Tickets:
    return Tickets(secret, worker_url=settings.worker_url, valid_ms=settings.ticket_ttl_s * SECOND_MS)


def open_limits(settings: Settings) -> RateLimits:
    try:
        routes = parse_route_limits(DEFAULT_ROUTE_LIMITS) | parse_route_limits(settings.route_limits)
    except ValueError as error:
        raise SettingsError(f"LOREMARK_ROUTE_LIMITS: {error}") from None
    try:
        counter = open_counter(settings.redis_url)
    except ValueError as error:
        raise SettingsError(f"LOREMARK_REDIS_URL: {error}") from None
    return RateLimits(counter, per_minute=settings.rate_limit_per_minute, routes=routes)


def readiness(opened: Database, background: Background | None = None) -> Readiness:
    async def database() -> bool:
        try:
            async with opened.read() as tx:
                await people.find_claim(tx, "encryption_key")
        except StorageUnavailable:
            return False
        return True

    async def migrations() -> bool:
        try:
            async with opened.read() as tx:
                return await schema.version_in(tx) == schema.HEAD
        except StorageUnavailable:
            return False

    checks = {"database": database, "migrations": migrations}
    if background is not None:

        async def jobs() -> bool:
            return background.alive

        checks["jobs"] = jobs
    return Readiness(checks)
