"""Queue saves in the hook's spool while the server is unavailable, and send them later."""

from __future__ import annotations

from typing import Any

from loremark.hook import outbox, spool
from loremark.mcp.message import Message, target_name

QUEUED = (
    "The Loremark server is not reachable. Your save is queued on this machine and will be sent when the server is "
    "back. Don't save it again."
)
_SAVE = "memory_save"
_PROJECT_ID_PREFIX = "prj_"
_URL_SCHEMES = ("http://", "https://")
_CHANGE = ("title", "content", "category")
_MAX_CHANGES = 30
_DEFAULT_CATEGORY = "implementation"


def queue_save(message: Message, status: int, url: str, project: str, client: str) -> bool:
    """Queue a failed ``memory_save`` call. Returns False for other calls, or without a summary or project ID."""
    is_save = message.get("method") == "tools/call" and target_name(message) == _SAVE
    if not is_save or status not in spool.UNAVAILABLE_STATUSES or not url.startswith(_URL_SCHEMES):
        return False
    given = message["params"].get("arguments")
    if not isinstance(given, dict) or not isinstance(given.get("summary"), str) or not given["summary"].strip():
        return False
    project_id = given.get("project") or project
    if not isinstance(project_id, str) or not project_id.startswith(_PROJECT_ID_PREFIX):
        return False
    source = f"mcp:{client}" if client else "mcp"
    try:
        spool.put_event(project_id, url, source, "session_save", {**_payload(given), "source": source})
    except (OSError, spool.SpoolError):
        return False
    return True


def send_queued() -> bool:
    """Send queued events, except open turns. Returns whether the queue is empty."""
    if not _has_queued():
        return True
    from loremark.hook import flush

    flush.run(include_open_turns=False)
    return not _has_queued()


def _has_queued() -> bool:
    return bool(outbox.list_names()) or any(spool.kind_of(name) == spool.EVENT for name in spool.list_names())


def _payload(given: dict[str, Any]) -> dict[str, Any]:
    """Build the same payload as the server's ``memory_save`` tool."""
    changes = given.get("changes")
    valid_changes = [
        {"category": _DEFAULT_CATEGORY, **{name: text for name in _CHANGE if isinstance(text := change.get(name), str)}}
        for change in (changes if isinstance(changes, list) else [])[:_MAX_CHANGES]
        if isinstance(change, dict)
    ]
    files = given.get("files")
    paths = [path for path in files if isinstance(path, str)] if isinstance(files, list) else []
    branch = given.get("branch")
    payload = {"summary": given["summary"], "changes": valid_changes, "files": paths, "branch": branch}
    return {name: value for name, value in payload.items() if value and (name != "branch" or isinstance(value, str))}
