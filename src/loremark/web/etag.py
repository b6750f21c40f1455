"""Strong entity tags, hashed from the encoded resource."""

from __future__ import annotations

import hashlib

from msgspec import Struct

from loremark.base import errors
from loremark.web.call import Call
from loremark.web.response import encode_json


def etag_of(shape: Struct) -> str:
    return f'"{hashlib.sha256(encode_json(shape)).hexdigest()[:32]}"'


def set_etag(call: Call, shape: Struct) -> None:
    """Send the ETag, so a later update can use ``If-Match``."""
    call.set_header("ETag", etag_of(shape))


def check_if_match(call: Call, shape: Struct) -> None:
    """Raise 412 if the request has an ``If-Match`` header that does not match the current resource."""
    wanted = call.request.header(b"if-match")
    if wanted is None or wanted.strip() == "*":
        return
    if etag_of(shape) not in [tag.strip() for tag in wanted.split(",")]:
        raise errors.PRECONDITION_FAILED()
