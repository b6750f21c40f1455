"""Blobs in an S3 or S3-compatible bucket. An acknowledged write is durable."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from loremark.ports.blobs.backend import BlobsUnavailable, is_blob_name

CALL_SECONDS = 10.0
"""Timeout of a call including retries."""

_DELETED_AT_ONCE = 1_000
"""The maximum of S3's batch delete."""


class S3Backend:
    """A bucket with an optional prefix. Credentials and region come from the usual AWS_ variables."""

    def __init__(self, bucket: str, prefix: str, endpoint: str, *, call_seconds: float = CALL_SECONDS) -> None:
        self._prefix = f"{prefix}/" if prefix else ""
        self._call_seconds = call_seconds
        self._store = S3Store(
            bucket,
            config={"endpoint": endpoint} if endpoint else {},
            client_options={
                "allow_http": endpoint.startswith("http://"),
                "connect_timeout": timedelta(seconds=call_seconds / 4),
                "timeout": timedelta(seconds=call_seconds),
            },
            retry_config={
                "max_retries": 3,
                "retry_timeout": timedelta(seconds=call_seconds / 2),
                "backoff": {
                    "init_backoff": timedelta(milliseconds=100),
                    "max_backoff": timedelta(seconds=1),
                    "base": 2,
                },
            },
        )

    async def put(self, project_id: str, sha256: str, content: bytes) -> None:
        async with self._bounded("a blob cannot be written"):
            # A single request is atomic; an interrupted multipart upload would leave parts in the bucket.
            await obstore.put_async(self._store, self._path(project_id, sha256), content, use_multipart=False)

    async def get(self, project_id: str, sha256: str) -> bytes | None:
        async with self._bounded("a blob cannot be read"):
            try:
                found = await obstore.get_async(self._store, self._path(project_id, sha256))
            except FileNotFoundError as error:
                if "NoSuchBucket" in str(error):
                    raise
                return None
            return bytes(await found.bytes_async())

    async def delete(self, project_id: str, sha256: str) -> None:
        async with self._bounded("a blob cannot be deleted"):
            await obstore.delete_async(self._store, [self._path(project_id, sha256)])

    async def list_project(self, project_id: str) -> list[str]:
        names = [path.rpartition("/")[2] for path in await self._paths(project_id)]
        return [name for name in names if is_blob_name(name)]

    async def delete_project(self, project_id: str) -> int:
        paths = await self._paths(project_id)
        for start in range(0, len(paths), _DELETED_AT_ONCE):
            async with self._bounded("blobs cannot be deleted"):
                await obstore.delete_async(self._store, paths[start : start + _DELETED_AT_ONCE])
        return len(paths)

    def _path(self, project_id: str, sha256: str = "") -> str:
        return f"{self._prefix}{project_id}/{sha256}"

    async def _paths(self, project_id: str) -> list[str]:
        """List all objects of a project, page by page."""
        pages = aiter(obstore.list(self._store, prefix=self._path(project_id)))
        paths: list[str] = []
        while True:
            async with self._bounded("blobs cannot be listed"):
                page = await anext(pages, None)
            if page is None:
                return paths
            paths.extend(entry["path"] for entry in page)

    @asynccontextmanager
    async def _bounded(self, what: str) -> AsyncIterator[None]:
        """Apply the timeout to one call and convert its errors."""
        try:
            async with asyncio.timeout(self._call_seconds):
                yield
        except TimeoutError as error:
            raise BlobsUnavailable(f"{what}: no response within {self._call_seconds:g} s") from error
        except (BaseError, OSError) as error:
            message, _, _ = str(error).partition("\n\nDebug source")  # the rest repeats the message at length
            raise BlobsUnavailable(f"{what}: {message}") from error
