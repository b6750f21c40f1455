"""ETags of brains: strong, and different for each format."""

from __future__ import annotations

import re

_TAG = re.compile(rb'(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")')


def format_etag(etag: str, form: str) -> bytes:
    """Return the ETag header value for this format."""
    return f'"{etag}"'.encode() if form == "json" else f'"{etag}-{form}"'.encode()


def matches_etag(given: bytes, tag: bytes) -> bool:
    """Return whether ``If-None-Match`` matches: a single tag or a list, weak or strong, or ``*``."""
    if given == tag:
        return True
    return given.strip() == b"*" or tag in _TAG.findall(given)
