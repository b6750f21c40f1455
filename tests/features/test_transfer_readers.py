"""Stalled readers of an export do not block others and are cancelled."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from loremark.features.transfer import export_slots
from tests.features.exported_project import export, export_scope
from tests.features.steps import status_and_body
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio


class _StalledReader:
    """Requests an export without reading the response."""

    def __init__(self, service: Service, person: Person, project: str, method: str = "GET") -> None:
        self.status = 0
        self.ended = False
        self._app: Any = service.app
        self._scope = export_scope(person, project, method)
        self.stalled = asyncio.Event()
        self.task = asyncio.create_task(self._request())

    async def _request(self) -> None:
        try:
            await self._app(self._scope, self._receive, self._send)
        finally:
            self.ended = True
            self.stalled.set()

    async def _receive(self) -> dict[str, Any]:
        if self.status == 0:
            return {"type": "http.request", "body": b"", "more_body": False}
        await asyncio.Event().wait()
        raise AssertionError

    async def _send(self, message: dict[str, Any]) -> None:
        self.status = message.get("status", self.status)
        if message.get("more_body"):
            self.stalled.set()
            await asyncio.Event().wait()


async def _start_reader(service: Service, person: Person, project: str, method: str = "GET") -> _StalledReader:
    reader = _StalledReader(service, person, project, method)
    async with asyncio.timeout(60):
        await reader.stalled.wait()
    return reader


async def test_stalled_readers_are_limited_and_cancelled(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, stranger = await service.owner(), await service.owner("Strangers")
    member = await service.join(owner)
    project, theirs = await owner.create_project(visibility="public"), await stranger.create_project()
    for _ in range(5):
        assert (await _start_reader(service, owner, project, "HEAD")).ended, "a HEAD request holds no slot"
    readers = [await _start_reader(service, owner, project) for _ in range(export_slots.MAX_PER_USER)]
    refusal = await owner.get(f"/api/v2/export?projectId={project}")
    assert status_and_body(refusal) == (503, {"error": "Service temporarily unavailable"})
    assert int(refusal.headers["retry-after"]) > 0
    readers += [
        await _start_reader(service, member, project)
        for _ in range(export_slots.MAX_PER_TEAM - export_slots.MAX_PER_USER)
    ]
    assert (await member.get(f"/api/v2/export?projectId={project}")).status_code == 503
    assert len(await export(stranger, theirs)) > 100, "other teams are not affected"
    for reader in readers:
        assert not reader.ended
        reader.task.cancel()
    await asyncio.wait([reader.task for reader in readers])
    assert len(await export(owner, project)) > 100

    monkeypatch.setattr(export_slots, "_STALL_S", 0.2)
    slow = await _start_reader(service, owner, project)
    async with asyncio.timeout(60):
        await slow.task
    assert slow.ended
    for _ in range(export_slots.MAX_PER_USER + 1):
        assert len(await export(owner, project)) > 100


@pytest.mark.parametrize(("chunk_s", "is_cancelled"), [(0.0, True), (0.05, False)])
async def test_readers_that_are_slow_on_average_are_cancelled(
    monkeypatch: pytest.MonkeyPatch, chunk_s: float, is_cancelled: bool
) -> None:
    """A reader that takes a little now and then would hold its slot. ``chunk_s``: the time a chunk may take."""
    monkeypatch.setattr(export_slots, "_STALL_S", 0.2)
    pace = export_slots.ReaderPace("prj_1")

    async def read() -> None:
        for _ in range(30):
            with pace.sending(int(chunk_s * 128 * 1024)):
                await asyncio.sleep(0.02)

    reading = asyncio.create_task(read())
    await asyncio.wait([reading], timeout=20)
    assert reading.cancelled() is is_cancelled
