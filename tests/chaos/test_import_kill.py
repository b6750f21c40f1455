"""An import under kill -9: acknowledged records are kept, and importing the file again completes the project."""

from __future__ import annotations

import hashlib
import io
import json
import random
import threading
import time
from typing import Any

import httpx
import pytest

from loremark.base import clock, ids
from loremark.base.caller import Scope
from loremark.exchange.chunks import read_lines, split_chunks
from loremark.features.metering.recount import recount_team, set_mark
from loremark.storage.database import Database
from loremark.storage.tables import sessions
from tests.chaos import ledger
from tests.entry.owner import make_owner
from tests.support.processes import Loremark

_ROUNDS = 3
_CHUNK_BYTES = 60_000
_SESSIONS = 12
_ITEMS = 300


def _lines() -> bytes:
    """Sessions with small and large events, and items based on them, each with a history."""
    now_ms = clock.now_ms() - clock.HOUR_MS
    records: list[dict[str, Any]] = []
    event_refs: list[str] = []
    for number in range(_SESSIONS):
        session: dict[str, Any] = {
            "loremark": "session",
            "ref": ids.new("ses"),
            "source": f"cli:{number}",
            "status": "completed",
        }
        session |= {"itemsExtracted": 1, "enrichmentModel": None, "lastEventAtMs": now_ms, "createdAtMs": now_ms}
        records.append(session | {"completedAtMs": now_ms})
        for part in range(8):
            words = f"Part {part} of {number}. " * (900 if part % 4 == 0 else 3)
            event: dict[str, Any] = {
                "loremark": "event",
                "ref": ids.new("evt"),
                "session": session["ref"],
                "event": "session_save",
            }
            records.append(event | {"payload": {"summary": words}, "enriched": part % 2 == 0, "createdAtMs": now_ms})
            event_refs.append(str(event["ref"]))
    for number in range(_ITEMS):
        state: dict[str, Any] = {
            "title": f"Fact {number}",
            "content": f"It is so, for the {number}th time. " * 8,
            "type": "decision",
        }
        state |= {"schemaKey": "root/api", "status": "approved", "confidence": 0.9, "files": [f"src/{number}.py"]}
        quoted = [{"event": event_refs[number % len(event_refs)], "quote": "Part"}]
        state |= {"tags": ["x"], "evidence": quoted, "flags": [], "tier": 2, "branch": None}
        state |= {"mergedFrom": [], "supersededBy": None}
        item: dict[str, Any] = {
            "loremark": "item",
            "ref": ids.new("itm"),
            **state,
            "session": None,
            "sourceRef": None,
            "version": 1,
        }
        item |= {"mergedAtMs": None, "fingerprints": {}, "conflicts": [], "createdAtMs": now_ms, "updatedAtMs": now_ms}
        revision: dict[str, Any] = {
            "loremark": "revision",
            "kind": "item",
            "ref": item["ref"],
            "version": 1,
            "change": "created",
        }
        records += [item, revision | {"snapshot": state, "createdAtMs": now_ms}]
    return b"".join(json.dumps(line).encode() + b"\n" for line in records)


class Import(threading.Thread):
    """Imports a file in chunks until the server dies."""

    def __init__(self, http: httpx.Client, project: str, file: bytes) -> None:
        super().__init__()
        self._http = http
        self._project = project
        self._chunks = [chunk for _, chunk in split_chunks(read_lines(io.BytesIO(file)), _CHUNK_BYTES)]
        self.first = threading.Event()
        self.created: list[int] = []
        """The number of records created by each acknowledged chunk."""
        self.errors: list[str] = []
        self.completed = False

    def run(self) -> None:
        for chunk in self._chunks:
            try:
                answer = self._http.post("/api/v2/import", params={"projectId": self._project}, content=chunk)
            except httpx.HTTPError:
                return
            if answer.status_code != 200:
                self.errors.append(f"{answer.status_code} {answer.text}")
                return
            self.created.append(sum(answer.json()["created"].values()))
            self.first.set()
        self.completed = True


def _export(http: httpx.Client, project: str) -> bytes:
    answer = http.get("/api/v2/export", params={"projectId": project})
    assert answer.status_code == 200, answer.text
    return answer.content


async def _check_counters(database: Database, project: str) -> None:
    (team,) = {row["team_id"] for row in await ledger.rows(database, sessions, sessions.c.project_id == project)}
    assert await recount_team(database, Scope(team), set_mark()) == []


@pytest.mark.slow
def test_interrupted_import_can_be_repeated_and_completed(loremark: Loremark) -> None:
    rng = random.Random()
    del loremark.settings["LOREMARK_PLANS_FILE"]  # the default plan's limits are high enough
    owner = make_owner(loremark)
    interrupted = acknowledged = 0
    with loremark.start() as process, process.wait_ready(60).client(owner["apiKey"]) as http:
        first = Import(http, owner["projectId"], _lines())
        first.run()
        assert (first.errors, first.completed) == ([], True)
        file = _export(http, owner["projectId"])
        project = http.post("/api/projects", json={"name": "There"}).json()["id"]
    assert json.loads(file.splitlines()[-1])["items"] == _ITEMS
    for _ in range(_ROUNDS):
        with loremark.start() as process, process.wait_ready(60).client(owner["apiKey"]) as http:
            importing = Import(http, project, file)
            importing.start()
            assert importing.first.wait(60)
            time.sleep(rng.uniform(0.0, 0.15))
            process.kill()
            importing.join(60)
        assert importing.errors == []
        assert not any(importing.created[:acknowledged]), "acknowledged records are not created again"
        acknowledged = max(acknowledged, len(importing.created))
        interrupted += not importing.completed
    assert interrupted, "no kill interrupted an import"
    with loremark.start() as process, process.wait_ready(60).client(owner["apiKey"]) as http:
        last = Import(http, project, file)
        last.run()
        assert (last.errors, last.completed) == ([], True)
        again = Import(http, project, file)
        again.run()
        assert not any(again.created), "nothing is imported twice"
        assert hashlib.sha256(_export(http, project)).digest() == hashlib.sha256(file).digest()
    ledger.with_database(loremark.database_url, lambda database: _check_counters(database, project))
