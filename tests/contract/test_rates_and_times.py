"""The contract's rate limits and durations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from loremark.base import clock, errors, ids, signing
from loremark.base.settings import Settings
from loremark.features.projects.signatures import Signatures
from loremark.web.rate_limits import parse_route_limits
from loremark.web.request import Request
from tests.contract.cast import COOKIE, Cast
from tests.contract.contract import load
from tests.support.service import BASE_URL, PASSWORD, Service

pytestmark = pytest.mark.anyio

CONTRACT = load()


def _figure(name: str) -> int:
    value = CONTRACT.limit(name).value
    assert isinstance(value, int)
    return value


# ── rates


def test_rate_limit_defaults() -> None:
    assert Settings().rate_limit_per_minute == CONTRACT.limit("rate.global").value
    routes = parse_route_limits(Settings().route_limits)
    rows = {
        "login": ("rate.login", 60),
        "code": ("rate.code", 3600),
        "invite": ("rate.invite", 3600),
        "ask": ("rate.ask", 60),
        "genesis.start": ("rate.genesis_start", 3600),
    }
    assert {name: (limit.count, limit.window_s) for name, limit in routes.items()} == {
        name: (CONTRACT.limit(row).value, window_s) for name, (row, window_s) in rows.items()
    }


@contextmanager
def _stopped_clock(at_ms: int | None = None) -> Iterator[int]:
    """Freeze the clock at a time that is not in the future, since later ids would stay ahead of all others."""
    now_ms = clock.now_ms()
    chosen_ms = now_ms if at_ms is None else at_ms
    assert chosen_ms <= now_ms
    with clock.use(lambda: chosen_ms):
        yield chosen_ms


async def test_global_rate_limit_per_address(cast: Cast) -> None:
    """For any route and caller; other addresses and the next minute have their own count."""
    most = _figure("rate.global")
    minute_ms = (clock.now_ms() // 60_000 - 2) * 60_000
    async with cast.elsewhere(LOREMARK_RATE_LIMIT_PER_MINUTE=str(most)) as service:
        owner = await service.owner()
        with _stopped_clock(minute_ms + 18_500):
            left = []
            for call in range(most):
                person = owner if call % 2 else service.anonymous
                answer = await person.get(("/api/projects", "/api/nothing", "/")[call % 3])
                assert answer.status_code != 429
                left.append(int(answer.headers["x-ratelimit-remaining"]))
            assert left == list(range(most - 1, -1, -1))
            refused = await owner.get("/api/projects")
            assert refused.status_code == 429
            assert refused.json() == {"error": "Rate limit exceeded. Please retry after 42 seconds."}
            assert {name: refused.headers[name] for name in refused.headers if "limit" in name or "retry" in name} == {
                "retry-after": "42",
                "x-ratelimit-limit": str(most),
                "x-ratelimit-remaining": "0",
                "x-ratelimit-reset": str(minute_ms // 1000 + 60),
            }
            assert (await owner.get("/healthz")).status_code == 200
            async with _from_address(service, "192.0.2.7") as other:
                assert (await other.get("/api/projects")).status_code == 401
        with _stopped_clock(minute_ms + 60_000):
            assert (await owner.get("/api/projects")).status_code == 200


async def test_login_rate_limits(cast: Cast) -> None:
    most = _figure("rate.login")
    async with cast.elsewhere(LOREMARK_ROUTE_LIMITS=f"login={most}/minute") as service:
        with _stopped_clock():
            async with _from_address(service, "192.0.2.8") as first, _from_address(service, "192.0.2.9") as second:
                tried = [await _log_in(first, "victim@example.com") for _ in range(most + 1)]
                assert [answer.status_code for answer in tried] == [401] * most + [429]
                assert tried[-1].json()["error"].startswith("Rate limit exceeded. Please retry after ")
                assert tried[-1].headers["retry-after"].isdigit()
                assert (await _log_in(first, "Victim@Example.com")).status_code == 429, "the same account"
                assert (await _log_in(first, "other@example.com")).status_code == 401
                assert (await _log_in(second, "victim@example.com")).status_code == 401, "nobody else is locked out"
                for number in range(5 * most - len(tried) - 2):
                    assert (await _log_in(first, f"{number}@example.com")).status_code == 401
                assert (await _log_in(first, "last@example.com")).status_code == 429, "the address"


async def test_two_factor_code_rate_limit(cast: Cast) -> None:
    most = _figure("rate.code")
    async with cast.elsewhere(LOREMARK_ROUTE_LIMITS=f"login=0,code={most}/hour") as service:
        person = await service.join(await service.owner())
        body = {"email": person.email, "password": PASSWORD, "code": "000000"}
        with _stopped_clock():
            tried = [await service.http.post("/api/auth/login", json=body) for _ in range(most + 1)]
            assert [answer.status_code for answer in tried] == [200] * most + [429]
            assert (await service.http.post("/api/auth/login", json={**body, "code": None})).status_code == 200


def _from_address(service: Service, address: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=service.app, client=(address, 1))
    return httpx.AsyncClient(transport=transport, base_url=BASE_URL)


async def _log_in(http: httpx.AsyncClient, email: str) -> httpx.Response:
    return await http.post("/api/auth/login", json={"email": email, "password": "wrong password"})


# ── times


async def test_invitation_expires_after_three_days(cast: Cast) -> None:
    valid_ms = _figure("time.invitation_token") * 1000
    for late_ms, status in ((-1, 200), (0, 400)):
        with _stopped_clock(clock.now_ms() - valid_ms) as invited_at_ms:
            token = await cast.service.invitation_token(await cast.invitation())
        with _stopped_clock(invited_at_ms + valid_ms + late_ms):
            joined = await cast.service.http.post(
                "/api/team/invitations/accept", json={"token": token, "password": PASSWORD}
            )
        cast.service.http.cookies.clear()
        assert joined.status_code == status, joined.text


async def test_login_expiry(cast: Cast) -> None:
    valid_ms = _figure("time.login") * 1000
    with _stopped_clock(clock.now_ms() - valid_ms) as since_ms:
        made = await cast.service.http.post(
            "/api/auth/login", json={"email": cast["admin"].email, "password": PASSWORD}
        )
    cast.service.http.cookies.clear()
    assert f"Max-Age={valid_ms // 1000};" in made.headers["set-cookie"]
    for late_ms, status in ((-1, 200), (0, 401)):
        with _stopped_clock(since_ms + valid_ms + late_ms):
            answer = await cast.service.browser_call("GET", "/api/auth/me", {COOKIE: made.cookies[COOKIE]})
        assert answer.status_code == status


async def test_signature_timestamp_window(cast: Cast) -> None:
    age_s = _figure("time.hmac_age")
    project = await cast.project()
    secret = (await cast.owner.get(f"/api/projects/{project}/hmac-secret")).json()["secret"]
    now_s = clock.now_ms() // 1000
    with _stopped_clock(now_s * 1000):
        for off_s in (0, -age_s, age_s):
            assert await _verify(cast, project, secret, now_s + off_s) is None
        for off_s in (-age_s - 1, age_s + 1):
            assert await _verify(cast, project, secret, now_s + off_s) is errors.TIMESTAMP_EXPIRED
        assert await _verify(cast, project, secret, "soon") is errors.TIMESTAMP_EXPIRED
        assert await _verify(cast, project, "another secret", now_s) is errors.INVALID_SIGNATURE
        assert await _verify(cast, ids.new("prj"), secret, now_s) is errors.PROJECT_NOT_FOUND
        assert await _verify(cast, "", secret, now_s) is errors.MISSING_HEADER


async def test_previous_signing_secret_expires_after_a_day(cast: Cast) -> None:
    day_ms = _figure("time.old_hmac_secret") * 1000
    path = f"/api/projects/{(project := await cast.project())}/hmac-secret"
    old = (await cast.owner.get(path)).json()["secret"]
    with _stopped_clock(clock.now_ms() - day_ms) as rotated_at_ms:
        rotated = (await cast.owner.post(f"{path}/rotate", {})).json()
        assert rotated["previousValidUntil"] == clock.iso(rotated_at_ms + day_ms)
    for late_ms, outcome in ((-1, None), (0, errors.INVALID_SIGNATURE)):
        with _stopped_clock(rotated_at_ms + day_ms + late_ms) as then_ms:
            assert await _verify(cast, project, old, then_ms // 1000) is outcome
            assert await _verify(cast, project, rotated["secret"], then_ms // 1000) is None
    revoked = (await cast.owner.post(f"{path}/rotate", {"revokeNow": True})).json()
    assert revoked["previousValidUntil"] is None
    assert await _verify(cast, project, rotated["secret"], clock.now_ms() // 1000) is errors.INVALID_SIGNATURE


async def _verify(cast: Cast, project: str, secret: str, timestamp: object) -> errors.ErrorKind | None:
    """Verify a signed request; returns the error or None."""
    body = b'{"event": "session_save"}'
    headers = {
        "x-service-project": project,
        "x-service-timestamp": str(timestamp),
        "x-service-signature": signing.sign_request(secret, str(timestamp), body),
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    scope = {
        "method": "POST",
        "path": "/api/v2/ingest",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    try:
        runtime = cast.service.runtime
        await Signatures(runtime.sealer).verify(runtime.database, Request(scope, receive))
    except errors.Refusal as refusal:
        return refusal.kind
    return None
