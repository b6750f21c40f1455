"""Save what was learned in a session, or propose a single item."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from loremark.base.redaction.redactor import redact_payload
from loremark.client.call import ApiError
from loremark.client.calls.events import send_event
from loremark.client.calls.sessions import enrich
from loremark.mcp.errors import ToolError
from loremark.mcp.memory import Memory
from loremark.mcp.tool import Arguments, Progress, Result, Tool
from loremark.mcp.tools.lookup import Path, Paths
from loremark.wire.events import IngestEvent
from loremark.wire.items import ItemType

_FORBIDDEN, _CONFLICT = 403, 409
_NO_WRITE_ACCESS = "You don't have write access to this project: ask an owner or admin to add you as a member."

Remember = Annotated[bool, Meta(description="Turn it into memory items right away instead of at the next enrichment.")]


class Change(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: Annotated[str, Meta(min_length=1, max_length=300, description="The fact in one line.")]
    content: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=8_000,
            description="What is true now and why. Name files, functions and settings.",
        ),
    ]
    category: Annotated[
        str,
        Meta(
            max_length=50,
            description="decision, convention, architecture, implementation, bug, todo or your own category.",
        ),
    ] = "implementation"


class SaveArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    summary: Annotated[
        str, Meta(min_length=1, max_length=8_000, description="What you did and learned, in a few sentences.")
    ]
    changes: Annotated[
        tuple[Change, ...], Meta(max_length=30, description="One entry per fact worth remembering.")
    ] = ()
    files: Annotated[tuple[Path, ...], Meta(max_length=50, description="The files it is about.")] = ()
    branch: Annotated[str, Meta(max_length=255, description="The git branch, if it is not the default branch.")] = ""
    remember: Remember = True


class Saved(Result):
    event_id: str
    session_id: str
    duplicate: bool
    redacted: int
    remembering: str
    """``now``, ``later``, or ``later`` with the reason."""


async def _save(memory: Memory, given: SaveArguments, progress: Progress) -> Saved:
    payload = {
        "summary": given.summary,
        "changes": [msgspec.structs.asdict(change) for change in given.changes],
        "files": list(given.files),
        "branch": given.branch,
    }
    return await _send_event(memory, given.project, IngestEvent.SESSION_SAVE, payload, remember=given.remember)


async def _send_event(
    memory: Memory, project: str, event: IngestEvent, payload: dict[str, Any], *, remember: bool
) -> Saved:
    """Send a redacted event, and start enrichment if requested."""
    project_id = await memory.project_id(project)
    filled = {name: value for name, value in payload.items() if value not in ("", [])}
    safe, redacted = await asyncio.to_thread(redact_payload, {**filled, "source": _source(memory)})
    try:
        stored = await memory.client.send(send_event(project_id, event, safe))
    except ApiError as error:
        if error.status == _FORBIDDEN and str(error) == "Forbidden":
            raise ToolError(_NO_WRITE_ACCESS) from error
        raise
    remembering = await _enrich(memory, stored.session_id) if remember and not stored.duplicate else "later"
    return Saved(
        event_id=stored.event_id,
        session_id=stored.session_id,
        duplicate=stored.duplicate,
        redacted=redacted,
        remembering=remembering,
    )


async def _enrich(memory: Memory, session_id: str) -> str:
    """Start enrichment. The event is already stored, so errors are only reported."""
    try:
        await memory.client.send(enrich(session_id))
    except ApiError as error:
        return "later" if error.status == _CONFLICT else f"later ({error})"
    return "now"


def _source(memory: Memory) -> str:
    return f"mcp:{memory.agent}" if memory.agent else "mcp"


def _render(saved: Saved) -> str:
    if saved.duplicate:
        return f"Already saved as event {saved.event_id}; nothing was added."
    when = (
        "It is being turned into memory items now."
        if saved.remembering == "now"
        else f"It will be turned into memory items {saved.remembering}."
    )
    secrets = f" Secrets redacted: {saved.redacted}." if saved.redacted else ""
    return f"Saved as event {saved.event_id} in session {saved.session_id}. {when}{secrets}"


SAVE = Tool(
    "memory_save",
    "Save what you learned",
    "Save this session's work to the project's memory: a summary, and one entry in changes per lasting fact (a "
    "decision and its reason, a convention, how something works, a bug and its cause). Call it as soon as something is "
    "settled that the next person or agent will need, not only at the end: a decision, a correction by the user, a "
    "confirmed cause, a command that finally worked. Leave out temporary state and anything "
    "obvious from the code. Secrets are redacted before storing, and saving the same thing twice has no effect.",
    SaveArguments,
    Saved,
    _save,
    _render,
    read_only=False,
)


_MAX_SURE = 0.85
"""Below the threshold for automatic approval, so an agent can't approve its own proposal."""


class ProposeArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: Annotated[str, Meta(min_length=1, max_length=200, description="The fact in one line.")]
    content: Annotated[str, Meta(min_length=1, max_length=8_000, description="The complete fact, with its reason.")]
    type: Annotated[ItemType, Meta(description="The type of item.")]
    files: Paths = ()
    confidence: Annotated[float, Meta(ge=0, le=1, description="Your confidence, from 0 to 1.")] = 0.8
    supersedes: Annotated[
        str, Meta(max_length=100, description="The ID of the outdated item that this one replaces, if any.")
    ] = ""


async def _propose(memory: Memory, given: ProposeArguments, progress: Progress) -> Saved:
    item: dict[str, Any] = {
        "title": given.title,
        "content": given.content,
        "type": given.type,
        "files": list(given.files),
        "confidence": min(given.confidence, _MAX_SURE),
    }
    if given.supersedes:
        item["supersedes"] = given.supersedes
    payload = {"operation": "create", "item": item}
    return await _send_event(memory, given.project, IngestEvent.MEMORY_OPERATION, payload, remember=True)


PROPOSE = Tool(
    "memory_propose",
    "Propose an item",
    "Propose one memory item with exact wording (title, content, type). It stays a draft until someone approves it; "
    "duplicates are merged. When something changed, write the complete new rule and name the outdated item in "
    "supersedes. To report a session's work and have items extracted from it, use memory_save instead.",
    ProposeArguments,
    Saved,
    _propose,
    _render,
    read_only=False,
)
