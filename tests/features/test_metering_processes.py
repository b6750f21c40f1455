"""Plan counters with real processes: two at the limit, and one that is killed."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from tests.chaos import ledger
from tests.entry.owner import make_owner
from tests.features.plan_usage import count_rows, read_counters, write_plans
from tests.features.signed_tool import Tool
from tests.support import databases
from tests.support.processes import Loremark, Process

_LIMIT = 600
_SENT = 900
_KILLS = 5


def _prepare(loremark: Loremark, **limits: int) -> dict[str, str]:
    plans = write_plans(loremark.folder, team=limits)
    loremark.settings |= {"LOREMARK_PLANS_FILE": plans, "LOREMARK_LOG_LEVEL": "warning"}
    return make_owner(loremark)


def _tools(process: Process, owner: dict[str, str], count: int) -> list[Tool]:
    with process.client(owner["apiKey"]) as http:
        project_ids = [http.post("/api/projects", json={"name": f"Project {n}"}).json()["id"] for n in range(count)]
        return [Tool(p, http.get(f"/api/projects/{p}/hmac-secret").json()["secret"]) for p in project_ids]


def _check_counters(loremark: Loremark, team_id: str) -> dict[str, int]:
    counters = ledger.with_database(loremark.database_url, lambda database: read_counters(database, team_id))
    rows = ledger.with_database(loremark.database_url, lambda database: count_rows(database, team_id))
    assert counters == rows
    return counters


def test_event_limit_is_exact_across_processes(tmp_path: Path) -> None:
    """Some projects send to both processes, others to one; they compete for the last events."""
    loremark = Loremark(tmp_path, databases.fresh_postgres())
    owner = _prepare(loremark, events=_LIMIT)
    with loremark.start("api") as one, loremark.start("api") as other:
        processes = (one.wait_ready(60), other.wait_ready(60))
        tools = _tools(one, owner, 4)

        def send(number: int) -> tuple[int, str]:
            http = clients[number % 2]
            answer = tools[number % 3 + (number % 2 if number % 3 == 2 else 0)].send_sync(http, {"n": number})
            return answer.status_code, answer.json().get("error", "")

        with processes[0].client() as first, processes[1].client() as second, ThreadPoolExecutor(24) as pool:
            clients = (first, second)
            answers = Counter(pool.map(send, range(_SENT)))
    assert answers == {(202, ""): _LIMIT, (403, "Plan limit reached: events"): _SENT - _LIMIT}
    assert _check_counters(loremark, owner["teamId"])["events"] == _LIMIT


def test_counters_match_the_rows_after_kills(loremark: Loremark) -> None:
    rng = random.Random()
    owner = _prepare(loremark, events=1_000_000)
    with loremark.start() as process:
        tools = _tools(process.wait_ready(60), owner, 2)
    sent = 0
    for attempt in range(_KILLS):
        with loremark.start() as process:
            process.wait_ready(60)
            first = threading.Event()

            def keep_sending(
                number: int, process: Process = process, first: threading.Event = first, attempt: int = attempt
            ) -> int:
                accepted = 0
                with httpx.Client(base_url=process.url, timeout=60.0, verify=False) as http:
                    while True:
                        payload = {
                            "n": accepted,
                            "sender": number,
                            "turn": attempt,
                            "large": "x" * 70_000 * (accepted % 5 == 0),
                        }
                        try:
                            answer = tools[number % 2].send_sync(http, payload, X_Service_Source=f"{number}")
                        except httpx.HTTPError:
                            return accepted
                        assert answer.status_code == 202, answer.text
                        accepted += 1
                        first.set()

            with ThreadPoolExecutor(6) as pool:
                senders = [pool.submit(keep_sending, number) for number in range(6)]
                assert first.wait(60)
                time.sleep(rng.uniform(0.1, 0.6))
                process.kill()
                sent += sum(sender.result() for sender in senders)
        assert _check_counters(loremark, owner["teamId"])["events"] >= sent
