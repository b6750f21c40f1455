"""A hostile server: its text never reaches the terminal as control sequences, and never crashes a command."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import msgspec
import pytest

from loremark.base import profile
from tests.cli.harness import Cli

EVIL = "a\x1b]0;owned\x07\x1b[2Jb\x9b31mc\u202ed\r\x00\x08"
_ITEM = {
    "id": EVIL,
    "title": EVIL,
    "content": f"# {EVIL}\n```\n{EVIL}",
    "type": "bug",
    "schemaKey": EVIL,
    "status": "draft",
    "confidence": 1e300,
    "sourceRef": EVIL,
    "files": [EVIL],
    "createdAt": EVIL,
    "updatedAt": EVIL,
    "projectId": EVIL,
    "tier": 1,
    "tags": [EVIL],
    "evidence": [{"eventId": EVIL, "quote": EVIL}],
    "flags": ["conflict"],
    "supersededBy": EVIL,
    "mergedFrom": [],
    "branch": EVIL,
    "version": 2,
}
_CONTEXT = {
    **dict.fromkeys(("id", "name", "description", "schemaKey", "parentContextId", "createdAt", "content"), EVIL),
    "updatedAt": EVIL,
    "state": "draft",
    "tier": 1,
    "contextType": "memory",
}
_SOURCE = {
    **dict.fromkeys(("itemId", "title", "facts", "schemaKey"), EVIL),
    "type": "bug",
    "similarity": -5.0,
    "confidence": 0.0,
    "files": [EVIL],
    "used": True,
}
_TURN = {
    **dict.fromkeys(("turnId", "sessionId", "eventId", "excerpt", "agent", "branch", "commitSha", "saidAt"), EVIL),
    "kind": "session",
    "files": [EVIL],
    "similarity": 0.9,
    "score": 1.0,
}
_ACTION = {
    **dict.fromkeys(("id", "description", "itemId", "before", "after"), EVIL),
    "type": "RENAME_TITLE",
    "confidence": 0.1,
    "requiresHumanApproval": False,
}
_JOB = {
    "id": EVIL,
    "status": "failed",
    "pipeline": [{"stage": EVIL, "status": "failed", "duration": 10**15}],
    "itemsExtracted": 1,
    "createdAt": "",
    "completedAt": None,
    "warning": EVIL,
}
_SESSION = {
    **dict.fromkeys(("id", "projectId", "createdAt", "completedAt", "enrichmentModel"), EVIL),
    "status": "active",
    "eventCount": 1,
    "itemsExtracted": 1,
}
_REVISIONS = [
    {"version": number, "change": EVIL, "actorId": EVIL, "createdAt": EVIL, "snapshot": {EVIL: number, "content": EVIL}}
    for number in (2, 1)
]
_PLAN = {
    **dict.fromkeys(("planId", "createdAt", "expiresAt"), EVIL),
    "itemsAnalyzed": 1,
    "actions": [_ACTION],
    "mode": "quick",
    "summary": {"byType": {EVIL: 1}},
}
_META = {
    "itemCount": 1,
    "tokenEstimate": 1,
    "assembledAt": EVIL,
    "schemaKeys": [EVIL],
    "omitted": {"count": 0, "byLayer": {}},
    "budget": 1,
}
_WHY = [{"signal": EVIL, "description": EVIL, "score": 1.0}]
ANSWERS: dict[str, object] = {
    "GET items": [_ITEM],
    "GET items/x": _ITEM,
    "PATCH items/x": _ITEM,
    "GET items/x/revisions": _REVISIONS,
    "POST items/x/revert": _ITEM,
    "GET brain": {"markdown": f"# {EVIL}\n> {EVIL}", "metadata": _META},
    "POST briefing": {
        "id": None,
        "markdown": f"# {EVIL}\n> {EVIL}",
        "tokenEstimate": 1,
        "entries": [{"kind": "session", "id": EVIL, "reviewed": False}],
    },
    "GET search": {
        "results": [{**_SOURCE, "score": 1.0, "explanation": _WHY}],
        "query": EVIL,
        "tookMs": 1.0,
        "turns": [_TURN],
    },
    "POST ask": {"ticket": EVIL, "workerUrl": "WORKER"},
    "GET sessions": [_SESSION],
    "GET sessions/x": _SESSION,
    "GET sessions/x/events": [{"id": EVIL, "event": EVIL, "payload": {EVIL: EVIL}, "createdAt": EVIL}],
    "GET sessions/x/jobs": [_JOB],
    "POST sessions/x/enrich": {"jobId": EVIL, "status": "queued", "pipeline": []},
    "POST ingest": {"eventId": EVIL, "sessionId": EVIL},
    "POST hygiene": _PLAN,
    "GET contexts/tree": [{"id": EVIL, "name": EVIL, "schemaKey": EVIL, "children": []}],
    "GET contexts/x": _CONTEXT,
    "GET contexts/x/revisions": _REVISIONS,
    "POST contexts/x/approve": _CONTEXT,
    "GET projects/x/hmac-secret": {"secret": "s"},
}
COMMANDS = [
    "items list",
    "items show x",
    "items approve x",
    "items history x",
    "items diff x",
    "items revert x",
    "items delete x",
    "brain",
    "brain --metadata",
    "search x --explain",
    "search x --in all",
    "ask why so",
    "context f.py --task x",
    "sessions list",
    "sessions show x",
    "sessions events x",
    "sessions events x --full",
    "save x",
    "save x --enrich",
    "enrich",
    "hygiene",
    "review",
    "contexts tree",
    "contexts show ctx_x",
    "contexts approve ctx_x",
    "contexts diff ctx_x",
]


class _HostileServer(http.server.BaseHTTPRequestHandler):
    lies: bool = True

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = self.path.partition("?")[0].removeprefix("/api/").removeprefix("v2/").strip("/").split("/")
        if len(parts) > 1 and parts != ["contexts", "tree"]:
            parts[1] = "x"
        name = f"{self.command} {'/'.join(parts)}"
        if self.path == "/ask":
            token = msgspec.json.encode({"type": "token", "content": EVIL})
            done = {"type": "done", "answer": EVIL, "sources": [_SOURCE], "avgSimilarity": 0, "model": EVIL}
            done |= {"usage": {}, "embedUsage": {}}
            body = b"data: %b\n\ndata: %b\n\n" % (token, msgspec.json.encode(done))
        elif self.lies and name in ANSWERS:
            body = msgspec.json.encode(ANSWERS[name]).replace(b"WORKER", f"http://{self.headers['Host']}".encode())
        else:
            body = msgspec.json.encode({"error": EVIL})
        self.send_response(200 if name in ANSWERS or self.path == "/ask" else 400)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PATCH = do_DELETE = _answer

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def hostile_server() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _HostileServer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("lies", [True, False], ids=["lies", "refuses"])
def test_control_characters_never_reach_the_terminal(
    cli: Cli, hostile_server: str, lies: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_HostileServer, "lies", lies)
    profile.save(profile.Profile(hostile_server, "service_sk_x", {"prj_x": "s"}))
    monkeypatch.setenv("LOREMARK_PROJECT", "prj_x")
    for command in COMMANDS:
        for options, terminal in (([], False), (["--json"], True)):
            done = cli.run(*command.split(), *options, stdin="q\n", terminal=terminal and "delete" not in command)
            shown = done.out + done.err
            assert not set(shown) & set("\x1b\x07\x9b\u202e\x00\x08"), (command, shown)
            assert "Traceback" not in shown
            assert done.code in (0, 1), (command, done)
            assert shown, command
