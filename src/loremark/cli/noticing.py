"""What has changed in a project since one looked last, told in the shapes of webhook deliveries.

The server delivers webhooks to public addresses only and keeps no copy of what it told. So this looks at sessions,
items, members and the brain, and says what a webhook would have said of the difference. The ids of events are our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from loremark.base import clock, ids
from loremark.client.calls.brain import get_brain
from loremark.client.calls.items import list_items
from loremark.client.calls.projects import list_members
from loremark.client.calls.sessions import list_jobs, list_sessions
from loremark.client.client import Client
from loremark.wire.events import WebhookEvent
from loremark.wire.items import MemoryItem
from loremark.wire.projects import ProjectMember
from loremark.wire.sessions import SessionEntry
from loremark.wire.webhooks import DeliveryBody

_MOST_ITEMS = 5_000
_SESSIONS = 200

Told = tuple[WebhookEvent, dict[str, Any]]


class Watch:
    """A project as it was last seen."""

    def __init__(self, client: Client, project: str) -> None:
        self._client = client
        self._project = project
        self._sessions: dict[str, SessionEntry] = {}
        self._items: dict[str, MemoryItem] = {}
        self._members: dict[str, ProjectMember] = {}
        self._brain: str | None = None
        list(self._look())  # what is there already is no news

    def look(self) -> list[DeliveryBody]:
        """What is new, in the order in which it came about."""
        return [
            DeliveryBody(
                id=ids.new("evt"),
                type=event.value,
                project_id=self._project,
                timestamp=clock.iso(clock.now_ms()),
                data=data,
            )
            for event, data in self._look()
        ]

    def _look(self) -> Iterator[Told]:
        yield from self._look_at_sessions()
        yield from self._look_at_items()
        yield from self._look_at_members()
        yield from self._look_at_brain()

    def _look_at_sessions(self) -> Iterator[Told]:
        found = self._client.send(list_sessions(self._project, limit=_SESSIONS))
        before, self._sessions = self._sessions, {session.id: session for session in found}
        for session in reversed(found):
            known = before.get(session.id)
            if known is None:
                data = {"sessionId": session.id, "status": "active", "eventCount": session.event_count}
                yield WebhookEvent.SESSION_CREATED, data
            if (known.status if known is not None else "active") != session.status:
                yield from self._turn(session, known)

    def _turn(self, session: SessionEntry, known: SessionEntry | None) -> Iterator[Told]:
        """A session's status has become another."""
        was_enriching = known is not None and known.status == "enriching"
        if session.status == "enriching":
            yield WebhookEvent.ENRICHMENT_STARTED, {"sessionId": session.id, **self._job(session.id, "")}
        elif session.status == "failed":
            yield WebhookEvent.ENRICHMENT_FAILED, {"sessionId": session.id, **self._job(session.id, "failed")}
        elif session.status == "completed":
            data = {"sessionId": session.id, "status": session.status, "eventCount": session.event_count}
            yield WebhookEvent.SESSION_COMPLETED, data
        if session.status == "completed" and was_enriching:
            yield WebhookEvent.ENRICHMENT_COMPLETED, {"sessionId": session.id, **self._job(session.id, "completed")}

    def _job(self, session_id: str, ended: str) -> dict[str, Any]:
        """What there is to tell of a session's newest job."""
        jobs = self._client.send(list_jobs(session_id))
        if not jobs:
            return {"jobId": None}
        job = jobs[0]
        told: dict[str, Any] = {"jobId": job.id}
        if ended == "completed":
            told |= {
                "itemsExtracted": job.items_extracted,
                "duration": sum(stage.duration or 0 for stage in job.pipeline),
            }
        if ended == "failed":
            stages = [stage.stage for stage in job.pipeline if stage.status != "completed"]
            told |= {
                "stage": stages[0] if stages else "",
                "error": job.warning if isinstance(job.warning, str) else "",
            }
        return told

    def _look_at_items(self) -> Iterator[Told]:
        found = list(islice(self._client.every(list_items(self._project)), _MOST_ITEMS))
        before, self._items = self._items, {item.id: item for item in found}
        for item in reversed(found):
            known = before.get(item.id)
            if known is not None and known.version == item.version:
                continue
            event = WebhookEvent.ITEM_CREATED if known is None else WebhookEvent.ITEM_UPDATED
            if item.status == "deprecated" and known is not None and known.status != "deprecated":
                event = WebhookEvent.ITEM_DEPRECATED
            data = {
                "itemId": item.id,
                "type": item.type,
                "title": item.title,
                "schemaKey": item.schema_key,
                "status": item.status,
            }
            yield event, data

    def _look_at_members(self) -> Iterator[Told]:
        found = {member.user_id: member for member in self._client.every(list_members(self._project))}
        before, self._members = self._members, found
        for event, some, others in (
            (WebhookEvent.MEMBER_ADDED, found, before),
            (WebhookEvent.MEMBER_REMOVED, before, found),
        ):
            for member in some.values():
                if member.user_id not in others:
                    yield event, {"userId": member.user_id, "email": member.email, "role": member.role}

    def _look_at_brain(self) -> Iterator[Told]:
        answer = self._client.answer(get_brain(self._project))
        before, self._brain = self._brain, answer.etag
        if answer.etag is not None and answer.etag != before:
            yield WebhookEvent.BRAIN_UPDATED, {"etag": answer.etag, "itemCount": answer.value.metadata.item_count}
