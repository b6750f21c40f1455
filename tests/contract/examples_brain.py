"""Valid brain requests."""

from __future__ import annotations

from tests.contract.cast import Actor, Ask, Cast, Example
from tests.contract.examples_memory import make_item

BRAIN: dict[str, Example] = {}


def _brain(
    name: str, visibility: str, query: str = "&tokenBudget=400&format=json&branch=main&files=src/api.py"
) -> None:
    async def ask(cast: Cast, actor: Actor) -> Ask:
        project = await cast.project(visibility)
        await make_item(cast, project, status="approved")
        return Ask(query=f"?projectId={project}{query}", target=project, project=project)

    BRAIN[name] = ask


_brain("brain.get", "private")
_brain("brain.get (public)", "public")
_brain("brain.plan", "private", "&tokenBudget=400&branch=main")
_brain("brain.plan (public)", "public", "&tokenBudget=400&branch=main")
_brain("brain.history", "private", "&limit=10")
_brain("brain.history (public)", "public", "&limit=10")
_brain("brain.snapshot", "private", "&at=2030-01-02T03:04:05.678Z&tokenBudget=400&branch=main")
_brain("brain.snapshot (public)", "public", "&at=2030-01-02T03:04:05.678Z&tokenBudget=400&branch=main")
