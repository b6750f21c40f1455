"""Events with a large text in a blob: stored completely, or refused while the bucket or folder is unavailable."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.features.signed_tool import Tool, events_of, sessions_of, tool_for
from tests.features.steps import run_sql, status_and_body
from tests.servers.s3 import BUCKET, CREDENTIALS, S3Server
from tests.support import databases
from tests.support.people import Person
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio

TEXT = "Grüße, 語 und 🪨: " + "x" * 100_000
UNAVAILABLE = (503, {"error": "Service temporarily unavailable"})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    running = S3Server(tmp_path_factory.mktemp("s3"))
    yield running
    running.stop()


@pytest.fixture
async def on_s3(
    server: S3Server, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Service]:
    """The service with its blobs in the bucket."""
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    overrides = {"LOREMARK_BLOBS_URL": f"s3://{BUCKET}/{engine}", "LOREMARK_S3_ENDPOINT": server.endpoint}
    async with run_service(settings_for(tmp_path, databases.fresh(engine, tmp_path), **overrides)) as running:
        yield running


async def test_large_text_is_returned_intact_and_deleted_with_its_project(
    on_s3: Service, server: S3Server, engine: str
) -> None:
    owner = await on_s3.owner()
    tool = await tool_for(owner)
    kept = await tool.ingest(on_s3.http, {"text": TEXT})
    assert [event["payload"] for event in await events_of(owner, kept["sessionId"], "?blobs=inline")] == [
        {"text": TEXT}
    ]
    reference = (await events_of(owner, kept["sessionId"]))[0]["payload"]["text"]
    assert reference["size"] == len(TEXT.encode())
    assert server.keys(f"{engine}/") == [f"{engine}/{tool.project_id}/{reference['$blob']}"]
    assert (await owner.delete(f"/api/projects/{tool.project_id}")).status_code == 204
    await on_s3.wait_for_jobs()
    assert server.keys(f"{engine}/") == []


async def _assert_nothing_is_stored(service: Service, owner: Person, tool: Tool) -> None:
    assert await sessions_of(owner, tool.project_id) == []
    for count in ("SELECT count(*) FROM events", "SELECT count(*) FROM blobs", "SELECT count(*) FROM sessions"):
        assert [tuple(row) for row in await run_sql(service, count)] == [(0,)]


async def test_event_is_refused_while_the_bucket_is_unavailable_and_accepted_later(
    on_s3: Service, server: S3Server
) -> None:
    owner = await on_s3.owner()
    tool = await tool_for(owner)
    server.stop()
    try:
        refused = await tool.send(on_s3.http, {"text": TEXT})
        assert status_and_body(refused) == UNAVAILABLE
        assert refused.headers["retry-after"] == "5"
        await _assert_nothing_is_stored(on_s3, owner, tool)
        small = await tool.ingest(on_s3.http, {"text": "small"})
    finally:
        server.start()
    kept = await tool.ingest(on_s3.http, {"text": TEXT})
    assert "duplicate" not in kept
    found = await events_of(owner, kept["sessionId"], "?blobs=inline")
    assert {event["id"]: event["payload"]["text"] for event in found} == {
        small["eventId"]: "small",
        kept["eventId"]: TEXT,
    }
    assert (await tool.ingest(on_s3.http, {"text": TEXT}))["duplicate"] is True


async def test_reading_returns_503_while_the_bucket_is_unavailable(on_s3: Service, server: S3Server) -> None:
    owner = await on_s3.owner()
    tool = await tool_for(owner)
    kept = await tool.ingest(on_s3.http, {"text": TEXT})
    path = f"/api/v2/sessions/{kept['sessionId']}/events"
    server.stop()
    try:
        assert status_and_body(await owner.get(f"{path}?blobs=inline")) == UNAVAILABLE
        assert (await owner.get(path)).status_code == 200
    finally:
        server.start()


@pytest.mark.own_service
async def test_event_is_refused_while_the_folder_is_not_writable_and_accepted_later(
    service: Service, tmp_path: Path
) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    obstacle = tmp_path / "blobs" / tool.project_id
    obstacle.touch()
    assert status_and_body(await tool.send(service.http, {"text": TEXT})) == UNAVAILABLE
    await _assert_nothing_is_stored(service, owner, tool)
    obstacle.unlink()
    kept = await tool.ingest(service.http, {"text": TEXT})
    assert "duplicate" not in kept
    assert (await events_of(owner, kept["sessionId"], "?blobs=inline"))[0]["payload"] == {"text": TEXT}
    assert len(await service.runtime.blobs.list_project(tool.project_id)) == 1
