"""Ingest under kill -9: every acknowledged event is there exactly once, in one session, and the counters agree."""

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
    """Threads that send without a pause. What nobody answered is sent again in the next round."""

    def __init__(self, tool: Tool) -> None:
        self._tool = tool
        self._lock = threading.Lock()
        self._first = threading.Event()
        self.acknowledged: dict[str, tuple[str, str]] = {}
        self.unknown: list[tuple[str, str]] = []
        self.sent: set[str] = set()
        self.wrong: list[str] = []
        self.broken = 0
        self.repeated = 0

    @contextmanager
    def sending(self, url: str) -> Iterator[None]:
        """They send while the block runs, which begins with the first answer and ends with the server's death."""
        self._first.clear()
        threads = [threading.Thread(target=self._send_on, args=(url, number)) for number in range(_SENDERS)]
        for thread in threads:
            thread.start()
        assert self._first.wait(60)
        yield
        for thread in threads:
            thread.join(60)
        assert not any(thread.is_alive() for thread in threads)

    def _next(self, number: int) -> tuple[str, str]:
        with self._lock:
            if self.unknown:
                return self.unknown.pop()
            mark = ids.new("mark")
            self.sent.add(mark)
            return mark, _SOURCES[number % len(_SOURCES)]

    def _send_on(self, url: str, number: int) -> None:
        with httpx.Client(base_url=url, timeout=60.0, verify=False) as http:
            while True:
                mark, source = self._next(number)
                try:
                    answer = self._tool.send_now(http, {"mark": mark}, X_Service_Source=source)
                except httpx.HTTPError:
                    with self._lock:
                        self.unknown.append((mark, source))
                        self.broken += 1
                    return
                self._note(mark, answer)

    def _note(self, mark: str, answer: httpx.Response) -> None:
        with self._lock:
            if answer.status_code != 202:
                self.wrong.append(f"{answer.status_code} {answer.text}")
                return
            told = answer.json()
            self.repeated += "duplicate" in told
            self.acknowledged[mark] = (told["eventId"], told["sessionId"])
        self._first.set()


async def _check(database: Database, senders: Senders, project_id: str) -> None:
    rows = await ledger.rows(database, events, events.c.project_id == project_id)
    marks = [msgspec.json.decode(row["payload"])["mark"] for row in rows]
    assert len(marks) == len(set(marks)), "an event was kept twice"
    found = {mark: (row["id"], row["session_id"]) for mark, row in zip(marks, rows, strict=True)}
    lost = {mark for mark, told in senders.acknowledged.items() if found.get(mark) != told}
    assert not lost, f"lost or moved: {len(lost)} of {len(senders.acknowledged)} acknowledged events"
    assert set(found) <= senders.sent
    kept = await ledger.rows(database, sessions, sessions.c.project_id == project_id)
    assert len({row["source"] for row in kept}) == len(kept), "a session was split in two"
    counted = {row["id"]: row["event_count"] for row in kept}
    assert counted == {known: sum(row["session_id"] == known for row in rows) for known in counted}
    assert sum(counted.values()) == len(rows)


@pytest.mark.parametrize("rounds", [6, pytest.param(_ROUNDS, marks=pytest.mark.slow)])
def test_no_acknowledged_event_is_lost_and_no_session_split(loremark: Loremark, rounds: int) -> None:
    """Kills at random moments of one data folder, with six senders that never pause."""
    chance = random.Random()
    del loremark.settings["LOREMARK_PLANS_FILE"]  # the plan's own bounds are wide enough
    owner = make_owner(loremark)
    with loremark.start() as process, process.wait_ready(60).client(owner["apiKey"]) as http:
        answer = http.get(f"/api/projects/{owner['projectId']}/hmac-secret")
        tool = Tool(owner["projectId"], answer.json()["secret"])
    senders = Senders(tool)
    for _ in range(rounds):
        with loremark.start() as process, senders.sending(process.wait_ready(60).url):
            time.sleep(chance.uniform(0.0, 0.4))
            process.kill()
        assert senders.wrong == []
        ledger.with_database(loremark.database_url, lambda database: _check(database, senders, tool.project_id))
    assert len(senders.acknowledged) > 10 * rounds
    assert senders.broken >= rounds, "each kill met somebody in the middle of a request"
