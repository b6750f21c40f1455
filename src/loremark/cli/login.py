"""``loremark login``."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from loremark.cli.framework import USAGE, CommandError

if TYPE_CHECKING:
    from loremark.wire.identity import CurrentUser

SUMMARY = "Sign in to a server."
EXAMPLE = "loremark login --url https://memory.example.com < key.txt"

_MAX_CHARS = 10_000
_FILE_BYTES = 16_384
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    parser.add_argument(
        "--url", help="server address (default: from .loremark.toml, else the last one used, else this machine)"
    )
    parser.add_argument("--key", help="API key (default: prompt for it, or read standard input)")
    parser.add_argument("--browser", action="store_true", help="sign in with the browser instead of an API key")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.base import profile
    from loremark.cli import output

    url = check_address(arguments.url or default_url(profile.saved_url()))
    if arguments.browser:
        from loremark.cli.browser_login import sign_in

        key = sign_in(url)
    else:
        key = _key(arguments.key)
    me, path = save_key(url, key)
    if arguments.json:
        output.write_json({"url": url, "savedIn": path, "me": me})
    else:
        who = f"{me.name} <{me.email}> ({me.role} of {me.team_name})"
        output.write(output.plain(f"Signed in to {url} as {who}. Saved in {path}."))
    if profile.has_environment_key():
        output.note("LOREMARK_API_KEY is set in the environment and overrides the saved key.")
    return 0


def save_key(url: str, key: str) -> tuple[CurrentUser, str]:
    """Save a valid key with what is still valid of the profile. Returns its user and the file."""
    from loremark.base import profile
    from loremark.cli.agent_key import keys_of

    me = _check(url, key)
    before = profile.load({})
    secrets = before.secrets if before is not None and before.url == url else {}
    enrich = before.enrich if before is not None else True
    agent_keys = keys_of(me, url, before.agent_keys) if before is not None and before.url == url else {}
    return me, profile.save(profile.Profile(url, key, secrets, enrich, agent_keys=agent_keys))


def default_url(saved: str | None) -> str:
    """The server to use without --url. A repository is untrusted, so a server it names must be confirmed."""
    from loremark.base import profile
    from loremark.cli import output

    default = profile.normalize_url(saved or profile.DEFAULT_URL)
    named = _linked_url()
    if named in (None, default):
        return default
    if output.confirm(f"The .loremark.toml file here points to {named}. Sign in there?", assumed=False):
        return str(named)
    if saved is None and not sys.stdin.isatty():
        raise CommandError(
            f"the .loremark.toml file here points to {named}; if you trust it, pass --url {named}", USAGE
        )
    return default


def _linked_url() -> str | None:
    """The server named in the folder's ``.loremark.toml``."""
    from loremark.base import profile
    from loremark.hook import files, gitpaths, link

    top = gitpaths.find_above(os.path.realpath(os.getcwd()), link.FILE)
    data = files.read_bounded(os.path.join(top, link.FILE), _FILE_BYTES, owner=True) if top is not None else None
    url = link.read_settings((data or b"").decode(errors="replace")).get("url", "")
    return profile.normalize_url(url) or None


def is_local(url: str) -> bool:
    """Whether a server at this address runs on this machine."""
    return urlsplit(url).hostname in _LOOPBACK


def check_address(text: str) -> str:
    """The normalized server address."""
    url = text.strip().rstrip("/")
    try:
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise CommandError(f"{text} is not a server address; use one such as https://memory.example.com") from None
    if not fits or not url.isprintable() or " " in url:
        raise CommandError(f"{text} is not a server address; it must start with http:// or https://")
    if parts.username is not None or parts.query or parts.fragment:
        raise CommandError("the server address must not contain a user name, query or fragment", USAGE)
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        from loremark.cli.output import note

        note(f"Warning: the connection to {url} is not encrypted; the API key can be read in transit.")
    return url


def _key(given: str | None) -> str:
    from loremark.cli.connection import is_key

    if given is None and sys.stdin.isatty():
        from getpass import getpass

        given = getpass("API key: ")
    key = (given if given is not None else sys.stdin.readline(_MAX_CHARS)).strip()
    if not key:
        raise CommandError("no API key given; use --key, or pipe it to standard input", USAGE)
    if not is_key(key):
        raise CommandError("this is not an API key; keys start with service_sk_", USAGE)
    return key


def _check(url: str, key: str) -> CurrentUser:
    from loremark.cli.error_messages import explain
    from loremark.client.call import ApiError
    from loremark.client.calls.identity import get_me
    from loremark.client.client import Client

    with Client(url, key) as client:
        try:
            return client.send(get_me())
        except ApiError as error:
            if error.status == 401:
                raise CommandError(
                    f"{url} rejected this key: {error}; create one in the dashboard, or use --browser"
                ) from None
            raise CommandError(explain(error, url)) from None
