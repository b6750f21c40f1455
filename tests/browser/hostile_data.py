"""A project with hostile text in every field that a page shows."""

from __future__ import annotations

import json
from typing import Any

import httpx

from loremark.base import ids
from tests.browser.site import Site, User

SCRIPT = "<script>window.hit=1</script>"
IMAGE = "<img src=x onerror=window.hit=1>"
LONG = "W" * 90
NAME = f"{IMAGE}\u202eeman\u200b"
TITLE = f"{IMAGE} {{{{7*7}}}} \u202elltit \u200b__proto__ {LONG}"
TEXT = f"""{SCRIPT}

{IMAGE} <svg onload=window.hit=1> <iframe src=javascript:window.hit=1></iframe> {{{{7*7}}}} ${{7*7}}

[one](javascript:window.hit=1) [two](data:text/html,{SCRIPT}) [three](jav&#x09;ascript:window.hit=1)
[four](vbscript:window.hit=1) [five](//evil.example/p) [six](\\\\evil.example) [seven](blob:https://evil.example/1)
![pixel](https://evil.example/p.png) ![pixel][ref] <javascript:window.hit=1>
<a href="jav&#x09;ascript:window.hit=1">a</a>

[ref]: https://evil.example/q.png "onload=window.hit=1"

`{SCRIPT}` <style>body{{display:none}}</style> <base href=https://evil.example/>
<form action=//evil.example><button>b</button>

    {IMAGE}

| {IMAGE} | <b onclick=window.hit=1>c</b> |
|---|---|
| {LONG}{LONG} | \u202etfel ot thgir\u202c |

{LONG * 4}
"""
_DIFF = f"--- a/{IMAGE}\n+++ b/{IMAGE}\n@@ -1 +1 @@ {SCRIPT}\n-{SCRIPT}\n+{IMAGE}{LONG * 3}\n"
_ODD: dict[str, Any] = {
    IMAGE: SCRIPT,
    "__proto__": {"isAdmin": True, "toString": 1},
    "constructor": {"prototype": [IMAGE]},
    "hasOwnProperty": 1,
    "$blob": f"{IMAGE}/../../secret",
    "deep": [[[[{"$$blob": SCRIPT, "size": IMAGE}]]]],
}
_CHANGE = {"category": IMAGE, "title": TITLE, "content": TEXT, "description": TEXT, "files": [IMAGE, LONG], **_ODD}
_EVENTS: list[tuple[str, dict[str, Any]]] = [
    ("session_save", {"summary": TEXT, "changes": [_CHANGE, "__proto__", None, 7], "source": IMAGE, **_ODD}),
    (
        "git_digest",
        {
            "branch": IMAGE,
            "headCommitSha": SCRIPT,
            "commits": [
                {
                    "sha": SCRIPT,
                    "message": TEXT,
                    "author": NAME,
                    "date": IMAGE,
                    "files": [IMAGE],
                    "diff": _DIFF,
                    **_ODD,
                },
                {"sha": "__proto__", "message": "constructor", "author": {"name": IMAGE}, "diff": {"a": SCRIPT}},
                IMAGE,
            ],
            **_ODD,
        },
    ),
    (
        "scan_result",
        {"findings": [{"layer": "constructor", "title": TITLE, "content": TEXT, "files": [IMAGE], **_ODD}]},
    ),
    ("context_update", {"name": NAME, "schemaKey": IMAGE, "content": TEXT, "tier": "__proto__", **_ODD}),
    ("memory_operation", {"operation": "__proto__", "itemId": f"../../{IMAGE}", "item": {"content": TEXT, **_ODD}}),
    (
        "memory_operation",
        {"operation": "constructor", "item": {"type": "constructor", "title": TITLE, "content": TEXT}},
    ),
]


def item(**changes: Any) -> dict[str, Any]:
    item: dict[str, Any] = {
        "loremark": "item",
        "ref": ids.new("itm"),
        "title": TITLE,
        "content": TEXT,
        "type": "decision",
        "schemaKey": "root/constructor",
        "status": "draft",
        "confidence": 0.4,
        "files": [IMAGE, f"src/{LONG}{LONG}.py", "__proto__"],
        "tags": ["__proto__", "constructor", IMAGE],
        "evidence": [],
        "flags": ["conflict", "low_confidence"],
        "tier": 1,
        "branch": IMAGE,
        "mergedFrom": [],
        "supersededBy": None,
        "session": None,
        "sourceRef": SCRIPT,
        "mergedAtMs": None,
        "fingerprints": {},
        "conflicts": [],
        "version": 1,
        "createdAtMs": 5,
        "updatedAtMs": 5,
    }
    return item | changes


def _context(key: str, parent: str | None) -> dict[str, Any]:
    fields = {
        "loremark": "context",
        "ref": ids.new("ctx"),
        "parentSchemaKey": parent,
        "schemaKey": key,
        "name": NAME,
        "description": IMAGE,
    }
    rest = {"content": TEXT, "state": "approved", "tier": 1, "contextType": "memory", "version": 1}
    return fields | rest | {"createdAtMs": 5, "updatedAtMs": 5}


def import_lines(user: User, lines: list[dict[str, Any]]) -> None:
    body = "".join(json.dumps(line) + "\n" for line in lines)
    user.request("POST", "/api/v2/import", params={"projectId": user.project_id}, content=body.encode())


def import_hostile_project(user: User) -> None:
    """Import hostile text in every field that tools, agents and files can set."""
    session = {
        "loremark": "session",
        "ref": ids.new("ses"),
        "source": IMAGE,
        "status": "completed",
        "itemsExtracted": 2,
    }
    session |= {"enrichmentModel": IMAGE, "lastEventAtMs": 6, "createdAtMs": 5, "completedAtMs": 6}
    events = [
        {"loremark": "event", "ref": ids.new("evt"), "session": session["ref"], "event": event, "payload": payload}
        | {"enriched": True, "createdAtMs": 5}
        for event, payload in _EVENTS
    ]
    quotes = [{"event": events[0]["ref"], "quote": IMAGE}, {"event": events[1]["ref"], "quote": TEXT[:1500]}]
    second = item(evidence=quotes, session=session["ref"])
    conflict = {"item": second["ref"], "reason": TEXT[:500], "detectedAtMs": 5}
    first = item(evidence=quotes, conflicts=[conflict], session=session["ref"], version=2)
    approved = item(status="approved", flags=[], title=f"constructor {SCRIPT}")
    revision = {"loremark": "revision", "kind": "item", "ref": first["ref"], "change": IMAGE, "createdAtMs": 5}
    names = "title content type schemaKey status confidence files tags flags tier branch mergedFrom supersededBy"
    snapshot = {name: first[name] for name in names.split()} | {"evidence": []}
    before = {**snapshot, "title": f"Before {IMAGE}"}
    revisions = [
        revision | {"version": 1, "snapshot": before},
        revision | {"version": 2, "snapshot": snapshot, "change": "__proto__"},
    ]
    # Names of built-in JavaScript object properties, which lookups in plain objects must not find.
    known = {**session, "ref": ids.new("ses"), "source": "__proto__", "enrichmentModel": "constructor"}
    events.append({**events[0], "ref": ids.new("evt"), "session": known["ref"], "payload": {"source": "constructor"}})
    contexts = [_context("root", None), _context("root/constructor", "root")]
    import_lines(user, [*contexts, session, known, *events, second, first, approved, *revisions])


def set_hostile_names(site: Site, user: User) -> str:
    """Set hostile names in every field users can edit; return the id of a chat with a hostile question."""
    project = user.project_id
    user.request("PATCH", f"/api/projects/{project}", json={"name": NAME, "description": TEXT[:400]})
    user.request("POST", "/api/projects", json={"name": SCRIPT})
    site.member(user, name=NAME)
    user.request("POST", "/api/team", json={"email": "<img/src=x/onerror=window.hit=1>@example.com", "role": "admin"})
    user.request("POST", "/api/keys", json={"name": NAME})
    url = f"https://127.0.0.1:9/{IMAGE}?{SCRIPT}"
    hook = {"url": url.replace(" ", "/"), "events": ["item.created"], "projectId": project}
    made = user.request("POST", "/api/webhooks", json=hook)
    user.request("POST", f"/api/webhooks/{made['id']}/test")
    user.request("POST", "/api/v2/hygiene", json={"projectId": project, "action": "analyze", "mode": "weekly"})
    chat = str(user.request("POST", "/api/v2/chat-sessions", json={"projectId": project, "title": NAME})["sessionId"])
    question = {"projectId": project, "question": f"{IMAGE} constructor __proto__?", "chatSessionId": chat}
    ticket = user.request("POST", "/api/v2/ask", json=question)["ticket"]
    body = {"ticket": ticket, "question": question["question"]}
    assert httpx.post(f"{user.url}/worker/ask", json=body, trust_env=False, verify=False, timeout=60).status_code == 200
    return chat
