"""Signing a command line in by the browser: whoever is signed in here lets it have a key of its own.

The command line makes a pair of keys and opens /connect with the public one. What is allowed there comes back sealed
to it: shown to be pasted, and as a link to the command line's own port of this machine. It cannot be opened by
anybody else, and nothing is kept here but the API key itself.
"""

from __future__ import annotations

import re
from html import escape
from typing import NamedTuple
from urllib.parse import parse_qs

from loremark.base import errors, letters
from loremark.base.caller import Caller
from loremark.base.signing import sha256_hex
from loremark.features.keys import service as keys
from loremark.storage.database import Tx
from loremark.wire.keys import NewKey

_ADDRESS = re.compile(r"[A-Za-z0-9_-]{43}")
_NAME = re.compile(r"[\w .-]{1,60}")
_PORT = re.compile(r"[1-9][0-9]{3,4}")
_MOST_PORT = 65_535
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Command line · Loremark</title><link rel="icon" href="/assets/loremark.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/loremark.css"></head><body><main>
<header><img src="/assets/loremark.svg" alt="" width="48" height="48"><div><h1>Command line</h1></div></header>
<section class="card">{content}</section></main></body></html>
"""


class Asked(NamedTuple):
    """A command line that wants to be let in; ``port`` is empty where it does not listen."""

    address: str
    name: str
    port: str

    @property
    def sign(self) -> str:
        """What both sides show, so that a person sees that they mean the same."""
        mark = sha256_hex(self.address)[:8].upper()
        return f"{mark[:4]}-{mark[4:]}"


def read(address: str, name: str, port: str) -> Asked | None:
    """None for what no command line of ours sends."""
    if not _ADDRESS.fullmatch(address) or not _NAME.fullmatch(name):
        return None
    if port and (not _PORT.fullmatch(port) or int(port) > _MOST_PORT):
        return None
    return Asked(address, name, port)


def read_form(raw: bytes) -> Asked | None:
    try:
        fields = {name: values[-1] for name, values in parse_qs(raw.decode(), max_num_fields=10).items()}
    except ValueError:
        return None
    return read(fields.get("key", ""), fields.get("name", ""), fields.get("port", ""))


async def allow(tx: Tx, caller: Caller, asked: Asked) -> str:
    """Make a key for the command line; the letter in which it gets it."""
    made = await keys.create_key(tx, caller, NewKey(name=f"loremark on {asked.name}"))
    try:
        return letters.write(asked.address, made.key)
    except letters.NotOurs:
        raise errors.invalid("key is not a public key") from None


def question(asked: Asked | None, person: str = "") -> str:
    """``person``: who is signed in here, as they know themselves."""
    if asked is None:
        return _PAGE.format(
            content="<p>Nothing is asked here. In a terminal, say: <code>loremark login --browser</code></p>"
        )
    fields = "".join(
        f'<input type="hidden" name="{name}" value="{escape(value)}">'
        for name, value in (("key", asked.address), ("name", asked.name), ("port", asked.port))
    )
    act = f"as you, <b>{escape(person)}</b>," if person else "as you"
    return _PAGE.format(
        content=f"<p>Shall <b>loremark on {escape(asked.name)}</b> act {act} on this server? It gets an API key, which "
        f"you can end at any time. Allow it only if your terminal shows <b>{asked.sign}</b>.</p>"
        f'<form method="post" action="/connect">{fields}<button type="submit">Allow</button></form>'
    )


def answer(asked: Asked, letter: str) -> str:
    link = f"http://127.0.0.1:{asked.port}/?letter={letter}"
    handed = f'<p><a href="{escape(link)}">Hand it to the terminal</a>, or paste it there:</p>' if asked.port else ""
    return _PAGE.format(
        content=f"<p>Allowed. Only your terminal can read this.</p>{handed or '<p>Paste it into the terminal:</p>'}"
        f"<p><code>{escape(letter)}</code></p>"
    )
