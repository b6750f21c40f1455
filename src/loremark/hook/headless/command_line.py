"""How an agent's command line is described: its arguments, its environment and how to read what it prints."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loremark.hook import files
from loremark.hook.headless import process
from loremark.hook.headless.answer import Answer, HeadlessFailed

SYSTEM_PROMPT = "You answer a single message with text. You have no tools and no access to files."
_MAX_SETTINGS_BYTES = 4 << 20
# A string, which is kept, or a comment.
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)


@dataclass(frozen=True)
class Call:
    """One call: what is asked, and the private folders it may use."""

    program: str
    prompt: str
    model: str
    """The model to use, or an empty string for the agent's own default."""
    folder: str
    """Empty; the agent's working folder."""
    private: str
    """Empty; for settings and state that the person must not see change."""
    environment: Mapping[str, str]
    deadline: float

    def home(self, *parts: str) -> str:
        """Return a path in the person's home."""
        return os.path.join(self.environment.get("HOME") or os.path.expanduser("~"), *parts)

    def configured(self, variable: str, *usual: str) -> str:
        """Return the folder in this variable, or the usual one in the person's home."""
        return self.environment.get(variable) or self.home(*usual)

    def write_private(self, name: str, content: str) -> str:
        """Write a file into the private folder and return its path."""
        path = os.path.join(self.private, name)
        files.ensure_private_folder(os.path.dirname(path))
        files.write_atomic(path, content.encode())
        return path

    def run(self, arguments: Sequence[str], variables: Mapping[str, str], stdin: str = "") -> process.Output:
        return process.run(
            [self.program, *arguments],
            folder=self.folder,
            environment={**self.environment, **variables},
            stdin=stdin.encode("utf-8", "replace"),
            deadline=self.deadline,
        )


@dataclass(frozen=True)
class Command:
    """What to run for a call."""

    arguments: Sequence[str]
    variables: Mapping[str, str] = field(default_factory=dict)
    prompt: str | None = None
    """The prompt if it had to be changed for this agent."""
    model: str = ""
    """The model that will answer, if the agent doesn't say it afterwards."""
    links: Mapping[str, str] = field(default_factory=dict)
    """Login files: links in the private folder, and where they lead."""


@dataclass(frozen=True)
class CommandLine:
    """An agent's command line."""

    title: str
    program: str
    command: Callable[[Call], Command]
    answer: Callable[[Call, str], Answer]
    """Reads what the agent printed. Raises HeadlessFailed or ValueError."""
    signed_out: str
    """A pattern for its messages to people who are not signed in."""
    default_model: str = ""


def link_login(call: Call, sources: Mapping[str, str]) -> dict[str, str]:
    """Link the login files that exist into the private folder, by their names there. Returns the links."""
    links: dict[str, str] = {}
    for name, source in sources.items():
        if os.path.isfile(source):
            link = os.path.join(call.private, name)
            files.ensure_private_folder(os.path.dirname(link))
            os.symlink(os.path.realpath(source), link)
            links[link] = os.path.realpath(source)
    return links


def return_login(links: Mapping[str, str]) -> None:
    """Put renewed login files back where they belong, if the agent replaced a link by a file."""
    for link, source in links.items():
        if not os.path.islink(link) and (renewed := files.read_bounded(link, _MAX_SETTINGS_BYTES)):
            files.write_atomic(source, renewed)


def read_settings(path: str) -> dict[str, Any]:
    """Read a JSON file with comments; an empty object if it is missing. Raises HeadlessFailed if it is invalid."""
    content = files.read_bounded(os.path.realpath(path), _MAX_SETTINGS_BYTES)
    if content is None:
        return {}
    text = _COMMENT.sub(lambda found: found[1] or " ", content.decode("utf-8", "replace").lstrip("\ufeff"))
    try:
        settings = json.loads(text if text.strip() else "{}")
    except ValueError as error:
        raise HeadlessFailed(f"{path} could not be read: {error}.") from error
    return settings if isinstance(settings, dict) else {}


def read_object(text: str) -> dict[str, Any]:
    """Parse the JSON object in the output, which may follow other lines. Raises ValueError."""
    found = json.JSONDecoder().raw_decode(text, text.index("{"))[0]
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found


def read_lines(text: str) -> list[dict[str, Any]]:
    """Parse the lines of the output that are JSON objects."""
    found: list[dict[str, Any]] = []
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
    return found


def add(*counts: object) -> int | None:
    """Return the sum of the token counts that are there, or None."""
    known = [count for count in counts if isinstance(count, int)]
    return sum(known) if known else None
