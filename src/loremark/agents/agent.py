"""What is known about one agent, as data; the shapes that the descriptions in ``catalog`` fill in."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable, Mapping
from typing import NamedTuple

from loremark.agents.changes import Change

USER, PROJECT = "user", "project"
KEY_VARIABLE = "LOREMARK_API_KEY"


class Places(NamedTuple):
    """Where things lie on this machine; nothing here is read from the environment."""

    home: str
    project: str
    platform: str = "linux"
    variables: Mapping[str, str] = {}

    def root(self, scope: str) -> str:
        return self.home if scope == USER else self.project

    def folder(self, variable: str, *usual: str) -> str:
        """A folder an agent lets be moved by a variable."""
        given = self.variables.get(variable, "")
        return given if os.path.isabs(given) else os.path.join(self.home, *usual)

    @property
    def config(self) -> str:
        """Where programs that follow XDG keep their configuration (on a Mac too)."""
        return self.folder("XDG_CONFIG_HOME", ".config")

    @property
    def code(self) -> str:
        """The user folder of VS Code."""
        if self.platform == "darwin":
            return os.path.join(self.home, "Library", "Application Support", "Code", "User")
        return os.path.join(self.config, "Code", "User")


class Server(NamedTuple):
    """How agents reach our MCP server: the bridge on this machine, or HTTP with a key from a variable."""

    url: str | None = None


class Wish(NamedTuple):
    """What is to be set up: in which scope, with which executable, over which transport."""

    places: Places
    scope: str
    executable: str = "loremark"
    server: Server = Server()

    def hook(self, agent: str) -> str:
        """The hook's command line, safe in a shell whatever the path of our executable."""
        words = [self.executable, "hook", agent]
        return subprocess.list2cmdline(words) if self.places.platform == "win32" else shlex.join(words)

    def bearer(self, variable: str) -> dict[str, str]:
        """The header, with the key in the agent's own way of naming a variable."""
        return {"Authorization": f"Bearer {variable}"}


class FileWish(NamedTuple):
    """A file and what should be in it."""

    path: str
    changes: tuple[Change, ...]
    is_optional: bool = False
    """Where it cannot be done, the rest is done all the same and the person told."""


class Agent(NamedTuple):
    name: str
    title: str
    aliases: tuple[str, ...]
    binaries: tuple[str, ...]
    signs: Callable[[Places], tuple[str, ...]]
    """Folders that are there where the agent is."""
    files: Callable[[Wish], list[FileWish]]
    steps: Callable[[Wish], tuple[str, ...]]
    """What the person must still do."""
    roots: Callable[[Places], tuple[str, ...]] = lambda places: ()
    """Folders outside of the home where its files may lie too."""
    speaks_http: bool = True
    """Whether its configuration can name a variable for the key; without that no HTTP."""
    briefing_characters: int = 9_500
    """How much of a briefing reaches the model in one piece."""
    instructions: tuple[str, ...] = ("AGENTS.md",)
    """The instruction files it reads in a project."""
    has_hooks: bool = True
