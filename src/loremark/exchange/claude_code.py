"""Read Claude Code transcripts: one file per session, one line per message.

Only user and assistant messages are read; subagents and other kinds of lines are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loremark.exchange.files import find_files, read_records, relative_name, text_of
from loremark.exchange.notes import Note
from loremark.exchange.transcripts import PRIVATE_PREFIX, Session

TOOL = "claude-code"
_WRITE_TOOLS = frozenset(("Edit", "MultiEdit", "Write", "NotebookEdit"))


def is_record(record: dict[str, Any]) -> bool:
    return "sessionId" in record and (record.get("type") in ("user", "assistant", "system") or "leafUuid" in record)


def read(path: Path, private_prefix: str = PRIVATE_PREFIX) -> Iterator[Note]:
    """Read a transcript, or all transcripts below a folder."""
    folder = path if path.is_dir() else path.parent
    for file in find_files(path, ".jsonl") if path.is_dir() else [path]:
        session = Session(id=file.stem, private_prefix=private_prefix)
        for record in read_records(file):
            _add_record(session, record)
        yield from session.notes(TOOL, relative_name(file, folder))


def _add_record(session: Session, record: dict[str, Any]) -> None:
    if record.get("isSidechain") is True or record.get("isMeta") is True:
        return
    message = record.get("message")
    if record.get("type") not in ("user", "assistant") or not isinstance(message, dict):
        return
    session.id = text_of(record.get("sessionId")) or session.id
    session.folder = text_of(record.get("cwd")) or session.folder
    session.branch = text_of(record.get("gitBranch")) or session.branch
    session.started_at = session.started_at or text_of(record.get("timestamp"))
    content = message.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    text = text_of(content) or "\n\n".join(
        text_of(block.get("text")) for block in blocks if block.get("type") == "text"
    )
    if record["type"] == "user":
        if not any(block.get("type") == "tool_result" for block in blocks):
            session.add_prompt(text)
        return
    session.add_answer(text)
    for block in blocks:
        given = block.get("input")
        if block.get("type") == "tool_use" and block.get("name") in _WRITE_TOOLS and isinstance(given, dict):
            session.add_file(text_of(given.get("file_path") or given.get("notebook_path")))
