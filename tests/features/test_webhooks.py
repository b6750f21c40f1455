"""The webhook API: CRUD, validation, test deliveries and redelivery."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from loremark.base import limits
from tests.features.steps import raw_database, status_and_body
from tests.features.webhook_steps import (
    NO_WEBHOOK,
    check_signatures,
    create_session,
    create_webhook,
    find_webhook,
    list_deliveries,
    wait_for_deliveries,
    wait_for_quiet,
    wait_for_requests,
)
from tests.servers.addresses import Names, refused_urls
from tests.servers.https import Receiver, Reply
from tests.support.service import Service

pytestmark = pytest.mark.anyio

NO_DELIVERY = (404, {"error": "Delivery not found"})
TOO_MANY = (409, {"error": "A project can have at most 50 webhooks"})
SECRET = "a secret nobody else may see"


async def test_create_update_and_delete_a_webhook(service: Service, names: Names) -> None:
    owner = await service.owner()
    project, other = await owner.create_project(), await owner.create_project("Other")
    url = "https://public.example.com/hook?a=b"
    body = {"projectId": project, "url": url, "events": ["session.created", "brain.updated", "session.created"]}
    created = await owner.post("/api/webhooks", {**body, "secret": SECRET})
    assert created.status_code == 201
    webhook = created.json()
    assert sorted(webhook) == ["createdAt", "events", "id", "status", "url"]
    assert (webhook["url"], webhook["status"]) == (url, "active")
    assert webhook["events"] == ["session.created", "brain.updated"]
    second = await create_webhook(owner, other, "https://public.example.com/other")

    entry = {**webhook, "projectId": project, "hasSecret": True}
    assert [found["id"] for found in (await owner.get("/api/webhooks")).json()] == [second, webhook["id"]]
    assert (await owner.get(f"/api/webhooks?projectId={project}")).json() == [entry]
    paged = await owner.get("/api/webhooks?limit=1")
    assert [found["id"] for found in paged.json()] == [second]
    following = await owner.get(f"/api/webhooks?limit=1&cursor={paged.headers['X-Next-Cursor']}")
    assert following.json() == [entry]

    path = f"/api/webhooks/{webhook['id']}"
    changes: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"url": "https://public.example.com/new"}, {"url": "https://public.example.com/new"}),
        ({"events": ["member.added"]}, {"events": ["member.added"]}),
        ({"status": "disabled"}, {"status": "disabled"}),
        ({"status": "active", "unknown": 1}, {"status": "active"}),
        ({"secret": None}, {"hasSecret": False}),
        ({"secret": "another"}, {"hasSecret": True}),
        ({}, {}),
    ]
    for change, effect in changes:
        entry |= effect
        assert status_and_body(await owner.patch(path, change)) == (200, entry)
    assert (await owner.get(f"/api/webhooks?projectId={project}")).json() == [entry]

    removed = await owner.delete(path)
    assert (removed.status_code, removed.content) == (204, b"")
    for method, route in (("PATCH", ""), ("DELETE", ""), ("GET", "/deliveries"), ("POST", "/test")):
        assert status_and_body(await owner.call(method, path + route, {} if method == "PATCH" else None)) == NO_WEBHOOK
    assert (await owner.get(f"/api/webhooks?projectId={project}")).json() == []


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"url": None}, "url"),
        ({"url": ""}, "url"),
        ({"url": "https://public.example.com/" + "a" * 2000}, "url"),
        ({"events": []}, "events"),
        ({"events": ["session.created", "session.invented"]}, "events"),
        ({"events": "session.created"}, "events"),
        ({"secret": ""}, "secret"),
        ({"secret": 7}, "secret"),
        ({"secret": "a" * 501}, "secret"),
        ({"status": "paused"}, "status"),
    ],
)
async def test_invalid_fields_are_named(service: Service, names: Names, change: dict[str, Any], field: str) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, "https://public.example.com/")
    before = await find_webhook(owner, webhook)
    answers = [await owner.patch(f"/api/webhooks/{webhook}", change)]
    if field != "status":
        body = {"projectId": project, "url": "https://public.example.com/", "events": ["item.created"], **change}
        answers.append(await owner.post("/api/webhooks", body))
    for answer in answers:
        assert answer.status_code == 400
        assert field in answer.json()["error"]
    assert (await owner.get("/api/webhooks")).json() == [before]


async def test_private_addresses_are_refused(service: Service, names: Names) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, "https://public.example.com/")
    before = await find_webhook(owner, webhook)
    for url in refused_urls():
        body = {"projectId": project, "url": url, "events": ["session.created"]}
        for answer in (await owner.post("/api/webhooks", body), await owner.patch(f"/api/webhooks/{webhook}", body)):
            assert answer.status_code == 400, url
            assert answer.json()["error"].startswith("url "), url
    assert (await owner.get("/api/webhooks")).json() == [before]
    names.set("later.example.com")
    later = await create_webhook(owner, project, "https://later.example.com/")
    assert (await find_webhook(owner, later))["status"] == "active"


async def test_webhooks_per_project_are_limited(service: Service) -> None:
    owner = await service.owner()
    project, other = await owner.create_project(), await owner.create_project("Other")
    url = "https://93.184.215.14/"
    created = [await create_webhook(owner, project, url) for _ in range(limits.WEBHOOKS_PER_PROJECT - 1)]
    body = {"projectId": project, "url": url, "events": ["item.created"]}
    answers = await asyncio.gather(*(owner.post("/api/webhooks", body) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [201, *[409] * 5]
    assert status_and_body(await owner.post("/api/webhooks", body)) == TOO_MANY
    assert len((await owner.get(f"/api/webhooks?projectId={project}")).json()) == limits.WEBHOOKS_PER_PROJECT
    assert (await owner.patch(f"/api/webhooks/{created[0]}", {"url": url})).status_code == 200
    await create_webhook(owner, other, url)
    assert (await owner.delete(f"/api/webhooks/{created[0]}")).status_code == 204
    await create_webhook(owner, project, url)


async def test_secret_is_encrypted_and_never_returned(webhook_service: Service, receiver: Receiver) -> None:
    owner = await webhook_service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, receiver.url("/x"), secret=SECRET)
    other = "another secret nobody may see"
    await create_session(owner, project)
    await wait_for_requests(receiver, 1)
    changed = await owner.patch(f"/api/webhooks/{webhook}", {"secret": other})
    tested = await owner.post(f"/api/webhooks/{webhook}/test")
    await wait_for_quiet(webhook_service)
    content = await raw_database(webhook_service)
    assert webhook.encode() in content
    answers = [changed.text, tested.text]
    for path in ("/api/webhooks", f"/api/webhooks/{webhook}/deliveries", "/api/audit"):
        answer = await owner.get(path)
        assert answer.status_code == 200
        answers.append(answer.text)
    first, second = receiver.requests()
    for secret, request in ((SECRET, first), (other, second)):
        standard = base64.b64encode(secret.encode())
        check_signatures(request, secret, standard.decode())
        for hidden in (secret.encode(), standard, secret.encode().hex().encode()):
            assert hidden not in content
            assert not any(hidden.decode() in answer for answer in answers)


async def test_test_delivery(webhook_service: Service, receiver: Receiver) -> None:
    owner = await webhook_service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, receiver.url(), secret=SECRET)
    tested = await owner.post(f"/api/webhooks/{webhook}/test")
    assert tested.status_code == 200
    delivery = tested.json()
    assert sorted(delivery) == [
        "attempts",
        "createdAt",
        "deliveredAt",
        "error",
        "eventId",
        "id",
        "nextAttemptAt",
        "responseStatus",
        "status",
        "type",
    ]
    assert (delivery["type"], delivery["status"], delivery["responseStatus"]) == ("webhook.test", "delivered", 200)
    [request] = receiver.requests()
    assert (request.json["type"], request.json["id"]) == ("webhook.test", delivery["eventId"])
    assert request.json["projectId"] == project
    check_signatures(request, SECRET, base64.b64encode(SECRET.encode()).decode())

    receiver.answer("/", *[Reply(500)] * 12)
    for _ in range(12):
        failed = (await owner.post(f"/api/webhooks/{webhook}/test")).json()
        assert (failed["status"], failed["attempts"], failed["responseStatus"]) == ("failed", 1, 500)
    await wait_for_quiet(webhook_service)
    assert len(receiver.requests()) == 13, "a test is not retried"
    assert (await find_webhook(owner, webhook))["status"] == "active", "and does not count as a failure"


@pytest.mark.settings(LOREMARK_WEBHOOK_RETRY_DELAYS="")
async def test_delivery_pagination_and_redelivery(webhook_service: Service, receiver: Receiver) -> None:
    owner, stranger = await webhook_service.owner(), await webhook_service.owner("Others")
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, receiver.url("/a"))
    other = await create_webhook(owner, project, receiver.url("/b"))
    receiver.answer("/a", Reply(500))
    for number in range(1, 6):
        await create_session(owner, project)
        await wait_for_deliveries(owner, webhook, number)
    await wait_for_quiet(webhook_service)
    deliveries = await list_deliveries(owner, webhook)
    assert [found["eventId"] for found in deliveries] == [
        request.json["id"] for request in reversed(receiver.requests("/a"))
    ]
    paged: list[dict[str, Any]] = []
    cursor = ""
    for size in (2, 2, 1):
        answer = await owner.get(f"/api/webhooks/{webhook}/deliveries?limit=2{cursor}")
        assert len(answer.json()) == size
        paged += answer.json()
        cursor = f"&cursor={answer.headers.get('X-Next-Cursor')}"
    assert cursor == "&cursor=None"
    assert paged == deliveries

    failed, delivered = deliveries[-1], deliveries[0]
    assert (failed["status"], delivered["status"]) == ("failed", "delivered")
    for delivery in (failed, delivered):
        answer = await owner.post(f"/api/webhooks/{webhook}/deliveries/{delivery['id']}/redeliver")
        assert status_and_body(answer)[0] == 200
        assert (answer.json()["id"], answer.json()["eventId"]) == (delivery["id"], delivery["eventId"])
        await wait_for_quiet(webhook_service)
        same = [request for request in receiver.requests("/a") if request.json["id"] == delivery["eventId"]]
        assert len(same) == 2
        assert same[0].body == same[1].body
    assert {found["status"] for found in await list_deliveries(owner, webhook)} == {"delivered"}
    assert len(await list_deliveries(owner, webhook)) == 5
    route = f"/deliveries/{failed['id']}/redeliver"
    assert status_and_body(await owner.post(f"/api/webhooks/{other}{route}")) == NO_DELIVERY
    assert status_and_body(await owner.post(f"/api/webhooks/{webhook}/deliveries/dlv_none/redeliver")) == NO_DELIVERY
    assert status_and_body(await stranger.post(f"/api/webhooks/{webhook}{route}")) == NO_WEBHOOK
    assert len(receiver.requests()) == 12
