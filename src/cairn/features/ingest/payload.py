"""An event as it was sent: decoded, made canonical, large texts taken out."""

from __future__ import annotations

import hashlib
import zlib
from typing import Any

import msgspec

from cairn.base import errors, limits
from cairn.wire.events import IngestEvent

_GZIP = 16 + zlib.MAX_WBITS
_SOURCE_CHARS = 50
_LEVELS = 200
"""How deep a payload may be nested: far beyond any tool's, and within what can be walked again when it is read."""
BLOB_MARK = "$blob"


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


def capture(body: bytes, *, project_id: str, team_id: str, proof: str, source: str | None) -> Captured:
    """Decode a body. The hash covers project, event and payload, whatever the order of keys was."""
    try:
        if not body.isascii():
            body.decode()  # the decoder does not look into what it skips
        sent = _decoder.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise errors.INVALID_BODY() from error
    if body.count(b"{") + body.count(b"[") > _LEVELS and _is_too_deep(sent.payload):
        raise errors.INVALID_BODY()
    named = sent.payload.get("source")
    canonical = _encode_sorted(sent.payload)
    blobs: dict[str, bytes] = {}
    kept = canonical
    if len(canonical) > limits.BLOB_BYTES:
        kept = _encode_sorted(_take_out(sent.payload, blobs))
    about = f"{project_id}\0{sent.event.value}\0".encode()
    return Captured(
        project_id=project_id,
        team_id=team_id,
        proof=proof,
        source=_source(named if isinstance(named, str) else source),
        event=sent.event.value,
        payload=kept.decode(),
        size_bytes=len(kept),
        content_hash=hashlib.sha256(about + canonical).digest(),
        blobs=blobs,
    )


def _is_too_deep(payload: dict[str, Any]) -> bool:
    level: list[Any] = [payload]
    for _ in range(_LEVELS):
        lists = [entry for value in level if isinstance(value, list) for entry in value]
        level = lists + [entry for value in level if isinstance(value, dict) for entry in value.values()]
        if not level:
            return False
    return True


def _source(given: str | None) -> str:
    return (given or "").replace("\0", "").strip()[:_SOURCE_CHARS] or "api"


def _take_out(value: Any, blobs: dict[str, bytes]) -> Any:
    """The value with every large text replaced by its hash; the texts go into ``blobs``."""
    if isinstance(value, str) and len(value) > limits.BLOB_BYTES // 4:
        content = value.encode()
        if len(content) <= limits.BLOB_BYTES:
            return value
        sha256 = hashlib.sha256(content).hexdigest()
        blobs[sha256] = content
        return {BLOB_MARK: sha256, "size": len(content)}
    if isinstance(value, dict):
        return {key: _take_out(entry, blobs) for key, entry in value.items()}
    if isinstance(value, list):
        return [_take_out(entry, blobs) for entry in value]
    return value
