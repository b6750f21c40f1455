"""Webhooks and their deliveries."""

from __future__ import annotations

from loremark.client.call import Call, body, path
from loremark.wire.webhooks import Delivery, Webhook, WebhookCreated


def list_webhooks(project_id: str | None = None) -> Call[list[Webhook]]:
    return Call(method="GET", path=path("/api/webhooks", projectId=project_id), response_type=list[Webhook])


def create_webhook(project_id: str, url: str, events: list[str], secret: str | None = None) -> Call[WebhookCreated]:
    sent = body(projectId=project_id, url=url, events=events, secret=secret)
    return Call(method="POST", path="/api/webhooks", response_type=WebhookCreated, body=sent)


def delete_webhook(webhook_id: str) -> Call[None]:
    return Call(method="DELETE", path=path("/api/webhooks/{}", webhook_id), response_type=type(None))


def list_deliveries(webhook_id: str) -> Call[list[Delivery]]:
    return Call(method="GET", path=path("/api/webhooks/{}/deliveries", webhook_id), response_type=list[Delivery])
