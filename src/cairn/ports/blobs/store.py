"""Storing and removing blobs, each under the project it belongs to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import obstore
from obstore.store import LocalStore, ObjectStore, S3Store

_NAME = re.compile(r"[A-Za-z0-9_-]+")


class Blobs:
    """A project's blobs lie under the project's id, by the SHA-256 of their content."""

    def __init__(self, store: ObjectStore, prefix: str = "") -> None:
        self._store = store
        self._prefix = f"{prefix}/" if prefix else ""

    def _path(self, project_id: str, sha256: str = "") -> str:
        if not _NAME.fullmatch(project_id):
            raise ValueError("blobs belong to a project")
        return f"{self._prefix}{project_id}/{sha256}"

    async def put(self, project_id: str, sha256: str, content: bytes) -> None:
        await obstore.put_async(self._store, self._path(project_id, sha256), content)

    async def get(self, project_id: str, sha256: str) -> bytes | None:
        try:
            found = await obstore.get_async(self._store, self._path(project_id, sha256))
        except FileNotFoundError:
            return None
        return bytes(await found.bytes_async())

    async def list_project(self, project_id: str) -> list[str]:
        found: list[str] = []
        async for batch in obstore.list(self._store, prefix=self._path(project_id).rstrip("/")):
            found.extend(entry["path"] for entry in batch)
        return found

    async def delete_project(self, project_id: str) -> int:
        """Remove all of a project's blobs; how many there were. May be called again after a crash."""
        paths: Sequence[str] = await self.list_project(project_id)
        if paths:
            await obstore.delete_async(self._store, paths)
        return len(paths)


def open_blobs(url: str, *, s3_endpoint: str = "") -> Blobs:
    """``file:///folder`` or ``s3://bucket/prefix``."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        folder = Path(url2pathname(parts.path))
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Blobs(LocalStore(folder))
    if parts.scheme == "s3" and parts.netloc:
        plain = s3_endpoint.startswith("http://")
        store = S3Store(parts.netloc, endpoint=s3_endpoint or None, client_options={"allow_http": plain})
        return Blobs(store, parts.path.strip("/"))
    raise ValueError("CAIRN_BLOBS_URL must be file:///folder or s3://bucket/prefix")
