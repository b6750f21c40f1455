"""The interface of blob backends and their error."""

from __future__ import annotations

import re
from typing import Protocol

from loremark.storage.database import StorageUnavailable

_SHA256 = re.compile(r"[0-9a-f]{64}")


class BlobsUnavailable(StorageUnavailable):
    """The disk is full, or the bucket is unreachable or slow. Answered with 503, like a database outage."""


class BlobBackend(Protocol):
    """Stores the blobs of projects. Callers validate names; every failure raises ``BlobsUnavailable``."""

    async def put(self, project_id: str, sha256: str, content: bytes) -> None:
        """Return once the blob is durable. Storing it again is not an error."""

    async def get(self, project_id: str, sha256: str) -> bytes | None: ...

    async def delete(self, project_id: str, sha256: str) -> None:
        """Delete the blob if it exists."""

    async def list_project(self, project_id: str) -> list[str]: ...

    async def delete_project(self, project_id: str) -> int: ...


def is_blob_name(name: str) -> bool:
    """Return whether the name is a lowercase SHA-256; temporary files never match."""
    return _SHA256.fullmatch(name) is not None
