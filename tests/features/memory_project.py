"""A project for enrichment tests: send events, enrich sessions and read items."""

from __future__ import annotations

from typing import Any

from tests.features.signed_tool import Tool, tool_for
from tests.support.people import Person
from tests.support.service import Service


def save(*changes: tuple[str, str, str], summary: str = "", **more: Any) -> dict[str, Any]:
    """A session_save as an agent sends it: changes by category, title and content."""
    entries = [{"category": category, "title": title, "content": content} for category, title, content in changes]
    return {"summary": summary, "changes": entries, **more}


def digest(*commits: tuple[str, str, list[Any]], branch: str = "main", **more: Any) -> dict[str, Any]:
    """A git_digest: commits by sha, message and files."""
    entries = [{"sha": sha, "message": message, "files": files} for sha, message, files in commits]
    return {"branch": branch, "commits": entries, **more}


class Memory:
    """A project, accessed by its owner."""

    def __init__(self, service: Service, owner: Person, tool: Tool) -> None:
        self.service = service
        self.owner = owner
        self.tool = tool

    @classmethod
    async def of(cls, service: Service, **project: Any) -> Memory:
        owner = await service.owner()
        memory = cls(service, owner, await tool_for(owner))
        if project:
            changed = await owner.patch(f"/api/projects/{memory.tool.project_id}", project)
            assert changed.status_code == 200, changed.text
        return memory

    async def send(self, payload: dict[str, Any], event: str = "session_save") -> dict[str, Any]:
        """Send an event that is accepted; return its ids."""
        answer = await self.tool.send(self.service.http, payload, event)
        assert answer.status_code == 202, answer.text
        accepted: dict[str, Any] = answer.json()
        return accepted

    async def enrich(self, session_id: str, *, seconds: float = 60.0) -> dict[str, Any]:
        """Enrich a session, wait for the job and return it."""
        started = await self.owner.post(f"/api/v2/sessions/{session_id}/enrich")
        assert started.status_code == 202, started.text
        await self.service.wait_for_jobs(seconds)
        return (await self.jobs(session_id))[0]

    async def learn(self, payload: dict[str, Any], event: str = "session_save") -> dict[str, Any]:
        """Send one event and enrich its session; return the job."""
        return await self.enrich((await self.send(payload, event))["sessionId"])

    async def learn_from(
        self, person: Person, payload: dict[str, Any], event: str = "memory_operation"
    ) -> dict[str, Any]:
        """Send one event with a person's key and enrich its session; return the job."""
        body = {"projectId": self.tool.project_id, "event": event, "payload": payload}
        answer = await person.post("/api/v2/events", body)
        assert answer.status_code == 202, answer.text
        return await self.enrich(answer.json()["sessionId"])

    async def jobs(self, session_id: str) -> list[dict[str, Any]]:
        answer = await self.owner.get(f"/api/v2/sessions/{session_id}/jobs")
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()
        return found

    async def session(self, session_id: str) -> dict[str, Any]:
        answer = await self.owner.get(f"/api/v2/sessions/{session_id}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def items(self, query: str = "") -> list[dict[str, Any]]:
        """List items, oldest first."""
        answer = await self.owner.get(f"/api/v2/items?projectId={self.tool.project_id}{query}")
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()
        return found[::-1]

    async def approve_all(self) -> None:
        """Approve all items as a reviewer."""
        for item in await self.items("&limit=1000"):
            answer = await self.owner.patch(f"/api/v2/items/{item['id']}", {"status": "approved"})
            assert answer.status_code == 200, answer.text

    async def item(self, item_id: str) -> dict[str, Any]:
        answer = await self.owner.get(f"/api/v2/items/{item_id}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found
