"""Read Codex rollouts: one file per session, each line with a timestamp, a type and a payload."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loremark.exchange.files import find_files, parse_json, read_records, relative_name, text_of
from loremark.exchange.notes import Note
from loremark.exchange.transcripts import PRIVATE_PREFIX, Session

TOOL = "codex"
_PATCHED_FILE = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.{1,400})$", re.MULTILINE)
_PATCH_CHARS = 200_000


def is_record(record: dict[str, Any]) -> bool:
    return isinstance(record.get("payload"), dict) and record.get("type") in (
        "session_meta",
        "response_item",
        "event_msg",
        "turn_context",
    )


def read(path: Path, private_prefix: str = PRIVATE_PREFIX) -> Iterator[Note]:
    """Read a rollout, or all rollouts below a folder."""
    folder = path if path.is_dir() else path.parent
    for file in find_files(path, ".jsonl") if path.is_dir() else [path]:
        session = Session(id=file.stem, private_prefix=private_prefix)
        for record in read_records(file):
            payload = record.get("payload")
            if isinstance(payload, dict):
                _add_record(session, text_of(record.get("type")), payload)
        yield from session.notes(TOOL, relative_name(file, folder))


def _add_record(session: Session, kind: str, payload: dict[str, Any]) -> None:
    if kind == "session_meta":
        session.id = text_of(payload.get("id")) or session.id
        session.folder = text_of(payload.get("cwd")) or session.folder
        session.started_at = text_of(payload.get("timestamp")) or session.started_at
        git = payload.get("git")
        if isinstance(git, dict):
            session.branch = text_of(git.get("branch"))
    elif kind == "response_item" and payload.get("type") == "message":
        content = payload.get("content")
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        text = "\n\n".join(text_of(block.get("text")) for block in blocks)
        if payload.get("role") == "user":
            session.add_prompt(text)
        elif payload.get("role") == "assistant":
            session.add_answer(text)
    elif kind == "response_item" and payload.get("type") in ("function_call", "custom_tool_call", "local_shell_call"):
        for path in _PATCHED_FILE.findall(_patch(payload)):
            session.add_file(path.strip())


def _patch(payload: dict[str, Any]) -> str:
    """Return the text of a tool call, decoding JSON arguments so that newlines are real."""
    given = text_of(payload.get("arguments")) or text_of(payload.get("input"))
    parsed = parse_json(given[:_PATCH_CHARS]) if given.lstrip().startswith("{") else None
    if not isinstance(parsed, dict):
        return given[:_PATCH_CHARS]
    parts = [part for value in parsed.values() for part in (value if isinstance(value, list) else [value])]
    return "\n".join(text_of(part) for part in parts)
