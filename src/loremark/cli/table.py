"""The user's commands, in the order in which help lists them."""

from __future__ import annotations

from loremark.cli.kit import Place

CLIENT: dict[str, Place] = {
    "login": Place("loremark.cli.login", "start here"),
    "logout": Place("loremark.cli.logout", "start here"),
    "whoami": Place("loremark.cli.whoami", "start here"),
    "init": Place("loremark.cli.init", "start here"),
    "doctor": Place("loremark.cli.doctor", "start here"),
    "save": Place("loremark.cli.save", "memory"),
    "brain": Place("loremark.cli.brain", "memory"),
    "search": Place("loremark.cli.search", "memory"),
    "ask": Place("loremark.cli.ask", "memory"),
    "context": Place("loremark.cli.context", "memory"),
    "items": Place("loremark.cli.items", "memory"),
    "contexts": Place("loremark.cli.contexts", "memory"),
    "review": Place("loremark.cli.review", "memory"),
    "hygiene": Place("loremark.cli.hygiene", "memory"),
    "sessions": Place("loremark.cli.sessions", "capture"),
    "enrich": Place("loremark.cli.enrich", "capture"),
    "digest": Place("loremark.cli.digest", "capture"),
    "export": Place("loremark.cli.exporting", "exchange"),
    "import": Place("loremark.cli.importing", "exchange"),
    "projects": Place("loremark.cli.projects", "account"),
    "team": Place("loremark.cli.team", "account"),
    "keys": Place("loremark.cli.keys", "account"),
    "billing": Place("loremark.cli.billing", "account"),
    "listen": Place("loremark.cli.listen", "tools"),
    "completion": Place("loremark.cli.completion", "tools"),
}

HOOKS: dict[str, Place] = {
    "install": Place("loremark.cli.install", "agents"),
    "uninstall": Place("loremark.cli.uninstall", "agents"),
    "sync": Place("loremark.cli.sync", "agents"),
    "hook": Place("loremark.cli.hooks", "agents"),
    "mcp": Place("loremark.cli.mcp", "agents"),
}
