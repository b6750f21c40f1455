"""The baseline: a minimal ASGI app on the same server with the same settings. It returns prepared bytes."""

from __future__ import annotations

import sys
from typing import Any

from loremark.base.settings import load
from loremark.entry import server

_BODY = (
    b'{"id":"prj_01m7fxt9e78pkas5g1kbrbahpe","name":"First project","description":"","visibility":"private",'
    b'"status":"active","memberCount":1,"autoApproveThreshold":0.9,"createdAt":"2026-11-15T15:39:34.727Z",'
    b'"updatedAt":"2026-11-15T15:39:34.727Z"}'
)
_HEADERS = [(b"content-type", b"application/json"), (b"content-length", str(len(_BODY)).encode())]


async def app(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    await send({"type": "http.response.body", "body": _BODY})


async def main(port: int) -> None:
    with server.open_socket(load({"LOREMARK_PORT": str(port)})) as listening:
        await server.listen(app, listening, server.stop_signal())


if __name__ == "__main__":
    server.run(main(int(sys.argv[1])))
