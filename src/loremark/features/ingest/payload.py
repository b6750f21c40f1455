"""An event as it was sent: decoded, made canonical, large texts taken out."""

from __future__ import annotations

import hashlib
import re
import zlib
from typing import Any

import msgspec

from loremark.base import errors, limits
from loremark.base.caller import Caller
from loremark.features.sessions.blobs import take_out
from loremark.storage.database import Row
from loremark.wire.events import IngestEvent

_GZIP = 16 + zlib.MAX_WBITS
_SOURCE_CHARS = 50
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_SEPARATORS = (b",", b"[", b"{")
# An escaped character, or a whole surrogate pair; half a pair is left where a text was cut in the middle of one.
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.", re.DOTALL
)
_HALF_PAIR_BYTES = 6


class SentEvent(msgspec.Struct):
    """The body of a request."""

    event: IngestEvent
    payload: dict[str, Any]


class Captured(msgspec.Struct, frozen=True, kw_only=True):
    """An event on its way into the database."""

    project_id: str
    team_id: str
    proof: str
    source: str
    event: str
    payload: str
    size_bytes: int
    content_hash: bytes
    blobs: dict[str, bytes]


_decoder = msgspec.json.Decoder(SentEvent)
_encode_sorted = msgspec.json.Encoder(order="sorted").encode


def inflate(body: bytes, encoding: str | None) -> bytes:
    """The body as it was before compression, within the same bound as one sent plain."""
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


def capture(body: bytes, caller: Caller, source: str | None) -> Captured:
    """Decode what a project's tool has sent. The hash covers project, event and payload, whatever the order of keys."""
    sent = _decode(body)
    return captured(sent, caller.credential_id, caller.team_id, _source_of(sent, source), proof=caller.proof)


def capture_of(sent: SentEvent, project: Row) -> Captured:
    """What a person with a key tells of a project that they may write to."""
    source = _source_of(sent, None)
    return captured(sent, project["id"], project["team_id"], source, proof=project["hmac_secret_sealed"])


def captured(sent: SentEvent, project_id: str, team_id: str, source: str, *, proof: str = "") -> Captured:
    """An event as it is kept."""
    canonical = _encode_sorted(sent.payload)
    kept, blobs = take_out(sent.payload, canonical)
    about = f"{project_id}\0{sent.event.value}\0".encode()
    return Captured(
        project_id=project_id,
        team_id=team_id,
        proof=proof,
        source=source,
        event=sent.event.value,
        payload=kept.decode(),
        size_bytes=len(kept),
        content_hash=hashlib.sha256(about + canonical).digest(),
        blobs=blobs,
    )


def _decode(body: bytes) -> SentEvent:
    # A few kilobytes can inflate to millions of values, which would keep everybody waiting.
    if len(body) > limits.BODY_VALUES and _holds_too_much(body):
        raise errors.INVALID_BODY()
    try:
        if not body.isascii():
            body.decode()  # the decoder does not look into what it skips
        try:
            sent = _decoder.decode(body)
        except msgspec.DecodeError:
            sent = _decoder.decode(_ESCAPE.sub(_without_half_pairs, body))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise errors.INVALID_BODY() from error
    # Far deeper than any tool's payload, and within what can be walked again when it is read.
    if body.count(b"{") + body.count(b"[") > limits.PAYLOAD_LEVELS and _is_too_deep(sent.payload):
        raise errors.INVALID_BODY()
    return sent


def _without_half_pairs(escape: re.Match[bytes]) -> bytes:
    """No encoding can hold half a character; the replacement character takes its place."""
    return escape[0] if len(escape[0]) != _HALF_PAIR_BYTES else rb"\ufffd"


def _holds_too_much(body: bytes) -> bool:
    if sum(map(body.count, _SEPARATORS)) <= limits.BODY_VALUES:
        return False
    outside = _STRING.sub(b"", body)
    return sum(map(outside.count, _SEPARATORS)) > limits.BODY_VALUES


def _is_too_deep(payload: dict[str, Any]) -> bool:
    level: list[Any] = [payload]
    for _ in range(limits.PAYLOAD_LEVELS):
        lists = [entry for value in level if isinstance(value, list) for entry in value]
        level = lists + [entry for value in level if isinstance(value, dict) for entry in value.values()]
        if not level:
            return False
    return True


def _source_of(sent: SentEvent, header: str | None) -> str:
    named = sent.payload.get("source")
    given = named if isinstance(named, str) else header
    return (given or "").replace("\0", "").strip()[:_SOURCE_CHARS] or "api"
