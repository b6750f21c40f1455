"""A tool that sends signed events, implemented from the interface specification alone."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import Any

import httpx

from loremark.base import clock
from tests.support.people import Person

INGEST = "/api/v2/ingest"


def event_body(payload: Any, event: str = "session_save") -> bytes:
    """An ingest request body."""
    return json.dumps({"event": event, "payload": payload}).encode()


@dataclass(frozen=True)
class Tool:
    """A client that knows a project's secret."""

    project_id: str
    secret: str

    def headers(self, raw: bytes, *, at_s: int | str | None = None, **more: str) -> dict[str, str]:
        """Signed headers for a body. More headers can be added or replaced by name (``X_Service_Source="cli"``)."""
        timestamp = str(clock.now_ms() // 1000 if at_s is None else at_s)
        digest = hmac.new(self.secret.encode(), timestamp.encode() + b"." + raw, hashlib.sha256).hexdigest()
        return {
            "Content-Type": "application/json",
            "X-Service-Project": self.project_id,
            "X-Service-Timestamp": timestamp,
            "X-Service-Signature": f"sha256={digest}",
            **{name.replace("_", "-"): value for name, value in more.items()},
        }

    async def post(self, http: httpx.AsyncClient, raw: bytes, **headers: str) -> httpx.Response:
        """Send raw bytes."""
        return await http.post(INGEST, content=raw, headers=self.headers(raw, **headers))

    async def send(
        self, http: httpx.AsyncClient, payload: Any, event: str = "session_save", **headers: str
    ) -> httpx.Response:
        return await self.post(http, event_body(payload, event), **headers)

    async def ingest(self, http: httpx.AsyncClient, payload: Any, **headers: str) -> dict[str, Any]:
        """Send an event that is accepted; return the response body."""
        answer = await self.send(http, payload, **headers)
        assert answer.status_code == 202, answer.text
        accepted: dict[str, Any] = answer.json()
        return accepted

    def send_sync(self, http: httpx.Client, payload: Any, **headers: str) -> httpx.Response:
        """Like ``send``, from a thread."""
        raw = event_body(payload)
        return http.post(INGEST, content=raw, headers=self.headers(raw, **headers))


async def tool_for(person: Person, project_id: str | None = None, **fields: Any) -> Tool:
    """A tool for a project of this person, created if necessary."""
    project_id = project_id or await person.create_project(**fields)
    answer = await person.get(f"/api/projects/{project_id}/hmac-secret")
    assert answer.status_code == 200, answer.text
    return Tool(project_id, answer.json()["secret"])


async def rotate(person: Person, tool: Tool, **body: Any) -> Tool:
    """Rotate the secret and return a tool with the new one."""
    answer = await person.post(f"/api/projects/{tool.project_id}/hmac-secret/rotate", body)
    assert answer.status_code == 200, answer.text
    return Tool(tool.project_id, answer.json()["secret"])


async def events_of(person: Person, session_id: str, query: str = "") -> list[dict[str, Any]]:
    answer = await person.get(f"/api/v2/sessions/{session_id}/events{query}")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()
    return found


async def sessions_of(person: Person, project_id: str) -> list[dict[str, Any]]:
    answer = await person.get(f"/api/v2/sessions?projectId={project_id}")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()
    return found
