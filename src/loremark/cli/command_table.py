"""The client commands, in the order the help lists them."""

from __future__ import annotations

from loremark.cli.framework import CommandSpec

CLIENT: dict[str, CommandSpec] = {
    "login": CommandSpec("loremark.cli.login", "get started"),
    "logout": CommandSpec("loremark.cli.logout", "get started"),
    "whoami": CommandSpec("loremark.cli.whoami", "get started"),
    "init": CommandSpec("loremark.cli.init", "get started"),
    "link": CommandSpec("loremark.cli.link", "get started"),
    "doctor": CommandSpec("loremark.cli.doctor", "get started"),
    "save": CommandSpec("loremark.cli.save", "memory"),
    "brain": CommandSpec("loremark.cli.brain", "memory"),
    "search": CommandSpec("loremark.cli.search", "memory"),
    "ask": CommandSpec("loremark.cli.ask", "memory"),
    "context": CommandSpec("loremark.cli.context", "memory"),
    "items": CommandSpec("loremark.cli.items", "memory"),
    "contexts": CommandSpec("loremark.cli.contexts", "memory"),
    "review": CommandSpec("loremark.cli.review", "memory"),
    "hygiene": CommandSpec("loremark.cli.hygiene", "memory"),
    "sessions": CommandSpec("loremark.cli.sessions", "capture"),
    "enrich": CommandSpec("loremark.cli.enrich", "capture"),
    "digest": CommandSpec("loremark.cli.digest", "capture"),
    "pause": CommandSpec("loremark.cli.pause", "capture"),
    "resume": CommandSpec("loremark.cli.resume", "capture"),
    "export": CommandSpec("loremark.cli.exporting", "import and export"),
    "import": CommandSpec("loremark.cli.importing", "import and export"),
    "projects": CommandSpec("loremark.cli.projects", "account"),
    "team": CommandSpec("loremark.cli.team", "account"),
    "logins": CommandSpec("loremark.cli.logins", "account"),
    "audit": CommandSpec("loremark.cli.audit", "account"),
    "keys": CommandSpec("loremark.cli.keys", "account"),
    "billing": CommandSpec("loremark.cli.billing", "account"),
    "models": CommandSpec("loremark.cli.models", "account"),
    "listen": CommandSpec("loremark.cli.listen", "tools"),
    "completion": CommandSpec("loremark.cli.completion", "tools"),
}

HOOKS: dict[str, CommandSpec] = {
    "install": CommandSpec("loremark.cli.install", "agents"),
    "uninstall": CommandSpec("loremark.cli.uninstall", "agents"),
    "sync": CommandSpec("loremark.cli.sync", "agents"),
    "hook": CommandSpec("loremark.cli.hook", "agents"),
    "mcp": CommandSpec("loremark.cli.mcp", "agents"),
    "reading": CommandSpec("loremark.cli.reading", "agents"),
}
