"""Loremark as a system under test: a real `loremark serve` on SQLite, queried over HTTP like a user would.

No API call creates an item as it is, and enrichment would create different ones. So items are written into the running
server's database like enrichment writes them: the item, its files, index entry, first revision and vector.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import bindparam, select

from bench.measure import cpu_seconds
from bench.retrieval_sets import Document, EmbeddedBy, Project
from bench.servers import start_loremark
from loremark.base import clock
from loremark.base.caller import Scope
from loremark.features.enrichment.records import text_hash
from loremark.features.index.vectors import upsert_vector
from loremark.features.items.service import create_item
from loremark.ports.embeddings.vector_packing import pack
from loremark.storage.connect import open_database
from loremark.storage.database import Database, Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import projects

_AT_ONCE = 100
_TIMEOUT_S = 60
_TEAM = Sql(select(projects.c.team_id).where(projects.c.id == bindparam("of_project")))


class Server:
    """One project per benchmark project. The server embeds each question as part of the search."""

    name = "Loremark (HTTP)"
    embedding: EmbeddedBy = "system"

    def __init__(self, stack: ExitStack, folder: Path, model: str) -> None:
        self._loremark = start_loremark(stack, folder, "")
        self._model = model
        self._runner = stack.enter_context(asyncio.Runner())
        self._database: Database = self._runner.run(open_database(folder / "loremark.db"))
        stack.callback(lambda: self._runner.run(self._database.close()))
        self._http = HTTPConnection("127.0.0.1", self._loremark.port, timeout=_TIMEOUT_S)
        stack.callback(self._http.close)
        self._scope = Scope(self._runner.run(self._find_team()))
        self._project = self._loremark.project
        self._places: dict[str, int] = {}
        self.search("is the embedder there?", np.empty(0, dtype=np.float32), 1)

    def cpu_seconds(self) -> float:
        return cpu_seconds(self._loremark.pid)

    def add(self, project: Project, vectors: NDArray[np.float32]) -> None:
        """Includes the first search, at which the server loads the project's index."""
        self._project = self._loremark.create_project(project.name)
        self._places = {}
        packed = pack(vectors)
        for start in range(0, len(packed), _AT_ONCE):
            end = start + _AT_ONCE
            self._runner.run(self._write(project.documents[start:end], packed[start:end]))
        self._http.close()  # it may have been idle longer than the server waits; the next request reconnects
        self.search(project.name, vectors[0], 1)

    def search(self, question: str, vector: NDArray[np.float32], limit: int) -> list[int]:
        del vector
        query = {"projectId": self._project, "q": question, "limit": limit, "minSimilarity": 0}
        headers = {"Authorization": f"Bearer {self._loremark.key}"}
        self._http.request("GET", f"/api/v2/search?{urlencode(query)}", headers=headers)
        answer = self._http.getresponse()
        body: dict[str, Any] = json.loads(answer.read())
        if answer.status != 200:
            raise RuntimeError(f"a search was answered with {answer.status}: {body}")
        return [self._places[one["itemId"]] for one in body["results"]]

    async def _find_team(self) -> str:
        async with self._database.read() as tx:
            row = await tx.one(_TEAM, of_project=self._loremark.project)
        assert row is not None
        return str(row["team_id"])

    async def _write(self, documents: Sequence[Document], packed: Sequence[bytes]) -> None:
        async with self._database.write() as tx:
            for document, vector in zip(documents, packed, strict=True):
                with clock.use(_frozen_clock(document.created_ms or clock.now_ms())):
                    item_id = await self._create(tx, document, vector)
                self._places[item_id] = len(self._places)

    async def _create(self, tx: Tx, document: Document, vector: bytes) -> str:
        item_id = await create_item(
            tx,
            self._scope,
            self._project,
            dataclasses.replace(document.item, status="approved"),
            session_id=document.session,
            source_ref=None,
            reason="created",
        )
        await upsert_vector(
            tx,
            self._scope,
            self._project,
            item_id,
            model=self._model,
            text_hash=text_hash(document.text),
            vector=vector,
        )
        return item_id


def _frozen_clock(at_ms: int) -> Callable[[], int]:
    """A clock that stands still: an item is as old as its text."""
    return lambda: at_ms
