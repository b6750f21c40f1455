"""Handing webhook deliveries to a program on this machine, signed as the server signs them."""

from __future__ import annotations

import base64
import http.client
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from loremark.base import ids
from loremark.base.webhook_signing import STANDARD_PREFIX, delivery_headers
from loremark.cli.kit import USAGE, Stop
from loremark.wire.webhooks import DeliveryBody

_SECONDS = 10.0
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Target(NamedTuple):
    """Where deliveries go: a port of this machine, and no other."""

    host: str
    port: int
    path: str


def new_secret() -> str:
    return STANDARD_PREFIX + base64.b64encode(ids.token_bytes(24)).decode()


def target(text: str) -> Target:
    """The program that is meant by an address, which may leave out what goes without saying."""
    url = f"localhost:{text}" if text.partition("/")[0].isdigit() else text
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        host, port = parts.hostname or "", parts.port or 80
    except ValueError:
        raise Stop(f"{text} is no address", USAGE) from None
    if parts.scheme != "http" or host not in _LOOPBACK or parts.username is not None:
        raise Stop("--forward-to leads to this machine only, such as http://localhost:3000/hooks", USAGE)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not path.isascii() or not path.isprintable() or " " in path:
        raise Stop(f"{text} is no address", USAGE)
    return Target(host, port, path)


def forward(delivery: DeliveryBody, to: Target, secret: str) -> int | str:
    """Hand one on, once: the status of the answer, or what went wrong."""
    body = msgspec.json.encode(delivery)
    connection = http.client.HTTPConnection(to.host, to.port, timeout=_SECONDS)
    try:
        connection.request("POST", to.path, body, delivery_headers(delivery.id, body, secret))
        return connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__
    finally:
        connection.close()
