"""Export and import of a project."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from urllib.parse import urlsplit

from loremark.base.server_lock import refuse_stopped
from loremark.client import protocol
from loremark.client.call import ApiError, Call, path
from loremark.wire.transfer import MAX_CHUNK_BYTES, MEDIA_TYPE, ImportResult

_SECONDS = 120.0


def import_lines(
    project_id: str, lines: bytes, *, dry_run: bool = False, keep_reviews: bool = False
) -> Call[ImportResult]:
    """Import a chunk of export lines. The server skips existing entries, so it is safe to resend.

    ``keep_reviews``: trust the file's word for what was reviewed.
    """
    options = {"dryRun": dry_run or None, "keepReviews": keep_reviews or None}
    return Call(
        method="POST",
        path=path("/api/v2/import", projectId=project_id, **options),
        response_type=ImportResult,
        body=lines,
        content_type=MEDIA_TYPE,
        idempotent=True,
    )


def export_lines(project_id: str) -> Call[bytes]:
    """The whole export as one response. Use ``stream_export`` if it may not fit in memory."""
    return Call(method="GET", path=path("/api/v2/export", projectId=project_id), response_type=bytes)


def stream_export(url: str, key: str, project_id: str) -> Iterator[bytes]:
    """Stream the export line by line. Raises if it ends early."""
    last = b""
    for last in stream_lines(export_lines(project_id), url, key):
        yield last
    if not last.startswith(b'{"loremark":"end"'):
        raise ApiError(0, f"the export from {url} ended early; try again")


def stream_lines(call: Call[bytes], url: str, key: str) -> Iterator[bytes]:
    """Stream a response line by line."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ApiError(0, f"{url} is not a server address; it must start with http:// or https://")
    connection_type = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = connection_type(parts.hostname, parts.port, timeout=_SECONDS)
    try:
        refuse_stopped(connection.host, connection.port)
        connection.request("GET", parts.path.rstrip("/") + call.path, headers=protocol.headers(call, key, None))
        response = connection.getresponse()
        if response.status != 200:
            protocol.parse_response(call, response.status, response.read(protocol.MAX_RESPONSE_BYTES), {}, url)
        while line := response.readline(MAX_CHUNK_BYTES + 1):
            if len(line) > MAX_CHUNK_BYTES:
                raise protocol.too_large_error(url)
            yield line
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise protocol.unreachable_error(url, error) from error
    finally:
        connection.close()
