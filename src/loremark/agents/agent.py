"""The data model for agents; ``catalog`` lists the supported ones."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable, Mapping
from typing import NamedTuple

from loremark.agents.changes import Change

USER, PROJECT = "user", "project"
KEY_VARIABLE = "LOREMARK_API_KEY"


class Locations(NamedTuple):
    """Paths and environment variables of this machine, passed in rather than read from the environment."""

    home: str
    project: str
    platform: str = "linux"
    variables: Mapping[str, str] = {}

    def root(self, scope: str) -> str:
        return self.home if scope == USER else self.project

    def folder(self, variable: str, *default: str) -> str:
        """Return the folder set by an environment variable, or the default below home."""
        given = self.variables.get(variable, "")
        return given if os.path.isabs(given) else os.path.join(self.home, *default)

    @property
    def config(self) -> str:
        """The XDG configuration folder (on macOS too)."""
        return self.folder("XDG_CONFIG_HOME", ".config")

    @property
    def code(self) -> str:
        """VS Code's user folder."""
        if self.platform == "darwin":
            return os.path.join(self.home, "Library", "Application Support", "Code", "User")
        return os.path.join(self.config, "Code", "User")


class Server(NamedTuple):
    """How agents reach our MCP server: the local bridge, or HTTP with a key from an environment variable."""

    url: str | None = None


class SetupOptions(NamedTuple):
    """What to set up: scope, executable and transport."""

    locations: Locations
    scope: str
    executable: str = "loremark"
    server: Server = Server()

    def hook(self, agent: str) -> str:
        """Return the hook's command line, quoted for the shell."""
        words = [self.executable, "hook", agent]
        return subprocess.list2cmdline(words) if self.locations.platform == "win32" else shlex.join(words)

    def bearer(self, variable: str) -> dict[str, str]:
        """Return the Authorization header. ``variable`` is the key in the agent's own placeholder syntax."""
        return {"Authorization": f"Bearer {variable}"}


class FilePlan(NamedTuple):
    """A file and the changes it should contain."""

    path: str
    changes: tuple[Change, ...]
    is_optional: bool = False
    """If this file can't be edited, report it and continue with the others."""


class Agent(NamedTuple):
    name: str
    title: str
    aliases: tuple[str, ...]
    binaries: tuple[str, ...]
    detection_folders: Callable[[Locations], tuple[str, ...]]
    """Folders that exist if the agent is installed."""
    files: Callable[[SetupOptions], list[FilePlan]]
    steps: Callable[[SetupOptions], tuple[str, ...]]
    """What the user has to do next."""
    roots: Callable[[Locations], tuple[str, ...]] = lambda locations: ()
    """Folders outside home that may contain its files."""
    supports_http: bool = True
    """Whether its configuration can take the key from an environment variable, which HTTP requires."""
    briefing_characters: int = 9_500
    """The longest briefing that reaches the model intact."""
    instructions: tuple[str, ...] = ("AGENTS.md",)
    """The instruction files that the agent reads in a project."""
    has_hooks: bool = True
