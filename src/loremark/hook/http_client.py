"""A minimal HTTP/1.0 client, bounded in time and size, without redirects or proxies. Imports fast enough for a hook."""

from __future__ import annotations

import _socket  # the socket module on top of it takes ten times as long to import
import os

from loremark.base import clock
from loremark.base.server_lock import refuse_stopped

TYPE_CHECKING = False  # importing typing would slow the hook down
if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping
    from typing import NamedTuple

    class Response(NamedTuple):
        """Header names are in lower case."""

        status: int
        headers: dict[str, str]
        body: bytes

else:
    from collections import namedtuple

    Response = namedtuple("Answer", ("status", "headers", "body"))

_HEAD_BYTES = 65_536
_READ_BYTES = 65_536
_PORTS = {"http": 80, "https": 443}
_HEAD_END = b"\r\n\r\n"
_MAX_DIGITS = 18
_UNKNOWN_SIZE = 1 << 62


class Unreachable(OSError):
    """No complete response: the server is down, too slow, or not speaking HTTP."""


def request(
    url: str,
    method: str,
    path: str,
    headers: Mapping[str, str],
    body: bytes = b"",
    *,
    seconds: float,
    max_bytes: int = 1 << 20,
) -> Response:
    """Send a request and return the complete response, or raise Unreachable."""
    deadline = clock.monotonic() + seconds
    scheme, host, port, prefix = _split_url(url)
    name = f"[{host}]" if ":" in host else host
    host_line = f"Host: {name if port == _PORTS[scheme] else f'{name}:{port}'}"
    lines = [f"{method} {prefix}{path} HTTP/1.0", host_line, "Connection: close"]
    lines += [f"{each}: {value}" for each, value in headers.items()]
    if body or method != "GET":
        lines.append(f"Content-Length: {len(body)}")
    if any(not line.isprintable() or not line.isascii() for line in lines):
        raise Unreachable("invalid character in the URL or a header")
    try:
        refuse_stopped(host, port)
        connection = _connect(scheme, host, port, seconds)
        try:
            _set_timeout(connection, deadline)
            connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
            return _parse(_read(connection, deadline, max_bytes))
        finally:
            connection.close()
    except Unreachable:
        raise
    except OSError as error:
        raise Unreachable(f"cannot reach {url}: {error.strerror or error}") from error
    except ValueError as error:
        raise Unreachable("not an HTTP response") from error


def _split_url(url: str) -> tuple[str, str, int, str]:
    scheme, found, rest = url.partition("://")
    authority, slash, prefix = rest.partition("/")
    host, colon, port = authority.rpartition(":")
    if not colon or port.endswith("]"):
        host, port = authority, ""
    host = host.removeprefix("[").removesuffix("]")
    if not found or scheme not in _PORTS or not host or "@" in authority or (port and not port.isdecimal()):
        raise Unreachable("invalid server URL; expected something like https://host")
    return scheme, host, int(port or _PORTS[scheme]), (slash + prefix).rstrip("/")


def _connect(scheme: str, host: str, port: int, seconds: float) -> _socket.socket:
    return _open_connection(host, port, seconds) if scheme == "http" else _open_encrypted(host, port, seconds)


def _open_connection(host: str, port: int, seconds: float) -> _socket.socket:
    """Connect to the first address of the host that accepts, like ``socket.create_connection``."""
    error: OSError | None = None
    # The host is ASCII. As text it would be encoded with the IDNA codec, which is slow to import.
    for family, kind, protocol, _, address in _socket.getaddrinfo(host.encode(), port, 0, _socket.SOCK_STREAM):
        connection = _socket.socket(family, kind, protocol)
        try:
            connection.settimeout(seconds)
            connection.connect(address)
        except OSError as failure:
            error = failure
            connection.close()
        else:
            return connection
    raise error or Unreachable("the host has no address")


def _open_encrypted(host: str, port: int, seconds: float) -> _socket.socket:
    import ssl  # lazy: slower to import than everything else here

    # The system's bundle of certificates takes 40 ms of CPU to load. From its folder OpenSSL loads only what it needs,
    # so the bundle is for servers that the folder can't verify, and for users who chose one.
    paths = ssl.get_default_verify_paths()
    if paths.capath is not None and paths.openssl_cafile_env not in os.environ:
        try:
            return _encrypt(host, port, seconds, ssl.create_default_context(capath=paths.capath))
        except ssl.SSLCertVerificationError:
            pass
    return _encrypt(host, port, seconds, ssl.create_default_context())


def _encrypt(host: str, port: int, seconds: float, context: ssl.SSLContext) -> _socket.socket:
    import socket

    connection = socket.create_connection((host, port), timeout=seconds)
    try:
        return context.wrap_socket(connection, server_hostname=host)
    except (OSError, ValueError):
        connection.close()
        raise


def _set_timeout(connection: _socket.socket, deadline: float) -> None:
    remaining = deadline - clock.monotonic()
    if remaining <= 0:
        raise Unreachable("request timed out")
    connection.settimeout(remaining)


def _read(connection: _socket.socket, deadline: float, max_bytes: int) -> bytearray:
    """Read until the server closes or Content-Length is reached; some servers ignore ``Connection: close``."""
    data = bytearray()
    expected = -1
    while expected < 0 or len(data) < expected:
        _set_timeout(connection, deadline)
        chunk = connection.recv(_READ_BYTES)
        if not chunk:
            break
        data += chunk
        if len(data) > max_bytes + _HEAD_BYTES:
            raise Unreachable("response too large")
        if expected < 0 and (end := data.find(_HEAD_END, max(0, len(data) - len(chunk) - len(_HEAD_END)))) >= 0:
            expected = _response_size(bytes(data[:end]).lower(), end + len(_HEAD_END))
    return data


def _response_size(head: bytes, size: int) -> int:
    """Return the total size of the response, or a huge number if only EOF marks its end."""
    status = head[:12].rpartition(b" ")[2]
    if status in (b"204", b"304"):
        return size
    length = head.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0].strip()
    if not length.isdigit() or len(length) > _MAX_DIGITS or b"\r\ntransfer-encoding:" in head:
        return _UNKNOWN_SIZE
    return size + int(length)


def _parse(data: bytearray) -> Response:
    head, end, body = bytes(data).partition(_HEAD_END)
    first, _, rest = head.partition(b"\r\n")
    words = first.split(b" ", 2)
    if not end or len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
        raise Unreachable("not an HTTP response")
    headers: dict[str, str] = {}
    for line in rest.decode("latin-1").split("\r\n"):
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = _join_chunks(body)
    length = headers.get("content-length", "")[:_MAX_DIGITS]
    if length.isdecimal() and len(body) < int(length) and int(words[1]) != 304:
        raise Unreachable("response truncated")
    return Response(int(words[1]), headers, body)


def _join_chunks(body: bytes) -> bytes:
    chunks: list[bytes] = []
    at = 0
    while True:
        end = body.find(b"\r\n", at)
        count = int(body[at : end if end >= 0 else at][:_MAX_DIGITS].partition(b";")[0], 16)
        if count <= 0:
            return b"".join(chunks)
        at = end + 2 + count
        if len(body) < at:
            raise Unreachable("response truncated")
        chunks.append(body[end + 2 : at])
        at += 2
