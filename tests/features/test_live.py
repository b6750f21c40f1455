"""The live stream: which events a caller receives, and when the stream ends."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, ExitStack, suppress
from typing import Any

import httpx
import pytest

from loremark.base import clock
from loremark.base.clock import DAY_MS
from loremark.features.live.streams import LiveStreams
from loremark.jobs import notices
from tests.contract.examples_capture import HOOK
from tests.contract.examples_memory import keep_item
from tests.features.live_stream import KEEP_ALIVE, in_process, over_tcp
from tests.features.memory_project import Memory, save
from tests.features.steps import UNAUTHENTICATED, cookies_of, emails_to, log_in, register, status_and_body, token_in
from tests.features.webhook_steps import create_session, create_webhook, list_deliveries
from tests.support.people import Person
from tests.support.processes import Loremark
from tests.support.service import PASSWORD, Service

pytestmark = pytest.mark.anyio

ENDS_WITHIN_S = 2.0  # one second plus slack for a slow machine


def _bearer(person: Person) -> dict[str, str]:
    return {"Authorization": f"Bearer {person.key}"}


class ServerUser:
    """A registered user of a real server, with a key."""

    def __init__(self, http: httpx.AsyncClient, cookie: str, key: str) -> None:
        self._http = http
        self.bearer = {"Authorization": f"Bearer {key}"}
        self.browser = {"Cookie": f"loremark_login={cookie}", "Sec-Fetch-Site": "same-origin"}

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        answer = await self._http.request(method, path, json=body, headers=self.bearer)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    @classmethod
    async def sign_up(cls, http: httpx.AsyncClient, path: str, body: dict[str, str]) -> ServerUser:
        answer = await http.post(path, json={"name": "Vera", "password": PASSWORD, **body})
        assert answer.status_code < 300, answer.text
        cookie = answer.cookies["loremark_login"]
        http.cookies.clear()
        headers = {"Cookie": f"loremark_login={cookie}", "Sec-Fetch-Site": "same-origin"}
        created = await http.post("/api/keys", json={"name": "k"}, headers=headers)
        return cls(http, cookie, created.json()["key"])


async def _invite(loremark: Loremark, inviter: ServerUser, http: httpx.AsyncClient, email: str) -> ServerUser:
    """Join with the link from the server's invitation email."""
    await inviter.call("POST", "/api/team", {"email": email})
    [(_, text)] = await emails_to(loremark.folder, email)
    return await ServerUser.sign_up(http, "/api/team/invitations/accept", {"token": token_in(text)})


async def test_stream_reports_visible_changes_until_access_ends(loremark: Loremark) -> None:
    # Keep-alives are rare, so a stream that ends quickly was ended by a signal, not by the periodic check.
    loremark.settings = {"LOREMARK_REGISTRATION": "open", "LOREMARK_KEEPALIVE_S": "60"}
    with loremark.start() as server:
        await asyncio.to_thread(server.wait_ready)
        async with httpx.AsyncClient(base_url=server.url, timeout=60.0, verify=False) as http:
            owner = await ServerUser.sign_up(http, "/api/auth/register", {"email": "owner@example.com"})
            stranger = await ServerUser.sign_up(http, "/api/auth/register", {"email": "stranger@example.com"})
            member = await _invite(loremark, owner, http, "member@example.com")
            refused = await http.get("/api/live", headers={"Authorization": "Bearer nonsense"})
            assert status_and_body(refused) == UNAUTHENTICATED
            await _reports_visible_changes(http, owner, member, stranger)
            await _ends_when_access_ends(http, owner, member)
        assert server.stop() == 0


async def _reports_visible_changes(
    http: httpx.AsyncClient, owner: ServerUser, member: ServerUser, stranger: ServerUser
) -> None:
    async with over_tcp(http, owner.bearer) as owners, AsyncExitStack() as open_streams:
        hidden = (await owner.call("POST", "/api/projects", {"name": "Hidden"}))["id"]
        shown = (await owner.call("POST", "/api/projects", {"name": "Shown", "visibility": "public"}))["id"]
        await owners.until(("changed", "projects", shown))
        members = await open_streams.enter_async_context(over_tcp(http, member.browser))
        assert members.status == 200
        assert members.headers["content-type"] == "text/event-stream"
        assert members.headers["cache-control"] == "no-store"
        limit, remaining = (int(members.headers[f"x-ratelimit-{name}"]) for name in ("limit", "remaining"))
        assert 0 < remaining < limit == 1_000_000
        assert int(members.headers["x-ratelimit-reset"]) > clock.now_ms() // 1000 - 1

        await owner.call("PATCH", f"/api/projects/{hidden}", {"name": "Still hidden"})
        await stranger.call("POST", "/api/projects", {"name": "Theirs", "visibility": "public"})
        await owner.call("PATCH", f"/api/projects/{shown}", {"name": "Still shown"})
        await owner.call("POST", "/api/team", {"email": "x@example.com"})
        # Events arrive in order, so hidden ones would have come first.
        assert await owners.event() == ("changed", "projects", hidden)
        for stream in (owners, members):
            assert await stream.event() == ("changed", "projects", shown)
            assert await stream.event() == ("changed", "team", None)

        refused = await http.patch(f"/api/projects/{shown}", json={"name": ""}, headers=owner.bearer)
        assert refused.status_code == 400  # no change, no event
        await member.call("POST", "/api/keys", {"name": "mine"})
        for stream in (owners, members):
            assert await stream.event() == ("changed", "keys", None)


async def _ends_when_access_ends(http: httpx.AsyncClient, owner: ServerUser, member: ServerUser) -> None:
    async with over_tcp(http, owner.bearer) as of_owner, AsyncExitStack() as open_streams:
        spare = await member.call("POST", "/api/keys", {"name": "spare"})
        await of_owner.until(("changed", "keys", None))
        by_spare, by_key, by_login = [
            await open_streams.enter_async_context(over_tcp(http, headers))
            for headers in ({"Authorization": f"Bearer {spare['key']}"}, member.bearer, member.browser)
        ]
        await member.call("DELETE", "/api/keys", {"keyId": spare["id"]})
        await by_spare.end(ENDS_WITHIN_S)
        for stream in (by_key, by_login, of_owner):
            assert await stream.event() == ("changed", "keys", None)

        logged_out = await http.post("/api/auth/logout", headers=member.browser)
        assert logged_out.status_code == 204
        http.cookies.clear()
        await by_login.end(ENDS_WITHIN_S)

        me = await member.call("GET", "/api/auth/me")
        [entry] = [entry for entry in await owner.call("GET", "/api/team") if entry["userId"] == me["userId"]]
        await owner.call("DELETE", f"/api/team/{entry['id']}")
        remaining_lines = await by_key.end(ENDS_WITHIN_S)
        assert remaining_lines == []  # not even a team event
        assert await of_owner.event() == ("changed", "team", None)


@pytest.mark.settings(LOREMARK_KEEPALIVE_S="1")
async def test_idle_stream_sends_keep_alives(service: Service) -> None:
    owner = await service.owner()
    async with in_process(service, _bearer(owner)) as stream:
        started = asyncio.get_running_loop().time()
        assert await stream.line(3.0) == KEEP_ALIVE
        assert asyncio.get_running_loop().time() - started > 0.8


@pytest.mark.settings(LOREMARK_KEEPALIVE_S="1")
async def test_other_teams_do_not_delay_keep_alives(service: Service) -> None:
    owner, noisy = await service.owner(), await service.owner("Noisy neighbours")

    async def generate_events() -> None:
        while True:
            await noisy.post("/api/keys", {"name": "k"})
            await asyncio.sleep(0.1)

    async with in_process(service, _bearer(owner)) as stream:
        task = asyncio.create_task(generate_events())
        try:
            assert await stream.line(2.5) == KEEP_ALIVE
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


@pytest.mark.settings(LOREMARK_KEEPALIVE_S="1")
@pytest.mark.own_service
async def test_stream_ends_with_its_login(service: Service) -> None:
    await register(service, "rita@example.com")
    login = cookies_of(service, await log_in(service, "rita@example.com"))
    now_ms = clock.now_ms()
    async with in_process(service, {"Cookie": f"loremark_login={login['loremark_login']}"}) as stream:
        with clock.use(lambda: now_ms + 31 * DAY_MS):
            assert await stream.end(2.5) == []


@pytest.mark.settings(LOREMARK_KEEPALIVE_S="1")
async def test_busy_stream_ends_with_its_login(service: Service) -> None:
    owner = await service.owner()
    person = await service.join(owner)
    login = cookies_of(service, await log_in(service, person.email))
    now_ms = clock.now_ms()

    async def generate_events() -> None:
        while True:
            await owner.post("/api/keys", {"name": "k"})
            await asyncio.sleep(0.1)

    async with in_process(service, {"Cookie": f"loremark_login={login['loremark_login']}"}) as stream:
        task = asyncio.create_task(generate_events())
        try:
            assert await stream.event() == ("changed", "keys", None)
            with clock.use(lambda: now_ms + 31 * DAY_MS):
                assert await stream.end(4.0)
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def test_streams_per_user_are_limited() -> None:
    listeners = LiveStreams(1.0)
    with ExitStack() as opened:
        while listeners.has_room("usr_a"):
            opened.enter_context(listeners.open_stream("usr_a"))
        assert listeners.has_room("usr_b")
    assert listeners.has_room("usr_a")


async def test_role_change_applies_to_an_open_stream(service: Service) -> None:
    owner = await service.owner()
    person = await service.join(owner, "admin")
    hidden = await owner.create_project("Hidden")
    shown = await owner.create_project("Shown", visibility="public")

    async def rename_both() -> None:
        for project in (hidden, shown):
            assert (await owner.patch(f"/api/projects/{project}", {"name": "New"})).status_code == 200

    async with in_process(service, _bearer(person)) as stream:
        await rename_both()
        assert [await stream.event() for _ in range(2)] == [
            ("changed", "projects", hidden),
            ("changed", "projects", shown),
        ]
        await owner.patch(f"/api/team/{person.member_id}", {"role": "member"})
        assert await stream.event() == ("changed", "team", None)
        await rename_both()
        assert await stream.event() == ("changed", "projects", shown)  # and no event about the hidden project before it

        await owner.patch(f"/api/team/{person.member_id}", {"role": "admin"})
        assert await stream.event() == ("changed", "team", None)
        await rename_both()
        assert await stream.event() == ("changed", "projects", hidden)


async def test_disconnected_stream_is_cleaned_up(service: Service) -> None:
    owner = await service.owner()
    signals = service.runtime.database.signals
    before = len(signals._listeners)
    for _ in range(3):
        async with in_process(service, _bearer(owner)):
            assert len(signals._listeners) == before + 1
        assert len(signals._listeners) == before


async def test_events_cover_every_step_of_a_session(service: Service) -> None:
    memory = await Memory.of(service)
    owner, project = memory.owner, memory.tool.project_id
    live = service.runtime.database.signals.listen(notices.LIVE)
    async with in_process(service, _bearer(owner)) as stream:
        sent = await memory.send(save(("src/db.py", "modified", "We decided to use PostgreSQL."), summary="Database"))
        await stream.until(("changed", "sessions", project))
        session = sent["sessionId"]
        assert (await memory.session(session))["eventCount"] == 1

        with live as listener:
            assert (await owner.post(f"/api/v2/sessions/{session}/enrich")).status_code == 202
            job: dict[str, Any] = {"status": "queued"}
            while job["status"] != "completed":
                await stream.until(("changed", "sessions", project))
                [job] = await memory.jobs(session)
            assert (await memory.session(session))["status"] == "completed"
            assert {stage["status"] for stage in job["pipeline"]} == {"completed"}
            received = 0
            while (signal := await listener.next(timeout=0.0)) is not None:
                received += signal[1] == f"{owner.team_id} sessions {project}"
        assert received >= 6  # queued, each stage, finished: a client that refetches on each event can see them all


async def test_stream_reports_webhooks_and_deliveries(webhook_service: Service) -> None:
    owner = await webhook_service.owner()
    project = await owner.create_project()
    webhooks_changed = ("changed", "webhooks", project)
    async with in_process(webhook_service, _bearer(owner)) as stream:
        webhook = await create_webhook(owner, project, HOOK)
        assert await stream.event() == webhooks_changed
        assert (await owner.patch(f"/api/webhooks/{webhook}", {"status": "disabled"})).status_code == 200
        assert await stream.event() == webhooks_changed
        assert (await owner.post(f"/api/webhooks/{webhook}/test")).status_code == 200
        await stream.until(webhooks_changed)
        assert (await owner.patch(f"/api/webhooks/{webhook}", {"status": "active"})).status_code == 200
        await stream.until(webhooks_changed)

        await create_session(owner, project)  # delivered to a webhook whose receiver is down
        deliveries: list[dict[str, Any]] = []
        while not any(delivery["attempts"] and delivery["type"] == "session.created" for delivery in deliveries):
            await stream.until(webhooks_changed)
            deliveries = await list_deliveries(owner, webhook)
        assert (await owner.delete(f"/api/webhooks/{webhook}")).status_code == 204
        await stream.until(webhooks_changed)


async def test_event_bursts_are_debounced(service: Service) -> None:
    memory = await Memory.of(service)
    project = memory.tool.project_id
    async with in_process(service, _bearer(memory.owner)) as stream:
        started = asyncio.get_running_loop().time()
        sent = [await memory.send({"summary": f"Number {number}", "changes": []}) for number in range(60)]
        received, seen = 0, 0
        while seen < len(sent):
            await stream.until(("changed", "sessions", project))
            received += 1
            seen = (await memory.session(sent[-1]["sessionId"]))["eventCount"]
        elapsed = asyncio.get_running_loop().time() - started
        assert received <= 2 + elapsed / 0.2


async def test_stream_reports_hygiene_and_billing(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    await keep_item(service, owner, project, title="Fix bug", status="approved", files=())
    async with in_process(service, _bearer(owner)) as stream:
        plan = (await owner.post("/api/v2/hygiene", {"projectId": project, "action": "analyze"})).json()
        assert await stream.event() == ("changed", "hygiene", project)
        selected = [action["id"] for action in plan["actions"]]
        body = {"projectId": project, "action": "apply", "plan": plan, "selectedActionIds": selected}
        assert (await owner.post("/api/v2/hygiene", body)).json()["applied"] == len(selected) > 0
        assert {await stream.event() for _ in range(3)} == {
            ("changed", what, project) for what in ("items", "hygiene", "memory")
        }
        undo = {"projectId": project, "planId": plan["planId"]}
        assert (await owner.post("/api/v2/hygiene/undo", undo)).json()["undone"] == len(selected)
        await stream.until(("changed", "hygiene", project))
        assert (await owner.call("PUT", "/api/billing/credits/auto-recharge", {"enabled": False})).status_code == 200
        await stream.until(("changed", "billing", None))
