"""An import under kill -9: what was acknowledged is there, and the same file once more makes the project whole."""

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
    """Sessions with small and large events, and items that rest on them, each with a history."""
    now_ms = clock.now_ms() - clock.HOUR_MS
    made: list[dict[str, Any]] = []
    told: list[str] = []
    for number in range(_SESSIONS):
        session: dict[str, Any] = {
            "loremark": "session",
            "ref": ids.new("ses"),
            "source": f"cli:{number}",
            "status": "completed",
        }
        session |= {"itemsExtracted": 1, "enrichmentModel": None, "lastEventAtMs": now_ms, "createdAtMs": now_ms}
        made.append(session | {"completedAtMs": now_ms})
        for part in range(8):
            words = f"Part {part} of {number}. " * (900 if part % 4 == 0 else 3)
            event: dict[str, Any] = {
                "loremark": "event",
                "ref": ids.new("evt"),
                "session": session["ref"],
                "event": "session_save",
            }
            made.append(event | {"payload": {"summary": words}, "enriched": part % 2 == 0, "createdAtMs": now_ms})
            told.append(str(event["ref"]))
    for number in range(_ITEMS):
        state: dict[str, Any] = {
            "title": f"Fact {number}",
            "content": f"It is so, for the {number}th time. " * 8,
            "type": "decision",
        }
        state |= {"schemaKey": "root/api", "status": "approved", "confidence": 0.9, "files": [f"src/{number}.py"]}
        quoted = [{"event": told[number % len(told)], "quote": "Part"}]
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
        made += [item, revision | {"snapshot": state, "createdAtMs": now_ms}]
    return b"".join(json.dumps(line).encode() + b"\n" for line in made)


class Import(threading.Thread):
    """Brings a file, piece by piece, until the server dies."""

    def __init__(self, http: httpx.Client, project: str, file: bytes) -> None:
        super().__init__()
        self._http = http
        self._project = project
        self._pieces = [chunk for _, chunk in split_chunks(read_lines(io.BytesIO(file)), _CHUNK_BYTES)]
        self.first = threading.Event()
        self.created: list[int] = []
        """How many records each acknowledged piece has brought."""
        self.wrong: list[str] = []
        self.whole = False

    def run(self) -> None:
        for piece in self._pieces:
            try:
                answer = self._http.post("/api/v2/import", params={"projectId": self._project}, content=piece)
            except httpx.HTTPError:
                return
            if answer.status_code != 200:
                self.wrong.append(f"{answer.status_code} {answer.text}")
                return
            self.created.append(sum(answer.json()["created"].values()))
            self.first.set()
        self.whole = True


def _export(http: httpx.Client, project: str) -> bytes:
    answer = http.get("/api/v2/export", params={"projectId": project})
    assert answer.status_code == 200, answer.text
    return answer.content


async def _check(database: Database, project: str) -> None:
    (team,) = {row["team_id"] for row in await ledger.rows(database, sessions, sessions.c.project_id == project)}
    assert await recount_team(database, Scope(team), set_mark()) == []


@pytest.mark.slow
def test_a_file_that_was_broken_off_is_brought_again_and_is_whole(loremark: Loremark) -> None:
    chance = random.Random()
    del loremark.settings["LOREMARK_PLANS_FILE"]  # the plan's own bounds are wide enough
    owner = make_owner(loremark)
    broken = acknowledged = 0
    with loremark.start() as process, process.wait_ready(60).client(owner["apiKey"]) as http:
        first = Import(http, owner["projectId"], _lines())
        first.run()
        assert (first.wrong, first.whole) == ([], True)
        file = _export(http, owner["projectId"])
        project = http.post("/api/projects", json={"name": "There"}).json()["id"]
    assert json.loads(file.splitlines()[-1])["items"] == _ITEMS
    for _ in range(_ROUNDS):
        with loremark.start() as process, process.wait_ready(60).client(owner["apiKey"]) as http:
            bringing = Import(http, project, file)
            bringing.start()
            assert bringing.first.wait(60)
            time.sleep(chance.uniform(0.0, 0.15))
            process.kill()
            bringing.join(60)
        assert bringing.wrong == []
        assert not any(bringing.created[:acknowledged]), "what was acknowledged is there"
        acknowledged = max(acknowledged, len(bringing.created))
        broken += not bringing.whole
    assert broken, "a kill met an import in the middle"
    with loremark.start() as process, process.wait_ready(60).client(owner["apiKey"]) as http:
        last = Import(http, project, file)
        last.run()
        assert (last.wrong, last.whole) == ([], True)
        again = Import(http, project, file)
        again.run()
        assert not any(again.created), "nothing twice"
        assert hashlib.sha256(_export(http, project)).digest() == hashlib.sha256(file).digest()
    ledger.with_database(loremark.database_url, lambda database: _check(database, project))
