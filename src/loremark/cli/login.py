"""``loremark login``."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from loremark.cli.kit import USAGE, Stop

if TYPE_CHECKING:
    from loremark.wire.identity import Me

SUMMARY = "Remember a server and an API key for the other commands."
EXAMPLE = "loremark login --url https://memory.example.com < key.txt"

_MOST_CHARS = 10_000
_FILE_BYTES = 16_384
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json

    parser.add_argument(
        "--url", help="the server's address (else: the folder's, the one used before, or this machine's)"
    )
    parser.add_argument("--key", help="an API key; asked for, or read from the input, if left out")
    parser.add_argument("--browser", action="store_true", help="sign in with the browser instead of pasting a key")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.base import profile
    from loremark.cli import page

    url = _address(arguments.url or _found(profile.saved_url()))
    if arguments.browser:
        from loremark.cli.browsing import sign_in

        key = sign_in(url)
    else:
        key = _key(arguments.key)
    me = _check(url, key)
    before = profile.load({})
    secrets = before.secrets if before is not None and before.url == url else {}
    enrich = before.enrich if before is not None else True
    path = profile.save(profile.Profile(url, key, secrets, enrich))
    if arguments.json:
        page.write_json({"url": url, "savedIn": path, "me": me})
    else:
        who = f"{me.name} ({me.role} of {me.team_name})"
        page.write(page.plain(f"Signed in to {url} as {who}. Saved in {path}."))
    if profile.is_given():
        page.note("LOREMARK_API_KEY is set in the environment, and wins over what was saved.")
    return 0


def _found(saved: str | None) -> str:
    """The server where none was said. A repository may be anybody's: what it names, a person must say yes to."""
    from loremark.base import profile
    from loremark.cli import page

    usual = profile.plain_url(saved or profile.USUAL_URL)
    named = _named_here()
    if named in (None, usual):
        return usual
    if page.confirm(f".loremark.toml here names {named}. Sign in there?", assumed=False):
        return str(named)
    if saved is None and not sys.stdin.isatty():
        raise Stop(f".loremark.toml here names {named}; if it is to be trusted, say --url {named}", USAGE)
    return usual


def _named_here() -> str | None:
    """The server that the folder's ``.loremark.toml`` names."""
    from loremark.base import profile
    from loremark.hook import files, link, place

    top = place.find_above(os.path.realpath(os.getcwd()), link.FILE)
    data = files.read_bounded(os.path.join(top, link.FILE), _FILE_BYTES, owner=True) if top is not None else None
    told = link.read_settings((data or b"").decode(errors="replace")).get("url", "")
    return profile.plain_url(told) or None


def _address(text: str) -> str:
    """The server's address as it is kept."""
    url = text.strip().rstrip("/")
    try:
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise Stop(f"{text} is not the address of a server") from None
    if not fits or not url.isprintable() or " " in url:
        raise Stop(f"{text} is not the address of a server; it begins with http:// or https://")
    if parts.username is not None or parts.query or parts.fragment:
        raise Stop("the server's address has no user, query or fragment", USAGE)
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        from loremark.cli.page import note

        note(f"{url} is not encrypted: whoever listens on the way can read the key")
    return url


def _key(given: str | None) -> str:
    from loremark.cli.desk import is_key

    if given is None and sys.stdin.isatty():
        from getpass import getpass

        given = getpass("API key: ")
    key = (given if given is not None else sys.stdin.readline(_MOST_CHARS)).strip()
    if not key:
        raise Stop("there is no key: give one with --key, or on the standard input", USAGE)
    if not is_key(key):
        raise Stop("this is no API key; one begins with service_sk_", USAGE)
    return key


def _check(url: str, key: str) -> Me:
    from loremark.cli.trouble import explain
    from loremark.client.call import ApiError
    from loremark.client.calls.identity import get_me
    from loremark.client.client import Client

    with Client(url, key) as client:
        try:
            return client.send(get_me())
        except ApiError as error:
            if error.status == 401:
                raise Stop(f"{url} does not take this key: {error}") from None
            raise Stop(explain(error, url)) from None
