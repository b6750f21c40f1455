"""Turn the records of a turn into one ``session_save`` event.

The assistant's final message becomes the summary and the user's prompts become notes. Explicit statements by the user
("Decision: …", "we always …") become changes. Of tool calls, only names, commands, their errors and changed files are
kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from loremark.base.session_source import session_source
from loremark.base.statements import find_statements
from loremark.hook import spool
from loremark.hook.spool import Record

_SUMMARY_CHARS = 40_000
_NOTES_CHARS = 24_000
_MAX_FILES = 50
_MAX_COMMANDS = 15
_MAX_TURN_IDS = 20


def split_turns(records: Sequence[Record]) -> list[list[Record]]:
    """Split records into turns. The last turn may still be open."""
    found: list[list[Record]] = [[]]
    for record in records:
        found[-1].append(record)
        if record["kind"] in spool.TURN_BOUNDARIES:
            found.append([])
    return [turn for turn in found if turn]


def build_payload(turn: Sequence[Record], nonce: str) -> dict[str, Any] | None:
    """Return the event's payload, or None for an empty turn."""
    prompts = _distinct(text for record in turn for text in _prompts_in(record))
    answers = _distinct(
        record["text"] for record in turn if record["kind"] in (spool.ANSWER, spool.TURN_END) and record.get("text")
    )
    tools = [record for record in turn if record["kind"] == spool.TOOL]
    if not prompts and not answers and not tools:
        return None
    last = turn[-1]
    files = _distinct(path for record in tools for path in _texts(record.get("files")))[:_MAX_FILES]
    errors = _last_errors(tools)
    fields: dict[str, Any] = {
        "summary": "\n\n".join(answers)[:_SUMMARY_CHARS] or _fallback_summary(files, tools),
        "notes": "\n\n".join(prompts)[:_NOTES_CHARS],
        "changes": find_statements(prompts),
        "files": files,
        "commands": [command for command, error in errors.items() if error is None][:_MAX_COMMANDS],
        "failedCommands": [
            {"command": command, "error": error} for command, error in errors.items() if error is not None
        ][:_MAX_COMMANDS],
        "tools": dict(sorted(Counter(str(record.get("tool", "")) for record in tools).items())),
        "agent": last["agent"],
        "agentVersion": _last(turn, "version"),
        "model": _last(turn, "model"),
        "branch": _last(turn, "branch"),
        "turnIds": _distinct(str(record["turn"]) for record in turn if record.get("turn"))[-_MAX_TURN_IDS:],
    }
    kept = {name: value for name, value in fields.items() if value or name in ("summary", "changes")}
    return kept | {"source": session_source(last["agent"], last["session"]), "nonce": nonce}


def _prompts_in(record: Record) -> list[str]:
    if record["kind"] == spool.PROMPT:
        return [str(record.get("text", ""))]
    return _texts(record.get("prompts"))


def _last_errors(tools: Sequence[Record]) -> dict[str, str | None]:
    """Map each command to the error of its last run, or None if that succeeded."""
    errors: dict[str, str | None] = {}
    for record in tools:
        command = record.get("input")
        if isinstance(command, str) and command:
            errors[command] = str(record.get("error", "")) if record.get("failed") else None
    return errors


def _fallback_summary(files: Sequence[str], tools: Sequence[Record]) -> str:
    if not tools:
        return ""
    return f"Worked on {', '.join(files[:10])}." if files else f"Ran {len(tools)} tool{'' if len(tools) == 1 else 's'}."


def _last(turn: Sequence[Record], name: str) -> str:
    return next((str(record[name]) for record in reversed(turn) if record.get(name)), "")


def _distinct(values: Iterable[str]) -> list[str]:
    return [value for value in dict.fromkeys(values) if value]


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
