"""State and dependencies of a running enrichment job."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from loremark.base.caller import Scope
from loremark.base.plans import Plan, Plans
from loremark.features.enrichment.deep_enrichment import DeepReader
from loremark.features.enrichment.records import Progress
from loremark.features.metering.service import TeamMeter
from loremark.features.sessions import service as sessions
from loremark.features.sessions import store as sessions_store
from loremark.features.sessions.service import Models
from loremark.jobs.notices import notify_changed
from loremark.jobs.run import Run
from loremark.ports.blobs.store import Blobs
from loremark.ports.embeddings.embedder import Embedder
from loremark.ports.llm.model import LanguageModel
from loremark.storage.database import Database, Row, Tx
from loremark.wire.events import WebhookEvent


@dataclass(frozen=True)
class Dependencies:
    """Dependencies shared by all enrichment jobs of a process."""

    database: Database
    blobs: Blobs
    embedder: Embedder
    plans: Plans
    names: Models
    models: dict[str, LanguageModel]
    """By name. A tier served by the built-in engine has no entry."""
    deep: DeepReader | None
    meter_builtin: bool


@dataclass
class Task:
    """One enrichment job."""

    deps: Dependencies
    run: Run
    scope: Scope
    session: Row
    project: Row
    plan: Plan
    meter: TeamMeter
    progress: Progress
    model: LanguageModel | None
    builtin_name: str
    reading: Row | None = None
    """What a developer's agent said about the session, if it was asked."""

    @property
    def job_id(self) -> str:
        return self.run.job.id

    @property
    def project_id(self) -> str:
        return str(self.project["id"])

    @property
    def session_id(self) -> str:
        return str(self.session["id"])

    async def save_progress(self, tx: Tx) -> None:
        """Store the job's progress."""
        await self.run.save_result(tx, msgspec.to_builtins(self.progress))
        self.notify(tx)

    def notify(self, tx: Tx) -> None:
        """Notify open pages that the job has progressed."""
        notify_changed(tx, self.scope, "sessions", self.project_id)

    async def complete_session(self, tx: Tx) -> None:
        """Complete the session, and emit the webhook event unless it was completed before."""
        await sessions_store.update_status(tx, self.scope, self.session_id, "completed")
        if not self.run.payload.get("wasCompleted"):
            await sessions.emit_session_event(
                tx,
                WebhookEvent.SESSION_COMPLETED,
                self.session,
                status="completed",
                event_count=self.session["event_count"],
            )
