"""Large texts in event payloads, stored separately by hash and restored on demand.

An extracted text is replaced by ``{"$blob": <sha256>, "size": <bytes>}``. Keys of that form in the original payload
are escaped with another ``$``, so a sender cannot forge a reference.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

import msgspec

from loremark.base import limits
from loremark.features.sessions.payload_depth import LEFT_OUT, cut, is_too_deep
from loremark.ports.blobs.store import Blobs

_REFERENCE = "$blob"
_REFERENCE_BYTES = b'$blob"'
_ESCAPED = re.compile(r"\$+blob")
_encode = msgspec.json.Encoder(order="sorted").encode


def extract_blobs(payload: dict[str, Any], canonical: bytes) -> tuple[bytes, dict[str, bytes]]:
    """Return the payload as it is stored, and its large texts by hash. ``canonical`` is the encoded payload."""
    # Searching for a single character first is fast, and it rarely occurs.
    if len(canonical) <= limits.BLOB_BYTES and (b"$" not in canonical or _REFERENCE_BYTES not in canonical):
        return canonical, {}
    blobs: dict[str, bytes] = {}
    return _encode(_replace_blobs(payload, blobs)), blobs


def _replace_blobs(value: Any, blobs: dict[str, bytes]) -> Any:
    if isinstance(value, str) and len(value) > limits.BLOB_BYTES // 4:
        content = value.encode()
        if len(content) <= limits.BLOB_BYTES:
            return value
        sha256 = hashlib.sha256(content).hexdigest()
        blobs[sha256] = content
        return {_REFERENCE: sha256, "size": len(content)}
    if isinstance(value, dict):
        return {
            "$" + key if key.endswith("blob") and _ESCAPED.fullmatch(key) else key: _replace_blobs(entry, blobs)
            for key, entry in value.items()
        }
    if isinstance(value, list):
        return [_replace_blobs(entry, blobs) for entry in value]
    return value


class PayloadReader:
    """Decodes stored payloads. With a blob store, large texts are restored, each read once."""

    def __init__(self, blobs: Blobs | None, project_id: str) -> None:
        self._blobs = blobs
        self._project_id = project_id
        self._read: dict[str, str | None] = {}
        self.size = 0
        """Total size of the payloads read so far, in characters."""

    async def read(self, stored: str) -> Any:
        self.size += len(stored)
        try:
            decoded = msgspec.json.decode(stored)
        except RecursionError:
            decoded = {"notes": LEFT_OUT}
        if is_too_deep(decoded, stored, limits.PAYLOAD_LEVELS + 1):  # a reference to a large text is one more
            decoded = cut(decoded)
        return await self._restore(decoded) if _REFERENCE + '"' in stored else decoded

    async def _restore(self, value: Any) -> Any:
        if isinstance(value, dict):
            if _REFERENCE in value:
                content = await self._content(value[_REFERENCE])
                return value if content is None else content
            return {
                key[1:] if key.endswith("blob") and _ESCAPED.fullmatch(key) else key: await self._restore(entry)
                for key, entry in value.items()
            }
        if isinstance(value, list):
            return [await self._restore(entry) for entry in value]
        return value

    async def _content(self, sha256: str) -> str | None:
        if self._blobs is None:
            return None
        if sha256 not in self._read:
            found = await self._blobs.get(self._project_id, sha256)
            self._read[sha256] = None if found is None else found.decode()
        content = self._read[sha256]
        self.size += len(content or "")
        return content
