"""Stores and deletes the blobs of projects."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from loremark.ports.blobs.backend import BlobBackend, is_blob_name
from loremark.ports.blobs.local import LocalBackend
from loremark.ports.blobs.s3 import S3Backend

_PROJECT = re.compile(r"[A-Za-z0-9_-]+")


class Blobs:
    """Blobs by project id and the SHA-256 of their content.

    Names are validated here, before they become part of a path. Backend failures raise ``BlobsUnavailable``.
    """

    def __init__(self, backend: BlobBackend) -> None:
        self._backend = backend

    async def put(self, project_id: str, sha256: str, content: bytes) -> None:
        """Return once the blob is durable, so an event can reference it."""
        _check(project_id, sha256)
        await self._backend.put(project_id, sha256, content)

    async def get(self, project_id: str, sha256: str) -> bytes | None:
        _check(project_id, sha256)
        return await self._backend.get(project_id, sha256)

    async def delete(self, project_id: str, sha256: str) -> None:
        """Delete a blob that no event refers to. Safe to repeat after a crash."""
        _check(project_id, sha256)
        await self._backend.delete(project_id, sha256)

    async def list_project(self, project_id: str) -> list[str]:
        """Return the hashes of a project's blobs."""
        _check(project_id)
        return await self._backend.list_project(project_id)

    async def delete_project(self, project_id: str) -> int:
        """Delete all of a project's blobs and return how many there were. Safe to repeat after a crash."""
        _check(project_id)
        return await self._backend.delete_project(project_id)


def _check(project_id: str, sha256: str | None = None) -> None:
    if not _PROJECT.fullmatch(project_id):
        raise ValueError("invalid project id")
    if sha256 is not None and not is_blob_name(sha256):
        raise ValueError("invalid blob name: not a SHA-256")


def open_blobs(url: str, *, s3_endpoint: str = "") -> Blobs:
    """Open the blob store for ``file:///folder`` or ``s3://bucket/prefix``."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        return Blobs(LocalBackend(Path(url2pathname(parts.path))))
    if parts.scheme == "s3" and parts.netloc:
        return Blobs(S3Backend(parts.netloc, parts.path.strip("/"), s3_endpoint))
    raise ValueError("LOREMARK_BLOBS_URL must be file:///folder or s3://bucket/prefix")
