"""Decoding events: size limits, canonical form, and extraction of large texts."""

from __future__ import annotations

import hashlib
import re
import zlib
from typing import Any

import msgspec

from loremark.base import errors, limits
from loremark.base.caller import Caller
from loremark.base.json_values import has_too_many_values
from loremark.features.sessions.blobs import extract_blobs
from loremark.features.sessions.payload_depth import is_too_deep
from loremark.storage.database import Row
from loremark.wire.events import IngestEvent

_GZIP = 16 + zlib.MAX_WBITS
_SOURCE_CHARS = 50
# An escaped character or a surrogate pair. Tools that truncate texts can leave half a pair.
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.", re.DOTALL
)
_LONE_SURROGATE_BYTES = 6


class SentEvent(msgspec.Struct):
    """The request body."""

    event: IngestEvent
    payload: dict[str, Any]


class CapturedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event ready to be stored. ``actor_id``: the signed-in sender."""

    project_id: str
    team_id: str
    proof: str
    source: str
    event: str
    payload: str
    size_bytes: int
    content_hash: bytes
    blobs: dict[str, bytes]
    actor_id: str | None = None


_decoder = msgspec.json.Decoder(SentEvent)
_encode_sorted = msgspec.json.Encoder(order="sorted").encode


def inflate(body: bytes, encoding: str | None) -> bytes:
    """Decompress the body, limited to the size allowed for uncompressed bodies."""
    if encoding is None or encoding.strip().lower() in ("", "identity"):
        return body
    if encoding.strip().lower() != "gzip":
        raise errors.UNSUPPORTED_ENCODING()
    reader = zlib.decompressobj(_GZIP)
    try:
        inflated = reader.decompress(body, limits.BODY_BYTES + 1)
    except zlib.error as error:
        raise errors.INVALID_BODY() from error
    if len(inflated) > limits.BODY_BYTES:
        raise errors.BODY_TOO_LARGE()
    if not reader.eof or reader.unused_data:
        raise errors.INVALID_BODY()
    return inflated


def parse_signed_event(body: bytes, caller: Caller, source: str | None) -> CapturedEvent:
    """Decode an event sent by a tool with the project's signature."""
    sent = _decode(body)
    return build_event(sent, caller.credential_id, caller.team_id, _source_of(sent, source), proof=caller.proof)


def build_authorized_event(sent: SentEvent, project: Row, actor_id: str | None) -> CapturedEvent:
    """Build an event sent by a caller with write access to the project. ``actor_id``: the person whose word it is."""
    source = _source_of(sent, None)
    event = build_event(sent, project["id"], project["team_id"], source, proof=project["hmac_secret_sealed"])
    return msgspec.structs.replace(event, actor_id=actor_id)


def build_event(sent: SentEvent, project_id: str, team_id: str, source: str, *, proof: str = "") -> CapturedEvent:
    """Build an event to store. Its hash covers project, event and payload, regardless of key order."""
    try:
        canonical = _encode_sorted(sent.payload)
    except RecursionError as error:
        raise errors.INVALID_BODY() from error
    if is_too_deep(sent.payload, canonical):
        raise errors.INVALID_BODY()
    stored, blobs = extract_blobs(sent.payload, canonical)
    about = f"{project_id}\0{sent.event.value}\0".encode()
    return CapturedEvent(
        project_id=project_id,
        team_id=team_id,
        proof=proof,
        source=source,
        event=sent.event.value,
        payload=stored.decode(),
        size_bytes=len(stored),
        content_hash=hashlib.sha256(about + canonical).digest(),
        blobs=blobs,
    )


def _decode(body: bytes) -> SentEvent:
    if has_too_many_values(body):
        raise errors.INVALID_BODY()
    try:
        if not body.isascii():
            body.decode()  # the decoder does not validate values it skips
        try:
            sent = _decoder.decode(body)
        except msgspec.DecodeError:
            sent = _decoder.decode(_ESCAPE.sub(_replace_lone_surrogate, body))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise errors.INVALID_BODY() from error
    return sent


def _replace_lone_surrogate(escape: re.Match[bytes]) -> bytes:
    """Replace half a surrogate pair, which cannot be encoded, by the replacement character."""
    return escape[0] if len(escape[0]) != _LONE_SURROGATE_BYTES else rb"\ufffd"


def _source_of(sent: SentEvent, header: str | None) -> str:
    named = sent.payload.get("source")
    given = named if isinstance(named, str) else header
    return (given or "").replace("\0", "").strip()[:_SOURCE_CHARS] or "api"
