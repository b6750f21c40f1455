"""``loremark ask``."""

from __future__ import annotations

import argparse
from contextlib import closing
from typing import TYPE_CHECKING

from loremark.cli.kit import FAILED, OK, Stop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loremark.client.client import Client
    from loremark.wire.answers import AnswerDone, AnswerToken, Ticket

SUMMARY = "Ask the memory a question; the answer says what it rests on."
EXAMPLE = 'loremark ask "Why do we keep sessions in Redis?"'

_MOST_CHARS = 20_000


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json, add_project

    parser.add_argument("words", nargs="*", metavar="QUESTION", help="the question (else it is read from the input)")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--chat", metavar="ID", help="go on with this conversation")
    which.add_argument("--continue", dest="goes_on", action="store_true", help="go on with the last one of the project")
    which.add_argument("--new", action="store_true", help="begin a conversation (this is so without options too)")
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import conversations
    from loremark.cli.desk import get_project, open_client
    from loremark.client.calls.ask import chat_of

    question = _question(arguments)
    with open_client() as client:
        project_id = get_project(arguments, client)
        chat_id = arguments.chat
        if arguments.goes_on:
            chat_id = conversations.last(client.url, project_id)
            if chat_id is None:
                raise Stop("there is no conversation to go on with yet; ask without --continue")
        ticket = _ticket(client, project_id, question, chat_id, may_begin=arguments.goes_on)
        chat_id = chat_of(ticket) or chat_id
        if chat_id is not None:
            conversations.remember(client.url, project_id, chat_id)
        with closing(client.stream_answer(ticket, question)) as events:  # type: ignore[type-var]
            done = _tell(events, silently=arguments.json)
        if arguments.json:
            _write_json(done, chat_id)
        elif not isinstance(done.error, str):
            _show_rest(client, project_id, question, done)
    if isinstance(done.error, str):
        raise Stop(f"there is no answer: {done.error}", FAILED)
    return OK


def _question(arguments: argparse.Namespace) -> str:
    from loremark.cli import given

    asked = " ".join(arguments.words)
    if asked in ("", "-"):
        asked = given.read_text(_MOST_CHARS, "what is the question? (see: loremark ask --help)")
    return asked.strip()


def _ticket(client: Client, project_id: str, question: str, chat_id: str | None, *, may_begin: bool) -> Ticket:
    from loremark.cli import page
    from loremark.client.call import ApiError
    from loremark.client.calls.ask import open_ask

    try:
        return client.send(open_ask(project_id, question, chat_id))
    except ApiError as error:
        if error.status != 404 or not may_begin or str(error) != "Session not found":
            raise
    page.note("the last conversation is gone; this is a new one")
    return client.send(open_ask(project_id, question))


def _tell(events: Iterator[AnswerToken | AnswerDone], *, silently: bool) -> AnswerDone:
    """Write the answer as it comes; its last event."""
    from loremark.cli.answer import Answer
    from loremark.wire.answers import AnswerToken

    answer = Answer(silently=silently)
    try:
        for event in events:
            if not isinstance(event, AnswerToken):
                answer.complete(event)
                return event
            answer.add(event.content)
        raise Stop("the answer broke off")
    finally:
        answer.end()


def _show_rest(client: Client, project_id: str, question: str, done: AnswerDone) -> None:
    """What the answer rests on; where that is nothing, what may know more."""
    from loremark.cli import answer, page
    from loremark.cli.waiting import matching

    answer.show_sources(done)
    if not any(source.used for source in done.sources) and (hint := matching(client, project_id, question)):
        page.note(hint)


def _write_json(done: AnswerDone, chat_id: str | None) -> None:
    import msgspec

    from loremark.cli import page

    told = {name: value for name, value in msgspec.to_builtins(done).items() if name != "type"}
    page.write_json({"chatSessionId": chat_id, **told})
