"""The baseline for the brain: minimal ASGI apps on the same server that answer 304 to a known ETag, else 200.

``plain`` only compares the ETag. ``row`` also hashes the key and reads one indexed row of the same SQLite file, the
least that an authenticated request must do.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

from loremark.base.settings import load
from loremark.entry import server
from loremark.storage.sqlite_connection import connect

TAG = b'"0123456789abcdef0123456789abcdef"'
_BODY = b'{"markdown":"' + b"a word of it " * 1_850 + b'"}'
_KNOWN = [(b"etag", TAG)]
_WHOLE = [*_KNOWN, (b"content-type", b"application/json"), (b"content-length", str(len(_BODY)).encode())]


def make_app(path: str | None) -> Any:
    database = connect(Path(path)) if path else None

    async def app(scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        if database is not None:
            key = hashlib.sha256(headers[b"authorization"][7:]).hexdigest()
            database.execute("SELECT id, team_id, user_id FROM api_keys WHERE key_hash = ?", (key,)).fetchone()
        if headers.get(b"if-none-match") == TAG:
            await send({"type": "http.response.start", "status": 304, "headers": _KNOWN})
            await send({"type": "http.response.body", "body": b""})
            return
        await send({"type": "http.response.start", "status": 200, "headers": _WHOLE})
        await send({"type": "http.response.body", "body": _BODY})

    return app


async def main(port: int, path: str | None) -> None:
    with server.open_socket(load({"LOREMARK_PORT": str(port)})) as listening:
        await server.listen(make_app(path), listening, server.stop_signal())


if __name__ == "__main__":
    server.run(main(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None))
