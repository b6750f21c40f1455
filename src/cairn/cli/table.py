"""The user's commands, in the order in which help lists them."""

from __future__ import annotations

from cairn.cli.kit import Place

CLIENT: dict[str, Place] = {
    "login": Place("cairn.cli.login", "start here"),
    "logout": Place("cairn.cli.logout", "start here"),
    "whoami": Place("cairn.cli.whoami", "start here"),
    "init": Place("cairn.cli.init", "start here"),
    "doctor": Place("cairn.cli.doctor", "start here"),
    "save": Place("cairn.cli.save", "memory"),
    "brain": Place("cairn.cli.brain", "memory"),
    "search": Place("cairn.cli.search", "memory"),
    "ask": Place("cairn.cli.ask", "memory"),
    "context": Place("cairn.cli.context", "memory"),
    "items": Place("cairn.cli.items", "memory"),
    "contexts": Place("cairn.cli.contexts", "memory"),
    "review": Place("cairn.cli.review", "memory"),
    "hygiene": Place("cairn.cli.hygiene", "memory"),
    "sessions": Place("cairn.cli.sessions", "capture"),
    "enrich": Place("cairn.cli.enrich", "capture"),
    "digest": Place("cairn.cli.digest", "capture"),
    "export": Place("cairn.cli.exporting", "exchange"),
    "import": Place("cairn.cli.importing", "exchange"),
    "projects": Place("cairn.cli.projects", "account"),
    "team": Place("cairn.cli.team", "account"),
    "keys": Place("cairn.cli.keys", "account"),
    "billing": Place("cairn.cli.billing", "account"),
    "listen": Place("cairn.cli.listen", "tools"),
    "completion": Place("cairn.cli.completion", "tools"),
}

HOOKS: dict[str, Place] = {
    "install": Place("cairn.cli.install", "agents"),
    "uninstall": Place("cairn.cli.uninstall", "agents"),
    "sync": Place("cairn.cli.sync", "agents"),
    "hook": Place("cairn.cli.hooks", "agents"),
    "mcp": Place("cairn.cli.mcp", "agents"),
}
