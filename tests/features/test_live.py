"""Live notices: what an open page hears, what it never hears, and how it ends."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, ExitStack, suppress
from typing import Any

import httpx
import pytest

from loremark.base import clock
from loremark.base.clock import DAY_MS
from loremark.features.live.listeners import Listeners
from loremark.jobs import notices
from tests.contract.examples_capture import HOOK
from tests.contract.examples_memory import keep_item
from tests.features.ears import KEEP_ALIVE, in_process, over_tcp
from tests.features.hooks import begin_session, create_webhook, list_deliveries
from tests.features.remembering import Memory, save
from tests.features.world import UNAUTHENTICATED, cookies_of, log_in, mails_to, register, token_in, told
from tests.support.people import Person
from tests.support.processes import Loremark
from tests.support.service import PASSWORD, Service

pytestmark = pytest.mark.anyio

ENDS_WITHIN_S = 2.0  # a second, and another for a busy machine


def _bearer(person: Person) -> dict[str, str]:
    return {"Authorization": f"Bearer {person.key}"}


class Visitor:
    """Somebody who speaks to a real server: registered there, with a key."""

    def __init__(self, http: httpx.AsyncClient, cookie: str, key: str) -> None:
        self._http = http
        self.bearer = {"Authorization": f"Bearer {key}"}
        self.browser = {"Cookie": f"loremark_login={cookie}", "Sec-Fetch-Site": "same-origin"}

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        answer = await self._http.request(method, path, json=body, headers=self.bearer)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    @classmethod
    async def arrive(cls, http: httpx.AsyncClient, path: str, body: dict[str, str]) -> Visitor:
        answer = await http.post(path, json={"name": "Vera", "password": PASSWORD, **body})
        assert answer.status_code < 300, answer.text
        cookie = answer.cookies["loremark_login"]
        http.cookies.clear()
        headers = {"Cookie": f"loremark_login={cookie}", "Sec-Fetch-Site": "same-origin"}
        made = await http.post("/api/keys", json={"name": "k"}, headers=headers)
        return cls(http, cookie, made.json()["key"])


async def _invite(loremark: Loremark, host: Visitor, http: httpx.AsyncClient, email: str) -> Visitor:
    """Somebody who joins by the link in the mail that the server wrote."""
    await host.call("POST", "/api/team", {"email": email})
    [(_, text)] = await mails_to(loremark.folder, email)
    return await Visitor.arrive(http, "/api/team/invitations/accept", {"token": token_in(text)})


async def test_a_page_hears_of_what_it_may_see_until_it_may_not(loremark: Loremark) -> None:
    # Keep-alives are far apart: a stream that ends soon ends because it was told, not because it asked.
    loremark.settings = {"LOREMARK_REGISTRATION": "open", "LOREMARK_KEEPALIVE_S": "60"}
    with loremark.start() as server:
        await asyncio.to_thread(server.wait_ready)
        async with httpx.AsyncClient(base_url=server.url, timeout=60.0, verify=False) as http:
            owner = await Visitor.arrive(http, "/api/auth/register", {"email": "owner@example.com"})
            stranger = await Visitor.arrive(http, "/api/auth/register", {"email": "stranger@example.com"})
            member = await _invite(loremark, owner, http, "member@example.com")
            refused = await http.get("/api/live", headers={"Authorization": "Bearer nonsense"})
            assert told(refused) == UNAUTHENTICATED
            await _hears_what_it_may(http, owner, member, stranger)
            await _ends_when_access_ends(http, owner, member)
        assert server.stop() == 0


async def _hears_what_it_may(http: httpx.AsyncClient, owner: Visitor, member: Visitor, stranger: Visitor) -> None:
    async with over_tcp(http, owner.bearer) as owners, AsyncExitStack() as open_ears:
        hidden = (await owner.call("POST", "/api/projects", {"name": "Hidden"}))["id"]
        shown = (await owner.call("POST", "/api/projects", {"name": "Shown", "visibility": "public"}))["id"]
        await owners.until(("changed", "projects", shown))
        members = await open_ears.enter_async_context(over_tcp(http, member.browser))
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
        # Notices come in order: had the others been told, they would have come first.
        assert await owners.notice() == ("changed", "projects", hidden)
        for ear in (owners, members):
            assert await ear.notice() == ("changed", "projects", shown)
            assert await ear.notice() == ("changed", "team", None)

        refused = await http.patch(f"/api/projects/{shown}", json={"name": ""}, headers=owner.bearer)
        assert refused.status_code == 400  # nothing was changed, nothing is told
        await member.call("POST", "/api/keys", {"name": "mine"})
        for ear in (owners, members):
            assert await ear.notice() == ("changed", "keys", None)


async def _ends_when_access_ends(http: httpx.AsyncClient, owner: Visitor, member: Visitor) -> None:
    async with over_tcp(http, owner.bearer) as of_owner, AsyncExitStack() as open_ears:
        spare = await member.call("POST", "/api/keys", {"name": "spare"})
        await of_owner.until(("changed", "keys", None))
        by_spare, by_key, by_login = [
            await open_ears.enter_async_context(over_tcp(http, headers))
            for headers in ({"Authorization": f"Bearer {spare['key']}"}, member.bearer, member.browser)
        ]
        await member.call("DELETE", "/api/keys", {"keyId": spare["id"]})
        await by_spare.end(ENDS_WITHIN_S)
        for ear in (by_key, by_login, of_owner):
            assert await ear.notice() == ("changed", "keys", None)

        left = await http.post("/api/auth/logout", headers=member.browser)
        assert left.status_code == 204
        http.cookies.clear()
        await by_login.end(ENDS_WITHIN_S)

        me = await member.call("GET", "/api/auth/me")
        [entry] = [entry for entry in await owner.call("GET", "/api/team") if entry["userId"] == me["userId"]]
        await owner.call("DELETE", f"/api/team/{entry['id']}")
        said = await by_key.end(ENDS_WITHIN_S)
        assert said == []  # not even that the team has changed
        assert await of_owner.notice() == ("changed", "team", None)


@pytest.mark.settings(LOREMARK_KEEPALIVE_S="1")
async def test_a_silent_stream_shows_that_it_is_alive(service: Service) -> None:
    owner = await service.owner()
    async with in_process(service, _bearer(owner)) as ear:
        started = asyncio.get_running_loop().time()
        assert await ear.line(3.0) == KEEP_ALIVE
        assert asyncio.get_running_loop().time() - started > 0.8


@pytest.mark.settings(LOREMARK_KEEPALIVE_S="1")
async def test_what_other_teams_do_is_no_sign_of_life(service: Service) -> None:
    owner, noisy = await service.owner(), await service.owner("Noisy neighbours")

    async def work() -> None:
        while True:
            await noisy.post("/api/keys", {"name": "k"})
            await asyncio.sleep(0.1)

    async with in_process(service, _bearer(owner)) as ear:
        working = asyncio.create_task(work())
        try:
            assert await ear.line(2.5) == KEEP_ALIVE
        finally:
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working


@pytest.mark.settings(LOREMARK_KEEPALIVE_S="1")
async def test_a_stream_ends_with_its_login(service: Service) -> None:
    await register(service, "rita@example.com")
    login = cookies_of(service, await log_in(service, "rita@example.com"))
    now_ms = clock.now_ms()
    async with in_process(service, {"Cookie": f"loremark_login={login['loremark_login']}"}) as ear:
        with clock.use(lambda: now_ms + 31 * DAY_MS):
            assert await ear.end(2.5) == []


@pytest.mark.settings(LOREMARK_KEEPALIVE_S="1")
async def test_a_stream_ends_with_its_login_also_where_there_is_much_to_tell(service: Service) -> None:
    owner = await service.owner()
    person = await service.join(owner)
    login = cookies_of(service, await log_in(service, person.email))
    now_ms = clock.now_ms()

    async def work() -> None:
        while True:
            await owner.post("/api/keys", {"name": "k"})
            await asyncio.sleep(0.1)

    async with in_process(service, {"Cookie": f"loremark_login={login['loremark_login']}"}) as ear:
        working = asyncio.create_task(work())
        try:
            assert await ear.notice() == ("changed", "keys", None)
            with clock.use(lambda: now_ms + 31 * DAY_MS):
                assert await ear.end(4.0)
        finally:
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working


def test_one_person_has_only_so_many_streams() -> None:
    listeners = Listeners(1.0)
    with ExitStack() as opened:
        while listeners.has_room("usr_a"):
            opened.enter_context(listeners.one_more("usr_a"))
        assert listeners.has_room("usr_b")
    assert listeners.has_room("usr_a")


async def test_another_role_counts_on_an_open_stream(service: Service) -> None:
    owner = await service.owner()
    person = await service.join(owner, "admin")
    hidden = await owner.create_project("Hidden")
    shown = await owner.create_project("Shown", visibility="public")

    async def rename_both() -> None:
        for project in (hidden, shown):
            assert (await owner.patch(f"/api/projects/{project}", {"name": "New"})).status_code == 200

    async with in_process(service, _bearer(person)) as ear:
        await rename_both()
        assert [await ear.notice() for _ in range(2)] == [
            ("changed", "projects", hidden),
            ("changed", "projects", shown),
        ]
        await owner.patch(f"/api/team/{person.member_id}", {"role": "member"})
        assert await ear.notice() == ("changed", "team", None)
        await rename_both()
        assert await ear.notice() == ("changed", "projects", shown)  # and nothing of the hidden one before it

        await owner.patch(f"/api/team/{person.member_id}", {"role": "admin"})
        assert await ear.notice() == ("changed", "team", None)
        await rename_both()
        assert await ear.notice() == ("changed", "projects", hidden)


async def test_a_listener_that_goes_away_leaves_nothing_behind(service: Service) -> None:
    owner = await service.owner()
    signals = service.house.database.signals
    before = len(signals._listeners)
    for _ in range(3):
        async with in_process(service, _bearer(owner)):
            assert len(signals._listeners) == before + 1
        assert len(signals._listeners) == before


async def test_a_page_that_looks_only_when_it_is_told_sees_everything_of_a_session(service: Service) -> None:
    memory = await Memory.of(service)
    owner, project = memory.owner, memory.tool.project_id
    live = service.house.database.signals.listen(notices.LIVE)
    async with in_process(service, _bearer(owner)) as ear:
        sent = await memory.tell(save(("src/db.py", "modified", "We decided to use PostgreSQL."), summary="Database"))
        await ear.until(("changed", "sessions", project))
        session = sent["sessionId"]
        assert (await memory.session(session))["eventCount"] == 1

        with live as listener:
            assert (await owner.post(f"/api/v2/sessions/{session}/enrich")).status_code == 202
            job: dict[str, Any] = {"status": "queued"}
            while job["status"] != "completed":
                await ear.until(("changed", "sessions", project))
                [job] = await memory.jobs(session)
            assert (await memory.session(session))["status"] == "completed"
            assert {stage["status"] for stage in job["pipeline"]} == {"completed"}
            heard = 0
            while (signal := await listener.next(timeout=0.0)) is not None:
                heard += signal[1] == f"{owner.team_id} sessions {project}"
        assert heard >= 6  # the promise, each stage, the end: whoever looks at the right moment sees each of them


async def test_a_page_hears_of_webhooks_and_what_became_of_their_deliveries(hooked: Service) -> None:
    owner = await hooked.owner()
    project = await owner.create_project()
    of_webhooks = ("changed", "webhooks", project)
    async with in_process(hooked, _bearer(owner)) as ear:
        webhook = await create_webhook(owner, project, HOOK)
        assert await ear.notice() == of_webhooks
        assert (await owner.patch(f"/api/webhooks/{webhook}", {"status": "disabled"})).status_code == 200
        assert await ear.notice() == of_webhooks
        assert (await owner.post(f"/api/webhooks/{webhook}/test")).status_code == 200
        await ear.until(of_webhooks)
        assert (await owner.patch(f"/api/webhooks/{webhook}", {"status": "active"})).status_code == 200
        await ear.until(of_webhooks)

        await begin_session(owner, project)  # is told to the webhook, where nobody listens
        tried: list[dict[str, Any]] = []
        while not any(delivery["attempts"] and delivery["type"] == "session.created" for delivery in tried):
            await ear.until(of_webhooks)
            tried = await list_deliveries(owner, webhook)
        assert (await owner.delete(f"/api/webhooks/{webhook}")).status_code == 204
        await ear.until(of_webhooks)


async def test_a_flood_of_events_is_told_a_few_times(service: Service) -> None:
    memory = await Memory.of(service)
    project = memory.tool.project_id
    async with in_process(service, _bearer(memory.owner)) as ear:
        begun = asyncio.get_running_loop().time()
        kept = [await memory.tell({"summary": f"Number {number}", "changes": []}) for number in range(60)]
        heard, seen = 0, 0
        while seen < len(kept):
            await ear.until(("changed", "sessions", project))
            heard += 1
            seen = (await memory.session(kept[-1]["sessionId"]))["eventCount"]
        passed = asyncio.get_running_loop().time() - begun
        assert heard <= 2 + passed / 0.2


async def test_hygiene_and_billing_are_told_too(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    await keep_item(service, owner, project, title="Fix bug", status="approved", files=())
    async with in_process(service, _bearer(owner)) as ear:
        plan = (await owner.post("/api/v2/hygiene", {"projectId": project, "action": "analyze"})).json()
        assert await ear.notice() == ("changed", "hygiene", project)
        selected = [action["id"] for action in plan["actions"]]
        body = {"projectId": project, "action": "apply", "plan": plan, "selectedActionIds": selected}
        assert (await owner.post("/api/v2/hygiene", body)).json()["applied"] == len(selected) > 0
        assert {await ear.notice() for _ in range(3)} == {
            ("changed", what, project) for what in ("items", "hygiene", "memory")
        }
        undo = {"projectId": project, "planId": plan["planId"]}
        assert (await owner.post("/api/v2/hygiene/undo", undo)).json()["undone"] == len(selected)
        await ear.until(("changed", "hygiene", project))
        assert (await owner.call("PUT", "/api/billing/credits/auto-recharge", {"enabled": False})).status_code == 200
        await ear.until(("changed", "billing", None))
