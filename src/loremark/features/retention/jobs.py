"""Deletion of data whose retention period is over: a schedule for all projects, and a job for each that has any.

Events lose what was sent; turns, items and the session stay. Sessions are deleted like on request, except that items
which were once approved keep their quotes. Chats are deleted with their messages.
"""

from __future__ import annotations

import msgspec

from loremark.base import clock, ids
from loremark.base.caller import Scope, system_caller
from loremark.features.audit import store as audit
from loremark.features.chats import store as chats
from loremark.features.metering.project_deletion import RETENTION
from loremark.features.metering.service import count_chat_storage
from loremark.features.projects import store as projects
from loremark.features.recall import store as recall
from loremark.features.retention import store
from loremark.features.session_deletion import service as deletion
from loremark.features.session_deletion import store as deletion_store
from loremark.features.session_deletion.jobs import delete_unused_blobs
from loremark.features.session_deletion.service import Deletion
from loremark.features.sessions import store as sessions
from loremark.jobs import queue
from loremark.jobs.notices import notify_changed
from loremark.jobs.run import Run
from loremark.ports.blobs.store import Blobs
from loremark.storage.database import Database, Row, Tx

SCHEDULE = "retention.schedule"
EVENTS_AT_ONCE = 500
CHATS_AT_ONCE = 20
_PROJECTS_AT_ONCE = 200
MAX_RUN_S = 30.0
"""After this time a project's job ends and queues up again, so that other teams get a turn."""


class Cutoffs(msgspec.Struct, frozen=True):
    """Before when data of a project has expired; None where it is kept."""

    events_ms: int | None
    sessions_ms: int | None
    chats_ms: int | None

    @classmethod
    def of(cls, project: Row) -> Cutoffs:
        now_ms = clock.now_ms()
        return cls(
            *(
                None
                if project[f"{kind}_retention_days"] is None
                else max(0, now_ms - project[f"{kind}_retention_days"] * clock.DAY_MS)
                for kind in ("event", "session", "chat")
            )
        )


class Progress(msgspec.Struct):
    """What a job has deleted, and what a retry must finish."""

    events: int = 0
    sessions: int = 0
    drafts: int = 0
    chats: int = 0
    items: list[str] = []
    """Deleted items of the session that is being deleted."""
    blobs: list[str] = []
    """Blobs of deleted events that may be unused now."""

    def counts(self) -> dict[str, int]:
        return {"events": self.events, "sessions": self.sessions, "drafts": self.drafts, "chats": self.chats}


class RetentionSchedule:
    """Enqueues a job for each project with expired data."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(self, run: Run) -> None:
        after = ""
        while True:
            async with self._database.read() as tx:
                limited = await store.list_limited_projects(tx, after=after, take=_PROJECTS_AT_ONCE)
            for project in limited:
                await self._enqueue(run, project)
            if len(limited) < _PROJECTS_AT_ONCE:
                return
            after = limited[-1]["id"]

    async def _enqueue(self, run: Run, project: Row) -> None:
        scope, project_id = Scope(project["team_id"]), project["id"]
        async with self._database.read() as tx:
            if await store.has_open_job(tx, scope, project_id) or not await _has_expired(tx, scope, project):
                return
        async with run.step() as tx:
            await queue.enqueue(tx, RETENTION, {}, team_id=scope, project_id=project_id)


async def _has_expired(tx: Tx, scope: Scope, project: Row) -> bool:
    project_id, cutoffs = project["id"], Cutoffs.of(project)
    if cutoffs.events_ms is not None:
        before = ids.first_at("evt", cutoffs.events_ms)
        if await store.list_expired_events(tx, scope, project_id, before=before, take=1):
            return True
    if cutoffs.sessions_ms is not None and await _find_expired_session(tx, scope, project_id, cutoffs.sessions_ms):
        return True
    return cutoffs.chats_ms is not None and await store.has_expired_chat(
        tx, scope, project_id, before_ms=cutoffs.chats_ms
    )


async def _find_expired_session(tx: Tx, scope: Scope, project_id: str, before_ms: int) -> str | None:
    before = ids.first_at("ses", before_ms)
    return await store.find_expired_session(tx, scope, project_id, before=before, before_ms=before_ms)


class EnforceRetention:
    """Deletes a project's expired data in bounded batches. Safe to repeat after a crash."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs

    async def __call__(self, run: Run) -> None:
        scope, project_id = Scope(str(run.job.team_id)), str(run.job.project_id)
        async with run.database.read() as tx:
            project = await projects.find_project_of_team(tx, scope, project_id)
        if project is not None:
            await _Enforcement(run, self._blobs, scope, project).run()


class _Enforcement:
    """One run of a project's job."""

    def __init__(self, run: Run, blobs: Blobs, scope: Scope, project: Row) -> None:
        self._run = run
        self._blobs = blobs
        self._scope = scope
        self._project_id: str = project["id"]
        self._cutoffs = Cutoffs.of(project)
        self._progress = msgspec.convert(run.job.result or {}, Progress)
        self._until_s = clock.monotonic() + MAX_RUN_S
        self._has_more = False

    async def run(self) -> None:
        await self._delete_blobs()
        if self._cutoffs.chats_ms is not None:
            await self._delete_chats(self._cutoffs.chats_ms)
        if self._cutoffs.sessions_ms is not None:
            await self._delete_sessions(self._cutoffs.sessions_ms)
        if self._cutoffs.events_ms is not None:
            await self._delete_events(self._cutoffs.events_ms)
        async with self._run.step() as tx:
            await self._record(tx)
            if self._has_more:
                await queue.enqueue(tx, RETENTION, {}, team_id=self._scope, project_id=self._project_id)
            await self._run.save_result(tx, {})

    def _is_out_of_time(self) -> bool:
        """Whether to leave the rest to the next job."""
        self._has_more = self._has_more or clock.monotonic() >= self._until_s
        return self._has_more

    async def _save(self, tx: Tx) -> None:
        await self._run.save_result(tx, msgspec.to_builtins(self._progress))

    async def _record(self, tx: Tx) -> None:
        counts = self._progress.counts()
        if not any(counts.values()):
            return
        cutoffs = {
            f"{name.removesuffix('_ms')}Before": clock.iso(at_ms)
            for name, at_ms in msgspec.structs.asdict(self._cutoffs).items()
            if at_ms is not None
        }
        caller = system_caller(self._scope, "Loremark")
        await audit.record(
            tx, caller, "retention.applied", self._project_id, project_id=self._project_id, **counts, **cutoffs
        )

    async def _delete_chats(self, before_ms: int) -> None:
        while True:
            async with self._run.step() as tx:
                expired = await store.lock_expired_chats(
                    tx, self._scope, self._project_id, before_ms=before_ms, take=CHATS_AT_ONCE
                )
                for chat in expired:
                    await chats.delete_chat(tx, self._scope, chat["id"])
                self._progress.chats += len(expired)
                await self._save(tx)
                if expired:
                    notify_changed(tx, self._scope, "chats", self._project_id)
                await count_chat_storage(tx, self._scope, -sum(chat["storage_tokens"] for chat in expired))
            if len(expired) < CHATS_AT_ONCE or self._is_out_of_time():
                return

    async def _delete_sessions(self, before_ms: int) -> None:
        while True:
            async with self._run.database.read() as tx:
                session_id = await _find_expired_session(tx, self._scope, self._project_id, before_ms)
            if session_id is None:
                return
            await self._delete_session(session_id, before_ms)
            if self._is_out_of_time():
                return

    async def _delete_session(self, session_id: str, before_ms: int) -> None:
        """Delete the items of a session in batches, and the session with the last one."""
        scope, project_id, progress = self._scope, self._project_id, self._progress
        async with self._run.database.read() as tx:
            expired = await deletion_store.list_expired_event_ids(tx, scope, project_id, session_id)
        doomed = Deletion(session_id=session_id, actor_id=None, expired_events=sorted(expired), keeps_quotes=True)
        after: str | None = ""
        while after is not None:
            async with self._run.step() as tx:
                await deletion.lock_for_deletion(tx, scope, project_id)
                session = await sessions.lock_session(tx, scope, session_id)
                if session is None or session["status"] == "enriching" or session["last_event_ms"] >= before_ms:
                    return  # deleted or reopened meanwhile
                gone, after = await deletion.delete_items(tx, scope, project_id, doomed, after)
                progress.drafts += len(gone)
                progress.items += gone
                if after is None:
                    progress.sessions += 1
                    progress.events += len(await deletion_store.list_event_ids(tx, scope, session_id))
                    whole = msgspec.structs.replace(doomed, items=progress.items)
                    await deletion.remove_session(tx, scope, session, whole, has_items=False)
                    progress.items = []
                await self._save(tx)

    async def _delete_events(self, before_ms: int) -> None:
        scope, project_id = self._scope, self._project_id
        before = ids.first_at("evt", before_ms)
        while True:
            async with self._run.step() as tx:
                await deletion_store.lock_project(tx, scope, project_id)
                expired = await store.list_expired_events(tx, scope, project_id, before=before, take=EVENTS_AT_ONCE)
                await recall.mark_read(tx, scope, project_id, expired)
                self._progress.blobs = sorted(await deletion_store.delete_events(tx, scope, project_id, expired))
                self._progress.events += len(expired)
                await self._save(tx)
                if expired:
                    notify_changed(tx, scope, "sessions", project_id)
            await self._delete_blobs()
            if len(expired) < EVENTS_AT_ONCE or self._is_out_of_time():
                return

    async def _delete_blobs(self) -> None:
        await delete_unused_blobs(self._run, self._blobs, self._scope, self._project_id, self._progress.blobs)
        self._progress.blobs = []
