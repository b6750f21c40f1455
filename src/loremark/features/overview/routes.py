"""GET /api/v2/overview and /api/v2/map."""

from __future__ import annotations

from msgspec import Struct

from loremark.base import errors
from loremark.base.plans import Plans
from loremark.features.overview import places, service
from loremark.features.projects import store as projects
from loremark.features.projects.access import Right, get_project
from loremark.web.call import Call
from loremark.web.needs import KEY, LOGIN, needs
from loremark.web.routes import Routes
from loremark.wire.overview import Overview, Place, ProjectHealth

routes = Routes("overview")

_PROJECTS = 200


class MapQuery(Struct, frozen=True, rename="camel"):
    project_id: str


@routes.add("GET", "/api/v2/overview", needs(KEY | LOGIN), name="show")
async def show(call: Call) -> Overview:
    """How the newest two hundred projects are doing, and what is spent (owner and admins)."""
    caller = call.caller
    rows = await projects.list_projects(call.tx, caller, before=None, take=_PROJECTS)
    spend = await service.show_spend(call.tx, caller.scope, call.use(Plans)) if caller.manages else None
    return Overview(projects=await service.show_projects(call.tx, caller.scope, rows), spend=spend)


@routes.add(
    "GET",
    "/api/v2/overview/{projectId}",
    needs(KEY | LOGIN),
    name="project",
    errors=(errors.PROJECT_NOT_FOUND,),
)
async def show_project(call: Call, project_id: str) -> ProjectHealth:
    """How one project is doing, with its living items by type and what waits for a person."""
    project = await get_project(call.tx, call.caller, project_id, Right.READ)
    return await service.show_project(call.tx, call.caller.scope, project)


@routes.add("GET", "/api/v2/map", needs(KEY | LOGIN), name="map", errors=(errors.PROJECT_NOT_FOUND,))
async def show_map(call: Call, query: MapQuery) -> list[Place]:
    """A project's contexts and the team's, each with its size and the items that stand at it."""
    await get_project(call.tx, call.caller, query.project_id, Right.READ)
    return await places.show_map(call.tx, call.caller.scope, query.project_id)
