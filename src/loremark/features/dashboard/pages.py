"""The built dashboard: one page for all routes, and its assets."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from loremark.base import ids
from loremark.web.response import HTML, Headers, Response, page_policy

_HERE = Path(__file__).parent
_PLAIN = _HERE / "files"
_BUILT = _HERE / "built"
_TYPES = {
    ".css": b"text/css; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".svg": b"image/svg+xml",
}
_NONCE = b"%NONCE%"
_NONCE_BYTES = 16
# Hashed file names change with their content, so they can be cached forever.
_HASHED_NAME = re.compile(r".+-[A-Za-z0-9_-]{8}\.(?:js|css)")
_IMMUTABLE = (b"cache-control", b"public, max-age=31536000, immutable")
_REVALIDATE = (b"cache-control", b"no-cache")
_COMPRESSED: Headers = [(b"content-encoding", b"gzip"), (b"vary", b"accept-encoding")]
_UNCOMPRESSED: Headers = [(b"vary", b"accept-encoding")]


class Asset(NamedTuple):
    """A file and, if the build created one, its gzip version."""

    content: bytes
    kind: bytes
    caching: tuple[bytes, bytes]
    compressed: bytes | None

    def response(self, accepted: str) -> Response:
        if self.compressed is not None and "gzip" in accepted:
            return Response(200, self.compressed, self.kind, [self.caching, *_COMPRESSED])
        return Response(200, self.content, self.kind, [self.caching, *_UNCOMPRESSED])


def _read(path: Path) -> Asset:
    compressed = path.with_name(f"{path.name}.gz")
    return Asset(
        path.read_bytes(),
        _TYPES[path.suffix],
        _IMMUTABLE if _HASHED_NAME.fullmatch(path.name) else _REVALIDATE,
        compressed.read_bytes() if compressed.exists() else None,
    )


@cache
def _read_all() -> dict[str, Asset]:
    folders = [folder for folder in (_BUILT / "assets", _PLAIN) if folder.is_dir()]
    return {path.name: _read(path) for folder in folders for path in folder.iterdir() if path.suffix in _TYPES}


class Pages:
    """The page and assets. ``worker_url`` is where answers are streamed from, possibly another origin."""

    def __init__(self, worker_url: str = "") -> None:
        page = _BUILT / "index.html"
        self._page = (page if page.exists() else _PLAIN / "unbuilt.html").read_bytes()
        self._worker_origin = _origin(worker_url)
        self._assets = _read_all()

    def page(self, status: int = 200) -> Response:
        """The page, with a fresh nonce for its inline styles."""
        nonce = ids.token(_NONCE_BYTES)
        policy = page_policy(nonce=nonce, connect_to=self._worker_origin)
        return Response(status, self._page.replace(_NONCE, nonce.encode()), HTML, [policy])

    def not_found(self) -> Response:
        """The dashboard with status 404: it shows its own "Page not found"."""
        return self.page(404)

    def find(self, name: str) -> Asset | None:
        return self._assets.get(name)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") else ""
