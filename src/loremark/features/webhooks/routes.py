"""/api/webhooks."""

from __future__ import annotations

from loremark.base import errors
from loremark.base.crypto import Sealer
from loremark.features.projects.access import Access, get_project
from loremark.features.webhooks import service, store
from loremark.features.webhooks.jobs import Deliverer
from loremark.jobs.notices import notify_changed
from loremark.ports.outbound.guard import Guard
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.paging import Page, cut
from loremark.web.routes import Routes, TxMode
from loremark.wire.webhooks import Delivery, NewWebhook, Webhook, WebhookCreated, WebhookUpdate

routes = Routes("webhooks")

_MANAGED = (errors.WEBHOOK_NOT_FOUND, errors.FORBIDDEN, errors.PROJECT_ARCHIVED)


class WebhooksQuery(Page, frozen=True, rename="camel"):
    project_id: str | None = None


@routes.add(
    "GET",
    "/api/webhooks",
    needs(KEY | LOGIN, "admin"),
    name="list",
    errors=(errors.PROJECT_NOT_FOUND, errors.FORBIDDEN),
)
async def list_webhooks(call: Call, query: WebhooksQuery) -> list[Webhook]:
    """List webhooks of the projects the caller manages, newest first."""
    if query.project_id is not None:
        await get_project(call.tx, call.caller, query.project_id, Access.MANAGE, allow_archived=True)
    elif not call.caller.manages:
        raise errors.FORBIDDEN()
    rows = await store.list_webhooks(
        call.tx, call.caller, project_id=query.project_id, before=query.cursor, take=query.take
    )
    return cut(call, query, [service.shape(row) for row in rows], [row["id"] for row in rows])


@routes.add(
    "POST",
    "/api/webhooks",
    needs(KEY | LOGIN, "admin"),
    name="create",
    status=201,
    tx=TxMode.NONE,
    errors=(errors.PROJECT_NOT_FOUND, errors.FORBIDDEN, errors.PROJECT_ARCHIVED, errors.WEBHOOK_LIMIT),
)
async def create_webhook(call: Call, body: NewWebhook) -> WebhookCreated:
    """Create a webhook that sends a project's events to an HTTPS URL."""
    async with call.database.read() as tx:  # check access before resolving the host name
        await get_project(tx, call.caller, body.project_id, Access.MANAGE)
    await service.check_url(call.use(Guard), body.url)
    async with call.write() as tx:
        return await service.create_webhook(tx, call.caller, call.use(Sealer), body)


@routes.add("PATCH", "/api/webhooks/{id}", needs(KEY | LOGIN, "admin"), name="update", tx=TxMode.NONE, errors=_MANAGED)
async def update_webhook(call: Call, id: str, body: WebhookUpdate) -> Webhook:
    """Update a webhook's URL, events or secret, or enable or disable it."""
    if isinstance(body.url, str):
        async with call.database.read() as tx:  # check access before resolving the host name
            await service.get_webhook(tx, call.caller, id)
        await service.check_url(call.use(Guard), body.url)
    async with call.write() as tx:
        return await service.update_webhook(tx, call.caller, call.use(Sealer), id, body)


@routes.add("DELETE", "/api/webhooks/{id}", needs(KEY | LOGIN, "admin"), name="delete", status=204, errors=_MANAGED[:2])
async def delete_webhook(call: Call, id: str) -> None:
    """Delete a webhook and its deliveries."""
    await service.delete_webhook(call.tx, call.caller, id)


@routes.add("GET", "/api/webhooks/{id}/deliveries", needs(KEY | LOGIN, "admin"), name="deliveries", errors=_MANAGED[:2])
async def list_deliveries(call: Call, id: str, query: Page) -> list[Delivery]:
    """List a webhook's deliveries, newest first."""
    await service.get_webhook(call.tx, call.caller, id, allow_archived=True)
    rows = await store.list_deliveries(call.tx, call.caller.scope, id, before=query.cursor, take=query.take)
    return cut(call, query, [service.delivery_shape(row) for row in rows], [row["id"] for row in rows])


@routes.add(
    "POST", "/api/webhooks/{id}/test", needs(KEY | LOGIN, "admin"), name="test", tx=TxMode.NONE, errors=_MANAGED
)
async def test_webhook(call: Call, id: str) -> Delivery:
    """Send a test delivery and return its result."""
    scope = call.caller.scope
    async with call.write() as tx:
        webhook, delivery_id = await service.create_test_delivery(tx, call.caller, id)
        delivery = await store.find_delivery(tx, scope, delivery_id)
    assert delivery is not None
    answer = await call.use(Deliverer).send(webhook, delivery)
    async with call.write() as tx:
        status = "delivered" if answer.succeeded else "failed"
        await store.update_delivery(
            tx, scope, delivery_id, status=status, attempts=1, response_status=answer.status, error=answer.error
        )
        notify_changed(tx, scope, "webhooks", webhook["project_id"])
        done = await store.find_delivery(tx, scope, delivery_id)
    if done is None:  # the webhook was deleted during the test
        raise errors.WEBHOOK_NOT_FOUND()
    return service.delivery_shape(done)


@routes.add(
    "POST",
    "/api/webhooks/{id}/deliveries/{deliveryId}/redeliver",
    needs(KEY | LOGIN, "admin"),
    name="redeliver",
    errors=(*_MANAGED, errors.DELIVERY_NOT_FOUND),
)
async def redeliver(call: Call, id: str, delivery_id: str) -> Delivery:
    """Send a delivery again, with the same event ID and body."""
    return await service.redeliver(call.tx, call.caller, id, delivery_id)
