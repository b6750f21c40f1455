"""An enrichment job at work: what it is about, and what it works with."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from loremark.base.caller import Scope
from loremark.base.plans import Plan, Plans
from loremark.features.enrichment.deep import DeepReader
from loremark.features.enrichment.records import Progress
from loremark.features.metering.service import TeamMeter
from loremark.features.sessions import service as sessions
from loremark.features.sessions import store as sessions_store
from loremark.features.sessions.service import Models
from loremark.jobs.notices import tell_changed
from loremark.jobs.run import Run
from loremark.ports.blobs.store import Blobs
from loremark.ports.embeddings.embedder import Embedder
from loremark.ports.llm.model import LanguageModel
from loremark.storage.database import Database, Row, Tx
from loremark.wire.events import WebhookEvent


@dataclass(frozen=True)
class Kit:
    """What all enrichment jobs of a process share."""

    database: Database
    blobs: Blobs
    embedder: Embedder
    plans: Plans
    names: Models
    models: dict[str, LanguageModel]
    """By name; a tier served by the built-in engine has none."""
    deep: DeepReader | None
    meter_builtin: bool


@dataclass
class Task:
    """One job."""

    kit: Kit
    run: Run
    scope: Scope
    session: Row
    project: Row
    plan: Plan
    meter: TeamMeter
    progress: Progress
    model: LanguageModel | None
    builtin_name: str
    gave_up_model: bool = False

    @property
    def job_id(self) -> str:
        return self.run.job.id

    @property
    def project_id(self) -> str:
        return str(self.project["id"])

    @property
    def session_id(self) -> str:
        return str(self.session["id"])

    async def keep(self, tx: Tx) -> None:
        """Write down how far the job has come, with what it did."""
        await self.run.keep_result(tx, msgspec.to_builtins(self.progress))
        self.tell(tx)

    def tell(self, tx: Tx) -> None:
        """People who look on see how far the job has come."""
        tell_changed(tx, self.scope, "sessions", self.project_id)

    async def complete_session(self, tx: Tx) -> None:
        """The session is completed; webhooks hear of it unless it was so before."""
        await sessions_store.update_status(tx, self.scope, self.session_id, "completed")
        if not self.run.payload.get("wasCompleted"):
            await sessions.tell(
                tx,
                WebhookEvent.SESSION_COMPLETED,
                self.session,
                status="completed",
                event_count=self.session["event_count"],
            )
