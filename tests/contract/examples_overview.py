"""Valid overview, map and usefulness requests."""

from __future__ import annotations

from tests.contract.cast import Actor, Ask, Cast, Example
from tests.contract.examples_memory import make_context, make_item

OVERVIEW: dict[str, Example] = {}


async def _project_with_records(cast: Cast, visibility: str) -> str:
    """Create a project with every kind of record."""
    project = await cast.project(visibility)
    await make_item(cast, project, status="approved")
    await make_context(cast, projectId=project)
    return project


async def _show(cast: Cast, actor: Actor) -> Ask:
    return Ask(project=await _project_with_records(cast, "private"))


OVERVIEW["overview.get"] = _show


def _on(visibility: str, ending: str) -> None:
    async def project_of(cast: Cast, actor: Actor) -> Ask:
        project = await _project_with_records(cast, visibility)
        return Ask(path={"projectId": project}, target=project, project=project)

    async def map_of(cast: Cast, actor: Actor) -> Ask:
        project = await _project_with_records(cast, visibility)
        return Ask(query=f"?projectId={project}", target=project, project=project)

    OVERVIEW[f"overview.project{ending}"] = project_of
    OVERVIEW[f"overview.map{ending}"] = map_of
    OVERVIEW[f"briefing.usefulness{ending}"] = map_of


_on("private", "")
_on("public", " (public)")
