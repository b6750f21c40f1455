"""Secrets that people write or paste reach no table, whichever way they come in."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from sqlalchemy import Text, select

from loremark.base.redaction import written
from loremark.base.redaction.redactor import redact
from loremark.storage.tables import metadata
from tests.features.ask_client import ask, project_with_facts, ticket_for
from tests.support.service import Service

pytestmark = pytest.mark.anyio

SECRETS = {
    "github": "ghp_" + "q7Zr2Lw9" + "Xk4Tb6Vn" + "Yc3Md8Ps" + "Hf5Jg1Ra" + "Ue0W",
    "aws": "AKIA" + "IOSFODNN7" + "QRSTUVW",
    "slack": "xoxb-" + "123456789012-" + "1234567890123-" + "AbCdEfGhIjKlMnOpQrStUvWx",
    "url": "postgres://app:" + "Tr0ub4dor3x9" + "@db.internal/prod",
    "bearer": "Authorization: Bearer "
    + "eyJhbGciOiJIUzI1NiJ9."
    + "eyJzdWIiOiIxMjM0NTY3ODkwIn0."
    + "dozjgNryP4J3jVmNHl0w5N",
    "password": 'password = "' + "hunter2-Kq8zLw3" + '"',
}
_CORE = {name: secret.split()[-1].strip('"') for name, secret in SECRETS.items()}
"""The part that must be gone."""


async def test_no_table_has_a_secret_that_was_written(service: Service) -> None:
    memory = await project_with_facts(service)
    owner, project = memory.owner, memory.tool.project_id
    text = "\n".join(SECRETS.values())
    one = SECRETS["github"]
    await _accepted(
        owner.post(
            "/api/contexts",
            {"projectId": project, "name": f"Keys {one}", "description": text, "content": f"{text}\n{'x ' * 2_000}"},
        )
    )
    listed = (await owner.get(f"/api/contexts?projectId={project}")).json()
    await _accepted(owner.patch(f"/api/contexts/{listed[0]['id']}", {"content": text, "description": one}))
    nodes = [{"schemaKey": "root/keys/deep", "name": f"Deep {one}", "content": text}]
    await _accepted(owner.post("/api/contexts/populate", {"projectId": project, "nodes": nodes}))
    item = (await owner.get(f"/api/v2/items?projectId={project}")).json()[0]
    await _accepted(owner.patch(f"/api/v2/items/{item['id']}", {"title": f"Use {one}", "content": text}))
    await _accepted(owner.post("/api/v2/chat-sessions", {"projectId": project, "title": f"About {one}"}))
    asked = await ticket_for(owner, project, question=f"What is {one} used for?")
    streamed = await ask(service.http, "/worker/ask", asked["ticket"], f"What is {one} used for?")
    assert "answer" in streamed.done, streamed.body
    await service.wait_for_jobs()
    assert await _found(service) == []


async def _accepted(answer: Any) -> None:
    response = await answer
    assert response.status_code in (200, 201), response.text


async def _found(service: Service) -> list[str]:
    """The columns that contain one of the secrets. Only events keep what was sent."""
    found: list[str] = []
    async with service.runtime.database.read() as tx:
        for table in metadata.sorted_tables:
            columns = [column for column in table.c if isinstance(column.type, Text)]
            for row in await tx.many(select(*columns)) if columns else ():
                for column in columns:
                    stored = str(row[column.name])
                    found += [f"{table.name}.{column.name}: {name}" for name, core in _CORE.items() if core in stored]
    return found


@pytest.mark.both_engines
async def test_searching_long_texts_holds_up_nobody(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may take seconds, so it happens outside of transactions, in turns."""
    memory = await project_with_facts(service)
    owner, project = memory.owner, memory.tool.project_id
    other = await service.owner("Pebbles")
    context = (await owner.post("/api/contexts", {"projectId": project, "name": "Keys"})).json()
    item = (await owner.get(f"/api/v2/items?projectId={project}")).json()[0]
    text = "x " * 40_000
    nodes = [{"schemaKey": f"root/n{at}", "name": "N", "content": text} for at in range(3)]
    searching, may_finish = threading.Semaphore(0), threading.Event()

    def redact_slowly(text: str) -> tuple[str, int]:
        if len(text) > 50_000:
            searching.release()
            assert may_finish.wait(30)
        return redact(text)

    monkeypatch.setattr(written, "redact", redact_slowly)
    changes = [
        owner.post("/api/contexts", {"projectId": project, "name": "Long", "content": text}),
        owner.patch(f"/api/contexts/{context['id']}", {"content": text}),
        owner.post("/api/contexts/populate", {"projectId": project, "nodes": nodes}),
        owner.patch(f"/api/v2/items/{item['id']}", {"content": text}),
    ]
    running = [asyncio.ensure_future(change) for change in changes]
    try:
        for _ in range(2):
            assert await asyncio.to_thread(searching.acquire, timeout=10)
        assert not await asyncio.to_thread(searching.acquire, timeout=0.2), "two at a time"
        async with asyncio.timeout(5):
            assert (await other.post("/api/projects", {"name": "Quick"})).status_code == 201
    finally:
        may_finish.set()
        answers = await asyncio.gather(*running)
    assert [answer.status_code for answer in answers] == [201, 200, 200, 200]


async def test_redaction_refuses_to_run_in_a_write_transaction(service: Service) -> None:
    async with service.runtime.database.write():
        with pytest.raises(RuntimeError, match="inside a write transaction"):
            await written.redact_texts(["short"])
    assert await written.redact_texts(["short", SECRETS["github"]]) == ["short", "[redacted:github-token]"]
