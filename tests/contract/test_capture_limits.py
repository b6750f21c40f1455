"""The contract's limits on events, sessions and webhooks."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import Any

import httpx
import pytest

from loremark.base import clock, limits
from loremark.base.settings import Settings
from loremark.ports.outbound.sender import HttpsSender
from tests.contract.cast import Ask, Cast
from tests.contract.contract import load
from tests.contract.error_cases import valid
from tests.contract.examples import BY_NAME
from tests.contract.examples_capture import HOOK, new_event, send_event
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

CONTRACT = load()
SECONDS = 30.0


def _figure(name: str) -> int:
    value = CONTRACT.limit(name).value
    assert isinstance(value, int)
    return value


def test_time_and_retry_defaults() -> None:
    settings = Settings()
    assert settings.session_window_s == _figure("time.session_window")
    retries = CONTRACT.limit("count.delivery_retries")
    assert settings.webhook_retry_delays == retries.steps
    assert len(retries.steps) == retries.value
    assert inspect.signature(HttpsSender).parameters["timeout_s"].default == _figure("time.delivery_timeout")


async def test_session_window(cast: Cast) -> None:
    """Uses its own service, whose sweeper has just run and does not interfere."""
    window_ms = _figure("time.session_window") * 1000
    async with cast.elsewhere() as service:
        owner = await service.owner()
        project = await owner.create_project()
        secret = (await owner.get(f"/api/projects/{project}/hmac-secret")).json()["secret"]
        began_ms = clock.now_ms() - 3 * window_ms
        kept = [
            await _send_at(service, Ask(json=new_event(), target=project, secret=secret), began_ms + since_ms)
            for since_ms in (0, window_ms - 1, 2 * window_ms - 2, 3 * window_ms - 2)
        ]
    assert kept[0] == kept[1] == kept[2] != kept[3]


async def _send_at(service: Service, ask: Ask, at_ms: int) -> str:
    with clock.use(lambda: at_ms):
        content = b'{"event": "session_save", "payload": {"at": %d}}' % at_ms
        headers = {**ask.signature(content), "Content-Type": "application/json"}
        answer = await service.http.post("/api/v2/ingest", content=content, headers=headers)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["sessionId"])


async def test_ingest_takes_one_event_per_call(cast: Cast) -> None:
    route = BY_NAME["ingest.send"]
    for events, status in (([new_event()], 400), ([new_event(), new_event()], 400)):
        ask = await valid(cast, route)
        answer = await cast.send(cast["owner"], route, Ask(json=events, target=ask.target, secret=ask.secret))
        assert answer.status_code == status
    assert _figure("count.events_per_call") == 1


async def test_body_depth_and_value_limits(cast: Cast) -> None:
    levels, values = CONTRACT.limit("count.payload_levels").max, CONTRACT.limit("count.body_values").max
    assert (levels, values) == (limits.PAYLOAD_LEVELS, limits.BODY_VALUES)
    for depth, status in ((limits.PAYLOAD_LEVELS, 202), (limits.PAYLOAD_LEVELS + 1, 400)):
        payload: Any = {}
        for _ in range(depth - 1):
            payload = {"a": payload}
        assert (await _answer(cast, json.dumps(payload))).status_code == status, depth
    inside = limits.BODY_VALUES - 3  # in addition to the two objects and the list
    for count, status in ((inside, 202), (inside + 1, 400)):
        assert (await _answer(cast, json.dumps({"a": [1] * count}))).status_code == status, count


async def _answer(cast: Cast, payload: str) -> httpx.Response:
    route = BY_NAME["ingest.send"]
    ask = await valid(cast, route)
    content = f'{{"event":"git_digest","payload":{payload}}}'.encode()
    return await cast.send(cast["owner"], route, ask, content=content, headers={"Content-Type": "application/json"})


async def test_event_page_size_in_bytes(cast: Cast) -> None:
    """A page ends after the event that exceeds the limit."""
    most = _figure("size.events_page")
    assert most == limits.EVENTS_PAGE_BYTES
    project = await cast.project()
    for number in range(6):
        payload = {f"k{key}": f"{number}" * 8_000 for key in range(250)}
        kept = await send_event(cast, project, {"event": "git_digest", "payload": payload})
    first = await cast.owner.get(f"/api/v2/sessions/{kept['sessionId']}/events")
    assert most < len(first.content) < most + 3_000_000
    rest = await cast.owner.get(f"/api/v2/sessions/{kept['sessionId']}/events?cursor={first.headers['x-next-cursor']}")
    assert len(first.json()) + len(rest.json()) == 6


async def test_blob_threshold(cast: Cast) -> None:
    """Measured in bytes; ``blobs=inline`` restores them."""
    most = _figure("size.blob_threshold")
    assert most == limits.BLOB_BYTES
    project = await cast.project()
    texts = {"at": "x" * most, "beyond": "x" * (most + 1), "wide": "é" * (most // 2), "wider": "é" * (most // 2 + 1)}
    kept = await send_event(cast, project, {"event": "scan_result", "payload": texts})
    events = f"/api/v2/sessions/{kept['sessionId']}/events"
    payload = (await cast.owner.get(events)).json()[0]["payload"]
    assert {name: type(value) for name, value in payload.items()} == {
        "at": str,
        "beyond": dict,
        "wide": str,
        "wider": dict,
    }
    assert (payload["beyond"]["size"], payload["wider"]["size"]) == (most + 1, most + 2)
    assert (await cast.owner.get(f"{events}?blobs=inline")).json()[0]["payload"] == texts


async def test_webhook_event_count_limits(cast: Cast) -> None:
    limit = CONTRACT.limit("count.webhook_events")
    assert limit.min is not None
    assert limit.max is not None
    for name in limit.applies_to:
        route = BY_NAME[name]
        for count, status in ((limit.min, route.status), (limit.max, route.status), (0, 400), (limit.max + 1, 400)):
            ask = await valid(cast, route)
            ask.json[limit.field] = ["item.created"] * int(count)
            answer = await cast.send(cast["owner"], route, ask)
            assert answer.status_code == status, (name, count)
            if status == 400:
                needs = f"must have at most {int(limit.max)} entries" if count else "must not be empty"
                assert answer.json()["error"] == f"{limit.field} {needs}"


async def test_webhook_count_limit(cast: Cast) -> None:
    route, most = BY_NAME["webhooks.create"], CONTRACT.limit("count.webhooks").max
    assert most == limits.WEBHOOKS_PER_PROJECT
    ask = await valid(cast, route)
    for number in range(1, int(most) + 2):
        answer = await cast.send(cast["owner"], route, ask)
        assert answer.status_code == (201 if number <= most else 409)


async def test_webhook_is_disabled_after_consecutive_failures(cast: Cast) -> None:
    most = _figure("count.deliveries_until_disabled")
    async with cast.elsewhere(LOREMARK_OUTBOUND_ALLOW="127.0.0.0/8", LOREMARK_WEBHOOK_RETRY_DELAYS="0") as service:
        owner = await service.owner()
        project = await owner.create_project()
        body = {"url": HOOK, "events": ["session.created"], "projectId": project}
        webhook = (await owner.post("/api/webhooks", body)).json()["id"]
        for number in range(1, most + 1):
            assert (await owner.post("/api/v2/sessions", {"projectId": project})).status_code == 201
            await _until_failed(owner, webhook, number)
            status = (await owner.get("/api/webhooks")).json()[0]["status"]
            assert status == ("active" if number < most else "disabled"), number


async def _until_failed(owner: Person, webhook: str, count: int) -> None:
    async with asyncio.timeout(SECONDS):
        while True:
            deliveries: list[dict[str, Any]] = (await owner.get(f"/api/webhooks/{webhook}/deliveries")).json()
            if [entry["status"] for entry in deliveries] == ["failed"] * count:
                return
            await asyncio.sleep(0.02)
