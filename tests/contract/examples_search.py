"""Valid searches and briefings."""

from __future__ import annotations

from tests.contract.cast import Actor, Ask, Cast, Example
from tests.contract.examples_memory import make_item

SEARCH: dict[str, Example] = {}


def _search(name: str, visibility: str) -> None:
    async def ask(cast: Cast, actor: Actor) -> Ask:
        project = await cast.project(visibility)
        await make_item(cast, project, status="approved")
        query = f"?projectId={project}&q=where+are+sessions+kept&minSimilarity=0&explain=true&in=all"
        return Ask(query=query, target=project, project=project)

    SEARCH[name] = ask


def _brief(name: str, visibility: str) -> None:
    async def ask(cast: Cast, actor: Actor) -> Ask:
        project = await cast.project(visibility)
        await make_item(cast, project, status="approved", type="convention")
        return Ask(json={"projectId": project, "session": "claude-code:1"}, target=project, project=project)

    SEARCH[name] = ask


_search("search.run", "private")
_search("search.run (public)", "public")
_brief("briefing.create", "private")
_brief("briefing.create (public)", "public")
