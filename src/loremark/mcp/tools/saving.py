"""Saving what was learnt: the work of a session, or one entry word for word."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from loremark.base.redaction.redacting import redact_payload
from loremark.client.call import ApiError
from loremark.client.calls.events import tell_event
from loremark.client.calls.sessions import enrich
from loremark.mcp.memory import Memory
from loremark.mcp.problem import Problem
from loremark.mcp.tool import Arguments, Progress, Result, Tool
from loremark.mcp.tools.reading import Path, Paths
from loremark.wire.events import IngestEvent
from loremark.wire.items import ItemType

_FORBIDDEN, _CONFLICT = 403, 409
_MAY_NOT_SAVE = "You may not save to this project: ask an owner or admin to make you a member of it."

Remember = Annotated[
    bool, Meta(description="Turn it into memory entries right away; otherwise with the next enrichment.")
]


class Change(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: Annotated[str, Meta(min_length=1, max_length=300, description="The fact in one line.")]
    content: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=8_000,
            description="What holds from now on and why; names of files, functions, settings.",
        ),
    ]
    category: Annotated[
        str,
        Meta(
            max_length=50,
            description="decision, convention, architecture, implementation, bug, todo or another word.",
        ),
    ] = "implementation"


class SaveArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    summary: Annotated[
        str, Meta(min_length=1, max_length=8_000, description="What was done and found out, in a few sentences.")
    ]
    changes: Annotated[
        tuple[Change, ...], Meta(max_length=30, description="One entry for each thing worth remembering.")
    ] = ()
    files: Annotated[tuple[Path, ...], Meta(max_length=50, description="The files concerned.")] = ()
    branch: Annotated[str, Meta(max_length=255, description="The git branch, if not the main one.")] = ""
    remember: Remember = True


class Saved(Result):
    event_id: str
    session_id: str
    duplicate: bool
    redacted: int
    remembering: str
    """``now``, ``later`` or why not."""


async def _save(memory: Memory, given: SaveArguments, progress: Progress) -> Saved:
    payload = {
        "summary": given.summary,
        "changes": [msgspec.structs.asdict(change) for change in given.changes],
        "files": list(given.files),
        "branch": given.branch,
    }
    return await _keep(memory, given.project, IngestEvent.SESSION_SAVE, payload, remember=given.remember)


async def _keep(memory: Memory, project: str, event: IngestEvent, payload: dict[str, Any], *, remember: bool) -> Saved:
    """Send an event without secrets, and have it made into memory if wanted."""
    project_id = await memory.project_id(project)
    filled = {name: value for name, value in payload.items() if value not in ("", [])}
    safe, redacted = await asyncio.to_thread(redact_payload, {**filled, "source": _source(memory)})
    try:
        kept = await memory.client.send(tell_event(project_id, event, safe))
    except ApiError as error:
        if error.status == _FORBIDDEN and str(error) == "Forbidden":
            raise Problem(_MAY_NOT_SAVE) from error
        raise
    remembering = await _remember(memory, kept.session_id) if remember and not kept.duplicate else "later"
    return Saved(
        event_id=kept.event_id,
        session_id=kept.session_id,
        duplicate=kept.duplicate,
        redacted=redacted,
        remembering=remembering,
    )


async def _remember(memory: Memory, session_id: str) -> str:
    """The event is safe already: what is refused here is only told."""
    try:
        await memory.client.send(enrich(session_id))
    except ApiError as error:
        return "later" if error.status == _CONFLICT else f"later ({error})"
    return "now"


def _source(memory: Memory) -> str:
    return f"mcp:{memory.agent}" if memory.agent else "mcp"


def _tell(saved: Saved) -> str:
    if saved.duplicate:
        return f"This was saved before (event {saved.event_id}); nothing is kept twice."
    when = (
        "It is being made into memory entries now."
        if saved.remembering == "now"
        else f"It becomes memory entries {saved.remembering}."
    )
    secrets = f" {saved.redacted} secrets were taken out." if saved.redacted else ""
    return f"Saved as event {saved.event_id} of session {saved.session_id}. {when}{secrets}"


SAVE = Tool(
    "memory_save",
    "Save what was learnt",
    "Save the work of this session to the project's memory: a summary, and one entry in changes for each lasting fact "
    "(a decision and its reason, a convention, how something works, a bug and its cause). Call it when you learnt "
    "something that the next person or agent would need, and at the end of a task. Leave out what the code says "
    "itself and passing states. Secrets are taken out before it is stored; saving the same twice does nothing.",
    SaveArguments,
    Saved,
    _save,
    _tell,
    reads_only=False,
)


_MOST_SURE = 0.85
"""Below what projects approve by themselves: whoever proposes does not also approve."""


class ProposeArguments(Arguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: Annotated[str, Meta(min_length=1, max_length=200, description="The fact in one line.")]
    content: Annotated[str, Meta(min_length=1, max_length=8_000, description="The whole of it, with its reason.")]
    type: Annotated[ItemType, Meta(description="What kind of knowledge it is.")]
    files: Paths = ()
    confidence: Annotated[float, Meta(ge=0, le=1, description="How sure you are, from 0 to 1.")] = 0.8


async def _propose(memory: Memory, given: ProposeArguments, progress: Progress) -> Saved:
    item = {
        "title": given.title,
        "content": given.content,
        "type": given.type,
        "files": list(given.files),
        "confidence": min(given.confidence, _MOST_SURE),
    }
    payload = {"operation": "create", "item": item}
    return await _keep(memory, given.project, IngestEvent.MEMORY_OPERATION, payload, remember=True)


PROPOSE = Tool(
    "memory_propose",
    "Propose an entry",
    "Propose one memory entry word for word (title, content, type). People review it: it is a draft until approved, "
    "unless the project approves sure entries by itself; duplicates are merged. Use memory_save to report the work of "
    "a session and let entries be made of it.",
    ProposeArguments,
    Saved,
    _propose,
    _tell,
    reads_only=False,
)
