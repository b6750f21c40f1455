"""All commands: the client commands from ``loremark.cli``, and those that need more than a client may import."""

from __future__ import annotations

from loremark.cli.command_table import CLIENT, HOOKS
from loremark.cli.framework import CommandSpec

COMMANDS: dict[str, CommandSpec] = {
    "setup": CommandSpec("loremark.entry.commands.setup", "get started"),
    **CLIENT,
    "open": CommandSpec("loremark.entry.commands.open", "get started"),
    "doctor": CommandSpec("loremark.entry.commands.doctor", "get started"),
    "scan": CommandSpec("loremark.entry.commands.scan", "codebase"),
    **HOOKS,
    "eval": CommandSpec("loremark.entry.commands.evaluate", "server"),
    "start": CommandSpec("loremark.cli.start", "server"),
    "stop": CommandSpec("loremark.cli.stop", "server"),
    "status": CommandSpec("loremark.cli.status", "server"),
    "serve": CommandSpec("loremark.entry.commands.serve", "server"),
    "api": CommandSpec("loremark.entry.commands.api", "server"),
    "worker": CommandSpec("loremark.entry.commands.worker", "server"),
    "jobs": CommandSpec("loremark.entry.commands.jobs", "server"),
    "admin": CommandSpec("loremark.entry.commands.admin", "server"),
}
