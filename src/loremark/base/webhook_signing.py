"""Signature headers of webhook deliveries: our own header, and those of Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from contextlib import suppress

from loremark.base import clock
from loremark.base.signing import SIGNATURE_PREFIX

STANDARD_PREFIX = "whsec_"
_STANDARD_KEY_BYTES = 16


def delivery_headers(event_id: str, body: bytes, secret: str | None) -> dict[str, str]:
    """Return the headers for one attempt. Retries keep the event id but get a new timestamp."""
    timestamp = str(clock.now_ms() // 1000)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Loremark-Webhook/1",
        "webhook-id": event_id,
        "webhook-timestamp": timestamp,
    }
    if secret is not None:
        digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        headers["X-Service-Webhook-Signature"] = SIGNATURE_PREFIX + digest
        signed = f"{event_id}.{timestamp}.".encode() + body
        standard = hmac.new(standard_key(secret), signed, hashlib.sha256).digest()
        headers["webhook-signature"] = "v1," + base64.b64encode(standard).decode()
    return headers


def standard_key(secret: str) -> bytes:
    """Return the Standard Webhooks key: the base64 after ``whsec_``.

    Any other secret, or one that decodes to fewer than 16 bytes, is used as raw bytes.
    """
    if secret.startswith(STANDARD_PREFIX):
        with suppress(binascii.Error):
            key = base64.b64decode(secret.removeprefix(STANDARD_PREFIX), validate=True)
            if len(key) >= _STANDARD_KEY_BYTES:
                return key
    return secret.encode()
