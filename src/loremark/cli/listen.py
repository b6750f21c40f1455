"""``loremark listen``."""

from __future__ import annotations

import argparse
import sys
import threading
from typing import TYPE_CHECKING

from loremark.cli.kit import USAGE, Stop

if TYPE_CHECKING:
    from loremark.base.profile import Profile
    from loremark.cli.forwarding import Target
    from loremark.wire.webhooks import DeliveryBody

SUMMARY = "Tell a program on this machine what happens in a project, as a webhook would."
EXAMPLE = "loremark listen --forward-to http://localhost:3000/hooks"
_SECRET_CHARS = 500

_ABOUT = """

The server delivers webhooks to public https addresses only. While this runs, it watches the project instead and
posts what changed to your program: the same bodies, the same signature headers, a secret that is printed at the
start. For trying things out: there are no repeats, the ids of events are its own, changes that follow each other
within a second may come as one, and what happens while it does not run is not told.
"""
_POLL_S = 5.0
_GATHER_S = 0.3
_LONGEST_PAUSE_S = 30.0
_SILENT_S = 120.0
_DAY_S = 86_400.0


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json, add_project

    parser.description = SUMMARY + _ABOUT.rstrip()
    parser.add_argument("--forward-to", metavar="URL", help="where to post; only shown if left out")
    parser.add_argument("--events", metavar="LIST", help="only these, such as item.created,item.updated")
    parser.add_argument(
        "--secret-stdin", action="store_true", help="sign with the secret on the input; with a new one if left out"
    )
    parser.add_argument("--count", type=_count, metavar="N", help="end after so many events")
    add_project(parser)
    add_json(parser)


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= len(text) <= 6 or int(text) == 0:
        raise argparse.ArgumentTypeError("must be a whole number from 1")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    from loremark.base import clock
    from loremark.cli import forwarding, page
    from loremark.cli.desk import get_profile, get_project, open_client
    from loremark.cli.noticing import Watch

    wanted = _events(arguments.events)
    to = forwarding.target(arguments.forward_to) if arguments.forward_to else None
    given = sys.stdin.readline(_SECRET_CHARS).strip() if arguments.secret_stdin else ""
    secret = given or forwarding.new_secret()
    left = arguments.count
    with open_client() as client:
        watch = Watch(client, get_project(arguments, client))
        bell = threading.Event()
        threading.Thread(target=_ring, args=(get_profile(), bell), daemon=True).start()
        page.note(f"Listening; the signing secret is {secret}")
        while True:
            if bell.wait(_POLL_S):
                clock.pause(_GATHER_S)  # changes come in flocks
            bell.clear()
            for delivery in watch.look():
                if delivery.type in wanted:
                    _hand_on(delivery, to, secret, arguments.json)
                    left = left - 1 if left is not None else None
                if left == 0:
                    return 0


def _events(given: str | None) -> frozenset[str]:
    from loremark.wire.events import WebhookEvent

    known = frozenset(event.value for event in WebhookEvent)
    wanted = frozenset(part.strip() for part in given.split(",")) if given else known
    unknown = sorted(wanted - known)
    if unknown:
        raise Stop(f"there is no event {unknown[0]!r}; there are: {', '.join(sorted(known))}", USAGE)
    return wanted


def _hand_on(delivery: DeliveryBody, to: Target | None, secret: str, as_json: bool) -> None:
    import sys

    from loremark.cli import page
    from loremark.cli.forwarding import forward

    answered = forward(delivery, to, secret) if to is not None else None
    if as_json:
        page.write_json({"delivery": delivery, "answered": answered})
    else:
        about = " ".join(str(value) for value in delivery.data.values() if value is not None)
        told = "" if answered is None else f"  → {answered}"
        page.write(page.plain(f"{delivery.timestamp[11:19]}  {delivery.type:<20}  {page.one_line(about, 80)}{told}"))
    sys.stdout.flush()


def _ring(found: Profile, bell: threading.Event) -> None:
    """Ring when the server says that something has changed; where it cannot, whoever waits looks by the clock."""
    from http.client import HTTPException

    from loremark.base import clock
    from loremark.client import protocol
    from loremark.client.call import ApiError, Call
    from loremark.client.line import Line

    call = Call(method="GET", path="/api/live", answer=bytes)
    pause_s = 1.0
    while True:
        line = Line(found.url, _SILENT_S, _DAY_S)
        try:
            with line.exchange(call, protocol.headers(call, found.key, None)) as answer:
                while answer.status == 200 and (told := answer.readline(10_000)):
                    pause_s = 1.0
                    if told.startswith(b"data:"):
                        bell.set()
        except (OSError, HTTPException, ValueError, ApiError):
            pass  # the calls of whoever waits tell what is wrong
        finally:
            line.close()
        clock.pause(pause_s)
        pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)
