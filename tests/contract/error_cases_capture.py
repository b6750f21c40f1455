"""Error cases of events, sessions and webhooks."""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from sqlalchemy import delete, insert, update

from loremark.base import clock, ids, limits
from loremark.features.identity import store as people
from loremark.features.metering import service as metering
from loremark.features.sessions.store import ENRICHMENT
from loremark.jobs import queue
from loremark.storage.tables import jobs, sessions, teams, usage_counters
from loremark.web.routes import Route
from tests.contract.cast import Ask, Cast
from tests.contract.error_cases import ErrorCase, ErrorCases, valid
from tests.contract.error_cases_accounts import OWN
from tests.contract.examples_capture import HOOK, fail_job, make_delivery, make_webhook, new_event

CAPTURE = ErrorCases()

_BAD_URLS = ("http://127.0.0.1/", "ftp://127.0.0.1/", "https://", "https://a:b@127.0.0.1/", "127.0.0.1", "https://a b/")
_CLOSED_ADDRESSES = ("10.0.0.1", "192.168.1.1:8443", "169.254.169.254", "[::1]", "[fd00::1]", "[::ffff:10.0.0.1]")


# ── ingest


@CAPTURE.of(400, "Invalid request body")
async def _bad_event(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    event = new_event()
    bodies: tuple[Any, ...] = (
        [event],
        [],
        None,
        "text",
        {},
        {"event": "session_save"},
        {"payload": {}},
        {**event, "event": "unheard_of"},
        {**event, "event": None},
        {**event, "payload": "text"},
        {**event, "payload": [event["payload"]]},
        {**event, "payload": None},
    )
    contents = [json.dumps(body).encode() for body in bodies]
    contents += [b"", b"{", b"\xff\xfe", b'{"event": "session_save", "payload": {"a": NaN}}', b'{"payload":' * 100_000]
    packed = gzip.compress(json.dumps(event).encode())
    for route in routes:
        ask = await valid(cast, route)
        for content in contents:
            headers = {"Content-Type": "application/json"}
            yield ErrorCase(route, await cast.send(cast["owner"], route, ask, content=content, headers=headers))
        for content in (json.dumps(event).encode(), packed[:-4], packed + b"more", b""):
            headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
            yield ErrorCase(route, await cast.send(cast["owner"], route, ask, content=content, headers=headers))


@CAPTURE.of(415, "Content-Encoding must be gzip or identity")
async def _bad_encoding(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        for encoding in ("br", "deflate", "gzip, gzip", "zstd"):
            ask = await valid(cast, route)
            yield ErrorCase(route, await cast.send(cast["owner"], route, ask, headers={"Content-Encoding": encoding}))


@CAPTURE.of(401, "Invalid signature")
async def _bad_signature(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        right = ask.signature(ask.content)["X-Service-Signature"]
        for wrong in (right[:-1], right.upper(), right.removeprefix("sha256="), f"sha1={right[7:]}", "sha256=", "é"):
            headers = {b"X-Service-Signature": wrong.encode()}
            yield ErrorCase(route, await cast.send(cast["owner"], route, ask, headers=headers))
        later = {"X-Service-Timestamp": str(clock.now_ms() // 1000 + 5)}
        yield ErrorCase(route, await cast.send(cast["owner"], route, replace(ask, secret="guessed")))
        yield ErrorCase(route, await cast.send(cast["owner"], route, ask, headers=later | _signed_before(ask)))
        other = await cast.secret_of(await cast.project())
        yield ErrorCase(route, await cast.send(cast["owner"], route, replace(ask, secret=other)))
        assert (await cast.send(cast["owner"], route, ask)).is_success
        await cast.owner.post(f"/api/projects/{ask.project}/hmac-secret/rotate", {"revokeNow": True})
        yield ErrorCase(route, await cast.send(cast["owner"], route, ask))


def _signed_before(ask: Ask) -> dict[str, str]:
    """A signature for the current time, sent with another timestamp."""
    signature = ask.signature(ask.content)
    return {"X-Service-Signature": signature["X-Service-Signature"]}


@CAPTURE.of(401, "Timestamp expired")
async def _expired(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    now_ms = clock.now_ms()
    for route in routes:
        ask = await valid(cast, route)
        for off_ms in (-limits.HMAC_AGE_MS - 2_000, limits.HMAC_AGE_MS + 2_000):
            with clock.use(lambda off_ms=off_ms: now_ms + off_ms):  # type: ignore[misc]
                signed = ask.signature(ask.content)
            yield ErrorCase(route, await cast.send(cast["owner"], route, ask, headers=signed))
        for timestamp in ("soon", "1e9", "-1", str(now_ms)):
            headers = {"X-Service-Timestamp": timestamp}
            yield ErrorCase(route, await cast.send(cast["owner"], route, ask, headers=headers))


@CAPTURE.of(401, "Missing required header")
async def _unsigned(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """Any of the three headers missing or empty; a key or login does not replace them."""
    for route in routes:
        ask = await valid(cast, route)
        for name in ask.signature(b""):
            yield ErrorCase(route, await cast.send(cast["owner"], route, ask, headers={name: ""}))
        for by_login in (False, True):
            bare = replace(ask, secret="")
            yield ErrorCase(route, await cast.send(cast["owner"], route, bare, by_login=by_login))


@CAPTURE.of(429, "Rate limit exceeded")
async def _rate_limited(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms):
        async with cast.elsewhere(LOREMARK_RATE_LIMIT_PER_MINUTE="1") as service:
            await service.http.get("/api/projects")
            for route in routes:
                yield ErrorCase(route, await service.http.request(route.method, route.path))


# ── sessions and webhooks


@CAPTURE.of(404, "Session not found")
@CAPTURE.of(404, "Webhook not found")
async def _hidden(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        for actor in (cast["stranger"], cast["unassigned"]):
            yield ErrorCase(route, await cast.send(actor, route, ask))
        for unknown in (ids.new(ask.target.partition("_")[0]), ask.project, "x", "a" * 5_000):
            yield ErrorCase(route, await cast.send(cast["owner"], route, ask.about(unknown)))
        await cast.owner.delete(f"/api/projects/{ask.project}")
        yield ErrorCase(route, await cast.send(cast["owner"], route, ask))


@CAPTURE.of(404, "Delivery not found")
async def _no_delivery(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        of_another = await make_delivery(cast, await make_webhook(cast, ask.project))
        for delivery in (of_another, ids.new("dlv"), "x", ask.target):
            wrong = replace(ask, path={**ask.path, "deliveryId": delivery})
            yield ErrorCase(route, await cast.send(cast["owner"], route, wrong))


@CAPTURE.of(409, "A project can have at most 50 webhooks")
async def _too_many_webhooks(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        for _ in range(limits.WEBHOOKS_PER_PROJECT):
            await make_webhook(cast, ask.project)
        yield ErrorCase(route, await cast.send(cast["owner"], route, ask))


@CAPTURE.of(412, "The resource has changed since you read it. Fetch it again and retry.")
async def _changed(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        resource = route.path.removesuffix("/approve").format_map(ask.path)
        seen = (await cast.owner.get(resource)).headers["etag"]
        assert (await cast.send(cast["owner"], route, ask)).status_code == 200
        for tag in (seen, '"of something else"', f"W/{seen}", ""):
            yield ErrorCase(route, await cast.send(cast["owner"], route, ask, headers={"If-Match": tag}))


@CAPTURE.of(400, "Invalid status transition")
async def _no_such_move(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        for status in ("enriching", "failed"):
            yield ErrorCase(route, await cast.send(cast["owner"], route, replace(ask, json={"status": status})))
        for before in ("enriching", "failed"):
            async with cast.service.runtime.database.write() as tx:
                await tx.run(update(sessions).where(sessions.c.id == ask.target).values(status=before))
            for status in {"active", "completed", "enriching", "failed"} - {before}:
                yield ErrorCase(route, await cast.send(cast["owner"], route, replace(ask, json={"status": status})))


@CAPTURE.of(409, "Enrichment already in progress")
async def _already_enriching(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        async with cast.service.runtime.database.write() as tx:
            await tx.run(update(sessions).where(sessions.c.id == ask.target).values(status="enriching"))
        yield ErrorCase(route, await cast.send(cast["owner"], route, ask))


@CAPTURE.of(404, "Reading not found")
async def _no_reading(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """Unknown, or somebody else's."""
    for route in routes:
        ask = await valid(cast, route)
        yield ErrorCase(route, await cast.send(cast["owner"], route, replace(ask, path={"id": ids.new("rdg")})))
        yield ErrorCase(route, await cast.send(cast["admin"], route, ask))


@CAPTURE.of(409, "Another part of the session is expected")
async def _another_part(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        yield ErrorCase(route, await cast.send(cast["owner"], route, replace(ask, json={**ask.json, "part": 2})))


@CAPTURE.of(409, "Session is being enriched. Try again when enrichment has finished.")
async def _still_enriching(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        later_ms = clock.now_ms() + clock.HOUR_MS  # with a job, or maintenance would mark the session as failed
        team = cast.owner.team_id
        async with cast.service.runtime.database.write() as tx:
            await queue.enqueue(tx, ENRICHMENT, {}, team_id=team, session_id=ask.target, run_at_ms=later_ms)
            await tx.run(update(sessions).where(sessions.c.id == ask.target).values(status="enriching"))
        yield ErrorCase(route, await cast.send(cast["owner"], route, ask))


@CAPTURE.of(409, "No failed job to retry")
async def _nothing_failed(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        for status in ("active", "completed", "enriching"):
            async with cast.service.runtime.database.write() as tx:
                if status == "enriching":  # otherwise maintenance may mark its job as failed
                    await tx.run(delete(jobs).where(jobs.c.session_id == ask.target))
                await tx.run(update(sessions).where(sessions.c.id == ask.target).values(status=status))
            yield ErrorCase(route, await cast.send(cast["owner"], route, ask))


@CAPTURE.of(403, "AI token limit reached")
async def _no_tokens(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """With a paid model and no tokens left."""
    model = {"LOREMARK_LLM_SMALL": "openai:none", "LOREMARK_LLM_MEDIUM": "openai:none", "LOREMARK_LLM_API_KEY": "none"}
    async with cast.elsewhere(**model) as service:
        owner = await service.owner()
        project = await owner.create_project()
        made = await owner.post("/api/v2/sessions", {"projectId": project})
        async with service.runtime.database.write() as tx:
            spent = {"team_id": owner.team_id, "period": metering.period(), "counter": metering.AI_TOKENS}
            await tx.run(insert(usage_counters).values(**spent, slot="all", used=10**12))
        for route in routes:
            if route.name == "sessions.retry":
                await fail_job(service, owner.team_id, project, made.json()["id"])
            yield ErrorCase(route, await owner.post(route.path.format(id=made.json()["id"])))


@CAPTURE.of(403, "Plan limit reached: {counter}")
async def _plan_limit(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """Each counter of the plan used up in turn; the project limit has its own case."""
    about = {
        "ingest.send": ("events", "storage", "sessions"),
        "events.create": ("events", "storage", "sessions"),
        "sessions.create": ("sessions",),
        "sessions.enrich": ("enrichments",),
        "sessions.retry": ("enrichments",),
    }
    async for case in OWN[403, "Plan limit reached: {counter}"](
        cast, [route for route in routes if route.name not in about]
    ):
        yield case
    team_id = cast.owner.team_id
    async with cast.service.runtime.database.read() as tx:
        before = await people.get_team(tx, team_id)
    for route in routes:
        for counter in about.get(route.name, ()):
            ask = await valid(cast, route)
            month = "all-time" if counter == "storage" else metering.period()
            used_up = {"team_id": team_id, "period": month, "counter": counter, "slot": "all", "used": 10**12}
            await _have(cast, "team", used_up)
            answer = await cast.send(cast["owner"], route, ask)
            await _have(cast, before["plan"])
            assert answer.json().get("error", "").endswith(counter), answer.text
            yield ErrorCase(route, answer)


async def _have(cast: Cast, plan: str, *used: dict[str, Any]) -> None:
    """Give the team this plan and this usage only."""
    async with cast.service.runtime.database.write() as tx:
        await tx.run(update(teams).where(teams.c.id == cast.owner.team_id).values(plan=plan))
        await tx.run(delete(usage_counters).where(usage_counters.c.team_id == cast.owner.team_id))
        for row in used:
            await tx.run(insert(usage_counters).values(**row))


@CAPTURE.of(400, "unknown event type, url not HTTPS, or one that resolves to a refused address")
async def _bad_webhook(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        for url in (*_BAD_URLS, *(f"https://{address}/" for address in _CLOSED_ADDRESSES)):
            wrong = replace(ask, json={**ask.json, "url": url})
            yield ErrorCase(route, await cast.send(cast["owner"], route, wrong), "url")
        for events in (["item.exploded"], ["item.created", "webhook.test"], ["session_save"], []):
            wrong = replace(ask, json={**ask.json, "url": HOOK, "events": events})
            yield ErrorCase(route, await cast.send(cast["owner"], route, wrong), "events")
