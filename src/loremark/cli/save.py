"""``loremark save``."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from loremark.cli.framework import OK, USAGE, CommandError

if TYPE_CHECKING:
    from loremark.client.call import ApiError
    from loremark.client.client import Client

SUMMARY = "Save a memory."
EXAMPLE = 'loremark save "We retry webhooks three times" --type decision --files src/hooks.py'

_TYPES = ("architecture", "convention", "implementation", "decision", "bug", "todo", "codemap")
_MAX_CHARS = 500_000
_SUMMARY_CHARS = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json, add_project

    parser.add_argument("text", nargs="?", metavar="TEXT", help="what to remember (default: read standard input)")
    parser.add_argument("--file", metavar="PATH", help="read the text from a file; - means standard input")
    parser.add_argument(
        "--type", choices=_TYPES, help="save the text as is, as an item of this type (default: extract items from it)"
    )
    parser.add_argument("--title", help="a short title")
    parser.add_argument("--files", metavar="A,B", help="files it is about")
    parser.add_argument("--branch", metavar="NAME", help="branch it applies to (default: the current one)")
    parser.add_argument("--enrich", action="store_true", help="extract items now, and show them")
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import get_project, open_client
    from loremark.client.call import ApiError
    from loremark.client.calls.events import send_event
    from loremark.hook import spool

    text = _text(arguments)
    with open_client() as client:
        project_id = get_project(arguments, client)
        event, payload = _event(arguments), _payload(arguments, text)
        try:
            saved = client.send(send_event(project_id, event, payload))
        except ApiError as error:
            if error.status not in spool.UNAVAILABLE_STATUSES:
                raise
            return _spool(client.url, project_id, event, payload, error, as_json=arguments.json)
        if arguments.enrich:
            return _enrich(client, project_id, saved.session_id, as_json=arguments.json)
    if arguments.json:
        output.write_json(saved)
    elif saved.duplicate:
        output.write(output.one_line(f"Already saved in {saved.session_id}"))
    else:
        output.write(output.one_line(f"Saved in {saved.session_id}"))
        output.note(f"To extract memories now, run: loremark enrich {saved.session_id}")
    return OK


def _text(arguments: argparse.Namespace) -> str:
    from loremark.cli import stdin

    if arguments.text is not None and arguments.file:
        raise CommandError("give either TEXT or --file, not both", USAGE)
    if arguments.text not in (None, "-"):
        text = str(arguments.text)
    elif arguments.file and arguments.file != "-":
        with open(arguments.file, encoding="utf-8", errors="replace") as file:
            text = file.read(_MAX_CHARS + 1)
    else:
        text = stdin.read_text(_MAX_CHARS, "nothing to save; give TEXT or pipe it in (see: loremark save --help)")
    if not text.strip():
        raise CommandError("nothing to save: the text is empty", USAGE)
    if len(text) > _MAX_CHARS:
        raise CommandError(f"the text is too long; the limit is {_MAX_CHARS:,} characters", USAGE)
    return text.strip()


def _event(arguments: argparse.Namespace) -> str:
    """With a type, the text is saved as is; otherwise the server extracts items from it."""
    return "memory_operation" if arguments.type else "session_save"


def _payload(arguments: argparse.Namespace, text: str) -> dict[str, Any]:
    """The event payload, with secrets redacted before it leaves this machine."""
    from loremark.base.redaction.redactor import redact_payload
    from loremark.cli import output, paths
    from loremark.hook.gitpaths import current_branch

    fields = {"title": arguments.title, "content": text, "type": arguments.type}
    if arguments.files:
        fields["files"] = paths.relative_to_project(arguments.files.split(","))
    fields = {name: value for name, value in fields.items() if value}
    branch = arguments.branch or (current_branch(os.getcwd()) if not arguments.project else "")
    payload: dict[str, Any] = {"source": "cli"}
    if arguments.type:
        payload |= {"operation": "create", "item": fields}
    else:
        summary = output.one_line(arguments.title or text.splitlines()[0], _SUMMARY_CHARS)
        payload |= {"summary": summary, "changes": [fields]}
    if branch:
        payload["branch"] = branch
    cleaned: tuple[dict[str, Any], int] = redact_payload(payload)
    if cleaned[1]:
        output.note(f"{output.pluralize(cleaned[1], 'secret')} redacted")
    return cleaned[0]


def _spool(url: str, project_id: str, event: str, payload: dict[str, Any], error: ApiError, *, as_json: bool) -> int:
    """Queue the event on this machine until the server is reachable."""
    from loremark.cli import output
    from loremark.cli.error_messages import plain_message
    from loremark.hook import spool

    try:
        name = spool.put_event(project_id, url, "cli", event, payload, clean=True)
    except spool.SpoolError as refused:
        raise CommandError(f"{plain_message(error)}; the memory could not be queued either: {refused}") from None
    output.note(output.one_line(plain_message(error)))
    if as_json:
        output.write_json({"spooled": True, "record": name})
    else:
        output.write(
            "Queued on this machine. It will be sent with the next event; to send it now, run: loremark hook flush"
        )
    return OK


def _enrich(client: Client, project_id: str, session_id: str, *, as_json: bool) -> int:
    from loremark.cli import enrich, enrichment_watcher

    job_id, is_new = enrichment_watcher.start(client, session_id)
    job = enrichment_watcher.watch(client, session_id, job_id)
    if not is_new:  # that job started before our event arrived
        job_id, _ = enrichment_watcher.start(client, session_id)
        job = enrichment_watcher.watch(client, session_id, job_id)
    return enrich.print_result(
        session_id, job, enrichment_watcher.list_found_items(client, project_id, session_id, job), as_json=as_json
    )
