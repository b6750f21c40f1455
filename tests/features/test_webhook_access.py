"""Webhook permissions, also for resolving host names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.features.steps import ARCHIVED, FORBIDDEN, NO_PROJECT, UNAUTHENTICATED, status_and_body
from tests.features.webhook_steps import NO_WEBHOOK, create_webhook
from tests.servers.addresses import Names
from tests.support.service import Service

pytestmark = pytest.mark.anyio


async def test_only_project_managers_see_webhooks(service: Service, names: Names) -> None:
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
        assert status_and_body(await member.call(method, route, content)) == FORBIDDEN, route
        assert status_and_body(await service.anonymous.call(method, route, content)) == UNAUTHENTICATED, route
    for method, route, content in calls:
        assert status_and_body(await stranger.call(method, route, content)) == NO_WEBHOOK, route
    assert status_and_body(await stranger.post("/api/webhooks", body)) == NO_PROJECT
    assert status_and_body(await stranger.get(f"/api/webhooks?projectId={project}")) == NO_PROJECT
    assert (await stranger.get("/api/webhooks")).json() == []
    assert [found["id"] for found in (await admin.get("/api/webhooks")).json()] == [webhook]

    assert (await owner.patch(f"/api/projects/{project}", {"status": "archived"})).status_code == 200
    for method, route, content in (*calls[:1], calls[2], ("POST", "/api/webhooks", body)):
        assert status_and_body(await admin.call(method, route, content)) == ARCHIVED
    assert (await admin.get(f"{path}/deliveries")).json() == []
    assert (await admin.delete(path)).status_code == 204


async def test_names_are_resolved_only_for_project_managers(service: Service, names: Names) -> None:
    """Otherwise the response would reveal internal host names."""
    owner, stranger = await service.owner(), await service.owner("Others")
    member = await service.join(owner)
    project = await owner.create_project(visibility="public")
    webhook = await create_webhook(owner, project, "https://public.example.com/")
    body = {"projectId": project, "url": "https://loopback.example.com/", "events": ["item.created"]}
    assert status_and_body(await member.post("/api/webhooks", body)) == FORBIDDEN
    assert status_and_body(await stranger.post("/api/webhooks", body)) == NO_PROJECT
    assert status_and_body(await owner.post("/api/webhooks", {**body, "projectId": "prj_none"})) == NO_PROJECT
    for person, route, answer in (
        (member, webhook, FORBIDDEN),
        (stranger, webhook, NO_WEBHOOK),
        (owner, "x", NO_WEBHOOK),
    ):
        assert status_and_body(await person.patch(f"/api/webhooks/{route}", {"url": body["url"]})) == answer
    assert names.query_count("loopback.example.com") == 0
    assert (await owner.post("/api/webhooks", body)).status_code == 400
    assert names.query_count("loopback.example.com") == 2
