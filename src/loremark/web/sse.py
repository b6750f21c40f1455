"""Encodes server-sent events."""

from __future__ import annotations

from loremark.web.response import encode_json

KEEP_ALIVE = b": keep-alive\n\n"


def event(data: object) -> bytes:
    """Encode one event as a single ``data:`` line of JSON."""
    return b"data: " + encode_json(data) + b"\n\n"
