"""State and dependencies of a running scan, and its transitions between phases."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import msgspec

from loremark.base.caller import Scope
from loremark.base.crypto import Sealer
from loremark.base.plans import Plan, Plans
from loremark.features.genesis import store
from loremark.features.genesis.sandboxed_parser import SandboxedParser
from loremark.features.genesis.service import PHASES
from loremark.features.metering.service import TeamMeter
from loremark.features.projects.repository import token_context
from loremark.features.sessions.service import Models
from loremark.jobs.notices import notify_changed
from loremark.jobs.run import Run
from loremark.memory.codebase.records import Codebase, CodebaseAnalysis, FileFacts
from loremark.ports.git.repository import Repositories
from loremark.ports.git.snapshot import PastCommit, Snapshot, TreeEntry
from loremark.ports.llm.model import LanguageModel
from loremark.storage.database import Database, Row, Tx

_PHASE_START = {
    "fetch_tree": 0.0,
    "fetch_files": 0.1,
    "build_chunks": 0.18,
    "analyze": 0.2,
    "synthesize": 0.82,
    "security_audit": 0.9,
    "assemble": 0.94,
}
"""Overall progress at the start of each phase."""
_MAX_NOTES = 20
_COMMITS = 60


@dataclass(frozen=True)
class Dependencies:
    """Dependencies shared by all scans of a process."""

    database: Database
    repositories: Repositories
    sealer: Sealer
    plans: Plans
    names: Models
    models: dict[str, LanguageModel]
    """By name. A tier served by the built-in engine has no entry."""

    scan_cpu_s: float


class ScanDeleted(Exception):
    """The scan or its project was deleted while the scan was running."""


@dataclass
class Task:
    """One scan."""

    deps: Dependencies
    run: Run
    scope: Scope
    project: Row
    scan: Row
    plan: Plan
    meter: TeamMeter
    model: LanguageModel | None
    notes: list[str]
    parser: SandboxedParser
    facts: dict[str, FileFacts] | None = None
    """Facts of all files, once this attempt has read them all. Otherwise they are only in the database."""

    studied: tuple[Codebase, CodebaseAnalysis] | None = None
    """Input of the last phases, computed once per attempt."""

    _listed: list[TreeEntry] | None = None
    _commits: list[PastCommit] | None = None

    @property
    def scan_id(self) -> str:
        return str(self.scan["id"])

    @property
    def project_id(self) -> str:
        return str(self.project["id"])

    def snapshot(self) -> AbstractAsyncContextManager[Snapshot]:
        """Open the repository at the scan's commit, or at the tip of the branch if none is recorded yet."""
        sealed = self.project["repo_token_sealed"]
        token = self.deps.sealer.open(sealed, token_context(self.project_id)) if sealed else None
        return self.deps.repositories.snapshot(
            self.project["repo_url"], token, branch=self.scan["branch"], commit=self.scan["commit_sha"]
        )

    async def entries(self, snapshot: Snapshot) -> list[TreeEntry]:
        """Return the files of the snapshot, listed once per attempt."""
        if self._listed is None:
            self._listed = await snapshot.entries()
        return self._listed

    async def recent_commits(self, snapshot: Snapshot) -> list[PastCommit]:
        """Return the latest commits, fetched once per attempt."""
        if self._commits is None:
            self._commits = await snapshot.commits(_COMMITS)
        return self._commits

    async def tree_and_history(self) -> tuple[list[TreeEntry], list[PastCommit]]:
        """Return files and latest commits, opening the repository only if this attempt has not loaded them yet."""
        if self._listed is None or self._commits is None:
            async with self.snapshot() as snapshot:
                return await self.entries(snapshot), await self.recent_commits(snapshot)
        return self._listed, self._commits

    def note(self, sentence: str) -> None:
        """Add a note once, up to the maximum."""
        if sentence not in self.notes and len(self.notes) < _MAX_NOTES:
            self.notes.append(sentence)

    def progress_in(self, phase: str, share: float) -> float:
        """Return the overall progress when this share of a phase is done."""
        begins = _PHASE_START[phase]
        following = PHASES.index(phase) + 1
        ends = _PHASE_START[PHASES[following]] if following < len(PHASES) else 0.99
        return begins + (ends - begins) * min(1.0, max(0.0, share))

    async def save(self, tx: Tx, changes: Mapping[str, Any]) -> None:
        """Update the scan's columns and notes, and notify open pages."""
        columns = {**changes, "notes": msgspec.json.encode(self.notes).decode()}
        await store.update_scan(tx, self.scope, self.scan_id, columns)
        await self._reload(tx)
        notify_changed(tx, self.scope, "scans", self.project_id)

    @asynccontextmanager
    async def finish(self, phase: str) -> AsyncIterator[Tx]:
        """Open a transaction that stores a phase's results and moves the scan to the next phase."""
        async with self.run.finish(phase) as tx:
            locked = await store.lock_scan(tx, self.scope, self.scan_id)
            if locked is None:
                raise ScanDeleted
            self.scan = locked
            yield tx
            following = PHASES.index(phase) + 1
            if following < len(PHASES) and not locked["cancel_requested"]:
                changes = {"phase": PHASES[following], "progress": _PHASE_START[PHASES[following]]}
                await store.update_scan(tx, self.scope, self.scan_id, changes)
            await self._reload(tx)
            notify_changed(tx, self.scope, "scans", self.project_id)

    async def _reload(self, tx: Tx) -> None:
        row = await store.find_scan(tx, self.scope, self.scan_id)
        if row is None:
            raise ScanDeleted
        self.scan = row
