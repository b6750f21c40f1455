"""kill -9 between a change and its delivery: the receiver hears of it all the same, under the same id."""

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
    """An authority that Loremark knows; the plans are the usual ones, with room for sessions."""
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


def _begin_sessions(http: httpx.Client, project: str, count: int) -> set[str]:
    answers = [http.post("/api/v2/sessions", json={"projectId": project}) for _ in range(count)]
    assert {answer.status_code for answer in answers} == {201}
    return {answer.json()["id"] for answer in answers}


def _sessions(receiver: Receiver) -> dict[str, set[str]]:
    """The event ids under which each session was told."""
    told: dict[str, set[str]] = {}
    for request in receiver.requests():
        assert request.headers["webhook-id"] == request.json["id"]
        told.setdefault(request.json["data"]["sessionId"], set()).add(request.json["id"])
    return told


async def _end_leases(database: Database) -> None:
    """The dead worker's leases run out, without waiting for it."""
    async with database.write() as tx:
        await tx.run(update(jobs).where(jobs.c.status == "running").values(lease_until_ms=0))


async def _promised(database: Database) -> dict[str, str]:
    """Event ids and the status of their deliveries; what is in the outbox still is "waiting"."""
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


def test_a_kill_before_anybody_was_told(loremark: Loremark, authority: Authority) -> None:
    """The receiver is down; at the very moment of the answer the server dies."""
    owner, port = make_owner(loremark), free_port()
    with loremark.start() as process, process.wait_ready(60).client(owner["apiKey"]) as http:
        _create_webhook(http, owner["projectId"], f"https://127.0.0.1:{port}/")
        begun = _begin_sessions(http, owner["projectId"], 8)
        process.kill()
    promised = ledger.with_database(loremark.database_url, _promised)
    assert len(promised) == 8
    assert set(promised.values()) <= {"waiting", "pending"}
    ledger.with_database(loremark.database_url, _end_leases)
    with Receiver(authority, port=port) as receiver, loremark.start() as process:
        process.wait_ready(60)
        receiver.wait_for(8, timeout=60)
        told = _sessions(receiver)
        assert set(told) == begun
        assert set().union(*told.values()) == set(promised), "under the ids of before the kill"


def test_a_kill_before_the_receiver_answers(loremark: Loremark, receiver: Receiver) -> None:
    """Deliveries that were received but not answered are sent again under their old ids, and so are the others."""
    owner, gate = make_owner(loremark), threading.Event()
    receiver.always("/", Reply(gate=gate))
    with loremark.start() as process, process.wait_ready(60).client(owner["apiKey"]) as http:
        webhook = _create_webhook(http, owner["projectId"], receiver.url())
        created = _begin_sessions(http, owner["projectId"], 6)
        receiver.wait_for(1)
        unanswered = {request.json["id"] for request in receiver.requests()}
        process.kill()
    gate.set()
    receiver.always("/", Reply())
    ledger.with_database(loremark.database_url, _end_leases)
    with loremark.start() as process, process.wait_ready(60).client(owner["apiKey"]) as http:
        _wait_delivered(http, webhook, 6)
    delivered = _sessions(receiver)
    assert set(delivered) == created
    assert all(len(ids) == 1 for ids in delivered.values()), "a session has one event, however often it is sent"
    received = Counter(request.json["id"] for request in receiver.requests())
    assert all(received[event_id] >= 2 for event_id in unanswered)
