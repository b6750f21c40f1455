"""GET /api/v2/overview and /api/v2/map."""

from __future__ import annotations

from msgspec import Struct

from loremark.base import errors
from loremark.base.plans import Plans
from loremark.features.overview import context_map, service
from loremark.features.projects import store as projects
from loremark.features.projects.access import Access, get_project
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.routes import Routes
from loremark.wire.overview import MapContext, Overview, ProjectHealth

routes = Routes("overview")

_MAX_PROJECTS = 200


class MapQuery(Struct, frozen=True, rename="camel"):
    project_id: str


@routes.add("GET", "/api/v2/overview", needs(KEY | LOGIN, "read"), name="get")
async def get_overview(call: Call) -> Overview:
    """Get key figures of the newest 200 projects and, for the owner and admins, the team's usage."""
    caller = call.caller
    rows = await projects.list_projects(call.tx, caller, before=None, take=_MAX_PROJECTS)
    spend = await service.get_spend(call.tx, caller.scope, call.use(Plans)) if caller.manages else None
    return Overview(projects=await service.get_projects(call.tx, caller.scope, rows), spend=spend)


@routes.add(
    "GET",
    "/api/v2/overview/{projectId}",
    needs(KEY | LOGIN, "read"),
    name="project",
    errors=(errors.PROJECT_NOT_FOUND,),
)
async def get_project_overview(call: Call, project_id: str) -> ProjectHealth:
    """Get a project's key figures, its items by type, and its review queue."""
    project = await get_project(call.tx, call.caller, project_id, Access.READ)
    return await service.get_project_health(call.tx, call.caller.scope, project)


@routes.add("GET", "/api/v2/map", needs(KEY | LOGIN, "read"), name="map", errors=(errors.PROJECT_NOT_FOUND,))
async def get_map(call: Call, query: MapQuery) -> list[MapContext]:
    """List a project's and the team's contexts with their sizes and item counts."""
    await get_project(call.tx, call.caller, query.project_id, Access.READ)
    return await context_map.get_map(call.tx, call.caller.scope, query.project_id)
