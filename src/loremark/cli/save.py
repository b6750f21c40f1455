"""``loremark save``."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from loremark.cli.kit import OK, USAGE, Stop

if TYPE_CHECKING:
    from loremark.client.call import ApiError
    from loremark.client.client import Client

SUMMARY = "Tell the memory something."
EXAMPLE = 'loremark save "We retry webhooks three times" --type decision --files src/hooks.py'

_TYPES = ("architecture", "convention", "implementation", "decision", "bug", "todo", "codemap")
_MOST_CHARS = 500_000
_SUMMARY_CHARS = 200


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json, add_project

    parser.add_argument("text", nargs="?", metavar="TEXT", help="what to remember (else it is read from the input)")
    parser.add_argument("--file", metavar="PATH", help="read the text from a file; - is the input")
    parser.add_argument("--type", choices=_TYPES, help="what it is, to be remembered word for word (else it is read)")
    parser.add_argument("--title", help="in a few words")
    parser.add_argument("--files", metavar="A,B", help="the files it is about")
    parser.add_argument("--branch", metavar="NAME", help="where it holds (else the branch that is checked out)")
    parser.add_argument("--enrich", action="store_true", help="make items of it at once, and show them")
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import get_project, open_client
    from loremark.client.call import ApiError
    from loremark.client.calls.events import tell_event
    from loremark.hook import spool

    text = _text(arguments)
    with open_client() as client:
        project_id = get_project(arguments, client)
        event, payload = _event(arguments), _payload(arguments, text)
        try:
            kept = client.send(tell_event(project_id, event, payload))
        except ApiError as error:
            if error.status not in spool.AWAY:
                raise
            return _spool(client.url, project_id, event, payload, error, as_json=arguments.json)
        if arguments.enrich:
            return _enrich(client, project_id, kept.session_id, as_json=arguments.json)
    if arguments.json:
        page.write_json(kept)
    elif kept.duplicate:
        page.write(page.one_line(f"this was saved before, in {kept.session_id}"))
    else:
        page.write(page.one_line(f"saved in {kept.session_id}"))
        page.note(f"turn it into memory with: loremark enrich {kept.session_id}")
    return OK


def _text(arguments: argparse.Namespace) -> str:
    from loremark.cli import given

    if arguments.text is not None and arguments.file:
        raise Stop("either a text or --file", USAGE)
    if arguments.text not in (None, "-"):
        text = str(arguments.text)
    elif arguments.file and arguments.file != "-":
        with open(arguments.file, encoding="utf-8", errors="replace") as file:
            text = file.read(_MOST_CHARS + 1)
    else:
        text = given.read_text(_MOST_CHARS, "what is to be remembered? (see: loremark save --help)")
    if not text.strip():
        raise Stop("there is nothing to save", USAGE)
    if len(text) > _MOST_CHARS:
        raise Stop(f"a text may have {_MOST_CHARS} characters", USAGE)
    return text.strip()


def _event(arguments: argparse.Namespace) -> str:
    """Who says what it is wants it remembered as it stands; else the server reads it as it reads an agent's notes."""
    return "memory_operation" if arguments.type else "session_save"


def _payload(arguments: argparse.Namespace, text: str) -> dict[str, Any]:
    """The event as any agent would send it; secrets do not leave this machine."""
    from loremark.base.redaction.redacting import redact_payload
    from loremark.cli import page, paths
    from loremark.hook.place import branch_of

    told = {"title": arguments.title, "content": text, "type": arguments.type}
    if arguments.files:
        told["files"] = paths.in_project(arguments.files.split(","))
    told = {name: value for name, value in told.items() if value}
    branch = arguments.branch or (branch_of(os.getcwd()) if not arguments.project else "")
    payload: dict[str, Any] = {"source": "cli"}
    if arguments.type:
        payload |= {"operation": "create", "item": told}
    else:
        summary = page.one_line(arguments.title or text.splitlines()[0], _SUMMARY_CHARS)
        payload |= {"summary": summary, "changes": [told]}
    if branch:
        payload["branch"] = branch
    cleaned: tuple[dict[str, Any], int] = redact_payload(payload)
    if cleaned[1]:
        page.note(f"{page.counted(cleaned[1], 'secret')} taken out")
    return cleaned[0]


def _spool(url: str, project_id: str, event: str, payload: dict[str, Any], error: ApiError, *, as_json: bool) -> int:
    """The server is away: the event waits on this machine, and is sent when it is back."""
    from loremark.cli import page
    from loremark.cli.trouble import plainly
    from loremark.hook import spool

    try:
        name = spool.put_event(project_id, url, "cli", event, payload, clean=True)
    except spool.SpoolError as refused:
        raise Stop(f"{plainly(error)}; and it cannot be kept here: {refused}") from None
    page.note(page.one_line(plainly(error)))
    if as_json:
        page.write_json({"spooled": True, "record": name})
    else:
        page.write("kept on this machine; it is sent with the next event, or by: loremark hook flush")
    return OK


def _enrich(client: Client, project_id: str, session_id: str, *, as_json: bool) -> int:
    from loremark.cli import enrich, watching

    job_id, is_new = watching.start(client, session_id)
    job = watching.watch(client, session_id, job_id)
    if not is_new:  # that one began before our event came
        job_id, _ = watching.start(client, session_id)
        job = watching.watch(client, session_id, job_id)
    return enrich.tell(session_id, job, watching.found_by(client, project_id, session_id, job), as_json=as_json)
