"""Error cases of ask."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from sqlalchemy import delete, insert

from loremark.base import clock, ids
from loremark.base.caller import Scope
from loremark.base.signing import sha256_hex
from loremark.features.ask import store
from loremark.features.metering import service as metering
from loremark.storage.tables import team_members, usage_counters
from loremark.web.routes import Route
from tests.contract.cast import Cast
from tests.contract.error_cases import EVERYWHERE, ErrorCase, ErrorCases, valid
from tests.contract.error_cases_capture import CAPTURE
from tests.contract.examples import BY_NAME
from tests.contract.examples_ask import QUESTION, make_ticket
from tests.contract.examples_chats import make_chat

ASK = ErrorCases()

TICKET = BY_NAME["ask.ticket"]
WORKER = BY_NAME["worker.ask"]
_TOO_SHORT: tuple[Any, ...] = ("", "ab", "   ", " \n\t ", None, 5, ["Where are sessions kept?"], {})


def _except_ticket(routes: list[Route]) -> list[Route]:
    return [route for route in routes if route is not TICKET]


@ASK.of(400, "projectId is required")
async def _no_project_id(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for body in ({"question": QUESTION}, {"question": QUESTION, "projectId": ""}, {"projectId": None}, {}):
        yield ErrorCase(TICKET, await cast.owner.post(TICKET.path, body))


@ASK.of(400, "question is required (min 3 chars)")
async def _no_question(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        without = {name: value for name, value in ask.json.items() if name != "question"}
        for body in (without, *({**without, "question": given} for given in _TOO_SHORT)):
            yield ErrorCase(route, await cast.send(cast["owner"], route, replace(ask, json=body)))


@ASK.of(503, "Worker not configured")
async def _no_worker(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """The worker's address or secret is empty; checked before anything else."""
    for setting in ("LOREMARK_WORKER_URL", "LOREMARK_WORKER_SECRET"):
        async with cast.elsewhere(**{setting: ""}) as service:
            owner = await service.owner()
            project = await owner.create_project()
            for body in ({"projectId": project, "question": QUESTION}, {}):
                yield ErrorCase(TICKET, await owner.post(TICKET.path, body))


@ASK.of(404, "Session not found")
async def _no_chat(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """Unknown, another user's, or in another project."""
    async for case in CAPTURE[404, "Session not found"](cast, _except_ticket(routes)):
        yield case
    if TICKET not in routes:
        return
    ask = await valid(cast, TICKET)
    anothers = await make_chat(cast["admin"].person, ask.project)
    elsewhere = await make_chat(cast.owner, await cast.project())
    for chat in (anothers, elsewhere, ids.new("cht"), ids.new("ses"), "x"):
        wrong = replace(ask, json={**ask.json, "chatSessionId": chat})
        yield ErrorCase(TICKET, await cast.send(cast["owner"], TICKET, wrong))


@ASK.of(403, "AI token limit reached")
async def _no_tokens(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    async for case in CAPTURE[403, "AI token limit reached"](cast, _except_ticket(routes)):
        yield case
    if TICKET not in routes:
        return
    async with cast.elsewhere() as service:
        owner = await service.owner()
        project = await owner.create_project()
        async with service.runtime.database.write() as tx:
            spent = {"team_id": owner.team_id, "period": metering.period(), "counter": metering.AI_TOKENS}
            await tx.run(insert(usage_counters).values(**spent, slot="all", used=5_000_000))
        yield ErrorCase(TICKET, await owner.post(TICKET.path, {"projectId": project, "question": QUESTION}))


@ASK.of(400, "Invalid JSON")
async def _invalid_json(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    deep = b'{"x":' * 100_000
    contents = (b"", b"{", b'{"ticket": ', b"\xff\xfe", b'{"x": NaN}', b"[]", b'"text"', b"null", b"5", deep)
    for content in (*contents, b'{"question": "a\\u0000bc"}'):
        headers = {"Content-Type": "application/json"}
        ask = await valid(cast, WORKER)
        yield ErrorCase(WORKER, await cast.send(cast["owner"], WORKER, ask, content=content, headers=headers))
    yield ErrorCase(WORKER, await cast.send_partial_body(cast["owner"], WORKER, await valid(cast, WORKER)))


@ASK.of(401, "Invalid or expired ticket")
async def _bad_ticket(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """Invalid tickets, including those whose user, project or conversation no longer exists."""
    ask = await valid(cast, WORKER)
    ticket: str = ask.json["ticket"]
    payload, _, signature = ticket.partition(".")
    altered = ("", "x", ".", payload, f"{payload}.", f".{signature}", f"{ticket}x", f"{ticket}=", f"{ticket}.{payload}")
    forms: tuple[Any, ...] = (None, 5, [ticket], {"ticket": ticket}, *altered, "a" * 2_000_000)
    for given in forms:
        yield ErrorCase(
            WORKER, await cast.send(cast["owner"], WORKER, replace(ask, json={**ask.json, "ticket": given}))
        )
    missing = {"question": QUESTION}
    yield ErrorCase(WORKER, await cast.send(cast["owner"], WORKER, replace(ask, json=missing)))
    earlier_ms = clock.now_ms() - clock.HOUR_MS
    with clock.use(lambda: earlier_ms):
        old = await valid(cast, WORKER)
    yield ErrorCase(WORKER, await cast.send(cast["owner"], WORKER, old))
    async for case in _deleted_records(cast):
        yield case


async def _deleted_records(cast: Cast) -> AsyncIterator[ErrorCase]:
    for change in ("archive", "delete", "chat", "member"):
        project = await cast.project()
        asker = cast["assigned"].person if change == "member" else cast.owner
        chat = await make_chat(asker, project)
        ticket = await make_ticket(asker, project, chatSessionId=chat)
        if change == "archive":
            await cast.owner.patch(f"/api/projects/{project}", {"status": "archived"})
        elif change == "delete":
            await cast.owner.delete(f"/api/projects/{project}")
        elif change == "chat":
            await cast.owner.delete(f"/api/v2/chat-sessions/{chat}")
        else:
            await cast.owner.delete(f"/api/projects/{project}/members", {"userId": asker.user_id})
        body = {"ticket": ticket, "question": QUESTION}
        yield ErrorCase(WORKER, await cast.service.http.post(WORKER.path, json=body))
    async with cast.elsewhere() as service:
        owner = await service.owner()
        ticket = await make_ticket(owner, await owner.create_project())
        async with service.runtime.database.write() as tx:
            await tx.run(delete(team_members).where(team_members.c.user_id == owner.user_id))
        yield ErrorCase(WORKER, await service.http.post(WORKER.path, json={"ticket": ticket, "question": QUESTION}))


@ASK.of(429, "Rate limit exceeded. Please retry after {n} seconds.")
async def _runs_already(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """Another process is answering this ticket."""
    if routes != [WORKER]:
        async for case in EVERYWHERE[429, "Rate limit exceeded. Please retry after {n} seconds."](cast, routes):
            yield case
        return
    project = await cast.project()
    ticket = await make_ticket(cast.owner, project)
    until_ms = clock.now_ms() + 10_000
    async with cast.service.runtime.database.write() as tx:
        assert await store.take_ticket(tx, Scope(cast.owner.team_id), project, sha256_hex(ticket), until_ms)
    body = {"ticket": ticket, "question": QUESTION}
    yield ErrorCase(WORKER, await cast.service.http.post(WORKER.path, json=body))
