"""``loremark api METHOD PATH``: any API call, authenticated with the key and, on request, signed."""

from __future__ import annotations

import argparse
import sys

from loremark.cli import page
from loremark.cli.desk import get_profile
from loremark.cli.kit import FAILED, OK, SIGNED_OUT, USAGE, Stop
from loremark.client import protocol
from loremark.client.call import Call
from loremark.client.client import Client
from loremark.client.line import Line

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_MOST_BYTES = 64 * 1024 * 1024


def call(arguments: argparse.Namespace) -> int:
    """Do it and print the answer, also one that refuses."""
    method = arguments.method.upper()
    if method not in _METHODS:
        raise Stop(f"{arguments.method} is no method; there are {', '.join(_METHODS)}", USAGE)
    asked = Call(
        method=method,
        path=_path(arguments.path, arguments.query),
        answer=bytes,
        body=_body(arguments.data),
        signed_for=arguments.sign,
    )
    status, told, content = _exchange(asked)
    _show(content, told.get("content-type", ""))
    if status < 300:
        return OK
    if content and not content.endswith(b"\n") and not sys.stdout.isatty():
        page.write()
        sys.stdout.flush()
    page.note(f"loremark: the server answered {status}")
    return SIGNED_OUT if status == 401 and asked.signed_for is None else FAILED


def _exchange(asked: Call[bytes]) -> tuple[int, dict[str, str], bytes]:
    """The answer as it came, refusals too."""
    from http.client import HTTPException

    found = get_profile()
    secret: str | None = None
    if asked.signed_for is not None:
        with Client(found.url, found.key, found.secrets) as client:
            secret = client.secret(asked.signed_for)
    line = Line(found.url, protocol.SECONDS, protocol.SECONDS * protocol.PATIENCE)
    try:
        with line.exchange(asked, protocol.headers(asked, found.key, secret)) as answer:
            content = answer.read(_MOST_BYTES + 1)
    except (OSError, HTTPException, ValueError) as error:
        raise line.failure(error) from error
    finally:
        line.close()
    if len(content) > _MOST_BYTES:
        raise protocol.too_long(found.url)
    return answer.status, line.told(answer), content


def _path(given: str, query: list[str]) -> str:
    """A path of the server that one is signed in to, and of no other."""
    from urllib.parse import quote_plus

    if not given.startswith("/") or given.startswith("//"):
        raise Stop("PATH begins with one slash, such as /api/projects", USAGE)
    if not given.isascii() or not given.isprintable() or any(sign in given for sign in (" ", "#", "\\")):
        raise Stop("PATH holds characters that must be written as %xx", USAGE)
    added: list[str] = []
    for pair in query:
        name, is_pair, value = pair.partition("=")
        if not name or not is_pair:
            raise Stop(f"a query parameter is NAME=VALUE, not {pair!r}", USAGE)
        added.append(f"{quote_plus(name)}={quote_plus(value)}")
    return given + ("&" if "?" in given else "?") + "&".join(added) if added else given


def _body(given: str | None) -> bytes | None:
    if given is None or not given.startswith("@"):
        return given.encode() if given is not None else None
    if given == "@-":
        content = sys.stdin.buffer.read(_MOST_BYTES + 1)
    else:
        try:
            with open(given[1:], "rb") as file:
                content = file.read(_MOST_BYTES + 1)
        except OSError as error:
            raise Stop(f"{given[1:]} cannot be read: {error.strerror}", USAGE) from None
    if len(content) > _MOST_BYTES:
        raise Stop("the body is too long", USAGE)
    return content


def _show(content: bytes, kind: str) -> None:
    """As it came; on a terminal JSON in lines, and nothing that a terminal would act on."""
    import msgspec

    if not sys.stdout.isatty():
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    if not content:
        return
    try:
        page.write(page.json_text(content) if "json" in kind else page.plain(content.decode()))
    except (msgspec.DecodeError, UnicodeDecodeError):
        page.note(f"{len(content)} bytes that are no text; send them to a file")
