"""Giving large texts back: where an event names a blob, its content takes the place again."""

from __future__ import annotations

import re
from typing import Any

from cairn.base.caller import Scope
from cairn.features.sessions import store
from cairn.ports.blobs.store import Blobs
from cairn.storage.database import Tx

MARK = "$blob"
_HASH = re.compile(r"[0-9a-f]{64}")


async def inline(tx: Tx, blobs: Blobs, scope: Scope, project_id: str, value: Any) -> Any:
    """The payload with every blob of this project written out; a mark that names none stays as it is."""
    if isinstance(value, dict):
        if set(value) == {MARK, "size"} and isinstance(value[MARK], str):
            content = await _content(tx, blobs, scope, project_id, value[MARK])
            return value if content is None else content
        return {key: await inline(tx, blobs, scope, project_id, entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [await inline(tx, blobs, scope, project_id, entry) for entry in value]
    return value


async def _content(tx: Tx, blobs: Blobs, scope: Scope, project_id: str, sha256: str) -> str | None:
    if not _HASH.fullmatch(sha256) or not await store.has_blob(tx, scope, project_id, sha256):
        return None
    found = await blobs.get(project_id, sha256)
    return None if found is None else found.decode("utf-8", "surrogatepass")
