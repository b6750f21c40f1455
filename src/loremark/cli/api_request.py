"""``loremark api METHOD PATH``: send one authenticated, optionally signed, API request."""

from __future__ import annotations

import argparse
import sys

from loremark.cli import output
from loremark.cli.connection import get_profile
from loremark.cli.framework import FAILED, OK, SIGNED_OUT, USAGE, CommandError
from loremark.client import protocol
from loremark.client.call import Call
from loremark.client.client import Client
from loremark.client.http_connection import HttpConnection

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_MAX_BYTES = 64 * 1024 * 1024


def call(arguments: argparse.Namespace) -> int:
    """Send the request and print the response, including error responses."""
    method = arguments.method.upper()
    if method not in _METHODS:
        raise CommandError(f"unknown method {arguments.method}; use one of {', '.join(_METHODS)}", USAGE)
    request = Call(
        method=method,
        path=_path(arguments.path, arguments.query),
        response_type=bytes,
        body=_body(arguments.data),
        signed_for=arguments.sign,
    )
    status, headers, content = _exchange(request)
    _show(content, headers.get("content-type", ""))
    if status < 300:
        return OK
    if content and not content.endswith(b"\n") and not sys.stdout.isatty():
        output.write()
        sys.stdout.flush()
    output.note(f"loremark: the server responded with status {status}")
    return SIGNED_OUT if status == 401 and request.signed_for is None else FAILED


def _exchange(request: Call[bytes]) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the response."""
    from http.client import HTTPException

    found = get_profile()
    secret: str | None = None
    if request.signed_for is not None:
        with Client(found.url, found.key, found.secrets) as client:
            secret = client.get_secret(request.signed_for)
    connection = HttpConnection(found.url, protocol.TIMEOUT_S, protocol.TIMEOUT_S * protocol.TOTAL_TIMEOUT_FACTOR)
    try:
        with connection.exchange(request, protocol.headers(request, found.key, secret)) as response:
            content = response.read(_MAX_BYTES + 1)
    except (OSError, HTTPException, ValueError) as error:
        raise connection.failure(error) from error
    finally:
        connection.close()
    if len(content) > _MAX_BYTES:
        raise protocol.too_large_error(found.url)
    return response.status, connection.response_headers(response), content


def _path(given: str, query: list[str]) -> str:
    """The request path with its query. Rejects anything that could reach another server."""
    from urllib.parse import quote_plus

    if not given.startswith("/") or given.startswith("//"):
        raise CommandError("PATH must start with a single slash, for example /api/projects", USAGE)
    if not given.isascii() or not given.isprintable() or any(sign in given for sign in (" ", "#", "\\")):
        raise CommandError("PATH contains characters that must be percent-encoded (%xx)", USAGE)
    added: list[str] = []
    for pair in query:
        name, is_pair, value = pair.partition("=")
        if not name or not is_pair:
            raise CommandError(f"--query takes NAME=VALUE, not {pair!r}", USAGE)
        added.append(f"{quote_plus(name)}={quote_plus(value)}")
    return given + ("&" if "?" in given else "?") + "&".join(added) if added else given


def _body(given: str | None) -> bytes | None:
    if given is None or not given.startswith("@"):
        return given.encode() if given is not None else None
    if given == "@-":
        content = sys.stdin.buffer.read(_MAX_BYTES + 1)
    else:
        try:
            with open(given[1:], "rb") as file:
                content = file.read(_MAX_BYTES + 1)
        except OSError as error:
            raise CommandError(f"cannot read {given[1:]}: {error.strerror}", USAGE) from None
    if len(content) > _MAX_BYTES:
        raise CommandError(f"the body is larger than {_MAX_BYTES >> 20} MiB", USAGE)
    return content


def _show(content: bytes, content_type: str) -> None:
    """Write the body unchanged; on a terminal, indent JSON and strip control characters."""
    import msgspec

    if not sys.stdout.isatty():
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    if not content:
        return
    try:
        output.write(output.json_text(content) if "json" in content_type else output.plain(content.decode()))
    except (msgspec.DecodeError, UnicodeDecodeError):
        output.note(f"binary response of {len(content)} bytes; redirect the output to a file")
