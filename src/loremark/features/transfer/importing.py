"""One chunk on its way into the database: who has which id is looked up, the rest is added, counted and told."""

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
from loremark.features.history.memory import lock_memory, touch_memory
from loremark.features.index import store as index
from loremark.features.ingest import store as ingest
from loremark.features.metering import slots
from loremark.features.metering import store as metering
from loremark.features.metering.clearing import gone
from loremark.features.metering.counting import limits_of
from loremark.features.metering.periods import month_start_ms, period
from loremark.features.metering.slots import EVENTS, SESSIONS, STORAGE
from loremark.features.projects import store as projects
from loremark.features.projects.repository import RepoHosts
from loremark.features.transfer import citing, keeping
from loremark.features.transfer.cleaning import Cleaning
from loremark.features.transfer.preparing import Chunk, NewContext
from loremark.features.transfer.reading import refuse
from loremark.features.transfer.store import find_known_events, find_project
from loremark.jobs.notices import tell_changed
from loremark.memory import schema_keys
from loremark.storage.database import Tx
from loremark.wire.transfer import Imported, LineCounts, ProjectSettings

_COUNTED = (EVENTS, SESSIONS, STORAGE)


class Import:
    """A chunk, in the transaction that keeps it."""

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
        """What is of another month and counts in this one."""
        self._shows = False
        """Whether the brain could show any of it."""
        self._now_ms = clock.now_ms()
        self._month_start_ms = month_start_ms(self._now_ms)

    async def keep(self, plan: Plan, hosts: RepoHosts) -> Imported:
        await lock_memory(self._tx, self._scope, self._project_id)
        if not await ingest.hold_projects(self._tx, [self._project_id]):
            raise errors.PROJECT_NOT_FOUND()
        if self._chunk.header is not None and await keeping.is_empty(self._tx, self._scope, self._project_id):
            await self._take_settings(self._chunk.header.project, hosts)
        await self._keep_contexts()
        await self._keep_sessions()
        await self._keep_events()
        await self._keep_items()
        await self._keep_revisions()
        await self._count(plan)
        await self._tell()
        return Imported(
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

    async def _take_settings(self, told: ProjectSettings, hosts: RepoHosts) -> None:
        """Only a project without any memory takes the name and settings of the one that comes."""
        project = await find_project(self._tx, self._scope, self._project_id)
        assert project is not None
        clean = Cleaning()
        changes: dict[str, Any] = {
            "name": clean.name(told.name, limits.PROJECT_NAME_CHARS),
            "description": clean.text(told.description, limits.DESCRIPTION_CHARS),
            "ai_tier": told.ai_tier,
            "deep_enrich_enabled": told.deep_enrich_enabled,
            "auto_approve_threshold": told.auto_approve_threshold,
        }
        if told.repo_url is not None and project["repo_url"] is None:
            with suppress(errors.Refusal):  # a host that this server does not read from
                changes |= {"repo_host_username": hosts.owner_of(told.repo_url), "repo_url": told.repo_url}
        differing = {name: value for name, value in changes.items() if project[name] != value}
        if differing:
            await projects.update_project(self._tx, self._scope, self._project_id, differing)
            tell_changed(self._tx, self._scope, "projects", self._project_id)

    async def _own(self, table: str, wanted: Mapping[str, int]) -> set[str]:
        """Those of the ids that are there; a line that names what is another project's is refused."""
        owners = await keeping.find_owners(self._tx, table, wanted)
        for each, owner in owners.items():
            if owner != self._project_id:
                refuse(wanted[each], "it names what belongs to another project")
        return set(owners)

    # ── contexts

    async def _keep_contexts(self) -> None:
        if not self._chunk.contexts:
            return
        await self._own("contexts", {new.columns["id"]: new.number for new in self._chunk.contexts.values()})
        places = await contexts.list_places(self._tx, self._scope, self._project_id)
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
            _refuse_too_deep(new.number, own[key], parents)
            rows.append({**new.columns, "parent_id": parent_id})
        self._created.contexts = len(await keeping.insert(self._tx, keeping.CONTEXTS, rows))
        self._shows = self._shows or any(row["state"] == "approved" for row in rows)

    def _parent(self, key: str, new: NewContext, own: Mapping[str, str], shared: Mapping[str, str]) -> str | None:
        if new.parent is None:
            return shared.get(schema_keys.parent(key) or "")
        if new.parent not in own and not self._dry_run:
            refuse(new.number, "its parent must come before it")
        return own.get(new.parent)

    # ── sessions and events

    async def _keep_sessions(self) -> None:
        given = self._chunk.sessions
        known = await self._own("sessions", {each: new.number for each, new in given.items()})
        rows = [new.columns for each, new in given.items() if each not in known]
        self._created.sessions = len(await keeping.insert(self._tx, keeping.SESSIONS, rows))
        self._use(SESSIONS, rows, [row["status"] == "active" for row in rows])

    async def _keep_events(self) -> None:
        given = self._chunk.events
        known = await self._own("events", {each: new.number for each, new in given.items()})
        missing = [new for each, new in given.items() if each not in known]
        in_sessions = {new.columns["session_id"]: new.number for new in missing}
        there = await self._own("sessions", in_sessions)
        for session_id, number in in_sessions.items():
            if session_id not in there and not self._dry_run:
                refuse(number, "its session must come before it")
        new = await keeping.insert(self._tx, keeping.EVENTS, [each.columns for each in missing])
        added = [each for place, each in enumerate(missing) if place in new]
        self._created.events = len(added)
        for session_id, more in Counter(each.columns["session_id"] for each in added).items():
            await keeping.count_events(self._tx, self._scope, session_id, more)
        columns = [each.columns for each in added]
        self._use(EVENTS, columns, [row["enriched_by"] is None for row in columns])
        self._used[STORAGE] += sum(each.columns["size_bytes"] for each in added)
        await self._keep_blobs({name: len(text) for each in added for name, text in each.blobs.items()})

    def _use(self, counter: str, rows: Sequence[Mapping[str, Any]], open_work: Sequence[bool]) -> None:
        """Rows count in their own month; what is still to be worked on, whatever its date, in the present one."""
        past = [is_open for row, is_open in zip(rows, open_work, strict=True) if not self._is_of_month(row)]
        self._past[counter] += sum(past)
        self._used[counter] += len(rows) - len(past) + sum(past)

    def _is_of_month(self, row: Mapping[str, Any]) -> bool:
        return bool(row["created_at_ms"] >= self._month_start_ms)

    async def _keep_blobs(self, sizes: Mapping[str, int]) -> None:
        if not sizes:
            return
        known = await ingest.find_blobs(self._tx, self._project_id, list(sizes))
        shared = {"project_id": self._project_id, "team_id": self._scope, "created_at_ms": self._now_ms}
        rows: list[dict[str, Any]] = [
            {**shared, "sha256": sha256, "size_bytes": size} for sha256, size in sizes.items() if sha256 not in known
        ]
        await keeping.insert(self._tx, keeping.BLOBS, rows)
        self._used[STORAGE] += sum(row["size_bytes"] for row in rows)

    # ── items

    async def _keep_items(self) -> None:
        given = self._chunk.items
        numbers = {each: new.number for each, new in given.items()}
        known = await self._own("items", numbers)
        missing = [new for each, new in given.items() if each not in known]
        if not missing:
            return
        await self._own("items", {other: new.number for new in missing for other in new.others})
        sessions = {new.columns["session_id"]: new.number for new in missing if new.columns["session_id"]}
        await self._own("sessions", sessions)
        known_events = await self._events_of({each for new in missing for each, _ in citing.cited(new.evidence)})
        for new in missing:
            new.columns["evidence"] = citing.keep_known(new.evidence, known_events)
        await keeping.insert(self._tx, keeping.ITEMS, [new.columns for new in missing])
        await keeping.insert(self._tx, keeping.FILES, [row for new in missing for row in new.files])
        await keeping.insert(self._tx, keeping.CONFLICTS, [row for new in missing for row in new.conflicts])
        version = await index.next_version(self._tx, self._scope, self._project_id)
        await keeping.insert(self._tx, keeping.INDEX, [{**new.entry, "version": version} for new in missing])
        await keeping.insert(self._tx, keeping.TO_EMBED, [new.entry for new in missing])
        self._created.items = len(missing)
        self._shows = self._shows or any(new.columns["status"] == "approved" for new in missing)

    # ── histories

    async def _keep_revisions(self) -> None:
        """Of what is the project's, up to its present version: what was changed here has a history of its own."""
        given = self._chunk.revisions
        if not given:
            return
        present = await self._present({of_id for of_id, _ in given})
        wanted = {key: new for key, new in given.items() if key[1] <= present.get(key[0], 0)}
        known = await keeping.find_revisions(self._tx, self._scope, {of_id for of_id, _ in wanted})
        missing = [new for key, new in wanted.items() if key not in known]
        await self._own("items", {other: new.number for new in missing for other in new.others})
        known_events = await self._events_of({each for new in missing for each in citing.cited_in(new.snapshot)})
        for new in missing:
            new.columns["snapshot"] = citing.keep_known_in(new.snapshot, known_events)
        await keeping.insert(self._tx, keeping.REVISIONS, [new.columns for new in missing])
        self._created.revisions = len(missing)

    async def _events_of(self, wanted: Collection[str]) -> set[str]:
        """Those that are the project's own: nothing rests on words that are not there."""
        return await find_known_events(self._tx, self._scope, self._project_id, wanted)

    async def _present(self, wanted: Collection[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for table in ("items", "contexts"):
            found |= await keeping.find_versions(self._tx, self._scope, table, self._project_id, wanted)
        return found

    # ── what follows

    async def _count(self, plan: Plan) -> None:
        """As events and sessions of a month; storage is storage, whenever it came."""
        if not any(self._used.values()):
            return
        month, most = period(self._now_ms), limits_of(plan)
        for counter, count in self._past.items():
            if count:  # written down where the recount looks for what it does not find among the month's rows
                await metering.count(self._tx, self._scope, month, gone(counter), count)
        held = await slots.hold(self._tx, self._scope, month, _COUNTED)
        for counter in _COUNTED:
            total = held[counter] + self._used[counter]
            if self._used[counter] and total > most[counter]:
                raise errors.PLAN_LIMIT(counter=counter)
            await slots.spread(self._tx, self._scope, month, counter, total)

    async def _tell(self) -> None:
        made = {name: count for name, count in vars_of(self._created).items() if count}
        if not made:
            return
        await audit.record(
            self._tx, self._caller, "project.imported", self._project_id, project_id=self._project_id, **made
        )
        for what in ("contexts", "sessions", "items"):
            if what in made:
                tell_changed(self._tx, self._scope, what, self._project_id)
        if self._shows:
            await touch_memory(self._tx, self._scope, self._project_id)


def vars_of(counts: LineCounts) -> dict[str, int]:
    return {name: getattr(counts, name) for name in counts.__struct_fields__}


def _refuse_too_deep(number: int, context_id: str, parents: Mapping[str, str | None]) -> None:
    above: str | None = context_id
    for _ in range(limits.CONTEXT_LEVELS):
        above = parents.get(above) if above is not None else None
    if above is not None:
        refuse(number, f"it is more than {limits.CONTEXT_LEVELS} levels deep")
