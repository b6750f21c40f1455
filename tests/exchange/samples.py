"""Sample files in other tools' formats, including edge cases, and the items that become of them."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from loremark.exchange.notes import Note, to_event
from loremark.memory.extraction.extract import extract
from loremark.memory.items import Item, RawEvent

BRIEFING = "<!-- loremark:brain -->\n# Memory\n- an old thing\n<!-- /loremark:brain -->\n"


def extracted(note: Note) -> list[Item]:
    event = to_event(note)
    return list(extract(RawEvent("e1", event.event, event.payload, actor_id="importer")).items)


def write_lines(path: Path, records: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def claude_transcript(folder: Path) -> Path:
    shared = {"sessionId": "5f0c", "cwd": "/home/dev/shop", "gitBranch": "feature/cart", "version": "2.1.325"}

    def turn(kind: str, content: Any, **more: Any) -> dict[str, Any]:
        message = {"role": kind, "content": content}
        return {"type": kind, "uuid": "u", "timestamp": "2026-10-01T10:00:00Z", **shared, "message": message, **more}

    def call(name: str, **given: Any) -> dict[str, Any]:
        return {"type": "tool_use", "id": "t1", "name": name, "input": given}

    records = [
        {"type": "queue-operation", "operation": "enqueue", "sessionId": "5f0c"},
        turn("user", f"{BRIEFING}Why does the cart lose its items?"),
        turn("user", "<command-name>/clear</command-name>"),
        turn("user", "Caveat: The messages below were generated", isMeta=True),
        turn("assistant", [{"type": "thinking", "thinking": "hmm"}, {"type": "text", "text": "Let me look."}]),
        turn(
            "assistant", [call("Edit", file_path="/home/dev/shop/src/cart.py"), call("Read", file_path="/etc/passwd")]
        ),
        turn("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "def cart(): ..."}]),
        turn("assistant", [{"type": "text", "text": "A sub-agent's thought."}], isSidechain=True),
        turn(
            "assistant", [{"type": "text", "text": "The cart was keyed by the session; it is keyed by the user now."}]
        ),
        turn("user", "Use Redis from now on, the password is hunter2-Xy9!kk"),
        turn("assistant", [call("Write", file_path="/tmp/elsewhere.py"), {"type": "text", "text": "Redis it is."}]),
        turn("user", "One more thing that nobody answered"),
        {"type": "cost-state", "sessionId": "5f0c"},
    ]
    return write_lines(folder / "-home-dev-shop" / "5f0c.jsonl", records)


def codex_rollout(folder: Path) -> Path:
    def line(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": "2026-10-02T08:00:00Z", "ordinal": 1, "type": kind, "payload": payload}

    def turn(role: str, text: str) -> dict[str, Any]:
        kind = "input_text" if role == "user" else "output_text"
        return line("response_item", type="message", role=role, content=[{"type": kind, "text": text}])

    patch = "*** Begin Patch\n*** Update File: src/retry.py\n@@\n-a\n+b\n*** Add File: tests/test_retry.py\n+x\n"
    records = [
        line("session_meta", id="0199", cwd="/home/dev/shop", git={"branch": "main"}, timestamp="2026-10-02T08:00:00Z"),
        turn("user", "<environment_context>\n<cwd>/home/dev/shop</cwd>\n</environment_context>"),
        turn("user", "# AGENTS.md instructions for /home/dev/shop\n\nBe nice."),
        turn("user", "Make the retries slower"),
        line("response_item", type="reasoning", summary=[]),
        line(
            "response_item",
            type="function_call",
            name="shell",
            arguments=json.dumps({"command": ["apply_patch", patch]}),
        ),
        line("response_item", type="function_call_output", output="Done!"),
        line("event_msg", type="token_count", info=None),
        turn("assistant", "Retries wait twice as long each time, because the other side was drowned in them."),
        line("world_state", something="new"),
    ]
    return write_lines(folder / "2026" / "10" / "02" / "rollout-2026-10-02T08-00-00-0199.jsonl", records)


CLAUDE_MD = """# Shop

<!-- loremark:begin -->
## Memory
This block is Loremark's own and is not read again.
<!-- loremark:end -->

Run everything through `make`.

## Testing
Tests use real databases; nothing of ours is mocked.

```sh
# this is no heading
make test
```

### Slow ones
Mark tests that take longer than a second as slow.

## Empty
"""

CURSOR_RULE = """---
description: "How handlers are written"
globs: src/api/**/*.ts, src/routes.ts
alwaysApply: false
---
# Handlers
A handler validates its input first and never talks to the database itself.
"""

MADR = """---
status: "accepted"
date: 2026-03-01
decision-makers: [Ana, Bo]
---
# Use PostgreSQL for orders

## Context and Problem Statement
Orders must survive a crash.

## Considered Options
* PostgreSQL
* A file

## Decision Outcome
Chosen option: "PostgreSQL", because it keeps what it has acknowledged.

### Consequences
* Good, because nothing is lost.
"""

NYGARD = """# 2. Keep sessions in memory

Date: 2025-01-01

## Status

Superseded by [3. Sessions in Redis](0003-sessions.md)

## Context

We have one process.

## Decision

Sessions are kept in memory.

## Consequences

They are lost with a restart.
"""

BASIC_NOTE = """---
title: Coffee Brewing
type: note
tags:
  - coffee
  - brewing
permalink: guides/coffee-brewing
created: 2026-01-01
---
# Coffee Brewing

Prose about coffee.

## Observations
- [method] Pour over gives more clarity #pour-over (tested in May)
- [decision] We buy beans from one roaster #supply
- [ ] a task, not an observation

## Relations
- pairs_with [[Chocolate]]
"""

MEM0 = """# mem0 export

---
id: 7f3
created_at: 2026-05-01T00:00:00Z
type: decision
confidence: 0.85
branch: main
files:
  - src/pay.py
categories: [payments, stripe]
---
Payments go through Stripe, because its webhooks are signed.

---
id: 7f4
created_at: 2026-05-02T00:00:00Z
type: anti_pattern
categories: []
---
Do not log card numbers.
"""


def claude_mem(path: Path, *, old: bool = False) -> Path:
    database = sqlite3.connect(path)
    more = "" if old else ", files_read TEXT, files_modified TEXT, content_hash TEXT"
    database.execute(
        f"CREATE TABLE observations (id INTEGER PRIMARY KEY, project TEXT, type TEXT, title TEXT, subtitle TEXT,"
        f" narrative TEXT, facts TEXT, concepts TEXT{more})"
    )
    rows = [
        (
            1,
            "shop",
            "bugfix",
            "Cart lost items",
            "Keyed wrongly",
            "It was keyed by session.",
            '["Keyed by user now"]',
            "[]",
        ),
        (2, "shop", "decision", "Redis for sessions", None, "They outlive restarts.", None, '["why-it-exists"]'),
        (3, "shop", "discovery", None, None, None, "not json", None),
    ]
    for row in rows:
        columns = "id, project, type, title, subtitle, narrative, facts, concepts"
        database.execute(f"INSERT INTO observations ({columns}) VALUES (?,?,?,?,?,?,?,?)", row)
    if not old:
        database.execute("UPDATE observations SET files_modified = '[\"src/cart.py\"]' WHERE id = 1")
        named = ("request", "investigated", "learned", "completed", "next_steps", "notes")
        database.execute(f"CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, {' TEXT, '.join(named)} TEXT)")
        summary = (1, "Fix the cart", "cart.py", "Sessions end", "Keyed by user", None, "")
        database.execute("INSERT INTO session_summaries VALUES (?,?,?,?,?,?,?)", summary)
    database.commit()
    database.close()
    return path


MCP_RECORDS: list[dict[str, Any]] = [
    {
        "type": "entity",
        "name": "Order_service",
        "entityType": "component",
        "observations": ["Written in Go", "Owns orders"],
    },
    {"type": "entity", "name": "Ana", "entityType": "person", "observations": []},
    {"type": "relation", "from": "Ana", "to": "Order_service", "relationType": "maintains"},
]
