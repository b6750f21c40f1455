"""Who may see and change webhooks, and for whom names are looked up."""

from __future__ import annotations

from typing import Any

import pytest

from tests.features.hooks import NO_WEBHOOK, create_webhook
from tests.features.world import ARCHIVED, FORBIDDEN, NO_PROJECT, UNAUTHENTICATED, told
from tests.servers.addresses import Names
from tests.support.service import Service

pytestmark = pytest.mark.anyio


async def test_only_those_who_manage_the_project_see_its_webhooks(service: Service, names: Names) -> None:
    owner, stranger = await service.owner(), await service.owner("Others")
    member, admin = await service.join(owner), await service.join(owner, "admin")
    project = await owner.create_project(visibility="public")
    url = "https://public.example.com/"
    webhook = await create_webhook(owner, project, url)
    body = {"projectId": project, "url": url, "events": ["item.created"]}
    path = f"/api/webhooks/{webhook}"
    calls: list[tuple[str, str, Any]] = [
        ("PATCH", path, {"status": "disabled"}),
        ("GET", f"{path}/deliveries", None),
        ("POST", f"{path}/test", None),
        ("POST", f"{path}/deliveries/dlv_1/redeliver", None),
        ("DELETE", path, None),
    ]
    for method, route, content in [*calls, ("POST", "/api/webhooks", body), ("GET", "/api/webhooks", None)]:
        assert told(await member.call(method, route, content)) == FORBIDDEN, route
        assert told(await service.anonymous.call(method, route, content)) == UNAUTHENTICATED, route
    for method, route, content in calls:
        assert told(await stranger.call(method, route, content)) == NO_WEBHOOK, route
    assert told(await stranger.post("/api/webhooks", body)) == NO_PROJECT
    assert told(await stranger.get(f"/api/webhooks?projectId={project}")) == NO_PROJECT
    assert (await stranger.get("/api/webhooks")).json() == []
    assert [found["id"] for found in (await admin.get("/api/webhooks")).json()] == [webhook]

    assert (await owner.patch(f"/api/projects/{project}", {"status": "archived"})).status_code == 200
    for method, route, content in (*calls[:1], calls[2], ("POST", "/api/webhooks", body)):
        assert told(await admin.call(method, route, content)) == ARCHIVED
    assert (await admin.get(f"{path}/deliveries")).json() == []
    assert (await admin.delete(path)).status_code == 204


async def test_names_are_looked_up_only_for_those_who_manage_the_project(service: Service, names: Names) -> None:
    """Else the answer would tell a stranger which names lead inside."""
    owner, stranger = await service.owner(), await service.owner("Others")
    member = await service.join(owner)
    project = await owner.create_project(visibility="public")
    webhook = await create_webhook(owner, project, "https://public.example.com/")
    body = {"projectId": project, "url": "https://loopback.example.com/", "events": ["item.created"]}
    assert told(await member.post("/api/webhooks", body)) == FORBIDDEN
    assert told(await stranger.post("/api/webhooks", body)) == NO_PROJECT
    assert told(await owner.post("/api/webhooks", {**body, "projectId": "prj_none"})) == NO_PROJECT
    for person, route, answer in (
        (member, webhook, FORBIDDEN),
        (stranger, webhook, NO_WEBHOOK),
        (owner, "x", NO_WEBHOOK),
    ):
        assert told(await person.patch(f"/api/webhooks/{route}", {"url": body["url"]})) == answer
    assert names.asked("loopback.example.com") == 0
    assert (await owner.post("/api/webhooks", body)).status_code == 400
    assert names.asked("loopback.example.com") == 2
