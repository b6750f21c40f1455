"""Valid export and import requests."""

from __future__ import annotations

from tests.contract.cast import Actor, Ask, Cast, Example
from tests.contract.examples_capture import new_event
from tests.contract.examples_memory import make_context, make_item
from tests.features.signed_tool import Tool

TRANSFER: dict[str, Example] = {}


async def make_lines(cast: Cast) -> bytes:
    """Export a project with an item, a context and an event."""
    project = await cast.project()
    await make_item(cast, project)
    await make_context(cast, projectId=project)
    sent = new_event()
    await Tool(project, await cast.secret_of(project)).send(cast.service.http, sent["payload"], sent["event"])
    exported = await cast.owner.get(f"/api/v2/export?projectId={project}")
    assert exported.status_code == 200, exported.text
    return exported.content


def _keep(visibility: str) -> None:
    async def export_project(cast: Cast, actor: Actor) -> Ask:
        project = await cast.project(visibility)
        await make_item(cast, project)
        return Ask(query=f"?projectId={project}", target=project, project=project)

    async def import_project(cast: Cast, actor: Actor) -> Ask:
        lines, project = await make_lines(cast), await cast.project(visibility)
        headers = {"Content-Type": "application/x-ndjson"}
        return Ask(query=f"?projectId={project}", target=project, project=project, raw=lines, headers=headers)

    ending = "" if visibility == "private" else " (public)"
    TRANSFER[f"transfer.export{ending}"] = export_project
    TRANSFER[f"transfer.import{ending}"] = import_project


_keep("private")
_keep("public")
