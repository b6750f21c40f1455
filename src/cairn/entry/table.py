"""Every command there is: the user's from ``cairn.cli``, and those of this floor."""

from __future__ import annotations

from cairn.cli.kit import Place
from cairn.cli.table import CLIENT, HOOKS

COMMANDS: dict[str, Place] = {
    **CLIENT,
    "scan": Place("cairn.entry.commands.scan", "codebase"),
    **HOOKS,
    "eval": Place("cairn.entry.commands.evaluate", "server"),
    "serve": Place("cairn.entry.commands.serve", "server"),
    "api": Place("cairn.entry.commands.api", "server"),
    "worker": Place("cairn.entry.commands.worker", "server"),
    "jobs": Place("cairn.entry.commands.jobs", "server"),
    "admin": Place("cairn.entry.commands.admin", "server"),
}
