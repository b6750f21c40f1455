"""Import of one chunk into the database: inserts missing records, counts usage and emits change events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

from loremark.base import clock, errors, limits
from loremark.base.caller import Caller
from loremark.base.plans import Plan
from loremark.features.audit import store as audit
from loremark.features.contexts import store as contexts
from loremark.features.history.memory_version import lock_memory, touch_memory
from loremark.features.index import store as index
from loremark.features.ingest import store as ingest
from loremark.features.metering import counter_slots
from loremark.features.metering import store as metering
from loremark.features.metering.counter_slots import EVENTS, SESSIONS, STORAGE
from loremark.features.metering.periods import month_start_ms, period
from loremark.features.metering.plan_limits import limits_of
from loremark.features.metering.project_deletion import deleted_counter
from loremark.features.projects import store as projects
from loremark.features.projects.repository import RepoHosts
from loremark.features.transfer import evidence, import_store
from loremark.features.transfer.import_chunk import Chunk, NewContext
from loremark.features.transfer.line_parser import refuse
from loremark.features.transfer.sanitizer import Sanitizer
from loremark.features.transfer.store import find_known_events, find_project
from loremark.jobs.notices import notify_changed
from loremark.memory import schema_keys
from loremark.storage.database import Tx
from loremark.wire.transfer import ImportResult, LineCounts, ProjectSettings

_COUNTED = (EVENTS, SESSIONS, STORAGE)


class Import:
    """Imports one chunk in one transaction."""

    def __init__(self, tx: Tx, caller: Caller, project_id: str, chunk: Chunk, *, dry_run: bool) -> None:
        self._tx = tx
        self._caller = caller
        self._scope = caller.scope
        self._project_id = project_id
        self._chunk = chunk
        self._dry_run = dry_run
        self._created = LineCounts()
        self._used: Counter[str] = Counter()
        self._past: Counter[str] = Counter()
        """Rows of earlier months that count in this one."""
        self._affects_brain = False
        """Whether any of it can appear in the brain."""
        self._now_ms = clock.now_ms()
        self._month_start_ms = month_start_ms(self._now_ms)

    async def run(self, plan: Plan, hosts: RepoHosts) -> ImportResult:
        await lock_memory(self._tx, self._scope, self._project_id)
        if not await ingest.lock_projects(self._tx, [self._project_id]):
            raise errors.PROJECT_NOT_FOUND()
        if self._chunk.header is not None and await import_store.is_empty(self._tx, self._scope, self._project_id):
            await self._apply_settings(self._chunk.header.project, hosts)
        await self._add_contexts()
        await self._add_sessions()
        await self._add_events()
        await self._add_items()
        await self._add_revisions()
        await self._count(plan)
        await self._announce()
        return ImportResult(
            dry_run=self._dry_run,
            lines=self._chunk.lines,
            created=self._created,
            skipped=self._skipped(),
            redacted=self._chunk.redacted,
        )

    def _skipped(self) -> LineCounts:
        chunk, created = self._chunk, self._created
        return LineCounts(
            contexts=len(chunk.contexts) - created.contexts,
            sessions=len(chunk.sessions) - created.sessions,
            events=len(chunk.events) - created.events,
            items=len(chunk.items) - created.items,
            revisions=len(chunk.revisions) - created.revisions,
        )

    async def _apply_settings(self, settings: ProjectSettings, hosts: RepoHosts) -> None:
        """Apply the name and settings of the export; only called for an empty project."""
        project = await find_project(self._tx, self._scope, self._project_id)
        assert project is not None
        clean = Sanitizer()
        changes: dict[str, Any] = {
            "name": clean.name(settings.name, limits.PROJECT_NAME_CHARS),
            "description": clean.text(settings.description, limits.DESCRIPTION_CHARS),
            "ai_tier": settings.ai_tier,
            "deep_enrich_enabled": settings.deep_enrich_enabled,
            "auto_approve_threshold": settings.auto_approve_threshold,
        }
        if settings.repo_url is not None and project["repo_url"] is None:
            with suppress(errors.Refusal):  # the host is not allowed on this server
                changes |= {"repo_host_username": hosts.owner_of(settings.repo_url), "repo_url": settings.repo_url}
        differing = {name: value for name, value in changes.items() if project[name] != value}
        if differing:
            await projects.update_project(self._tx, self._scope, self._project_id, differing)
            notify_changed(self._tx, self._scope, "projects", self._project_id)

    async def _own(self, table: str, wanted: Mapping[str, int]) -> set[str]:
        """The existing ids among these. A line that names another project's record is rejected."""
        owners = await import_store.find_owners(self._tx, table, wanted)
        for each, owner in owners.items():
            if owner != self._project_id:
                refuse(wanted[each], "refers to a record of another project")
        return set(owners)

    # ── contexts

    async def _add_contexts(self) -> None:
        if not self._chunk.contexts:
            return
        await self._own("contexts", {new.columns["id"]: new.number for new in self._chunk.contexts.values()})
        places = await contexts.list_nodes(self._tx, self._scope, self._project_id)
        own = {row["schema_key"]: row["id"] for row in places if row["project_key"] == self._project_id}
        shared = {row["schema_key"]: row["id"] for row in places if row["project_key"] != self._project_id}
        parents = {row["id"]: row["parent_id"] for row in places}
        taken = set(parents)
        rows = []
        for key, new in self._chunk.contexts.items():
            if key in own or new.columns["id"] in taken:
                continue
            parent_id = self._parent(key, new, own, shared)
            own[key] = new.columns["id"]
            parents[own[key]] = parent_id
            _check_depth(new.number, own[key], parents)
            rows.append({**new.columns, "parent_id": parent_id})
        self._created.contexts = len(await import_store.insert(self._tx, import_store.CONTEXTS, rows))
        self._affects_brain = self._affects_brain or any(row["state"] == "approved" for row in rows)

    def _parent(self, key: str, new: NewContext, own: Mapping[str, str], shared: Mapping[str, str]) -> str | None:
        if new.parent is None:
            return shared.get(schema_keys.parent(key) or "")
        if new.parent not in own and not self._dry_run:
            refuse(new.number, "the parent context must come first")
        return own.get(new.parent)

    # ── sessions and events

    async def _add_sessions(self) -> None:
        given = self._chunk.sessions
        known = await self._own("sessions", {each: new.number for each, new in given.items()})
        rows = [new.columns for each, new in given.items() if each not in known]
        self._created.sessions = len(await import_store.insert(self._tx, import_store.SESSIONS, rows))
        self._use(SESSIONS, rows, [row["status"] == "active" for row in rows])

    async def _add_events(self) -> None:
        given = self._chunk.events
        known = await self._own("events", {each: new.number for each, new in given.items()})
        missing = [new for each, new in given.items() if each not in known]
        in_sessions = {new.columns["session_id"]: new.number for new in missing}
        there = await self._own("sessions", in_sessions)
        for session_id, number in in_sessions.items():
            if session_id not in there and not self._dry_run:
                refuse(number, "the session must come first")
        new = await import_store.insert(self._tx, import_store.EVENTS, [each.columns for each in missing])
        added = [each for place, each in enumerate(missing) if place in new]
        self._created.events = len(added)
        for session_id, more in Counter(each.columns["session_id"] for each in added).items():
            await import_store.count_events(self._tx, self._scope, session_id, more)
        columns = [each.columns for each in added]
        self._use(EVENTS, columns, [row["enriched_by"] is None for row in columns])
        self._used[STORAGE] += sum(each.columns["size_bytes"] for each in added)
        await self._add_blobs({name: len(text) for each in added for name, text in each.blobs.items()})
        references = [
            {"project_id": self._project_id, "team_id": self._scope, "event_id": each.columns["id"], "sha256": sha256}
            for each in added
            for sha256 in each.blobs
        ]
        await import_store.insert(self._tx, import_store.EVENT_BLOBS, references)

    def _use(self, counter: str, rows: Sequence[Mapping[str, Any]], unfinished: Sequence[bool]) -> None:
        """Count rows in their own month, but unfinished work in the current month."""
        past = [
            is_unfinished for row, is_unfinished in zip(rows, unfinished, strict=True) if not self._is_of_month(row)
        ]
        self._past[counter] += sum(past)
        self._used[counter] += len(rows) - len(past) + sum(past)

    def _is_of_month(self, row: Mapping[str, Any]) -> bool:
        return bool(row["created_at_ms"] >= self._month_start_ms)

    async def _add_blobs(self, sizes: Mapping[str, int]) -> None:
        if not sizes:
            return
        known = await ingest.find_blobs(self._tx, self._project_id, list(sizes))
        shared = {"project_id": self._project_id, "team_id": self._scope, "created_at_ms": self._now_ms}
        rows: list[dict[str, Any]] = [
            {**shared, "sha256": sha256, "size_bytes": size} for sha256, size in sizes.items() if sha256 not in known
        ]
        await import_store.insert(self._tx, import_store.BLOBS, rows)
        self._used[STORAGE] += sum(row["size_bytes"] for row in rows)

    # ── items

    async def _add_items(self) -> None:
        given = self._chunk.items
        numbers = {each: new.number for each, new in given.items()}
        known = await self._own("items", numbers)
        missing = [new for each, new in given.items() if each not in known]
        if not missing:
            return
        await self._own("items", {other: new.number for new in missing for other in new.others})
        sessions = {new.columns["session_id"]: new.number for new in missing if new.columns["session_id"]}
        await self._own("sessions", sessions)
        known_events = await self._events_of(
            {each for new in missing for each, *_ in evidence.parse_evidence(new.evidence)}
        )
        for new in missing:
            new.columns["evidence"] = evidence.filter_evidence(new.evidence, known_events)
        await import_store.insert(self._tx, import_store.ITEMS, [new.columns for new in missing])
        await import_store.insert(self._tx, import_store.FILES, [row for new in missing for row in new.files])
        await import_store.insert(self._tx, import_store.CONFLICTS, [row for new in missing for row in new.conflicts])
        version = await index.next_version(self._tx, self._scope, self._project_id)
        await import_store.insert(self._tx, import_store.INDEX, [{**new.entry, "version": version} for new in missing])
        await import_store.insert(self._tx, import_store.TO_EMBED, [new.entry for new in missing])
        self._created.items = len(missing)
        self._affects_brain = self._affects_brain or any(new.columns["status"] == "approved" for new in missing)

    # ── histories

    async def _add_revisions(self) -> None:
        """Add missing revisions up to each record's current version. Later ones are this server's own history."""
        given = self._chunk.revisions
        if not given:
            return
        present = await self._present({record_id for record_id, _ in given})
        wanted = {key: new for key, new in given.items() if key[1] <= present.get(key[0], 0)}
        known = await import_store.find_revisions(self._tx, self._scope, {record_id for record_id, _ in wanted})
        missing = [new for key, new in wanted.items() if key not in known]
        await self._own("items", {other: new.number for new in missing for other in new.others})
        known_events = await self._events_of(
            {each for new in missing for each in evidence.event_ids_in_snapshot(new.snapshot)}
        )
        for new in missing:
            new.columns["snapshot"] = evidence.filter_snapshot(new.snapshot, known_events)
        await import_store.insert(self._tx, import_store.REVISIONS, [new.columns for new in missing])
        self._created.revisions = len(missing)

    async def _events_of(self, wanted: Collection[str]) -> set[str]:
        """The events among these that exist in the project."""
        return await find_known_events(self._tx, self._scope, self._project_id, wanted)

    async def _present(self, wanted: Collection[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for table in ("items", "contexts"):
            found |= await import_store.find_versions(self._tx, self._scope, table, self._project_id, wanted)
        return found

    # ── what follows

    async def _count(self, plan: Plan) -> None:
        """Count events and sessions of this month, and storage."""
        if not any(self._used.values()):
            return
        month, limits_by_counter = period(self._now_ms), limits_of(plan)
        for counter, count in self._past.items():
            if count:  # so that the recount adds up without rows of this month
                await metering.count(self._tx, self._scope, month, deleted_counter(counter), count)
        locked = await counter_slots.lock(self._tx, self._scope, month, _COUNTED)
        for counter in _COUNTED:
            total = locked[counter] + self._used[counter]
            if self._used[counter] and total > limits_by_counter[counter]:
                raise errors.PLAN_LIMIT(counter=counter)
            await counter_slots.rebalance(self._tx, self._scope, month, counter, total)

    async def _announce(self) -> None:
        created = {name: count for name, count in counts_by_kind(self._created).items() if count}
        if not created:
            return
        await audit.record(
            self._tx, self._caller, "project.imported", self._project_id, project_id=self._project_id, **created
        )
        for resource in ("contexts", "sessions", "items"):
            if resource in created:
                notify_changed(self._tx, self._scope, resource, self._project_id)
        if self._affects_brain:
            await touch_memory(self._tx, self._scope, self._project_id)


def counts_by_kind(counts: LineCounts) -> dict[str, int]:
    return {name: getattr(counts, name) for name in counts.__struct_fields__}


def _check_depth(number: int, context_id: str, parents: Mapping[str, str | None]) -> None:
    above: str | None = context_id
    for _ in range(limits.CONTEXT_LEVELS):
        above = parents.get(above) if above is not None else None
    if above is not None:
        refuse(number, f"more than {limits.CONTEXT_LEVELS} levels deep")
