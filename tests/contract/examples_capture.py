"""Valid requests for events, sessions and webhooks."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from sqlalchemy import update

from loremark.base import ids
from loremark.features.sessions.store import ENRICHMENT
from loremark.jobs import queue
from loremark.storage.tables import sessions
from tests.contract.cast import Actor, Ask, Cast, Example
from tests.support.service import Service

HOOK = "https://127.0.0.1:1/hook"
"""An unreachable address."""
STAGES = ("enrich", "embed", "dedup", "drift_check")
CAPTURE: dict[str, Example] = {}

Thing = Callable[[Cast, str], Awaitable[Ask]]
"""A call about something of this project."""


def new_event() -> dict[str, Any]:
    return {"event": "session_save", "payload": {"summary": ids.new("evt"), "changes": []}}


async def send_event(cast: Cast, project: str, event: dict[str, Any] | None = None) -> dict[str, Any]:
    """Ingest an event; returns its ids."""
    ask = Ask(json=event or new_event(), target=project, secret=await cast.secret_of(project))
    headers = ask.signature(content := json.dumps(ask.json).encode())
    answer = await cast.service.http.post(
        "/api/v2/ingest", content=content, headers={**headers, "Content-Type": "application/json"}
    )
    assert answer.status_code == 202, answer.text
    kept: dict[str, Any] = answer.json()
    return kept


async def make_session(cast: Cast, project: str) -> str:
    made = await cast.owner.post("/api/v2/sessions", {"projectId": project})
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


async def fail_job(service: Service, team: str, project: str, session: str) -> None:
    """Create a failed enrichment job."""
    about = {"team_id": team, "project_id": project, "session_id": session}
    async with service.runtime.database.write() as tx:
        await queue.enqueue_failed(tx, ENRICHMENT, {}, "it did not work", stages=STAGES, **about)
        await tx.run(update(sessions).where(sessions.c.id == session).values(status="failed"))


async def make_webhook(cast: Cast, project: str, events: tuple[str, ...] = ("item.created",)) -> str:
    body = {"url": HOOK, "events": list(events), "projectId": project, "secret": "whisper"}
    made = await cast.owner.post("/api/webhooks", body)
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


async def make_delivery(cast: Cast, webhook: str) -> str:
    """Create a failed delivery."""
    tested = await cast.owner.post(f"/api/webhooks/{webhook}/test")
    assert tested.status_code == 200, tested.text
    assert tested.json()["status"] == "failed"
    return str(tested.json()["id"])


def _on(name: str) -> Callable[[Thing], Thing]:
    """Two examples: a private and a public project."""

    def about(thing: Thing, visibility: str) -> Example:
        async def ask(cast: Cast, actor: Actor) -> Ask:
            return await thing(cast, await cast.project(visibility))

        return ask

    def register(thing: Thing) -> Thing:
        CAPTURE[name] = about(thing, "private")
        CAPTURE[f"{name} (public)"] = about(thing, "public")
        return thing

    return register


def _example(name: str) -> Callable[[Example], Example]:
    def register(example: Example) -> Example:
        CAPTURE[name] = example
        return example

    return register


@_example("ingest.send")
async def _ingest(cast: Cast, actor: Actor) -> Ask:
    project = await cast.project()
    return Ask(json=new_event(), target=project, project=project, secret=await cast.secret_of(project))


@_example("ingest.send (again)")
async def _ingest_again(cast: Cast, actor: Actor) -> Ask:
    project = await cast.project()
    event = new_event()
    await send_event(cast, project, event)
    return Ask(json=event, target=project, project=project, secret=await cast.secret_of(project))


@_on("events.create")
async def _create_event(cast: Cast, project: str) -> Ask:
    return Ask(json={**new_event(), "projectId": project}, target=project, project=project)


@_example("events.create (sent before)")
async def _create_event_again(cast: Cast, actor: Actor) -> Ask:
    """Sent with a signature first, then with a key: one event."""
    project = await cast.project()
    event = new_event()
    await send_event(cast, project, event)
    return Ask(json={**event, "projectId": project}, target=project, project=project)


@_on("sessions.list")
async def _list_sessions(cast: Cast, project: str) -> Ask:
    for _ in range(3):
        await make_session(cast, project)
    return Ask(query=f"?projectId={project}", target=project, project=project)


@_example("sessions.list (all)")
async def _list_all_sessions(cast: Cast, actor: Actor) -> Ask:
    await make_session(cast, await cast.project())
    return Ask()


@_on("sessions.create")
async def _create_session(cast: Cast, project: str) -> Ask:
    return Ask(json={"projectId": project}, target=project, project=project)


@_on("sessions.get")
async def _get_session(cast: Cast, project: str) -> Ask:
    session = await make_session(cast, project)
    return Ask({"id": session}, target=session, project=project)


@_on("sessions.update")
async def _update_session(cast: Cast, project: str) -> Ask:
    session = await make_session(cast, project)
    return Ask({"id": session}, {"status": "completed"}, target=session, project=project)


@_on("sessions.delete")
async def _delete_session(cast: Cast, project: str) -> Ask:
    session = str((await send_event(cast, project))["sessionId"])
    return Ask({"id": session}, target=session, project=project)


@_on("sessions.events")
async def _list_events(cast: Cast, project: str) -> Ask:
    kept = [await send_event(cast, project) for _ in range(3)]
    session = str(kept[0]["sessionId"])
    return Ask({"id": session}, target=session, project=project)


@_on("sessions.jobs")
async def _list_jobs(cast: Cast, project: str) -> Ask:
    """Jobs of an empty session."""
    session = await make_session(cast, project)
    async with cast.service.runtime.database.write() as tx:
        for _ in range(3):
            await queue.enqueue(
                tx, ENRICHMENT, {}, team_id=cast.owner.team_id, project_id=project, session_id=session, stages=STAGES
            )
    return Ask({"id": session}, target=session, project=project)


@_on("sessions.enrich")
async def _enrich(cast: Cast, project: str) -> Ask:
    session = str((await send_event(cast, project))["sessionId"])
    return Ask({"id": session}, target=session, project=project)


async def _said(cast: Cast, project: str) -> str:
    """A session worth reading."""
    notes = f"We keep every price in cents, because rounding differs between shops ({ids.new('evt')})."
    kept = await send_event(cast, project, {"event": "session_save", "payload": {"notes": notes, "summary": "Done."}})
    return str(kept["sessionId"])


async def _read(cast: Cast, session: str) -> str:
    # All cases together are more than a day's default limit.
    wanted = {"agent": "claude-code", "callsPerDay": 1_000_000, "tokensPerDay": 1_000_000_000}
    started = await cast.owner.post(f"/api/v2/sessions/{session}/readings", wanted)
    assert started.status_code == 200, started.text
    return str(started.json()["id"])


@_on("readings.start")
async def _start_reading(cast: Cast, project: str) -> Ask:
    session = await _said(cast, project)
    return Ask({"id": session}, json={"agent": "claude-code"}, target=session, project=project)


@_on("readings.answer")
async def _answer_reading(cast: Cast, project: str) -> Ask:
    """Of the owner."""
    reading = await _read(cast, await _said(cast, project))
    answer = {"part": 1, "text": '{"items": []}', "model": "haiku"}
    return Ask({"id": reading}, json=answer, target=reading, project=project)


@_on("readings.list")
async def _list_readings(cast: Cast, project: str) -> Ask:
    session = await _said(cast, project)
    await _read(cast, session)
    return Ask({"id": session}, target=session, project=project)


@_on("sessions.retry")
async def _retry(cast: Cast, project: str) -> Ask:
    """After a failed job."""
    session = await make_session(cast, project)
    await fail_job(cast.service, cast.owner.team_id, project, session)
    return Ask({"id": session}, target=session, project=project)


@_on("webhooks.list")
async def _list_webhooks(cast: Cast, project: str) -> Ask:
    for _ in range(3):
        await make_webhook(cast, project)
    return Ask(query=f"?projectId={project}", target=project, project=project)


@_example("webhooks.list (all)")
async def _list_all_webhooks(cast: Cast, actor: Actor) -> Ask:
    project = await cast.project()
    await make_webhook(cast, project)
    return Ask(project=project)


@_on("webhooks.create")
async def _create_webhook(cast: Cast, project: str) -> Ask:
    body = {"url": HOOK, "events": ["item.created", "session.completed"], "projectId": project, "secret": "whisper"}
    return Ask(json=body, target=project, project=project)


@_on("webhooks.update")
async def _update_webhook(cast: Cast, project: str) -> Ask:
    webhook = await make_webhook(cast, project)
    return Ask({"id": webhook}, {"events": ["item.updated"], "status": "disabled"}, target=webhook, project=project)


@_on("webhooks.delete")
@_on("webhooks.test")
async def _on_webhook(cast: Cast, project: str) -> Ask:
    webhook = await make_webhook(cast, project)
    return Ask({"id": webhook}, target=webhook, project=project)


@_on("webhooks.deliveries")
async def _list_deliveries(cast: Cast, project: str) -> Ask:
    webhook = await make_webhook(cast, project)
    for _ in range(3):
        await make_delivery(cast, webhook)
    return Ask({"id": webhook}, target=webhook, project=project)


@_on("webhooks.redeliver")
async def _redeliver(cast: Cast, project: str) -> Ask:
    webhook = await make_webhook(cast, project)
    delivery = await make_delivery(cast, webhook)
    return Ask({"id": webhook, "deliveryId": delivery}, target=webhook, project=project)
