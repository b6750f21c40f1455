"""The memory that a tool works on: the caller's API client and project."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from loremark.client.async_client import AsyncClient
from loremark.client.calls.projects import list_projects
from loremark.mcp.errors import ToolError
from loremark.mcp.formatting import one_line

_PROJECT_ID = re.compile(r"prj_[A-Za-z0-9_-]{1,60}")
_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
_LISTED = 10


def validate_id(given: str, what: str) -> str:
    """Return the ID if it is safe in a URL; raise a not-found ToolError otherwise."""
    if not _ID.fullmatch(given):
        raise ToolError(f"{what} not found.")
    return given


class Memory:
    """The caller's API client, for the duration of one request."""

    def __init__(self, client: AsyncClient, project: str = "") -> None:
        self.client = client
        self.agent = ""
        self._project = project

    async def project_id(self, wanted: str = "") -> str:
        """Return the project given by ID or name, or else the folder's project, or else the only project."""
        named = wanted.strip() or self._project
        if _PROJECT_ID.fullmatch(named):
            return named
        projects = await self.client.send(list_projects())
        has_archived = bool(projects)
        if named:
            projects = [project for project in projects if project.name.casefold() == named.casefold()]
            if not projects:
                raise ToolError(f"No project named {one_line(named, 60)} found, or you don't have access to it.")
        else:
            projects = [project for project in projects if project.status == "active"]
        if len(projects) == 1:
            return projects[0].id
        if not projects and has_archived:
            raise ToolError(
                "All projects are archived. Pass the ID of one as the project argument, or create one with `loremark "
                "projects create NAME`."
            )
        if not projects:
            raise ToolError(
                "There are no projects yet: create one with `loremark projects create NAME`, then run `loremark init`."
            )
        known = ", ".join(f"{one_line(project.name, 60)} ({project.id})" for project in projects[:_LISTED])
        more = "" if len(projects) <= _LISTED else f" and {len(projects) - _LISTED} more"
        raise ToolError(
            f"There are several projects. Pass a project ID as the project argument, or run `loremark init` in this "
            f"folder. Projects: {known}{more}."
        )


OpenMemory = Callable[[Any], AbstractAsyncContextManager[Memory]]
"""Opens the caller's memory for an HTTP request (None over stdio)."""
