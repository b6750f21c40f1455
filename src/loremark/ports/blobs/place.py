"""What a place for blobs must do, whatever it is made of, and the one way in which it fails."""

from __future__ import annotations

import re
from typing import Protocol

from loremark.storage.database import StorageUnavailable

_SHA256 = re.compile(r"[0-9a-f]{64}")


class BlobsUnavailable(StorageUnavailable):
    """The disk is full, the bucket away or too slow. The edge answers 503, as it does for the database."""


class Place(Protocol):
    """Keeps the blobs of projects. Its caller has checked the names; every failure is ``BlobsUnavailable``."""

    async def put(self, project_id: str, sha256: str, content: bytes) -> None:
        """Ends only when the blob will outlive a power cut. Putting what is there already is no error."""

    async def get(self, project_id: str, sha256: str) -> bytes | None: ...

    async def list_project(self, project_id: str) -> list[str]: ...

    async def delete_project(self, project_id: str) -> int: ...


def is_blob_name(name: str) -> bool:
    """Whether this is a SHA-256 as we write it; an unfinished file never is."""
    return _SHA256.fullmatch(name) is not None
