"""The contract's limits on texts, bodies and lists: accepted at the limit, refused one beyond it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import httpx
import pytest

from loremark.base import ids, limits
from tests.contract.cast import Ask, Cast, register
from tests.contract.contract import ANY, Limit, load
from tests.contract.error_cases import valid
from tests.contract.examples import BY_NAME, examples_of
from tests.contract.examples_capture import HOOK

pytestmark = pytest.mark.anyio

CONTRACT = load()
BUILT = [
    limit
    for limit in CONTRACT.limits.values()
    if ANY in limit.applies_to or any(name in BY_NAME for name in limit.applies_to)
]
CHECKED_IN_TEST_MEMORY_LIMITS = {
    "count.populate_nodes",
    "count.schema_key_depth",
    "count.context_levels",
    "count.item_files",
    "count.item_tags",
    "length.file_path",
    "length.item_search",
    "length.tag",
    "score.confidence",
    "size.texts_page",
}
CHECKED_IN_TEST_CHATS_LIMITS = {"count.chat_list", "count.chat_offset", "count.messages", "length.chat_search"}
CHECKED_IN_ERROR_CASES_BRAIN = {"size.token_budget"}
CHECKED_IN_FEATURES_TEST_BRAIN_HISTORY = {"count.brain_history"}
CHECKED_IN_FEATURES_TEST_BRIEFING_OUTCOMES = {"count.usefulness_days"}
CHECKED_IN_TEST_SEARCH_LIMITS = {"count.search", "score.min_similarity"}
COMES_WITH_ENRICHMENT = {"score.low_confidence"}
CHECKED_IN_TEST_GENESIS_LIMITS = {
    "rate.genesis_start",
    "count.max_files",
    "count.scans",
    "score.progress",
    "score.importance",
}
CHECKED_IN_FEATURES_TEST_HYGIENE = {"time.hygiene_plan", "count.hygiene_quick", "count.hygiene_weekly"}
CHECKED_IN_TEST_ASK_LIMITS = {
    "rate.ask",
    "time.ticket",
    "time.keep_alive",
    "time.answer_stream",
    "count.streams_per_ticket",
    "score.similarity",
}
CHECKED_IN_TEST_BILLING = {
    "count.seats",
    "count.recharge_threshold",
    "count.transactions",
    "money.spending_limit",
    "time.checkout",
    "time.stripe_webhook",
}
CHECKED_IN_FEATURES_TEST_PASSKEYS = {"count.passkeys", "time.passkey_challenge"}
CHECKED_IN_FEATURES_TEST_INVITATIONS = {"count.invitations", "rate.invite"}
LENGTHS = [
    limit
    for limit in BUILT
    if limit.name.startswith("length.")
    and limit.name not in CHECKED_IN_TEST_MEMORY_LIMITS | CHECKED_IN_TEST_CHATS_LIMITS
]
RETENTION = [f"count.{kind}_retention" for kind in ("event", "session", "chat")]
CHECKED_HERE = {"count.list", "size.body", "score.auto_approve", *RETENTION} | {limit.name for limit in LENGTHS}
CHECKED_IN_TEST_RATES_AND_TIMES = {
    "rate.global",
    "rate.login",
    "rate.code",
    "time.invitation_token",
    "time.login",
    "time.old_hmac_secret",
    "time.hmac_age",
}
CHECKED_IN_TEST_CAPTURE_LIMITS = {
    "time.session_window",
    "time.delivery_timeout",
    "count.delivery_retries",
    "count.deliveries_until_disabled",
    "count.webhook_events",
    "count.webhooks",
    "count.payload_levels",
    "count.body_values",
    "size.events_page",
    "count.events_per_call",
    "size.blob_threshold",
}
LISTS = [name for name in CONTRACT.limit("count.list").applies_to if name in BY_NAME]
_FIXED_PARTS = {
    "email": "@example.com",
    "repoUrl": "https://github.com/loremark/",
    "url": f"{HOOK}/",
    "successUrl": "https://example.com/",
}


def test_every_limit_has_a_test() -> None:
    checked_elsewhere = CHECKED_IN_TEST_RATES_AND_TIMES | CHECKED_IN_TEST_CAPTURE_LIMITS | CHECKED_IN_TEST_MEMORY_LIMITS
    checked_elsewhere |= CHECKED_IN_TEST_CHATS_LIMITS | CHECKED_IN_TEST_ASK_LIMITS | CHECKED_IN_ERROR_CASES_BRAIN
    checked_elsewhere |= (
        CHECKED_IN_FEATURES_TEST_HYGIENE | CHECKED_IN_TEST_SEARCH_LIMITS | CHECKED_IN_TEST_GENESIS_LIMITS
    )
    checked_elsewhere |= CHECKED_IN_TEST_BILLING | CHECKED_IN_FEATURES_TEST_BRAIN_HISTORY
    checked_elsewhere |= CHECKED_IN_FEATURES_TEST_BRIEFING_OUTCOMES | CHECKED_IN_FEATURES_TEST_PASSKEYS
    checked_elsewhere |= CHECKED_IN_FEATURES_TEST_INVITATIONS
    assert {limit.name for limit in BUILT} == CHECKED_HERE | checked_elsewhere | COMES_WITH_ENRICHMENT


def _text(field: str, size: int) -> str:
    """A valid text of this length for the field, or None if there is none that short."""
    fixed = _FIXED_PARTS.get(field, "")
    if field == "email":
        local = (ids.new("per") * 10)[: max(0, size - len(fixed))]
        return local + fixed if local else ("a@" + "b" * size)[:size]
    letter = "é" if field.lower().endswith("name") else "x"
    return (fixed + letter * size)[:size]


@pytest.mark.parametrize("limit", LENGTHS, ids=lambda limit: limit.name)
async def test_text_length_limits(cast: Cast, limit: Limit) -> None:
    for name in [name for name in limit.applies_to if name in BY_NAME]:
        route = BY_NAME[name]

        async def status_with(size: int, route: Any = route) -> tuple[int, str]:
            ask = await valid(cast, route)
            body = {**ask.json, limit.field: _text(limit.field, size)}
            actor = await register(cast.service, "guest") if route.name == "auth.password" else cast["owner"]
            answer = await cast.send(actor, route, replace(ask, json=body))
            return answer.status_code, answer.text

        taken = {route.status, 401} if name == "auth.login" else {route.status}
        for size in [int(bound) for bound in (limit.min, limit.max) if bound is not None]:
            assert (await status_with(size))[0] in taken, (name, size)
        beyond = [] if limit.max is None else [int(limit.max) + 1]
        beyond += [] if limit.min is None else [int(limit.min) - 1]
        for size in beyond:
            status, text = await status_with(size)
            assert status == 400, (name, size)
            assert text.startswith(f'{{"error":"{limit.field} '), (name, size, text)


async def test_body_size_limit(cast: Cast) -> None:
    size = CONTRACT.limit("size.body").max
    assert size == limits.BODY_BYTES
    content = b'{"name": "Large"}'.ljust(limits.BODY_BYTES)
    for extra, status in ((b"", 201), (b" ", 413)):
        answer = await cast.owner.call(
            "POST", "/api/projects", content=content + extra, headers={"Content-Type": "application/json"}
        )
        assert answer.status_code == status


async def test_auto_approve_threshold_range(cast: Cast) -> None:
    limit = CONTRACT.limit("score.auto_approve")
    assert limit.min is not None
    assert limit.max is not None
    project = f"/api/projects/{await cast.project()}"
    assert (await cast.owner.get(project)).json()[limit.field] == limit.default
    for value in (limit.min, limit.max):
        changed = await cast.owner.patch(project, {limit.field: value})
        assert (changed.status_code, changed.json()[limit.field]) == (200, value)
    for value in (limit.min - 0.001, limit.max + 0.001):
        refused = await cast.owner.patch(project, {limit.field: value})
        assert refused.status_code == 400
        assert refused.json()["error"].startswith(f"{limit.field} must be at ")


@pytest.mark.parametrize("name", RETENTION)
async def test_retention_period_range(cast: Cast, name: str) -> None:
    limit = CONTRACT.limit(name)
    assert limit.min is not None
    assert limit.max is not None
    project = f"/api/projects/{await cast.project()}"
    assert (await cast.owner.get(project)).json()[limit.field] is None
    for value in (limit.min, limit.max, None):
        changed = await cast.owner.patch(project, {limit.field: value})
        assert (changed.status_code, changed.json()[limit.field]) == (200, value)
    for value in (limit.min - 1, limit.max + 1):
        refused = await cast.owner.patch(project, {limit.field: value})
        assert refused.status_code == 400
        assert refused.json()["error"].startswith(f"{limit.field} must be at ")


@pytest.mark.parametrize("name", LISTS)
async def test_list_limit_and_cursor(cast: Cast, name: str) -> None:
    route, limit = BY_NAME[name], CONTRACT.limit("count.list")
    for example in examples_of(route):
        ask = await example(cast, cast["owner"])
        await example(cast, cast["owner"])
        await cast.key_of(cast["owner"])

        async def page(query: str, ask: Ask = ask) -> httpx.Response:
            joined = f"{ask.query}&{query}" if ask.query else f"?{query}"
            return await cast.send(cast["owner"], route, replace(ask, query=joined))

        for query in (f"limit={limit.min}", f"limit={limit.max}"):
            assert (await page(query)).status_code == 200
        for query in ("limit=0", "limit=1001", "limit=-1", "limit=ten", "cursor=here", "cursor="):
            refused = await page(query)
            assert refused.status_code == 400, (query, refused.text[:200])
            assert refused.json()["error"].startswith(query.partition("=")[0])
        whole = await page("limit=1000")
        entries = whole.json()
        assert len(entries) > 2
        assert ("x-next-cursor" in whole.headers) <= (len(entries) == limit.max)
        step = max(2, len(entries) // 10)
        walked: list[Any] = []
        cursor = ""
        while len(walked) < len(entries):
            part = await page(f"limit={step}{cursor}")
            assert 0 < len(part.json()) <= step
            walked += part.json()
            cursor = f"&cursor={part.headers.get('x-next-cursor', '')}"
        assert [_named(entry) for entry in walked[: len(entries)]] == [_named(entry) for entry in entries]
        assert len(walked) == len(entries) or len(entries) == limit.max
        assert cursor == "&cursor=" or len(entries) == limit.max


def _named(entry: dict[str, Any]) -> str:
    return str(entry.get("id") or entry.get("userId") or entry["version"])
