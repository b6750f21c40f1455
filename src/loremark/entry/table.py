"""Every command there is: the user's from ``loremark.cli``, and those of this floor."""

from __future__ import annotations

from loremark.cli.kit import Place
from loremark.cli.table import CLIENT, HOOKS

COMMANDS: dict[str, Place] = {
    **CLIENT,
    "scan": Place("loremark.entry.commands.scan", "codebase"),
    **HOOKS,
    "eval": Place("loremark.entry.commands.evaluate", "server"),
    "serve": Place("loremark.entry.commands.serve", "server"),
    "api": Place("loremark.entry.commands.api", "server"),
    "worker": Place("loremark.entry.commands.worker", "server"),
    "jobs": Place("loremark.entry.commands.jobs", "server"),
    "admin": Place("loremark.entry.commands.admin", "server"),
}
