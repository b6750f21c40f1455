"""One request over HTTP/1.0, bounded in time and size; no redirects, no proxies. Light enough for a hook."""

from __future__ import annotations

import socket

from loremark.base import clock

TYPE_CHECKING = False  # not from typing, which a hook has no time to load
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NamedTuple

    class Answer(NamedTuple):
        """The names of headers are in lower case."""

        status: int
        headers: dict[str, str]
        body: bytes

else:
    from collections import namedtuple

    Answer = namedtuple("Answer", ("status", "headers", "body"))

_HEAD_BYTES = 65_536
_PIECE = 65_536
_PORTS = {"http": 80, "https": 443}
_BLANK = b"\r\n\r\n"
_DIGITS = 18
_UNTOLD = 1 << 62


class Unreachable(OSError):
    """No whole answer came: the server is away, too slow, or speaks something else."""


def ask(
    url: str,
    method: str,
    path: str,
    headers: Mapping[str, str],
    body: bytes = b"",
    *,
    seconds: float,
    most_bytes: int = 1 << 20,
) -> Answer:
    """Send a request and read the whole answer, or raise Unreachable."""
    stop = clock.monotonic() + seconds
    scheme, host, port, prefix = _parts(url)
    name = f"[{host}]" if ":" in host else host
    host_line = f"Host: {name if port == _PORTS[scheme] else f'{name}:{port}'}"
    lines = [f"{method} {prefix}{path} HTTP/1.0", host_line, "Connection: close"]
    lines += [f"{each}: {value}" for each, value in headers.items()]
    if body or method != "GET":
        lines.append(f"Content-Length: {len(body)}")
    if any(not line.isprintable() or not line.isascii() for line in lines):
        raise Unreachable("a header or an address holds what cannot be sent")
    try:
        with _connect(scheme, host, port, seconds) as link:
            _limit(link, stop)
            link.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
            return _parse(_read(link, stop, most_bytes))
    except (OSError, ValueError) as error:
        if isinstance(error, Unreachable):
            raise
        raise Unreachable(f"{type(error).__name__}: {error}") from error


def _parts(url: str) -> tuple[str, str, int, str]:
    scheme, found, rest = url.partition("://")
    place, slash, prefix = rest.partition("/")
    host, colon, port = place.rpartition(":")
    if not colon or port.endswith("]"):
        host, port = place, ""
    host = host.removeprefix("[").removesuffix("]")
    if not found or scheme not in _PORTS or not host or "@" in place or (port and not port.isdecimal()):
        raise Unreachable("the server's address is not of the form https://host")
    return scheme, host, int(port or _PORTS[scheme]), (slash + prefix).rstrip("/")


def _connect(scheme: str, host: str, port: int, seconds: float) -> socket.socket:
    link = socket.create_connection((host, port), timeout=seconds)
    if scheme == "http":
        return link
    import ssl  # only where it is needed: it takes longer to load than all the rest

    try:
        return ssl.create_default_context().wrap_socket(link, server_hostname=host)
    except (OSError, ValueError):
        link.close()
        raise


def _limit(link: socket.socket, stop: float) -> None:
    left = stop - clock.monotonic()
    if left <= 0:
        raise Unreachable("the answer did not come in time")
    link.settimeout(left)


def _read(link: socket.socket, stop: float, most_bytes: int) -> bytearray:
    """Until the other side closes, or all that it has announced is there: not everybody closes when told to."""
    data = bytearray()
    wanted = -1
    while wanted < 0 or len(data) < wanted:
        _limit(link, stop)
        piece = link.recv(_PIECE)
        if not piece:
            break
        data += piece
        if len(data) > most_bytes + _HEAD_BYTES:
            raise Unreachable("the answer is too large")
        if wanted < 0 and (end := data.find(_BLANK, max(0, len(data) - len(piece) - len(_BLANK)))) >= 0:
            wanted = _whole_size(bytes(data[:end]).lower(), end + len(_BLANK))
    return data


def _whole_size(head: bytes, size: int) -> int:
    """How long the answer with this head will be; a large number where only its end tells."""
    status = head[:12].rpartition(b" ")[2]
    if status in (b"204", b"304"):
        return size
    length = head.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0].strip()
    if not length.isdigit() or len(length) > _DIGITS or b"\r\ntransfer-encoding:" in head:
        return _UNTOLD
    return size + int(length)


def _parse(data: bytearray) -> Answer:
    head, end, body = bytes(data).partition(_BLANK)
    first, _, rest = head.partition(b"\r\n")
    words = first.split(b" ", 2)
    if not end or len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
        raise Unreachable("the answer is no HTTP")
    headers: dict[str, str] = {}
    for line in rest.decode("latin-1").split("\r\n"):
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = _joined(body)
    length = headers.get("content-length", "")[:_DIGITS]
    if length.isdecimal() and len(body) < int(length) and int(words[1]) != 304:
        raise Unreachable("the answer was cut off")
    return Answer(int(words[1]), headers, body)


def _joined(body: bytes) -> bytes:
    pieces: list[bytes] = []
    at = 0
    while True:
        end = body.find(b"\r\n", at)
        count = int(body[at : end if end >= 0 else at][:_DIGITS].partition(b";")[0], 16)
        if count <= 0:
            return b"".join(pieces)
        at = end + 2 + count
        if len(body) < at:
            raise Unreachable("the answer was cut off")
        pieces.append(body[end + 2 : at])
        at += 2
