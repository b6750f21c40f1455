"""Sample project data: sessions, memories, contexts and flags."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

from tests.browser.site import User

_DIFF = """diff --git a/src/checkout/totals.py b/src/checkout/totals.py
--- a/src/checkout/totals.py
+++ b/src/checkout/totals.py
@@ -10,6 +10,6 @@ def total(lines):
-    return round(sum(line.price for line in lines), 2)
+    return sum((line.price for line in lines), start=Decimal("0"))
"""

_COMMITS: list[dict[str, Any]] = [
    {
        "sha": "9f1c2d3e4a5b60718293a4b5c6d7e8f901234567",
        "message": "fix: totals are sums of Decimal, never of float\n\nRounding each line lost a cent on orders with "
        "more than three discounted lines. Totals are now added as Decimal and rounded once, at the end.",
        "author": "Noor",
        "date": "2026-11-10T09:12:00Z",
        "files": ["src/checkout/totals.py", "tests/test_totals.py"],
        "insertions": 42,
        "deletions": 17,
        "diff": _DIFF,
    },
    {
        "sha": "1a2b3c4d5e6f708192a3b4c5d6e7f80912345678",
        "message": "feat: payments are retried with an idempotency key\n\nThe payment provider is asked again up to "
        "three times with the same key, because it charges twice when a time-out is retried without one.",
        "author": "Sam",
        "date": "2026-11-11T15:40:00Z",
        "files": ["src/payments/provider.py", "src/payments/retry.py"],
        "insertions": 120,
        "deletions": 8,
    },
]

_SAVES: list[dict[str, Any]] = [
    {
        "summary": "Moved the order store to PostgreSQL.",
        "changes": [
            {
                "category": "architecture",
                "description": "The order store talks to PostgreSQL through asyncpg; SQLAlchemy is used only to "
                "describe the tables and for migrations.",
                "files": ["src/orders/store.py", "src/orders/tables.py"],
            },
            {
                "category": "decision",
                "description": "We decided to keep orders for seven years, because the tax office may ask for them; "
                "everything else about a customer is deleted after ninety days.",
                "files": ["src/orders/retention.py"],
            },
            {
                "category": "convention",
                "description": "Money is always a Decimal in the smallest unit of its currency; never use float for "
                "prices.",
                "files": ["src/checkout/money.py"],
            },
        ],
    },
    {
        "summary": "Worked on the basket and its expiry.",
        "changes": [
            {
                "category": "decision",
                "description": "Baskets expire after 30 minutes without a change; the stock they hold is given "
                "back then.",
                "files": ["src/basket/expiry.py"],
            },
            {
                "category": "bug",
                "description": "Two tabs with the same basket could sell the last piece twice; the stock row is now "
                "locked with SELECT FOR UPDATE before it is taken.",
                "files": ["src/basket/stock.py"],
            },
            {
                "category": "todo",
                "description": "Load-test the basket with 500 customers at once before the winter sale.",
                "files": [],
            },
        ],
    },
    {
        "summary": "Changed the expiry of baskets.",
        "changes": [
            {
                "category": "decision",
                "description": "Baskets expire after 60 minutes without a change; the stock they hold is given "
                "back then.",
                "files": ["src/basket/expiry.py"],
            },
            {
                "category": "implementation",
                "description": "Order emails are written to the outbox table in the transaction of the order; the mail "
                "worker sends them every second and marks them as sent.",
                "files": ["src/mail/worker.py"],
            },
            {
                "category": "implementation",
                "description": "maybe look at the cache later, it seems slow sometimes",
                "files": [],
            },
        ],
    },
]

_CONTEXTS: list[dict[str, Any]] = [
    {
        "schemaKey": "root/checkout",
        "name": "Checkout",
        "content": "## What it does\n\nTurns a basket into a paid order.\n",
    },
    {
        "schemaKey": "root/checkout/payments",
        "name": "Payments",
        "content": "## Provider\n\nCards go through one provider, **always** with an idempotency key.\n\n"
        "## Refunds\n\nRefunds are written down first and sent by the worker.\n\n- partial refunds are allowed\n"
        "- a refund never exceeds what was paid\n",
    },
    {
        "schemaKey": "root/checkout/basket",
        "name": "Basket",
        "content": "Holds stock for a while, then gives it back.\n",
    },
    {
        "schemaKey": "root/operations",
        "name": "Operations",
        "content": "## Deploys\n\nEvery merge to main goes to staging; production needs a tag.\n",
        "tier": 2,
    },
    {
        "schemaKey": "root/operations/alerts",
        "name": "Alerts",
        "content": "Pager rings when orders per minute fall to zero.\n",
    },
]


def record_history(user: User, project_id: str = "") -> list[str]:
    """Send and enrich sample sessions; return their ids, oldest first."""
    project_id = project_id or user.project_id
    sessions: list[str] = []
    for number, save in enumerate(_SAVES):
        sent = user.send_event("session_save", {**save, "source": f"claude-code:{number}"}, project_id)
        sessions.append(sent["sessionId"])
    digest = {"source": "git", "branch": "main", "headCommitSha": _COMMITS[-1]["sha"], "commits": _COMMITS}
    sessions.append(user.send_event("git_digest", digest, project_id)["sessionId"])
    for session_id in sessions:
        user.enrich(session_id)
    populate(user, project_id)
    return sessions


def populate(user: User, project_id: str = "") -> None:
    """Create contexts and approve those under root/checkout."""
    project_id = project_id or user.project_id
    body = {"projectId": project_id, "nodes": _CONTEXTS, "source": "story"}
    user.request("POST", "/api/contexts/populate", json=body)
    for context in user.request("GET", "/api/contexts", params={"projectId": project_id}):
        if context["schemaKey"].startswith("root/checkout"):
            user.request("POST", f"/api/contexts/{context['id']}/approve", json={"action": "approve"})


def items(user: User, project_id: str = "", **filters: Any) -> list[Any]:
    found: list[Any] = user.request(
        "GET", "/api/v2/items", params={"projectId": project_id or user.project_id, **filters}
    )
    return found


_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
_TOPICS = ("basket", "payments", "orders", "stock", "mail", "search", "invoices", "refunds", "sign-in", "reports")
_KINDS = ("decision", "convention", "implementation", "architecture", "bug", "todo", "codemap")
_AT_ONCE = 2_000
_WITH_VERSIONS = 1_000


def _ref(kind: str, at_ms: int, number: int) -> str:
    """A ref as exports use it: sorted by time, then by number."""

    def letters(value: int, wanted: int) -> str:
        return "".join(_LETTERS[value >> 5 * place & 31] for place in reversed(range(wanted)))

    return f"{kind}_{letters(at_ms, 10)}{letters(number, 16)}"


def _lines(count: int, status: str, flags: Sequence[str], confidence: float | None) -> Iterator[dict[str, Any]]:
    now_ms = int(time.time() * 1000) - count - 60_000
    session = _ref("ses", now_ms, 1)
    times: dict[str, Any] = {"createdAtMs": now_ms, "completedAtMs": now_ms, "lastEventAtMs": now_ms}
    yield {
        "loremark": "session",
        "ref": session,
        "source": "claude-code:many",
        "status": "completed",
        "itemsExtracted": 0,
        "enrichmentModel": None,
        **times,
    }
    for number in range(count):
        topic, kind = _TOPICS[number % len(_TOPICS)], _KINDS[number % len(_KINDS)]
        quote = f"Rule {number} of the {topic} holds on every server."
        event, at_ms = _ref("evt", now_ms + number // 20, number // 20), now_ms + number
        if number % 20 == 0:
            summary = "\n".join(
                f"We went through the {_TOPICS[one % len(_TOPICS)]} together. "
                f"Rule {one} of the {_TOPICS[one % len(_TOPICS)]} holds on every server. Nobody objected."
                for one in range(number, min(number + 20, count))
            )
            yield {
                "loremark": "event",
                "ref": event,
                "session": session,
                "event": "session_save",
                "payload": {"summary": summary},
                "enriched": True,
                "createdAtMs": now_ms,
            }
        state = {
            "title": f"Rule {number} of the {topic}",
            "content": f"{quote} It was agreed **on purpose**, see `rule_{number}` in the code.",
            "type": kind,
            "schemaKey": f"root/{topic}",
            "status": status,
            "confidence": 0.5 + (number % 45) / 100 if confidence is None else confidence,
            "files": [f"src/{topic}/rule_{number % 50}.py"],
            "tags": [topic],
            "evidence": [{"event": event, "quote": quote}],
            "flags": list(flags),
            "tier": 2,
            "branch": None,
            "mergedFrom": [],
            "supersededBy": None,
        }
        ref = _ref("itm", at_ms, number)
        rest: dict[str, Any] = {
            "sourceRef": None,
            "mergedAtMs": None,
            "fingerprints": {},
            "conflicts": [],
            "version": 1,
        }
        yield {
            "loremark": "item",
            "ref": ref,
            "session": session,
            **state,
            **rest,
            "createdAtMs": at_ms,
            "updatedAtMs": at_ms,
        }
        if count > _WITH_VERSIONS:
            continue
        yield {
            "loremark": "revision",
            "kind": "item",
            "ref": ref,
            "version": 1,
            "change": "created",
            "snapshot": state,
            "createdAtMs": at_ms,
        }


def import_items(
    user: User,
    count: int,
    *,
    status: str = "draft",
    flags: Sequence[str] = (),
    confidence: float | None = None,
    project_id: str = "",
) -> None:
    """Import ``count`` items ("Rule 0 of the basket", …; the last is the newest), each with evidence.

    Up to a thousand also get their first revision, so that changes to them can be undone.
    """
    waiting = [json.dumps(line) for line in _lines(count, status, flags, confidence)]
    project_id = project_id or user.project_id
    for start in range(0, len(waiting), _AT_ONCE):
        body = "\n".join(waiting[start : start + _AT_ONCE]).encode() + b"\n"
        user.request("POST", "/api/v2/import", params={"projectId": project_id}, content=body)
