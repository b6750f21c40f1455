"""Large texts of events: taken out of the payload by their hash, and put back when they are asked for.

A text that was taken out leaves a mark, ``{"$blob": <sha256>, "size": <bytes>}``. A payload may hold such keys of
its own: they are kept with one more ``$`` in front, so that no sender can forge a mark.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

import msgspec

from loremark.base import limits
from loremark.ports.blobs.store import Blobs

_MARK = "$blob"
_MARK_BYTES = b'$blob"'
_OWN = re.compile(r"\$+blob")
_encode = msgspec.json.Encoder(order="sorted").encode


def take_out(payload: dict[str, Any], canonical: bytes) -> tuple[bytes, dict[str, bytes]]:
    """The payload as it is kept, and its large texts by their hash. ``canonical`` is the payload, encoded."""
    # A single character is found quickly, and is hardly ever there.
    if len(canonical) <= limits.BLOB_BYTES and (b"$" not in canonical or _MARK_BYTES not in canonical):
        return canonical, {}
    blobs: dict[str, bytes] = {}
    return _encode(_reduced(payload, blobs)), blobs


def _reduced(value: Any, blobs: dict[str, bytes]) -> Any:
    if isinstance(value, str) and len(value) > limits.BLOB_BYTES // 4:
        content = value.encode()
        if len(content) <= limits.BLOB_BYTES:
            return value
        sha256 = hashlib.sha256(content).hexdigest()
        blobs[sha256] = content
        return {_MARK: sha256, "size": len(content)}
    if isinstance(value, dict):
        return {
            "$" + key if key.endswith("blob") and _OWN.fullmatch(key) else key: _reduced(entry, blobs)
            for key, entry in value.items()
        }
    if isinstance(value, list):
        return [_reduced(entry, blobs) for entry in value]
    return value


class Unpacking:
    """Payloads given back as they were sent; large texts only where they are asked for, each read once."""

    def __init__(self, blobs: Blobs | None, project_id: str) -> None:
        self._blobs = blobs
        self._project_id = project_id
        self._read: dict[str, str | None] = {}
        self.size = 0
        """How large all of them are together, in characters."""

    async def payload(self, kept: str) -> Any:
        self.size += len(kept)
        decoded = msgspec.json.decode(kept)
        return await self._restored(decoded) if _MARK + '"' in kept else decoded

    async def _restored(self, value: Any) -> Any:
        if isinstance(value, dict):
            if _MARK in value:
                content = await self._content(value[_MARK])
                return value if content is None else content
            return {
                key[1:] if key.endswith("blob") and _OWN.fullmatch(key) else key: await self._restored(entry)
                for key, entry in value.items()
            }
        if isinstance(value, list):
            return [await self._restored(entry) for entry in value]
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
