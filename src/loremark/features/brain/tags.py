"""Entity tags of brains: strong, one for each form the document is sent in."""

from __future__ import annotations

import re

_TAG = re.compile(rb'(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")')


def tag_of(etag: str, form: str) -> bytes:
    """The tag as it is sent. The bytes of two forms differ, so their tags do."""
    return f'"{etag}"'.encode() if form == "json" else f'"{etag}-{form}"'.encode()


def matches(given: bytes, tag: bytes) -> bool:
    """Whether ``If-None-Match`` names the tag: alone or in a list, weak or strong, or as anything at all."""
    if given == tag:
        return True
    return given.strip() == b"*" or tag in _TAG.findall(given)
