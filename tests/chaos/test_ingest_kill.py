"""Ingest under kill -9: every acknowledged event is stored exactly once, in one session, and counters match."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import msgspec
import pytest

from loremark.base import ids
from loremark.storage.database import Database
from loremark.storage.tables import events, sessions
from tests.chaos import ledger
from tests.entry.owner import make_owner
from tests.features.signed_tool import Tool
from tests.support.processes import Loremark

_ROUNDS = 20
_SOURCES = ("cli", "editor", "api")
_SENDERS = 6


class Senders:
    """Threads that send continuously. Events without a response are sent again in the next round."""

    def __init__(self, tool: Tool) -> None:
        self._tool = tool
        self._lock = threading.Lock()
        self._answered = threading.Condition(self._lock)
        self.acknowledged: dict[str, tuple[str, str]] = {}
        self.unanswered: list[tuple[str, str]] = []
        self.sent: set[str] = set()
        self.errors: list[str] = []
        self.connection_errors = 0
        self.duplicates = 0

    @contextmanager
    def sending(self, url: str, responses: int) -> Iterator[None]:
        """Send during the block, which starts after this many responses and kills the server."""
        target = len(self.acknowledged) + responses
        threads = [threading.Thread(target=self._send_loop, args=(url, number)) for number in range(_SENDERS)]
        for thread in threads:
            thread.start()
        with self._answered:
            assert self._answered.wait_for(lambda: self.errors or len(self.acknowledged) >= target, 120)
        yield
        for thread in threads:
            thread.join(60)
        assert not any(thread.is_alive() for thread in threads)

    def _next(self, number: int) -> tuple[str, str]:
        with self._lock:
            if self.unanswered:
                return self.unanswered.pop()
            mark = ids.new("mark")
            self.sent.add(mark)
            return mark, _SOURCES[number % len(_SOURCES)]

    def _send_loop(self, url: str, number: int) -> None:
        with httpx.Client(base_url=url, timeout=60.0, verify=False) as http:
            while True:
                mark, source = self._next(number)
                try:
                    answer = self._tool.send_sync(http, {"mark": mark}, X_Service_Source=source)
                except httpx.HTTPError:
                    with self._lock:
                        self.unanswered.append((mark, source))
                        self.connection_errors += 1
                    return
                self._record(mark, answer)

    def _record(self, mark: str, answer: httpx.Response) -> None:
        with self._lock:
            if answer.status_code != 202:
                self.errors.append(f"{answer.status_code} {answer.text}")
                return
            body = answer.json()
            self.duplicates += "duplicate" in body
            self.acknowledged[mark] = (body["eventId"], body["sessionId"])
            self._answered.notify()


async def _check(database: Database, senders: Senders, project_id: str) -> None:
    rows = await ledger.rows(database, events, events.c.project_id == project_id)
    marks = [msgspec.json.decode(row["payload"])["mark"] for row in rows]
    assert len(marks) == len(set(marks)), "an event was stored twice"
    found = {mark: (row["id"], row["session_id"]) for mark, row in zip(marks, rows, strict=True)}
    lost = {mark for mark, expected in senders.acknowledged.items() if found.get(mark) != expected}
    assert not lost, f"lost or moved: {len(lost)} of {len(senders.acknowledged)} acknowledged events"
    assert set(found) <= senders.sent
    kept = await ledger.rows(database, sessions, sessions.c.project_id == project_id)
    assert len({row["source"] for row in kept}) == len(kept), "a session was split in two"
    counted = {row["id"]: row["event_count"] for row in kept}
    assert counted == {session_id: sum(row["session_id"] == session_id for row in rows) for session_id in counted}
    assert sum(counted.values()) == len(rows)


@pytest.mark.parametrize("rounds", [6, pytest.param(_ROUNDS, marks=pytest.mark.slow)])
def test_no_acknowledged_event_is_lost_and_no_session_split(loremark: Loremark, rounds: int) -> None:
    """Six threads send continuously while the server is killed at random moments, always on the same data folder."""
    rng = random.Random()
    del loremark.settings["LOREMARK_PLANS_FILE"]  # the default plan's limits are high enough
    owner = make_owner(loremark)
    with loremark.start() as process, process.wait_ready(60).client(owner["apiKey"]) as http:
        answer = http.get(f"/api/projects/{owner['projectId']}/hmac-secret")
        tool = Tool(owner["projectId"], answer.json()["secret"])
    senders = Senders(tool)
    for _ in range(rounds):
        with loremark.start() as process, senders.sending(process.wait_ready(60).url, rng.randint(10, 60)):
            time.sleep(rng.uniform(0.0, 0.02))
            process.kill()
        assert senders.errors == []
        ledger.with_database(loremark.database_url, lambda database: _check(database, senders, tool.project_id))
    assert len(senders.acknowledged) >= 10 * rounds
    assert senders.connection_errors >= rounds, "each kill interrupts a request"
