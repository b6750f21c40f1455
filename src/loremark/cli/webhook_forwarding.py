"""Post webhook deliveries to a local program, signed like the server's."""

from __future__ import annotations

import base64
import http.client
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from loremark.base import ids
from loremark.base.webhook_signing import STANDARD_PREFIX, delivery_headers
from loremark.cli.framework import USAGE, CommandError
from loremark.wire.webhooks import DeliveryBody

_TIMEOUT_S = 10.0
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Target(NamedTuple):
    """Where to post deliveries, always on this machine."""

    host: str
    port: int
    path: str


def new_secret() -> str:
    return STANDARD_PREFIX + base64.b64encode(ids.token_bytes(24)).decode()


def parse_target(text: str) -> Target:
    """Parse a URL, or a short form such as ``3000`` or ``3000/hooks``."""
    url = f"localhost:{text}" if text.partition("/")[0].isdigit() else text
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        host, port = parts.hostname or "", parts.port or 80
    except ValueError:
        raise CommandError(f"{text} is not a valid URL", USAGE) from None
    if parts.scheme != "http" or host not in _LOOPBACK or parts.username is not None:
        raise CommandError("--forward-to must point to this machine, for example http://localhost:3000/hooks", USAGE)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not path.isascii() or not path.isprintable() or " " in path:
        raise CommandError(f"{text} is not a valid URL", USAGE)
    return Target(host, port, path)


def forward(delivery: DeliveryBody, to: Target, secret: str) -> int | str:
    """Post a delivery once; returns the response status, or the error."""
    body = msgspec.json.encode(delivery)
    connection = http.client.HTTPConnection(to.host, to.port, timeout=_TIMEOUT_S)
    try:
        connection.request("POST", to.path, body, delivery_headers(delivery.id, body, secret))
        return connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__
    finally:
        connection.close()
