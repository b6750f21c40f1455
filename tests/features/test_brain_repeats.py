"""Repeated brain requests are fast and never stale."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.examples_memory import keep_item
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio


async def _get_brain(person: Person, project: str, etag: str = "") -> Any:
    headers = {"If-None-Match": etag} if etag else {}
    return await person.get(f"/api/v2/brain?projectId={project}", headers=headers)


async def _warm_up(service: Service, owner: Person, project: str) -> tuple[str, str]:
    """An item of the brain and the brain's ETag, after two requests."""
    item = await keep_item(service, owner, project, status="approved", branch=None)
    etag = (await _get_brain(owner, project)).headers["etag"]
    for _ in range(3):
        answer = await _get_brain(owner, project, etag)
        assert (answer.status_code, answer.headers["etag"], answer.content) == (304, etag, b"")
    return item, etag


async def test_memory_changes_are_visible_to_the_next_request(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    item, etag = await _warm_up(service, owner, project)
    responses = [await _get_brain(owner, project) for _ in range(3)]
    assert {(answer.status_code, answer.headers["etag"], answer.content) for answer in responses} == {
        (200, etag, responses[0].content)
    }
    assert (await owner.patch(f"/api/v2/items/{item}", {"title": "Sessions moved"})).status_code == 200
    for _ in range(2):
        assert "Sessions moved" in (await _get_brain(owner, project)).json()["markdown"]
    changed = await _get_brain(owner, project, etag)
    assert changed.status_code == 200
    assert "Sessions moved" in changed.json()["markdown"]
    assert (await _get_brain(owner, project, changed.headers["etag"])).status_code == 304


async def test_revoked_credentials_and_access_are_rejected_immediately(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    member = await service.join(owner)
    added = await owner.post(f"/api/projects/{project}/members", {"email": member.email, "role": "member"})
    assert added.status_code == 201, added.text
    _, etag = await _warm_up(service, owner, project)
    for _ in range(3):
        assert (await _get_brain(member, project, etag)).status_code == 304
    assert (await owner.delete(f"/api/projects/{project}/members", {"userId": member.user_id})).status_code == 204
    assert (await _get_brain(member, project, etag)).status_code == 404
    assert (await _get_brain(owner, project, etag)).status_code == 304
    keys = (await owner.get("/api/keys")).json()
    for key in keys:
        assert (await owner.delete("/api/keys", {"keyId": key["id"]})).status_code == 204
    assert (await _get_brain(owner, project, etag)).status_code == 401


async def test_cached_responses_are_not_shared_between_callers(service: Service) -> None:
    owner, stranger = await service.owner(), await service.owner("Others")
    project = await owner.create_project()
    _, etag = await _warm_up(service, owner, project)
    assert (await _get_brain(stranger, project, etag)).status_code == 404
    assert (await _get_brain(service.anonymous, project, etag)).status_code == 401
    assert (await _get_brain(owner, project, '"another"')).status_code == 200
