"""``loremark reading``: whether your coding agent reads finished sessions."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.cli.framework import OK, USAGE, CommandError

if TYPE_CHECKING:
    from loremark.hook.reading_settings import ReadingSettings

SUMMARY = "Let your coding agent turn finished sessions into memories."
EXAMPLE = "loremark reading on --calls 20"
QUESTION = (
    "Let {agent} read finished sessions in the background and write memories from them? "
    "It uses your own {agent} account, about 5,000 tokens per session"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    parser.add_argument("switch", nargs="?", choices=("on", "off"), help="turn it on or off (default: show the state)")
    parser.add_argument("--agent", metavar="AGENT", help="always ask this agent (default: the session's own)")
    parser.add_argument("--model", metavar="MODEL", help="the model to use (default: a small one of the agent)")
    parser.add_argument("--calls", type=_count, metavar="N", help="at most this many sessions a day")
    parser.add_argument("--tokens", type=_count, metavar="N", help="at most this many tokens a day")
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
        calls_per_day=before.calls_per_day if arguments.calls is None else arguments.calls,
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
        output.write(f"Today: {output.pluralize(last.calls_today, 'session')}, {last.tokens_today:,} tokens.")
        if last.error:
            output.note(f"The last reading by {last.agent} failed: {output.one_line(last.error)}")
    return OK


def describe(settings: ReadingSettings, found: list[str]) -> str:
    """Say in one or two sentences what happens to a session that is over."""
    if not settings.enabled:
        return "Off: finished sessions are enriched by the server. Turn it on with: loremark reading on"
    limits = f"at most {settings.calls_per_day} sessions and {settings.tokens_per_day:,} tokens a day"
    if not found:
        return f"On, but none of the supported agents is installed ({limits})."
    who = settings.agent or f"the session's own agent ({', '.join(found)} found)"
    return f"On: {who} reads each finished session in the background, {limits}."
