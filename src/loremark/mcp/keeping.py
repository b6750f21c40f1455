"""What an agent saves while the server is away: kept in the hook's spool on this machine, and sent when it is back."""

from __future__ import annotations

from typing import Any

from loremark.hook import outbox, spool
from loremark.mcp.message import Message, name_of

KEPT = (
    "The memory server cannot be reached just now. What you saved is kept on this machine and will be sent when the "
    "server is back: do not save it again."
)
_SAVE = "memory_save"
_ID = "prj_"
_ADDRESSES = ("http://", "https://")
_CHANGE = ("title", "content", "category")
_MOST_CHANGES = 30
_USUAL = "implementation"


def keep(message: Message, status: int, url: str, project: str, client: str) -> bool:
    """Whether a call to save that was answered so was kept; one that does not say what, or to which project, is not."""
    is_save = message.get("method") == "tools/call" and name_of(message) == _SAVE
    if not is_save or status not in spool.AWAY or not url.startswith(_ADDRESSES):
        return False
    given = message["params"].get("arguments")
    if not isinstance(given, dict) or not isinstance(given.get("summary"), str) or not given["summary"].strip():
        return False
    named = given.get("project") or project
    if not isinstance(named, str) or not named.startswith(_ID):
        return False
    source = f"mcp:{client}" if client else "mcp"
    try:
        spool.put_event(named, url, source, "session_save", {**_payload(given), "source": source})
    except (OSError, spool.SpoolError):
        return False
    return True


def send_kept() -> bool:
    """Send what waits on this machine; whether nothing waits any more. Turns that are still running are left alone."""
    if not _waits():
        return True
    from loremark.hook import flush

    flush.run(everything=False)
    return not _waits()


def _waits() -> bool:
    return bool(outbox.list_names()) or any(spool.kind_of(name) == spool.EVENT for name in spool.list_names())


def _payload(given: dict[str, Any]) -> dict[str, Any]:
    """The event as the server's own tool makes it of these arguments."""
    changes = given.get("changes")
    told = [
        {"category": _USUAL, **{name: text for name in _CHANGE if isinstance(text := change.get(name), str)}}
        for change in (changes if isinstance(changes, list) else [])[:_MOST_CHANGES]
        if isinstance(change, dict)
    ]
    files = given.get("files")
    paths = [path for path in files if isinstance(path, str)] if isinstance(files, list) else []
    branch = given.get("branch")
    payload = {"summary": given["summary"], "changes": told, "files": paths, "branch": branch}
    return {name: value for name, value in payload.items() if value and (name != "branch" or isinstance(value, str))}
