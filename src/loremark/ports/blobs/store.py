"""Storing and removing blobs, each under the project it belongs to."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from loremark.ports.blobs.local import LocalPlace
from loremark.ports.blobs.place import Place, is_blob_name
from loremark.ports.blobs.s3 import S3Place

_PROJECT = re.compile(r"[A-Za-z0-9_-]+")


class Blobs:
    """A project's blobs lie under the project's id, by the SHA-256 of their content.

    Names are checked here, before they become part of a path. A place that cannot do its work raises
    ``BlobsUnavailable``.
    """

    def __init__(self, place: Place) -> None:
        self._place = place

    async def put(self, project_id: str, sha256: str, content: bytes) -> None:
        """Ends only when the blob is as durable as a committed row, so that an event may name it."""
        _check(project_id, sha256)
        await self._place.put(project_id, sha256, content)

    async def get(self, project_id: str, sha256: str) -> bytes | None:
        _check(project_id, sha256)
        return await self._place.get(project_id, sha256)

    async def list_project(self, project_id: str) -> list[str]:
        """The hashes of a project's blobs."""
        _check(project_id)
        return await self._place.list_project(project_id)

    async def delete_project(self, project_id: str) -> int:
        """Remove all of a project's blobs; how many there were. May be called again after a crash."""
        _check(project_id)
        return await self._place.delete_project(project_id)


def _check(project_id: str, sha256: str | None = None) -> None:
    if not _PROJECT.fullmatch(project_id):
        raise ValueError("blobs belong to a project")
    if sha256 is not None and not is_blob_name(sha256):
        raise ValueError("a blob is named by its SHA-256")


def open_blobs(url: str, *, s3_endpoint: str = "") -> Blobs:
    """``file:///folder`` or ``s3://bucket/prefix``."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        return Blobs(LocalPlace(Path(url2pathname(parts.path))))
    if parts.scheme == "s3" and parts.netloc:
        return Blobs(S3Place(parts.netloc, parts.path.strip("/"), s3_endpoint))
    raise ValueError("LOREMARK_BLOBS_URL must be file:///folder or s3://bucket/prefix")
