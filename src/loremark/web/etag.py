"""Entity tags: strong, made from the bytes of what they stand for."""

from __future__ import annotations

import hashlib

from msgspec import Struct

from loremark.base import errors
from loremark.web.call import Call
from loremark.web.response import encode_json


def etag_of(shape: Struct) -> str:
    return f'"{hashlib.sha256(encode_json(shape)).hexdigest()[:32]}"'


def show_etag(call: Call, shape: Struct) -> None:
    """Send the tag along, so that a change can name what it is based on."""
    call.set_header("ETag", etag_of(shape))


def refuse_if_changed(call: Call, shape: Struct) -> None:
    """Honour ``If-Match``: the change is refused when the thing is no longer what the caller saw."""
    wanted = call.request.header(b"if-match")
    if wanted is None or wanted.strip() == "*":
        return
    if etag_of(shape) not in [tag.strip() for tag in wanted.split(",")]:
        raise errors.CHANGED_MEANWHILE()
