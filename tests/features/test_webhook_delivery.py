"""Webhook deliveries over real HTTPS: contents, signatures and isolation."""

from __future__ import annotations

import base64
import threading

import pytest

from tests.features.signed_tool import tool_for
from tests.features.steps import accept
from tests.features.webhook_steps import (
    STANDARD_SECRET,
    check_signatures,
    create_session,
    create_webhook,
    find_webhook,
    list_deliveries,
    wait_for_deliveries,
    wait_for_quiet,
    wait_for_requests,
)
from tests.servers.addresses import Names
from tests.servers.https import Receiver, Reply, Request
from tests.support.service import PASSWORD, Service

pytestmark = pytest.mark.anyio


PLAIN_SECRET = "correct Hörse battery"


def _received_events(requests: list[Request]) -> list[tuple[str, dict[str, object]]]:
    """Types and data of the requests, sorted because deliveries may arrive in any order."""
    return sorted(((request.json["type"], request.json["data"]) for request in requests), key=str)


@pytest.mark.settings(LOREMARK_OUTBOUND_ALLOW="127.0.0.0/8,::1")
async def test_delivery_has_both_signatures(webhook_service: Service, receiver: Receiver) -> None:
    owner = await webhook_service.owner()
    project = await owner.create_project()
    for path, secret in (("/standard", STANDARD_SECRET), ("/plain", PLAIN_SECRET), ("/bare", None)):
        await create_webhook(owner, project, receiver.url(path, host="localhost"), secret=secret)
    session = await create_session(owner, project)
    await wait_for_requests(receiver, 3)
    [standard], [plain], [bare] = (receiver.requests(path) for path in ("/standard", "/plain", "/bare"))
    assert standard.body == plain.body == bare.body
    body = bare.json
    assert sorted(body) == ["data", "id", "projectId", "timestamp", "type"]
    assert (body["type"], body["projectId"]) == ("session.created", project)
    assert body["data"] == {"sessionId": session, "status": "active", "eventCount": 0}
    shown = (await owner.get(f"/api/v2/sessions/{session}")).json()
    assert body["timestamp"][:19] >= shown["createdAt"][:19]
    assert body["timestamp"].endswith("Z")
    for request in (standard, plain, bare):
        assert request.headers["content-type"] == "application/json"
        assert request.headers["webhook-id"] == body["id"]
        assert request.headers["host"] == f"localhost:{receiver.port}"
        assert request.server_name == "localhost"
    check_signatures(standard, STANDARD_SECRET, STANDARD_SECRET)
    check_signatures(plain, PLAIN_SECRET, base64.b64encode(PLAIN_SECRET.encode()).decode())
    assert not {"x-service-webhook-signature", "webhook-signature"} & set(bare.headers)


async def test_only_subscribed_events_of_the_project_are_sent(webhook_service: Service, receiver: Receiver) -> None:
    owner, stranger = await webhook_service.owner(), await webhook_service.owner("Others")
    tool = await tool_for(owner)
    project, other = tool.project_id, await owner.create_project("Other")
    events = {
        "/both": ("session.created", "session.completed", "session.completed"),
        "/end": ("session.completed",),
        "/deaf": ("member.added",),
    }
    for path, wanted in events.items():
        await create_webhook(owner, project, receiver.url(path), *wanted)
    off = await create_webhook(owner, project, receiver.url("/off"), *events["/both"])
    assert (await owner.patch(f"/api/webhooks/{off}", {"status": "disabled"})).status_code == 200
    await create_webhook(owner, other, receiver.url("/other"), *events["/both"])
    theirs = await stranger.create_project("Theirs")
    await create_webhook(stranger, theirs, receiver.url("/theirs"), *events["/both"])

    session = (await tool.ingest(webhook_service.http, {"n": 1}))["sessionId"]
    await tool.ingest(webhook_service.http, {"n": 2})
    assert (await owner.patch(f"/api/v2/sessions/{session}", {"status": "completed"})).status_code == 200
    assert (await owner.patch(f"/api/v2/sessions/{session}", {"status": "completed"})).status_code == 200
    await wait_for_quiet(webhook_service)
    created = ("session.created", {"sessionId": session, "status": "active", "eventCount": 1})
    completed = ("session.completed", {"sessionId": session, "status": "completed", "eventCount": 2})
    assert _received_events(receiver.requests("/both")) == [completed, created]
    assert _received_events(receiver.requests("/end")) == [completed]
    assert len(receiver.requests()) == 3
    assert await list_deliveries(owner, off) == []


async def test_member_events_are_sent(webhook_service: Service, receiver: Receiver) -> None:
    owner = await webhook_service.owner()
    first, second = await owner.create_project("First"), await owner.create_project("Second")
    for path, project in (("/first", first), ("/second", second)):
        await create_webhook(owner, project, receiver.url(path), "member.added", "member.removed")
    admin, guest = await webhook_service.join(owner, "admin"), "guest@example.com"
    shared = {"userId": admin.user_id, "email": admin.email}
    for project in (first, second):
        added = await owner.post(f"/api/projects/{project}/members", {"email": admin.email, "role": "admin"})
        assert added.status_code == 201
    again = await owner.post(f"/api/projects/{first}/members", {"email": admin.email})
    invited = await owner.post(f"/api/projects/{first}/members", {"email": guest})
    assert (again.status_code, invited.status_code) == (409, 201)
    added_admin = ("member.added", {**shared, "role": "admin"})
    await wait_for_quiet(webhook_service)
    assert _received_events(receiver.requests("/first")) == [added_admin], (
        "refused requests and invitations add no member"
    )

    joined = await accept(
        webhook_service, await webhook_service.invitation_token(invited.json()["id"]), password=PASSWORD
    )
    added_guest = ("member.added", {"userId": joined.json()["userId"], "email": guest, "role": "member"})
    await wait_for_requests(receiver, 2, "/first")
    removed = await owner.delete(f"/api/projects/{first}/members", {"userId": joined.json()["userId"]})
    assert removed.status_code == 204
    await wait_for_requests(receiver, 3, "/first")
    owned = await admin.create_project("Owned by the admin")
    await create_webhook(owner, owned, receiver.url("/owned"), "member.added", "member.removed")
    assert (await owner.delete(f"/api/team/{admin.member_id}")).status_code == 204
    await wait_for_quiet(webhook_service)
    removed_admin = ("member.removed", {**shared, "role": "admin"})
    removed_guest = ("member.removed", added_guest[1])
    assert _received_events(receiver.requests("/first")) == sorted(
        [added_admin, added_guest, removed_admin, removed_guest], key=str
    )
    assert _received_events(receiver.requests("/second")) == [added_admin, removed_admin]
    new_owner = {"userId": owner.user_id, "email": owner.email, "role": "owner"}
    assert _received_events(receiver.requests("/owned")) == [
        ("member.added", new_owner),
        ("member.removed", {**shared, "role": "owner"}),
    ]


async def test_webhook_disabled_during_a_delivery_stays_disabled(webhook_service: Service, receiver: Receiver) -> None:
    owner = await webhook_service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, receiver.url())
    gate = threading.Event()
    receiver.always("/", Reply(gate=gate))
    await create_session(owner, project)
    await wait_for_requests(receiver, 1)
    assert (await owner.patch(f"/api/webhooks/{webhook}", {"status": "disabled"})).status_code == 200
    gate.set()
    [delivery] = await wait_for_deliveries(owner, webhook, 1)
    assert delivery["status"] == "delivered"
    assert (await find_webhook(owner, webhook))["status"] == "disabled"


@pytest.mark.settings(LOREMARK_WEBHOOK_RETRY_DELAYS="0")
async def test_dns_rebinding_is_refused(names: Names, webhook_service: Service, receiver: Receiver) -> None:
    names.set("hooks.example.com", "127.0.0.1")
    owner = await webhook_service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, receiver.url(host="hooks.example.com"))
    await create_session(owner, project)
    await wait_for_requests(receiver, 1)
    for number, address in enumerate(("10.0.0.5", "169.254.169.254", "::1"), start=2):
        names.set("hooks.example.com", address)
        await create_session(owner, project)
        delivery, *_ = await wait_for_deliveries(owner, webhook, number)
        assert (delivery["status"], delivery["attempts"]) == ("failed", 2)
        assert delivery["error"] == "url points to a private or reserved address"
    assert receiver.connections == 1


async def test_slow_receiver_does_not_delay_other_teams(webhook_service: Service, receiver: Receiver) -> None:
    slow, quick = await webhook_service.owner("Slow"), await webhook_service.owner("Quick")
    slow_project, quick_project = await slow.create_project(), await quick.create_project()
    gate = threading.Event()
    receiver.always("/slow", Reply(gate=gate))
    webhook = await create_webhook(slow, slow_project, receiver.url("/slow"))
    await create_webhook(quick, quick_project, receiver.url("/quick"))
    for _ in range(12):
        await create_session(slow, slow_project)
    await wait_for_requests(receiver, 1, "/slow")
    for _ in range(5):
        await create_session(quick, quick_project)
    await wait_for_requests(receiver, 5, "/quick")
    assert 1 <= len(receiver.requests("/slow")) < 12, "delayed only by itself"
    gate.set()
    delivered = await wait_for_deliveries(slow, webhook, 12)
    assert {delivery["status"] for delivery in delivered} == {"delivered"}
    assert len({request.headers["webhook-id"] for request in receiver.requests("/slow")}) == 12


@pytest.mark.settings(LOREMARK_WEBHOOK_RETRY_DELAYS="60")
async def test_slow_name_resolution_does_not_delay_other_teams(
    names: Names, webhook_service: Service, receiver: Receiver
) -> None:
    slow, quick = await webhook_service.owner("Slow"), await webhook_service.owner("Quick")
    slow_project, quick_project = await slow.create_project(), await quick.create_project()
    names.set("hooks.example.com", "127.0.0.1")
    webhooks = [await create_webhook(slow, slow_project, f"https://slow{number}.example.com/") for number in range(8)]
    for number in range(8):
        names.set(f"slow{number}.example.com", "127.0.0.1")
        names.delay(f"slow{number}.example.com", None)
    await create_session(slow, slow_project)
    webhook = await create_webhook(quick, quick_project, receiver.url(host="hooks.example.com"))
    for _ in range(5):
        await create_session(quick, quick_project)
    delivered = await wait_for_deliveries(quick, webhook, 5)
    assert {delivery["status"] for delivery in delivered} == {"delivered"}
    [waiting] = await list_deliveries(slow, webhooks[0])
    assert (waiting["status"], waiting["attempts"]) == ("pending", 0)
    [attempted] = await wait_for_deliveries(slow, webhooks[0], 1, lambda found: found["attempts"] == 1)
    assert (attempted["status"], attempted["error"]) == ("pending", "the host name cannot be resolved")


async def test_response_bodies_are_not_stored(webhook_service: Service, receiver: Receiver) -> None:
    owner = await webhook_service.owner()
    project = await owner.create_project()
    webhook = await create_webhook(owner, project, receiver.url("/"))
    receiver.always("/", Reply(200, {"Transfer-Encoding": "inside out", "X-Long": "secret" * 10_000}))
    delivery = (await owner.post(f"/api/webhooks/{webhook}/test")).json()
    assert (delivery["status"], delivery["error"]) == ("failed", "the response is not valid HTTP")
