"""``loremark reading``: whether your coding agent reads finished sessions."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.cli.framework import OK, USAGE, CommandError

if TYPE_CHECKING:
    from loremark.hook.reading_settings import Outcome, ReadingSettings

SUMMARY = "Let your coding agent turn finished sessions into memories."
EXAMPLE = "loremark reading on --sessions 20"
QUESTION = (
    "Let {agents} read finished sessions in the background and write memories from them? "
    "This uses your own account, about 5,000 tokens per session."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json
    from loremark.hook.reading_settings import CALLS_PER_DAY, TOKENS_PER_DAY

    parser.add_argument("switch", nargs="?", choices=("on", "off"), help="turn it on or off (default: show the state)")
    parser.add_argument("--agent", metavar="AGENT", help="always use this agent (default: the session's own)")
    parser.add_argument("--model", metavar="MODEL", help="model to use (default: a small model of that agent)")
    parser.add_argument(
        "--sessions", type=_count, metavar="N", help=f"maximum number of sessions a day (default: {CALLS_PER_DAY})"
    )
    parser.add_argument(
        "--tokens", type=_count, metavar="N", help=f"maximum number of tokens a day (default: {TOKENS_PER_DAY:,})"
    )
    add_json(parser)


def _count(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise argparse.ArgumentTypeError("must be a whole number")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.hook import headless, reading_settings

    before = reading_settings.load()
    settings = before._replace(
        enabled={"on": True, "off": False, None: before.enabled}[arguments.switch],
        agent=before.agent if arguments.agent is None else arguments.agent,
        model=before.model if arguments.model is None else arguments.model,
        calls_per_day=before.calls_per_day if arguments.sessions is None else arguments.sessions,
        tokens_per_day=before.tokens_per_day if arguments.tokens is None else arguments.tokens,
    )
    if settings.agent and settings.agent not in headless.SUPPORTED:
        raise CommandError(
            f"unknown agent {settings.agent!r}; choose from: {', '.join(sorted(headless.SUPPORTED))}", USAGE
        )
    if settings != before:
        reading_settings.save(settings)
    last = reading_settings.last_outcome()
    found = [agent for agent in sorted(headless.SUPPORTED) if headless.installed(agent)]
    if arguments.json:
        output.write_json({**settings._asdict(), "agentsFound": found, "last": last._asdict()})
        return OK
    output.write(describe(settings, found))
    if settings.enabled and last.at_ms:
        output.write(describe_use(last))
        if last.error:
            output.note(output.one_line(f"The last reading by {headless.title(last.agent)} failed: {last.error}"))
    return OK


def describe(settings: ReadingSettings, found: list[str]) -> str:
    """Say in one or two sentences what happens to a session that is over."""
    if not settings.enabled:
        return "Off: finished sessions are enriched by the server. Turn it on with: loremark reading on"
    from loremark.cli.output import pluralize

    sessions, tokens = pluralize(settings.calls_per_day, "session"), pluralize(settings.tokens_per_day, "token")
    limits = f"at most {sessions} and {tokens} a day"
    if not found:
        return f"On, but none of the supported agents is installed ({limits})."
    from loremark.hook import headless

    titles = ", ".join(map(headless.title, found))
    who = headless.title(settings.agent) if settings.agent else f"the session's own agent ({titles} found)"
    return f"On: {who} reads each finished session in the background, {limits}."


def describe_use(last: Outcome) -> str:
    """Say how much the agents have read today."""
    from loremark.cli.output import pluralize

    return f"Today: {pluralize(last.calls_today, 'session')}, {pluralize(last.tokens_today, 'token')}."
