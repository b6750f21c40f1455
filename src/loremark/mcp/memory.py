"""The memory that a tool works on: the client of whoever asks, and the project they mean."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from loremark.client.asynchronous import AsyncClient
from loremark.client.calls.projects import list_projects
from loremark.mcp.problem import Problem
from loremark.mcp.shown import one_line

_PROJECT_ID = re.compile(r"prj_[A-Za-z0-9_-]{1,60}")
_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
_NAMED = 10


FindSigner = Callable[[str], Awaitable[AsyncClient]]


def checked_id(given: str, what: str) -> str:
    """An identifier as it may stand in an address; whatever else was given names nothing."""
    if not _ID.fullmatch(given):
        raise Problem(f"{what} not found.")
    return given


class Memory:
    """A client with one key, for the time of one request."""

    def __init__(self, client: AsyncClient, project: str = "", find_signer: FindSigner | None = None) -> None:
        self.client = client
        self.agent = ""
        self._project = project
        self._find_signer = find_signer

    async def signer(self, project_id: str) -> AsyncClient:
        """The client for calls that the project's secret signs."""
        return self.client if self._find_signer is None else await self._find_signer(project_id)

    async def project_id(self, wanted: str = "") -> str:
        """The project asked for by id or name, else that of the folder, else the only one there is."""
        named = wanted.strip() or self._project
        if _PROJECT_ID.fullmatch(named):
            return named
        projects = await self.client.send(list_projects())
        if named:
            projects = [project for project in projects if project.name.casefold() == named.casefold()]
            if not projects:
                raise Problem(f"There is no project called {one_line(named, 60)} that you may see.")
        else:
            projects = [project for project in projects if project.status == "active"]
        if len(projects) == 1:
            return projects[0].id
        if not projects:
            raise Problem(
                "There is no project yet: make one with `loremark projects create NAME`, then run `loremark init`."
            )
        known = ", ".join(f"{one_line(project.name, 60)} ({project.id})" for project in projects[:_NAMED])
        more = "" if len(projects) <= _NAMED else f" and {len(projects) - _NAMED} more"
        raise Problem(
            f"Which project? Give its id as the project argument, or run `loremark init` in the folder. There are: "
            f"{known}{more}."
        )


OpenMemory = Callable[[Any], AbstractAsyncContextManager[Memory]]
"""From the HTTP request at hand (None over stdio) to the memory of whoever sent it."""
