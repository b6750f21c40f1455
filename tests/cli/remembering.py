"""A project that remembers something, and the person whose project it is."""

from __future__ import annotations

from typing import Any

from tests.cli.person import Desk, Server

NEVER = 1.01
"""A threshold that nothing reaches: all items are drafts."""


class Rememberer:
    """Somebody who is signed in, and means one project."""

    def __init__(self, desk: Desk, server: Server, **settings: Any) -> None:
        desk.sign_in(server)
        self.desk = desk
        self.server = server
        self.project = server.create_project("Memory")
        if settings:
            changed = server.http.patch(f"/api/projects/{self.project}", json=settings)
            assert changed.status_code == 200, changed.text
        desk.monkeypatch.setenv("LOREMARK_PROJECT", self.project)

    def learn(self, *facts: tuple[str, str]) -> dict[str, str]:
        """Have these titles and texts remembered as decisions; ids by title."""
        for title, text in facts:
            assert self.desk.say("save", text, "--title", title, "--type", "decision").code == 0
        assert self.desk.say("enrich").code == 0
        return {item["title"]: item["id"] for item in self.items()}

    def items(self, *options: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.desk.say("items", "list", "--json", *options).json
        return found

    def item(self, item_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.desk.say("items", "show", item_id, "--json").json
        return found
