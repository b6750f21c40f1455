"""Signing keys derived from secrets for Standard Webhooks."""

from __future__ import annotations

import base64

import pytest
from standardwebhooks.webhooks import Webhook

from loremark.base.webhook_signing import delivery_headers, standard_key


def _standard(key: bytes) -> str:
    return "whsec_" + base64.b64encode(key).decode()


@pytest.mark.parametrize("size", [16, 24, 64])
def test_whsec_secret_is_decoded(size: int) -> None:
    assert standard_key(_standard(bytes(range(size)))) == bytes(range(size))


@pytest.mark.parametrize(
    "secret",
    ["whsec_", "whsec_=", "whsec_AA==", _standard(b"fifteen bytes!!"), "whsec_not base64", "plain", "Whsec_AAAA"],
)
def test_other_secrets_are_used_as_bytes(secret: str) -> None:
    assert standard_key(secret) == secret.encode()
    body = b'{"type":"item.created"}'
    headers = delivery_headers("evt_1", body, secret)
    assert Webhook(base64.b64encode(secret.encode()).decode()).verify(body, headers) == {"type": "item.created"}
