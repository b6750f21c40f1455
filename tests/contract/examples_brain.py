"""Valid calls for the brain."""

from __future__ import annotations

from tests.contract.cast import Actor, Ask, Cast, Example
from tests.contract.examples_memory import make_item

BRAIN: dict[str, Example] = {}


def _brain(name: str, visibility: str) -> None:
    async def ask(cast: Cast, actor: Actor) -> Ask:
        project = await cast.project(visibility)
        await make_item(cast, project, status="approved")
        query = f"?projectId={project}&tokenBudget=400&format=json&branch=main&files=src/api.py"
        return Ask(query=query, target=project, project=project)

    BRAIN[name] = ask


_brain("brain.get", "private")
_brain("brain.get (public)", "public")
