"""Server-sent events as a plain stream that keeps the connection alive."""

from __future__ import annotations

from loremark.web.response import encode_json

KEEP_ALIVE = b": keep-alive\n\n"


def event(data: object) -> bytes:
    """One event: a single ``data:`` line holding JSON."""
    return b"data: " + encode_json(data) + b"\n\n"
