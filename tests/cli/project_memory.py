"""A project with memories, and the command line of its owner."""

from __future__ import annotations

from typing import Any

from tests.cli.harness import Cli, Server

NEVER = 1.01
"""A threshold no item reaches, so all items stay drafts."""


class ProjectMemory:
    """A signed-in command line with a default project."""

    def __init__(self, cli: Cli, server: Server, **settings: Any) -> None:
        cli.sign_in(server)
        self.cli = cli
        self.server = server
        self.project = server.create_project("Memory")
        if settings:
            changed = server.http.patch(f"/api/projects/{self.project}", json=settings)
            assert changed.status_code == 200, changed.text
        cli.monkeypatch.setenv("LOREMARK_PROJECT", self.project)

    def learn(self, *facts: tuple[str, str]) -> dict[str, str]:
        """Save decisions with these titles and texts; returns the item IDs by title."""
        for title, text in facts:
            assert self.cli.run("save", text, "--title", title, "--type", "decision").code == 0
        assert self.cli.run("enrich").code == 0
        return {item["title"]: item["id"] for item in self.items()}

    def items(self, *options: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.cli.run("items", "list", "--json", *options).json
        return found

    def item(self, item_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.cli.run("items", "show", item_id, "--json").json
        return found
