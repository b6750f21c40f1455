"""Link the folder to a project."""

from __future__ import annotations

import argparse
import os
from typing import NamedTuple

from loremark.base import profile
from loremark.cli import init, output
from loremark.cli.connection import resolve_project
from loremark.cli.local_server import shorten
from loremark.cli.step_report import Step
from loremark.client.call import ApiError
from loremark.client.calls.projects import create_project, get_project, list_projects
from loremark.client.client import Client
from loremark.hook import gitpaths
from loremark.hook.link import FILE, Link, resolve_link


class ProjectPlan(NamedTuple):
    """The project to link the folder to; without an ID it is created. ``link`` is set if nothing is left to do."""

    folder: str
    name: str
    id: str = ""
    link: Link | None = None


def plan(client: Client | None, arguments: argparse.Namespace, folder: str) -> ProjectPlan:
    """Choose the project: from the options, the link, or the name. Without a client, the server is not asked."""
    link = resolve_link(folder)[0]
    if client is None:
        named = arguments.project or arguments.name or (link.project if link is not None else "")
        is_linked = link is not None and not (arguments.project or arguments.name)
        return ProjectPlan(folder, named or init.suggest_name(folder), "", link if is_linked else None)
    wanted = resolve_project(client, arguments.project) if arguments.project else None
    if wanted is None and not arguments.name:
        wanted = link.project if link is not None else init.linked_project(folder)
    if wanted is not None:
        found = init.find_existing(client, wanted)
        is_ready = link is not None and link.project == found.id and _has_agent_key(client, found.id)
        return ProjectPlan(folder, found.name, found.id, link if is_ready else None)
    name = arguments.name or init.suggest_name(folder)
    active = [project for project in client.paginate(list_projects()) if project.status == "active"]
    same = init.named_same(active, name)
    return ProjectPlan(folder, same[0].name, same[0].id) if same else ProjectPlan(folder, name)


def _has_agent_key(client: Client, project: str) -> bool:
    """Whether the agents have a valid key, or need none of their own."""
    saved = profile.load()
    if saved is None or profile.has_environment_key():
        return True
    key = saved.agent_keys.get(project)
    if key is None:
        return False
    with Client(client.url, key) as agent:
        try:
            agent.send(get_project(project))
        except ApiError as error:
            if error.status in (401, 403, 404):
                return False
            raise
    return True


def describe(plan: ProjectPlan) -> Step:
    """The link, before anything is done."""
    name = output.one_line(plan.name, 60)
    if plan.link is not None:
        return Step("Project", "unchanged", f"{shorten(plan.folder)} is linked to {name}")
    message = f"Link {shorten(plan.folder)} to {name}" + ("" if plan.id else " (a new project)")
    path = os.path.join(plan.folder, FILE)
    files = [f"{'change' if os.path.exists(path) else 'create'}  {shorten(path)} (no secrets)"]
    if gitpaths.find_repository(plan.folder) is not None:
        files.append("change  .git/config (one line: loremark.place)")
    return Step("Project", "planned", message, tuple(files))


def run(client: Client, plan: ProjectPlan) -> tuple[Link, Step]:
    """Create the project if necessary, and link the folder."""
    if plan.link is not None:
        return plan.link, describe(plan)
    if plan.id:
        project, name, created = plan.id, plan.name, ""
    else:
        made = client.send(create_project(plan.name))
        project, name, created = made.id, made.name, " (new)"
    link, _ = init.link_folder(client, plan.folder, project, name)
    message = f"Linked {shorten(link.folder)} to {output.one_line(name, 60)}{created}"
    return link, Step("Project", "done", message)
