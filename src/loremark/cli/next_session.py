"""Show what the next agent session will be told: the same text, fetched the same way as by the hook."""

from __future__ import annotations

import re
from typing import NamedTuple

from loremark.base import briefing_markers
from loremark.cli import output
from loremark.client.calls.briefing import create_briefing
from loremark.client.client import Client
from loremark.hook import agents, briefing, githistory, gitpaths, gitrepository
from loremark.hook.git import GitError
from loremark.hook.link import Link

_SECONDS = 20.0
_PROMPTS = 6
"""How many commits to try as an example of a first prompt."""
_TYPE_PREFIX = re.compile(r"^(?:[a-z]{2,12}(?:\([^)]{1,40}\))?!?:|\[[^\]]{1,20}\])\s*", re.IGNORECASE)


class NextSession(NamedTuple):
    """What an agent is told at the start, and with a first prompt such as the one given."""

    standing: str
    prompt: str = ""
    for_prompt: str = ""


def load(client: Client, link: Link) -> NextSession:
    """What the next session in this folder is told. The example prompt is the subject of a recent commit."""
    branch = gitpaths.current_branch(link.folder) or ""
    standing = _without_markers(briefing.load_standing(link, agents.CLAUDE, branch, seconds=_SECONDS))
    prompt = _choose_prompt(client, link, branch)
    if not prompt:
        return NextSession(standing)
    told = briefing.load_for_prompt(link, agents.CLAUDE, prompt, branch, seconds=_SECONDS)
    return NextSession(standing, prompt, _without_markers(told)) if told else NextSession(standing)


def _choose_prompt(client: Client, link: Link, branch: str) -> str:
    """The subject of the newest commit that memory knows more about than the commit itself, or else anything."""
    chosen = ""
    for subject in _recent_subjects(link.folder):
        found = client.send(create_briefing(link.project, prompt=subject, branch=branch or None))
        if any(entry.kind != "commit" for entry in found.entries):
            return subject
        chosen = chosen or (subject if found.entries else "")
    return chosen


def show(known: NextSession) -> None:
    output.write(output.styled("Your next session will know:", "bold"))
    _quote(known.standing or "Nothing yet that holds for every task.")
    if known.for_prompt:
        output.write()
        output.write(output.styled(f"And if its first prompt is “{output.one_line(known.prompt, 200)}”:", "bold"))
        _quote(known.for_prompt)


def _quote(text: str) -> None:
    output.write()
    for line in text.splitlines():
        output.paragraph("  │ " if line.strip() else "  │", line, indent="  │ ")


def _without_markers(text: str) -> str:
    return text.replace(briefing_markers.BEGIN, "").replace(briefing_markers.END, "").strip()


def _recent_subjects(folder: str) -> list[str]:
    try:
        repository = gitrepository.discover(folder)
        return [_TYPE_PREFIX.sub("", subject) for subject in githistory.list_subjects(repository, _PROMPTS)]
    except GitError:
        return []
