"""``loremark sessions``."""

from __future__ import annotations

import argparse

from loremark.cli.framework import OK, CommandError, add_subcommands

SUMMARY = "Inspect and forget captured sessions."
EXAMPLE = "loremark sessions list --status active"

_STATES = ("active", "completed", "enriching", "failed")
_PAYLOAD_CHARS = 300


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json, add_limit, add_project

    commands = add_subcommands(parser, "list")
    listing = commands.add("list", "List sessions, newest first.", _list, EXAMPLE)
    listing.add_argument("--status", choices=_STATES, help="only sessions with this status")
    add_limit(listing, 20)
    add_project(listing)
    showing = commands.add("show", "Show a session and its jobs.", _show, "loremark sessions show ses_…")
    events = commands.add("events", "List a session's events, oldest first.", _events, "loremark sessions events ses_…")
    add_limit(events, 100)
    events.add_argument("--full", action="store_true", help="show full payloads")
    forgetting = commands.add(
        "forget",
        "Delete a session, everything captured in it, and drafts based only on it.",
        _forget,
        "loremark sessions forget ses_… --yes",
    )
    forgetting.add_argument("--yes", action="store_true", help="skip the confirmation")
    for command in (showing, events, forgetting):
        command.add_argument("session", metavar="SESSION", help="session ID")
    for command in (listing, showing, events, forgetting):
        add_json(command)


def _list(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import get_project, open_client
    from loremark.client.calls.sessions import list_sessions

    with open_client() as client:
        project_id = get_project(arguments, client)
        found = client.send(list_sessions(project_id, arguments.status, limit=arguments.limit, detail=True))
    if arguments.json:
        output.write_json(found)
        return OK
    item_counts = [str(each.items_extracted) if isinstance(each.items_extracted, int) else "" for each in found]
    rows = [
        (each.id, each.status, each.source, str(each.event_count), items, each.created_at[:19])
        for each, items in zip(found, item_counts, strict=True)
    ]
    output.table(rows, ("id", "status", "source", "events", "items", "started"))
    if not found:
        output.note(
            f"No {arguments.status} sessions."
            if arguments.status
            else "No sessions yet. Start one with: loremark save TEXT"
        )
    return OK


def _show(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.sessions import get_session, list_jobs

    with open_client() as client:
        session = client.send(get_session(arguments.session))
        jobs = client.send(list_jobs(arguments.session))
    if arguments.json:
        output.write_json({"session": session, "jobs": jobs})
        return OK
    output.write(output.styled(session.id, "bold") + f" {session.status}")
    output.write(
        f"{output.pluralize(session.event_count, 'event')}, {output.pluralize(session.items_extracted, 'item')}, "
        f"started {output.plain(session.created_at[:19])}"
    )
    output.write(f"model: {output.one_line(session.enrichment_model)}")
    for job in jobs:
        stages = ", ".join(f"{stage.stage} {stage.status}" for stage in job.pipeline)
        output.write(
            output.one_line(f"{job.id} {job.status}, {output.pluralize(job.items_extracted, 'item')}: {stages}")
        )
        if isinstance(job.warning, str):
            output.write(f"  {output.one_line(job.warning, 500)}")
    return OK


def _forget(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.sessions import delete_session, get_session

    with open_client() as client:
        session = client.send(get_session(arguments.session))
        size = output.pluralize(session.event_count, "event")
        question = f"Delete the session from {session.created_at[:10]} with {size}? This cannot be undone."
        if not output.confirm(question, arguments.yes):
            raise CommandError("not deleted; confirm with --yes")
        client.send(delete_session(session.id))
    if arguments.json:
        output.write_json({"forgotten": session.id})
    else:
        output.write(f"Deleted {output.plain(session.id)} and its {size}.")
    return OK


def _events(arguments: argparse.Namespace) -> int:
    from itertools import islice

    import msgspec

    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.sessions import list_events

    with open_client() as client:
        call = list_events(arguments.session, limit=min(arguments.limit, 1_000))
        found = list(islice(client.paginate(call), arguments.limit))
    if arguments.json:
        output.write_json(found)
        return OK
    if not found:
        output.note("No events yet.")
    for event in found:
        event_id, name = output.styled(event.id, "dim"), output.styled(event.event, "bold")
        output.write(f"{event_id} {output.plain(event.created_at[:19])} {name}")
        payload = msgspec.json.encode(event.payload)
        text = msgspec.json.format(payload, indent=2).decode() if arguments.full else payload.decode()
        output.write(output.plain(text) if arguments.full else "  " + output.one_line(text, _PAYLOAD_CHARS))
    return OK
