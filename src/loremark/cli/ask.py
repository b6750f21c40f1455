"""``loremark ask``."""

from __future__ import annotations

import argparse
from contextlib import closing
from typing import TYPE_CHECKING

from loremark.cli.framework import FAILED, OK, CommandError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loremark.client.client import Client
    from loremark.wire.answers import AnswerDone, AnswerToken, Ticket

SUMMARY = "Ask a question and get an answer with sources."
EXAMPLE = 'loremark ask "Why do we keep sessions in Redis?"'

_MAX_CHARS = 20_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json, add_project

    parser.add_argument("words", nargs="*", metavar="QUESTION", help="the question (default: read standard input)")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--chat", metavar="ID", help="continue this chat")
    which.add_argument(
        "--continue", dest="continue_last", action="store_true", help="continue the last chat in this project"
    )
    which.add_argument("--new", action="store_true", help="start a new chat (the default)")
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import recent_chats
    from loremark.cli.connection import get_project, open_client
    from loremark.client.calls.ask import chat_id_of

    question = _question(arguments)
    with open_client() as client:
        project_id = get_project(arguments, client)
        chat_id = arguments.chat
        if arguments.continue_last:
            chat_id = recent_chats.find_last_chat(client.url, project_id)
            if chat_id is None:
                raise CommandError("no chat to continue yet; ask without --continue")
        ticket = _ticket(client, project_id, question, chat_id, may_start_new=arguments.continue_last)
        chat_id = chat_id_of(ticket) or chat_id
        if chat_id is not None:
            recent_chats.remember_chat(client.url, project_id, chat_id)
        with closing(client.stream_answer(ticket, question)) as events:  # type: ignore[type-var]
            done = _print_answer(events, quiet=arguments.json)
        if arguments.json:
            _write_json(done, chat_id)
        elif not isinstance(done.error, str):
            _show_sources(client, project_id, question, done)
    if isinstance(done.error, str):
        raise CommandError(f"no answer: {done.error}", FAILED)
    return OK


def _question(arguments: argparse.Namespace) -> str:
    from loremark.cli import stdin

    question = " ".join(arguments.words)
    if question in ("", "-"):
        question = stdin.read_text(_MAX_CHARS, "no question given (see: loremark ask --help)")
    return question.strip()


def _ticket(client: Client, project_id: str, question: str, chat_id: str | None, *, may_start_new: bool) -> Ticket:
    from loremark.cli import output
    from loremark.client.call import ApiError
    from loremark.client.calls.ask import create_ask_ticket

    try:
        return client.send(create_ask_ticket(project_id, question, chat_id))
    except ApiError as error:
        if error.status != 404 or str(error) != "Session not found":
            raise
        if not may_start_new:
            raise CommandError(f"chat not found: {chat_id}") from None
    output.note("the last chat no longer exists; starting a new one")
    return client.send(create_ask_ticket(project_id, question))


def _print_answer(events: Iterator[AnswerToken | AnswerDone], *, quiet: bool) -> AnswerDone:
    """Print the answer as it arrives and return the final event."""
    from loremark.cli.answer import AnswerPrinter
    from loremark.wire.answers import AnswerToken

    answer = AnswerPrinter(quiet=quiet)
    try:
        for event in events:
            if not isinstance(event, AnswerToken):
                answer.complete(event)
                return event
            answer.add(event.content)
        raise CommandError("the answer was cut off; try again")
    finally:
        answer.end()


def _show_sources(client: Client, project_id: str, question: str, done: AnswerDone) -> None:
    """Print the sources; if none were used, hint at matching drafts."""
    from loremark.cli import answer, output
    from loremark.cli.draft_hints import matching_drafts_hint

    answer.show_sources(done)
    if not any(source.used for source in done.sources) and (hint := matching_drafts_hint(client, project_id, question)):
        output.note(hint)


def _write_json(done: AnswerDone, chat_id: str | None) -> None:
    import msgspec

    from loremark.cli import output

    fields = {name: value for name, value in msgspec.to_builtins(done).items() if name != "type"}
    output.write_json({"chatSessionId": chat_id, **fields})
