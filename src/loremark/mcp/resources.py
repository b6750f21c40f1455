"""Resources: the brain, items and contexts by URI."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from loremark.client.call import ApiError
from loremark.client.calls.brain import get_brain
from loremark.client.calls.contexts import get_context
from loremark.client.calls.items import get_item
from loremark.client.calls.projects import list_projects
from loremark.mcp.formatting import NOTICE, context_mark, escape_all, fenced, one_line, quoted
from loremark.mcp.memory import Memory

_MARKDOWN = "text/markdown"
_JSON = "application/json"
_LISTED = 50
_BUDGET = 6_000
_URI = re.compile(r"loremark://(?:(brain)|(projects|items|contexts)/([A-Za-z0-9_-]{1,100})(/brain)?)")

Entry = dict[str, Any]

DEFAULT_RESOURCES: list[Entry] = [
    {
        "uri": "loremark://brain",
        "name": "brain",
        "title": "Project memory",
        "description": "The approved memory of the current folder's project, as one document.",
        "mime_type": _MARKDOWN,
    }
]
TEMPLATES: list[Entry] = [
    {
        "uri_template": "loremark://projects/{project}/brain",
        "name": "project-brain",
        "title": "Memory of a project",
        "description": "The approved memory of a project, by project ID, as one document.",
        "mime_type": _MARKDOWN,
    },
    {
        "uri_template": "loremark://items/{id}",
        "name": "item",
        "title": "Memory item",
        "description": "One memory item with its status, files and evidence, by ID.",
        "mime_type": _JSON,
    },
    {
        "uri_template": "loremark://contexts/{id}",
        "name": "context",
        "title": "Context",
        "description": "The text of one context, by ID.",
        "mime_type": _MARKDOWN,
    },
]


class ResourceNotFound(Exception):
    """There is no resource with this URI."""


async def list_all(memory: Memory) -> list[Entry]:
    """List the brains of this project and of all accessible projects."""
    projects = await memory.client.send(list_projects(limit=_LISTED))
    return DEFAULT_RESOURCES + [
        {
            "uri": f"loremark://projects/{project.id}/brain",
            "name": f"brain-{project.id}",
            "title": f"Memory of {one_line(project.name, 100)}",
            "description": one_line(project.description, 200) or "The approved memory of this project.",
            "mime_type": _MARKDOWN,
        }
        for project in projects
    ]


async def read(memory: Memory, uri: str) -> tuple[str, str]:
    """Return the text of a resource and its MIME type."""
    match = _URI.fullmatch(uri)
    if match is None or (match[2] == "projects") != bool(match[4]):
        raise ResourceNotFound
    try:
        if match[1] or match[2] == "projects":
            brain = await memory.client.send(get_brain(await memory.project_id(match[3] or ""), _BUDGET))
            return fenced(brain.markdown), _MARKDOWN
        if match[2] == "items":
            item = await memory.client.send(get_item(match[3]))
            shown = {"notice": NOTICE, **escape_all(msgspec.to_builtins(item))}
            return msgspec.json.encode(shown).decode(), _JSON
        context = await memory.client.send(get_context(match[3]))
        heading = f"# {context_mark(context.state)}{one_line(context.name, 100)}"
        return fenced(f"{heading}\n\n{quoted(context.content)}"), _MARKDOWN
    except ApiError as error:
        if error.status == 404:
            raise ResourceNotFound from error
        raise
