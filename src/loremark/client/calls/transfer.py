"""A whole project, out of a server and into one."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from urllib.parse import urlsplit

from loremark.client import protocol
from loremark.client.call import ApiError, Call, path
from loremark.wire.transfer import CHUNK_MOST_BYTES, MEDIA_TYPE, Imported

_SECONDS = 120.0


def import_lines(project_id: str, lines: bytes, *, dry_run: bool = False) -> Call[Imported]:
    """A chunk of an export's lines; the server knows what it has already, so it may be sent until it is taken."""
    return Call(
        method="POST",
        path=path("/api/v2/import", projectId=project_id, dryRun=dry_run or None),
        answer=Imported,
        body=lines,
        kind=MEDIA_TYPE,
        repeatable=True,
    )


def export_lines(project_id: str) -> Call[bytes]:
    """The whole export as one answer; for what may be larger than memory: ``stream_export``."""
    return Call(method="GET", path=path("/api/v2/export", projectId=project_id), answer=bytes)


def stream_export(url: str, key: str, project_id: str) -> Iterator[bytes]:
    """The export line by line as it comes. One that broke off ends with an error, never quietly."""
    call = export_lines(project_id)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ApiError(0, f"{url} is not the address of a server; it begins with http:// or https://")
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=_SECONDS)
    last = b""
    try:
        connection.request("GET", parts.path.rstrip("/") + call.path, headers=protocol.headers(call, key, None))
        answer = connection.getresponse()
        if answer.status != 200:
            protocol.read(call, answer.status, answer.read(protocol.MOST_BYTES), {}, url)
        while line := answer.readline(CHUNK_MOST_BYTES + 1):
            if len(line) > CHUNK_MOST_BYTES:
                raise protocol.too_long(url)
            last = line
            yield line
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise protocol.unreachable(url, error) from error
    finally:
        connection.close()
    if not last.startswith(b'{"loremark":"end"'):
        raise ApiError(0, f"the export of {url} broke off; nothing of it was kept")
