"""Poll a project for changes and report them as webhook deliveries.

The server delivers webhooks to public addresses only and keeps no copies. This compares sessions, items, members and
the brain with the last poll, and builds the deliveries a webhook would have sent. Event IDs are generated here.
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

_MAX_ITEMS = 5_000
_MAX_SESSIONS = 200

Change = tuple[WebhookEvent, dict[str, Any]]


class ProjectWatcher:
    """The last known state of a project."""

    def __init__(self, client: Client, project: str) -> None:
        self._client = client
        self._project = project
        self._sessions: dict[str, SessionEntry] = {}
        self._items: dict[str, MemoryItem] = {}
        self._members: dict[str, ProjectMember] = {}
        self._brain: str | None = None
        list(self._poll())  # the existing state is not news

    def poll(self) -> list[DeliveryBody]:
        """Changes since the last poll, oldest first."""
        return [
            DeliveryBody(
                id=ids.new("evt"),
                type=event.value,
                project_id=self._project,
                timestamp=clock.iso(clock.now_ms()),
                data=data,
            )
            for event, data in self._poll()
        ]

    def _poll(self) -> Iterator[Change]:
        yield from self._poll_sessions()
        yield from self._poll_items()
        yield from self._poll_members()
        yield from self._poll_brain()

    def _poll_sessions(self) -> Iterator[Change]:
        found = self._client.send(list_sessions(self._project, limit=_MAX_SESSIONS))
        before, self._sessions = self._sessions, {session.id: session for session in found}
        for session in reversed(found):
            known = before.get(session.id)
            if known is None:
                data = {"sessionId": session.id, "status": "active", "eventCount": session.event_count}
                yield WebhookEvent.SESSION_CREATED, data
            if (known.status if known is not None else "active") != session.status:
                yield from self._status_change(session, known)

    def _status_change(self, session: SessionEntry, known: SessionEntry | None) -> Iterator[Change]:
        """Events for a changed session status."""
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
        """Event data about a session's newest job."""
        jobs = self._client.send(list_jobs(session_id))
        if not jobs:
            return {"jobId": None}
        job = jobs[0]
        data: dict[str, Any] = {"jobId": job.id}
        if ended == "completed":
            data |= {
                "itemsExtracted": job.items_extracted,
                "duration": sum(stage.duration or 0 for stage in job.pipeline),
            }
        if ended == "failed":
            stages = [stage.stage for stage in job.pipeline if stage.status != "completed"]
            data |= {
                "stage": stages[0] if stages else "",
                "error": job.warning if isinstance(job.warning, str) else "",
            }
        return data

    def _poll_items(self) -> Iterator[Change]:
        found = list(islice(self._client.paginate(list_items(self._project)), _MAX_ITEMS))
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

    def _poll_members(self) -> Iterator[Change]:
        found = {member.user_id: member for member in self._client.paginate(list_members(self._project))}
        before, self._members = self._members, found
        for event, some, others in (
            (WebhookEvent.MEMBER_ADDED, found, before),
            (WebhookEvent.MEMBER_REMOVED, before, found),
        ):
            for member in some.values():
                if member.user_id not in others:
                    yield event, {"userId": member.user_id, "email": member.email, "role": member.role}

    def _poll_brain(self) -> Iterator[Change]:
        answer = self._client.request(get_brain(self._project))
        before, self._brain = self._brain, answer.etag
        if answer.etag is not None and answer.etag != before:
            yield WebhookEvent.BRAIN_UPDATED, {"etag": answer.etag, "itemCount": answer.value.metadata.item_count}
