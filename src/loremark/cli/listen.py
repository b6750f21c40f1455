"""``loremark listen``."""

from __future__ import annotations

import argparse
import sys
import threading
from typing import TYPE_CHECKING

from loremark.cli.framework import USAGE, CommandError

if TYPE_CHECKING:
    from loremark.base.profile import Profile
    from loremark.cli.webhook_forwarding import Target
    from loremark.wire.webhooks import DeliveryBody

SUMMARY = "Forward a project's events to a local program, like a webhook."
EXAMPLE = "loremark listen --forward-to http://localhost:3000/hooks"
_SECRET_CHARS = 500

_ABOUT = """

The server delivers webhooks to public https addresses only. For local development, this command
polls the project and posts changes to your program with the same bodies and signature headers. The
signing secret is printed at the start. Deliveries are not retried, event IDs differ from the
server's, changes within a second may be combined into one event, and changes made while the
command is not running are missed.
"""
_POLL_S = 5.0
_BATCH_S = 0.3
_MAX_DELAY_S = 30.0
_IDLE_TIMEOUT_S = 120.0
_DAY_S = 86_400.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json, add_project

    parser.description = SUMMARY + _ABOUT.rstrip()
    parser.add_argument("--forward-to", metavar="URL", help="where to post events (default: only print them)")
    parser.add_argument("--events", metavar="LIST", help="only these events, for example item.created,item.updated")
    parser.add_argument(
        "--secret-stdin",
        action="store_true",
        help="read the signing secret from standard input (default: generate one)",
    )
    parser.add_argument("--count", type=_count, metavar="N", help="exit after this many events")
    add_project(parser)
    add_json(parser)


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= len(text) <= 6 or int(text) == 0:
        raise argparse.ArgumentTypeError("must be a positive integer")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    from loremark.base import clock
    from loremark.cli import output, webhook_forwarding
    from loremark.cli.connection import get_profile, get_project, open_client
    from loremark.cli.project_watcher import ProjectWatcher

    wanted = _events(arguments.events)
    to = webhook_forwarding.parse_target(arguments.forward_to) if arguments.forward_to else None
    given = sys.stdin.readline(_SECRET_CHARS).strip() if arguments.secret_stdin else ""
    secret = given or webhook_forwarding.new_secret()
    left = arguments.count
    with open_client() as client:
        watch = ProjectWatcher(client, get_project(arguments, client))
        changed = threading.Event()
        threading.Thread(target=_wait_for_changes, args=(get_profile(), changed), daemon=True).start()
        output.note(f"Listening. Signing secret: {secret}")
        while True:
            if changed.wait(_POLL_S):
                clock.pause(_BATCH_S)  # changes come in bursts
            changed.clear()
            for delivery in watch.poll():
                if delivery.type in wanted:
                    _deliver(delivery, to, secret, arguments.json)
                    left = left - 1 if left is not None else None
                if left == 0:
                    return 0


def _events(given: str | None) -> frozenset[str]:
    from loremark.wire.events import WebhookEvent

    known = frozenset(event.value for event in WebhookEvent)
    wanted = frozenset(part.strip() for part in given.split(",")) if given else known
    unknown = sorted(wanted - known)
    if unknown:
        raise CommandError(f"unknown event {unknown[0]!r}; the events are: {', '.join(sorted(known))}", USAGE)
    return wanted


def _deliver(delivery: DeliveryBody, to: Target | None, secret: str, as_json: bool) -> None:
    import sys

    from loremark.cli import output
    from loremark.cli.webhook_forwarding import forward

    result = forward(delivery, to, secret) if to is not None else None
    if as_json:
        output.write_json({"delivery": delivery, "response": result})
    else:
        about = " ".join(str(value) for value in delivery.data.values() if value is not None)
        outcome = "" if result is None else f"  → {result}"
        output.write(
            output.plain(f"{delivery.timestamp[11:19]}  {delivery.type:<20}  {output.one_line(about, 80)}{outcome}")
        )
    sys.stdout.flush()


def _wait_for_changes(found: Profile, changed: threading.Event) -> None:
    """Set the event when the server reports a change. If that fails, ``run`` still polls on a timer."""
    from http.client import HTTPException

    from loremark.base import clock
    from loremark.client import protocol
    from loremark.client.call import ApiError, Call
    from loremark.client.http_connection import HttpConnection

    call = Call(method="GET", path="/api/live", response_type=bytes)
    delay_s = 1.0
    while True:
        connection = HttpConnection(found.url, _IDLE_TIMEOUT_S, _DAY_S)
        try:
            with connection.exchange(call, protocol.headers(call, found.key, None)) as response:
                while response.status == 200 and (line := response.readline(10_000)):
                    delay_s = 1.0
                    if line.startswith(b"data:"):
                        changed.set()
        except (OSError, HTTPException, ValueError, ApiError):
            pass  # `run` reports connection errors
        finally:
            connection.close()
        clock.pause(delay_s)
        delay_s = min(delay_s * 2, _MAX_DELAY_S)
