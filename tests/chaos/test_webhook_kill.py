"""kill -9 between a change and its delivery: the webhook is still delivered, with the same id."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from loremark.storage.database import Database
from loremark.storage.tables import jobs, outbox, webhook_deliveries
from tests.chaos import ledger
from tests.entry.owner import make_owner
from tests.servers.https import Authority, Receiver, Reply
from tests.support.processes import Loremark, free_port


@pytest.fixture
def authority(loremark: Loremark, tmp_path: Path) -> Authority:
    """A CA that Loremark trusts; uses the default plans, which allow sessions."""
    loremark.settings.pop("LOREMARK_PLANS_FILE", None)
    made = Authority(tmp_path / "authority")
    loremark.settings |= {
        "LOREMARK_OUTBOUND_ALLOW": "127.0.0.0/8",
        "LOREMARK_CA_FILE": str(made.ca_file),
        "LOREMARK_WEBHOOK_RETRY_DELAYS": "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
    }
    return made


@pytest.fixture
def receiver(authority: Authority) -> Iterator[Receiver]:
    with Receiver(authority) as running:
        yield running


def _create_webhook(http: httpx.Client, project: str, url: str) -> str:
    body = {"projectId": project, "url": url, "events": ["session.created"], "secret": "shared"}
    answer = http.post("/api/webhooks", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def _create_sessions(http: httpx.Client, project: str, count: int) -> set[str]:
    answers = [http.post("/api/v2/sessions", json={"projectId": project}) for _ in range(count)]
    assert {answer.status_code for answer in answers} == {201}
    return {answer.json()["id"] for answer in answers}


def _received_sessions(receiver: Receiver) -> dict[str, set[str]]:
    """The event ids received for each session."""
    received: dict[str, set[str]] = {}
    for request in receiver.requests():
        assert request.headers["webhook-id"] == request.json["id"]
        received.setdefault(request.json["data"]["sessionId"], set()).add(request.json["id"])
    return received


async def _end_leases(database: Database) -> None:
    """Expire the dead worker's leases immediately."""
    async with database.write() as tx:
        await tx.run(update(jobs).where(jobs.c.status == "running").values(lease_until_ms=0))


async def _delivery_states(database: Database) -> dict[str, str]:
    """Event ids and their delivery status, which is "waiting" while they are in the outbox."""
    waiting: list[Any] = await ledger.rows(database, outbox)
    deliveries = await ledger.rows(database, webhook_deliveries)
    return {row["id"]: "waiting" for row in waiting} | {row["event_id"]: row["status"] for row in deliveries}


def _wait_delivered(http: httpx.Client, webhook: str, count: int) -> None:
    stop = time.monotonic() + 60
    while True:
        found = http.get(f"/api/webhooks/{webhook}/deliveries").json()
        if [delivery["status"] for delivery in found] == ["delivered"] * count:
            return
        assert time.monotonic() < stop, found
        time.sleep(0.1)


def test_kill_before_the_first_delivery(loremark: Loremark, authority: Authority) -> None:
    """The receiver is down, and the server dies right after its last response."""
    owner, port = make_owner(loremark), free_port()
    with loremark.start() as process, process.wait_ready(60).client(owner["apiKey"]) as http:
        _create_webhook(http, owner["projectId"], f"https://127.0.0.1:{port}/")
        created = _create_sessions(http, owner["projectId"], 8)
        process.kill()
    states = ledger.with_database(loremark.database_url, _delivery_states)
    assert len(states) == 8
    assert set(states.values()) <= {"waiting", "pending"}
    ledger.with_database(loremark.database_url, _end_leases)
    with Receiver(authority, port=port) as receiver, loremark.start() as process:
        process.wait_ready(60)
        receiver.wait_for(8, timeout=60)
        received = _received_sessions(receiver)
        assert set(received) == created
        assert set().union(*received.values()) == set(states), "same ids as before the kill"


def test_kill_before_the_receiver_responds(loremark: Loremark, receiver: Receiver) -> None:
    """Deliveries that got no response are sent again with the same ids, and so are all others."""
    owner, gate = make_owner(loremark), threading.Event()
    receiver.always("/", Reply(gate=gate))
    with loremark.start() as process, process.wait_ready(60).client(owner["apiKey"]) as http:
        webhook = _create_webhook(http, owner["projectId"], receiver.url())
        created = _create_sessions(http, owner["projectId"], 6)
        receiver.wait_for(1)
        unanswered = {request.json["id"] for request in receiver.requests()}
        process.kill()
    gate.set()
    receiver.always("/", Reply())
    ledger.with_database(loremark.database_url, _end_leases)
    with loremark.start() as process, process.wait_ready(60).client(owner["apiKey"]) as http:
        _wait_delivered(http, webhook, 6)
    delivered = _received_sessions(receiver)
    assert set(delivered) == created
    assert all(len(ids) == 1 for ids in delivered.values()), "one event per session, even if sent more than once"
    received = Counter(request.json["id"] for request in receiver.requests())
    assert all(received[event_id] >= 2 for event_id in unanswered)
