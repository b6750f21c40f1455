"""Browser sign-in for the command line: the signed-in user grants it an API key.

The command line generates a key pair and opens /connect with the public key. The API key is returned encrypted for that
key: as text to paste, and as a link to the command line's local port. Nothing is stored except the API key itself.
"""

from __future__ import annotations

import re
from html import escape
from typing import NamedTuple
from urllib.parse import parse_qs

from loremark.base import errors, sealed_box
from loremark.base.caller import Caller
from loremark.base.signing import sha256_hex
from loremark.features.keys import service as keys
from loremark.storage.database import Tx
from loremark.wire.keys import NewKey

_PUBLIC_KEY = re.compile(r"[A-Za-z0-9_-]{43}")
_NAME = re.compile(r"[\w .-]{1,60}")
_PORT = re.compile(r"[1-9][0-9]{3,4}")
_MAX_PORT = 65_535
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Command line · Loremark</title><link rel="icon" href="/assets/loremark.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/loremark.css"></head><body><main>
<header><img src="/assets/loremark.svg" alt="" width="48" height="48"><div><h1>Command line</h1></div></header>
<section class="card">{content}</section></main></body></html>
"""


class CliLoginRequest(NamedTuple):
    """A command line that asks for a key; ``port`` is empty if it does not listen."""

    public_key: str
    name: str
    port: str

    @property
    def code(self) -> str:
        """The code both sides show, so that the user can compare them."""
        digest = sha256_hex(self.public_key)[:8].upper()
        return f"{digest[:4]}-{digest[4:]}"


def parse(public_key: str, name: str, port: str) -> CliLoginRequest | None:
    """Parse the parameters; None if they are invalid."""
    if not _PUBLIC_KEY.fullmatch(public_key) or not _NAME.fullmatch(name):
        return None
    if port and (not _PORT.fullmatch(port) or int(port) > _MAX_PORT):
        return None
    return CliLoginRequest(public_key, name, port)


def parse_form(raw: bytes) -> CliLoginRequest | None:
    try:
        fields = {name: values[-1] for name, values in parse_qs(raw.decode(), max_num_fields=10).items()}
    except ValueError:
        return None
    return parse(fields.get("key", ""), fields.get("name", ""), fields.get("port", ""))


async def allow(tx: Tx, caller: Caller, request: CliLoginRequest) -> str:
    """Create an API key and return it encrypted for the command line."""
    created = await keys.create_key(tx, caller, NewKey(name=f"loremark on {request.name}"))
    try:
        return sealed_box.seal(request.public_key, created.key)
    except sealed_box.SealedBoxError:
        raise errors.invalid("key is not a valid public key") from None


def consent_page(request: CliLoginRequest | None, user: str = "") -> str:
    """Asks ``user`` to allow the request."""
    if request is None:
        return _PAGE.format(
            content="<p>Invalid or missing request. Run this in a terminal: <code>loremark login --browser</code></p>"
        )
    fields = "".join(
        f'<input type="hidden" name="{name}" value="{escape(value)}">'
        for name, value in (("key", request.public_key), ("name", request.name), ("port", request.port))
    )
    act = f"as you, <b>{escape(user)}</b>," if user else "as you"
    return _PAGE.format(
        content=f"<p>Allow <b>loremark on {escape(request.name)}</b> to act {act} on this server? It gets an API key, "
        f"which you can revoke at any time. Allow it only if your terminal shows <b>{request.code}</b>.</p>"
        f'<form method="post" action="/connect">{fields}<button type="submit">Allow</button></form>'
    )


def result_page(request: CliLoginRequest, letter: str) -> str:
    link = f"http://127.0.0.1:{request.port}/?letter={letter}"
    next_step = "Paste this sign-in code into your terminal:"
    if request.port:
        next_step = f'<a href="{escape(link)}">Send the sign-in code to your terminal</a>, or paste it there:'
    return _PAGE.format(
        content=f"<p>Allowed. Only your terminal can read the sign-in code.</p><p>{next_step}</p>"
        f"<p><code>{escape(letter)}</code></p>"
    )
