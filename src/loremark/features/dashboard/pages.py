"""The dashboard as it was built: one page for all its addresses, and its files, ready to send."""

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
# Its name changes with its content: nobody has to ask for it twice.
_NAMED_BY_CONTENT = re.compile(r".+-[A-Za-z0-9_-]{8}\.(?:js|css)")
_FOR_EVER = (b"cache-control", b"public, max-age=31536000, immutable")
_REVALIDATE = (b"cache-control", b"no-cache")
_COMPRESSED: Headers = [(b"content-encoding", b"gzip"), (b"vary", b"accept-encoding")]
_WHOLE: Headers = [(b"vary", b"accept-encoding")]


class Asset(NamedTuple):
    """A file, and the same compressed where that was done when it was built."""

    whole: bytes
    kind: bytes
    caching: tuple[bytes, bytes]
    compressed: bytes | None

    def response(self, accepted: str) -> Response:
        if self.compressed is not None and "gzip" in accepted:
            return Response(200, self.compressed, self.kind, [self.caching, *_COMPRESSED])
        return Response(200, self.whole, self.kind, [self.caching, *_WHOLE])


def _read(path: Path) -> Asset:
    compressed = path.with_name(f"{path.name}.gz")
    return Asset(
        path.read_bytes(),
        _TYPES[path.suffix],
        _FOR_EVER if _NAMED_BY_CONTENT.fullmatch(path.name) else _REVALIDATE,
        compressed.read_bytes() if compressed.exists() else None,
    )


@cache
def _read_all() -> dict[str, Asset]:
    folders = [folder for folder in (_BUILT / "assets", _PLAIN) if folder.is_dir()]
    return {path.name: _read(path) for folder in folders for path in folder.iterdir() if path.suffix in _TYPES}


class Pages:
    """What a browser is given. ``worker_url``: where answers are streamed from, perhaps another origin."""

    def __init__(self, worker_url: str = "") -> None:
        page = _BUILT / "index.html"
        self._page = (page if page.exists() else _PLAIN / "unbuilt.html").read_bytes()
        self._also = _origin(worker_url)
        self._assets = _read_all()

    def page(self) -> Response:
        """Styles made in the page carry a number that is good for this one visit."""
        nonce = ids.token(_NONCE_BYTES)
        policy = page_policy(nonce=nonce, also=self._also)
        return Response(200, self._page.replace(_NONCE, nonce.encode()), HTML, [policy])

    def find(self, name: str) -> Asset | None:
        return self._assets.get(name)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") else ""
