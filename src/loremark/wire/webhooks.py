"""Webhooks and their deliveries."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from loremark.wire.events import WebhookEvent
from loremark.wire.shapes import AnyId, Shape

WebhookStatus = Literal["active", "disabled"]
DeliveryStatus = Literal["pending", "delivered", "failed"]

Url = Annotated[str, Meta(min_length=1, max_length=2000)]
Secret = Annotated[str, Meta(min_length=1, max_length=500, pattern=r"^[^\x00]+$")]
Events = Annotated[list[WebhookEvent], Meta(min_length=1, max_length=50)]


class NewWebhook(Shape):
    url: Url
    events: Events
    project_id: AnyId
    secret: Secret | None = None


class WebhookUpdate(Shape):
    url: Url | UnsetType = UNSET
    events: Events | UnsetType = UNSET
    status: WebhookStatus | UnsetType = UNSET
    secret: Secret | UnsetType | None = UNSET


class WebhookCreated(Shape):
    id: str
    url: str
    events: list[str]
    status: WebhookStatus
    created_at: str


class Webhook(WebhookCreated):
    """A webhook. Its secret is never returned."""

    project_id: str
    has_secret: bool


class Delivery(Shape):
    """The delivery of one event to one webhook."""

    id: str
    event_id: str
    type: str
    status: DeliveryStatus
    attempts: int
    response_status: int | None
    error: str | None
    next_attempt_at: str | None
    created_at: str
    delivered_at: str | None


class DeliveryBody(Shape):
    """The body sent to the receiver."""

    id: str
    type: str
    project_id: str
    timestamp: str
    data: dict[str, Any]
