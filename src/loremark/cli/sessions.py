"""``loremark sessions``."""

from __future__ import annotations

import argparse

from loremark.cli.kit import OK, actions

SUMMARY = "What was captured: sessions, their events and jobs."
EXAMPLE = "loremark sessions list --status active"

_STATES = ("active", "completed", "enriching", "failed")
_PAYLOAD_CHARS = 300


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json, add_limit, add_project

    verbs = actions(parser, "list")
    listing = verbs.add("list", "Sessions, newest first.", _list, EXAMPLE)
    listing.add_argument("--status", choices=_STATES, help="only those in this state")
    add_limit(listing, 20)
    add_project(listing)
    showing = verbs.add("show", "One session and its jobs.", _show, "loremark sessions show ses_…")
    events = verbs.add("events", "The events of a session, oldest first.", _events, "loremark sessions events ses_…")
    add_limit(events, 100)
    events.add_argument("--full", action="store_true", help="with their whole payloads")
    for verb in (showing, events):
        verb.add_argument("session", metavar="SESSION")
    for verb in (listing, showing, events):
        add_json(verb)


def _list(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import get_project, open_client
    from loremark.client.calls.sessions import list_sessions

    with open_client() as client:
        project_id = get_project(arguments, client)
        found = client.send(list_sessions(project_id, arguments.status, limit=arguments.limit, detail=True))
    if arguments.json:
        page.write_json(found)
        return OK
    gave = [str(each.items_extracted) if isinstance(each.items_extracted, int) else "" for each in found]
    rows = [
        (each.id, each.status, each.source, str(each.event_count), items, each.created_at[:19])
        for each, items in zip(found, gave, strict=True)
    ]
    page.table(rows, ("id", "status", "from", "events", "items", "begun"))
    if not found:
        page.note(
            f"no {arguments.status} sessions" if arguments.status else "no sessions yet; loremark save begins one"
        )
    return OK


def _show(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client
    from loremark.client.calls.sessions import get_session, list_jobs

    with open_client() as client:
        session = client.send(get_session(arguments.session))
        jobs = client.send(list_jobs(arguments.session))
    if arguments.json:
        page.write_json({"session": session, "jobs": jobs})
        return OK
    page.write(page.styled(session.id, "bold") + f" {session.status}")
    page.write(
        f"{page.counted(session.event_count, 'event')}, {page.counted(session.items_extracted, 'item')}, "
        f"begun {page.plain(session.created_at[:19])}"
    )
    page.write(f"model: {page.one_line(session.enrichment_model)}")
    for job in jobs:
        stages = ", ".join(f"{stage.stage} {stage.status}" for stage in job.pipeline)
        page.write(page.one_line(f"{job.id} {job.status}, {page.counted(job.items_extracted, 'item')}: {stages}"))
        if isinstance(job.warning, str):
            page.write(f"  {page.one_line(job.warning, 500)}")
    return OK


def _events(arguments: argparse.Namespace) -> int:
    from itertools import islice

    import msgspec

    from loremark.cli import page
    from loremark.cli.desk import open_client
    from loremark.client.calls.sessions import list_events

    with open_client() as client:
        asked = list_events(arguments.session, limit=min(arguments.limit, 1_000))
        found = list(islice(client.every(asked), arguments.limit))
    if arguments.json:
        page.write_json(found)
        return OK
    if not found:
        page.note("no events yet")
    for event in found:
        page.write(
            f"{page.styled(event.id, 'dim')} {page.plain(event.created_at[:19])} {page.styled(event.event, 'bold')}"
        )
        payload = msgspec.json.encode(event.payload)
        text = msgspec.json.format(payload, indent=2).decode() if arguments.full else payload.decode()
        page.write(page.plain(text) if arguments.full else "  " + page.one_line(text, _PAYLOAD_CHARS))
    return OK
