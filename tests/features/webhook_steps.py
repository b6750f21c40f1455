"""Shared steps of the webhook tests."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from loremark.jobs import queue
from loremark.storage.tables import jobs, outbox
from tests.servers.https import Receiver, Request
from tests.support.people import Person
from tests.support.service import Service

STANDARD_SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
NO_WEBHOOK = (404, {"error": "Webhook not found"})

Delivery = dict[str, Any]


async def create_webhook(person: Person, project: str, url: str, *events: str, **fields: Any) -> str:
    """Create a webhook for these events (default: new sessions)."""
    body = {"projectId": project, "url": url, "events": events or ["session.created"], **fields}
    answer = await person.post("/api/webhooks", body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def find_webhook(person: Person, webhook: str) -> dict[str, Any]:
    [found] = [entry for entry in (await person.get("/api/webhooks")).json() if entry["id"] == webhook]
    shown: dict[str, Any] = found
    return shown


async def create_session(person: Person, project: str) -> str:
    answer = await person.post("/api/v2/sessions", {"projectId": project})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def list_deliveries(person: Person, webhook: str, query: str = "") -> list[Delivery]:
    answer = await person.get(f"/api/webhooks/{webhook}/deliveries{query}")
    assert answer.status_code == 200, answer.text
    found: list[Delivery] = answer.json()
    return found


async def wait_for_deliveries(
    person: Person, webhook: str, count: int, matches: Callable[[Delivery], bool] | None = None, seconds: float = 60.0
) -> list[Delivery]:
    """Wait until ``count`` deliveries match (default: finished); returns all, newest first."""
    matches = matches or (lambda delivery: delivery["status"] != "pending")
    found: list[Delivery] = []
    try:
        async with asyncio.timeout(seconds):
            while True:
                found = await list_deliveries(person, webhook)
                if sum(map(matches, found)) >= count:
                    return found
                await asyncio.sleep(0.03)
    except TimeoutError:
        raise AssertionError(f"not {count} such deliveries within {seconds} s: {found}") from None


async def wait_for_quiet(service: Service) -> None:
    """Wait until the outbox is empty and every delivery has finished."""
    async with asyncio.timeout(60):
        while True:
            async with service.runtime.database.read() as tx:
                pending = await tx.many(select(outbox.c.id))
            if not pending:
                break
            await asyncio.sleep(0.02)
    await service.wait_for_jobs()


async def wake_runner(service: Service) -> None:
    """Make the job runner check for due jobs."""
    async with service.runtime.database.write() as tx:
        tx.notify(queue.TOPIC, "nudge")


async def wait_until_idle(service: Service) -> None:
    """Wait until no job is running."""
    async with asyncio.timeout(60):
        while True:
            async with service.runtime.database.read() as tx:
                running = await tx.many(select(jobs.c.id).where(jobs.c.status == "running"))
            if not running:
                return
            await asyncio.sleep(0.01)


async def wait_for_requests(receiver: Receiver, count: int, path: str | None = None) -> list[Request]:
    """Wait for ``count`` requests and return them."""
    return await asyncio.to_thread(receiver.wait_for, count, path)


def check_signatures(request: Request, secret: str, standard: str) -> None:
    """Verify our signature, and the Standard Webhooks one with its reference package."""
    digest = hmac.new(secret.encode(), request.body, hashlib.sha256).hexdigest()
    assert request.headers["x-service-webhook-signature"] == f"sha256={digest}"
    assert Webhook(standard).verify(request.body, request.headers) == request.json
    with pytest.raises(WebhookVerificationError):
        Webhook(standard).verify(request.body + b" ", request.headers)
