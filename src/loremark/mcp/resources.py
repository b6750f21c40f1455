"""Resources: the brain, entries and contexts by address."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from loremark.base.marks import clean
from loremark.client.call import ApiError
from loremark.client.calls.brain import get_brain
from loremark.client.calls.contexts import get_context
from loremark.client.calls.items import get_item
from loremark.client.calls.projects import list_projects
from loremark.mcp.memory import Memory
from loremark.mcp.shown import clean_all, framed, one_line

_MARKDOWN = "text/markdown"
_JSON = "application/json"
_LISTED = 50
_BUDGET = 6_000
_URI = re.compile(r"loremark://(?:(brain)|(projects|items|contexts)/([A-Za-z0-9_-]{1,100})(/brain)?)")

Entry = dict[str, Any]

ALWAYS: list[Entry] = [
    {
        "uri": "loremark://brain",
        "name": "brain",
        "title": "Briefing of this project",
        "description": "The approved memory of the project of this folder as one document.",
        "mime_type": _MARKDOWN,
    }
]
TEMPLATES: list[Entry] = [
    {
        "uri_template": "loremark://projects/{project}/brain",
        "name": "project-brain",
        "title": "Briefing of a project",
        "description": "The approved memory of a project, by the project's id, as one document.",
        "mime_type": _MARKDOWN,
    },
    {
        "uri_template": "loremark://items/{id}",
        "name": "item",
        "title": "Memory entry",
        "description": "One memory entry with its state, files and evidence, by its id.",
        "mime_type": _JSON,
    },
    {
        "uri_template": "loremark://contexts/{id}",
        "name": "context",
        "title": "Context",
        "description": "The text of one context, by its id.",
        "mime_type": _MARKDOWN,
    },
]


class NotThere(Exception):
    """There is nothing at this address."""


async def list_all(memory: Memory) -> list[Entry]:
    """The briefing of this project, and of every other one that can be seen."""
    projects = await memory.client.send(list_projects(limit=_LISTED))
    return ALWAYS + [
        {
            "uri": f"loremark://projects/{project.id}/brain",
            "name": f"brain-{project.id}",
            "title": f"Briefing of {one_line(project.name, 100)}",
            "description": one_line(project.description, 200) or "The approved memory of this project.",
            "mime_type": _MARKDOWN,
        }
        for project in projects
    ]


async def read(memory: Memory, uri: str) -> tuple[str, str]:
    """The text at an address, and its kind."""
    match = _URI.fullmatch(uri)
    if match is None or (match[2] == "projects") != bool(match[4]):
        raise NotThere
    try:
        if match[1] or match[2] == "projects":
            brain = await memory.client.send(get_brain(await memory.project_id(match[3] or ""), _BUDGET))
            return framed(brain.markdown), _MARKDOWN
        if match[2] == "items":
            item = await memory.client.send(get_item(match[3]))
            return msgspec.json.encode(clean_all(msgspec.to_builtins(item))).decode(), _JSON
        context = await memory.client.send(get_context(match[3]))
        return framed(f"# {one_line(context.name, 100)}\n\n{clean(context.content)}"), _MARKDOWN
    except ApiError as error:
        if error.status == 404:
            raise NotThere from error
        raise
