"""A scan at work: what it is about, what it works with, and how it moves from phase to phase."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec

from loremark.base.caller import Scope
from loremark.base.crypto import Sealer
from loremark.base.plans import Plan, Plans
from loremark.features.genesis import store
from loremark.features.genesis.reading import Reader
from loremark.features.genesis.service import PHASES
from loremark.features.metering.service import TeamMeter
from loremark.features.projects.repository import token_context
from loremark.features.sessions.service import Models
from loremark.jobs.notices import tell_changed
from loremark.jobs.run import Run
from loremark.memory.codebase.records import Codebase, FileFacts, Study
from loremark.ports.git.repository import Repositories
from loremark.ports.git.snapshot import PastCommit, Snapshot, TreeEntry
from loremark.ports.llm.model import LanguageModel
from loremark.storage.database import Database, Row, Tx

_BEGINS_AT = {
    "fetch_tree": 0.0,
    "fetch_files": 0.1,
    "build_chunks": 0.18,
    "analyze": 0.2,
    "synthesize": 0.82,
    "security_audit": 0.9,
    "assemble": 0.94,
}
"""How far a scan has come when a phase begins."""
_MOST_NOTES = 20
_COMMITS = 60


@dataclass(frozen=True)
class Kit:
    """What all scans of a process share."""

    database: Database
    repositories: Repositories
    sealer: Sealer
    plans: Plans
    names: Models
    models: dict[str, LanguageModel]
    """By name; a tier served by the built-in engine has none."""


class Gone(Exception):
    """The scan, or its project, has been deleted meanwhile."""


@dataclass
class Task:
    """One scan."""

    kit: Kit
    run: Run
    scope: Scope
    project: Row
    scan: Row
    plan: Plan
    meter: TeamMeter
    model: LanguageModel | None
    notes: list[str]
    reader: Reader = field(default_factory=Reader)
    facts: dict[str, FileFacts] | None = None
    """Of all files, once this attempt has read the last of them; until then, and after a crash, they are only kept."""

    seen: tuple[Codebase, Study] | None = None
    """What the last phases look at, once it was put together; after a crash that is done again."""

    _listed: list[TreeEntry] | None = None
    _past: list[PastCommit] | None = None

    @property
    def scan_id(self) -> str:
        return str(self.scan["id"])

    @property
    def project_id(self) -> str:
        return str(self.project["id"])

    def snapshot(self) -> AbstractAsyncContextManager[Snapshot]:
        """The repository: at the tip of the branch, or where the scan found it when it began."""
        sealed = self.project["repo_token_sealed"]
        token = self.kit.sealer.open(sealed, token_context(self.project_id)) if sealed else None
        return self.kit.repositories.snapshot(
            self.project["repo_url"], token, branch=self.scan["branch"], commit=self.scan["commit_sha"]
        )

    async def entries(self, snapshot: Snapshot) -> list[TreeEntry]:
        """The files of the snapshot, listed once in an attempt."""
        if self._listed is None:
            self._listed = await snapshot.entries()
        return self._listed

    async def past(self, snapshot: Snapshot) -> list[PastCommit]:
        """The last commits; the host is asked for them once in an attempt."""
        if self._past is None:
            self._past = await snapshot.commits(_COMMITS)
        return self._past

    async def around(self) -> tuple[list[TreeEntry], list[PastCommit]]:
        """Both; the repository is opened only if this attempt has not asked for them yet."""
        if self._listed is None or self._past is None:
            async with self.snapshot() as snapshot:
                return await self.entries(snapshot), await self.past(snapshot)
        return self._listed, self._past

    def note(self, sentence: str) -> None:
        """Each sentence once, and not for ever."""
        if sentence not in self.notes and len(self.notes) < _MOST_NOTES:
            self.notes.append(sentence)

    def progress_in(self, phase: str, share: float) -> float:
        """How far the whole has come when so much of a phase is done."""
        begins = _BEGINS_AT[phase]
        following = PHASES.index(phase) + 1
        ends = _BEGINS_AT[PHASES[following]] if following < len(PHASES) else 0.99
        return begins + (ends - begins) * min(1.0, max(0.0, share))

    async def keep(self, tx: Tx, changes: Mapping[str, Any]) -> None:
        """Write down what is known of the scan by now; people who look on hear of it."""
        noted = {**changes, "notes": msgspec.json.encode(self.notes).decode()}
        await store.update_scan(tx, self.scope, self.scan_id, noted)
        await self._look_again(tx)
        tell_changed(tx, self.scope, "scans", self.project_id)

    @asynccontextmanager
    async def finish(self, phase: str) -> AsyncIterator[Tx]:
        """A transaction in which a phase's effects and the step to the next phase are one."""
        async with self.run.finish(phase) as tx:
            held = await store.hold_scan(tx, self.scope, self.scan_id)
            if held is None:
                raise Gone
            self.scan = held
            yield tx
            following = PHASES.index(phase) + 1
            if following < len(PHASES) and not held["cancel_requested"]:
                changes = {"phase": PHASES[following], "progress": _BEGINS_AT[PHASES[following]]}
                await store.update_scan(tx, self.scope, self.scan_id, changes)
            await self._look_again(tx)
            tell_changed(tx, self.scope, "scans", self.project_id)

    async def _look_again(self, tx: Tx) -> None:
        row = await store.find_scan(tx, self.scope, self.scan_id)
        if row is None:
            raise Gone
        self.scan = row
