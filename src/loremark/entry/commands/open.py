"""``loremark open``: open the dashboard, signed in if the server runs on this machine."""

from __future__ import annotations

import argparse

from loremark.cli.framework import CommandError

SUMMARY = "Open the dashboard in the browser, with a new sign-in link if the server runs here."
EXAMPLE = "loremark open"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    parser.add_argument("--no-browser", action="store_true", help="only print the link")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli.browser_page import open_link
    from loremark.cli.output import write, write_json

    link = _find_link()
    if arguments.json:
        write_json({"url": link})
    else:
        write(link)
    if not arguments.no_browser:
        open_link(link)
    return 0


def _find_link() -> str:
    """A sign-in link of the server on this machine, or the address of the server this command line is signed in to."""
    from loremark.base import profile
    from loremark.base.running_servers import find_running
    from loremark.base.settings import load
    from loremark.cli.output import note
    from loremark.entry import admin
    from loremark.entry.commands.runner import run_async

    signed_in = profile.load()
    server = find_running(signed_in.url if signed_in else None)
    if server is not None and server.on_sqlite:
        link = run_async(admin.own_signin_link(load(server.environment)))
        if link is None:
            note(
                "The first account of this server was registered without the printed link, and may be another user's. "
                "Sign in with your own account; if it is that one: loremark admin signin-link"
            )
            return server.base_url
        note("Signs you in as the owner. The link works once and expires in 24 hours.")
        return link.url
    if signed_in is not None:
        return signed_in.url
    raise CommandError(
        "no server runs on this machine; start one with: loremark start (if it uses PostgreSQL, run "
        "loremark admin signin-link with its settings), or sign in to another one with: loremark login --browser"
    )
