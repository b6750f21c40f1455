"""The records of a turn as one ``session_save``: what was asked and what came of it; of the tools only the traces.

The assistant's last words are the summary, since they tell what was done and why. What the person asked stands
beside it as notes, and what the person laid down in so many words ("Decision: …", "we always …") is a change of its
own, because nobody knows it better.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from loremark.hook import spool
from loremark.hook.spool import Record

_SOURCE_CHARS = 50
_SUMMARY_CHARS = 40_000
_NOTES_CHARS = 24_000
_MOST_FILES = 50
_MOST_COMMANDS = 15
_MOST_TURN_IDS = 20
_MOST_CHANGES = 10
_STATEMENT_CHARS = 1_000
_TITLE_CHARS = 120
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_LAID_DOWN = (
    ("decision", re.compile(r"decision\s?:|we (?:have |'ve )?(?:decided|agreed|chose|settled)\b", re.IGNORECASE)),
    ("convention", re.compile(r"(?:convention|rule)\s?:|we (?:always|never)\b|(?:please )?always\b", re.IGNORECASE)),
    ("note", re.compile(r"(?:please )?(?:remember|note)\b(?: that)?\s?:?", re.IGNORECASE)),
)


def split(records: Sequence[Record]) -> list[list[Record]]:
    """The turns, in order; the last may not have ended."""
    found: list[list[Record]] = [[]]
    for record in records:
        found[-1].append(record)
        if record["kind"] in spool.ENDS:
            found.append([])
    return [turn for turn in found if turn]


def payload_of(turn: Sequence[Record], nonce: str) -> dict[str, Any] | None:
    """The payload, or None for a turn in which nothing was said or done."""
    prompts = _distinct(text for record in turn for text in _prompts(record))
    answers = _distinct(
        record["text"] for record in turn if record["kind"] in (spool.ANSWER, spool.TURN_END) and record.get("text")
    )
    tools = [record for record in turn if record["kind"] == spool.TOOL]
    if not prompts and not answers and not tools:
        return None
    last = turn[-1]
    files = _distinct(path for record in tools for path in _texts(record.get("files")))[:_MOST_FILES]
    commands = _distinct(record["input"] for record in tools if isinstance(record.get("input"), str))
    told: dict[str, Any] = {
        "summary": "\n\n".join(answers)[:_SUMMARY_CHARS] or _stand_in(files, tools),
        "notes": "\n\n".join(prompts)[:_NOTES_CHARS],
        "changes": _laid_down(prompts),
        "files": files,
        "commands": commands[:_MOST_COMMANDS],
        "tools": dict(sorted(Counter(str(record.get("tool", "")) for record in tools).items())),
        "agent": last["agent"],
        "agentVersion": _last(turn, "version"),
        "model": _last(turn, "model"),
        "branch": _last(turn, "branch"),
        "turnIds": _distinct(str(record["turn"]) for record in turn if record.get("turn"))[-_MOST_TURN_IDS:],
    }
    kept = {name: value for name, value in told.items() if value or name in ("summary", "changes")}
    return kept | {"source": source_of(last["agent"], last["session"]), "nonce": nonce}


def source_of(agent: str, session: str) -> str:
    """Names the agent's session to the server, in no more letters than it looks at."""
    source = f"{agent}:{session}"
    if len(source) <= _SOURCE_CHARS:
        return source
    return f"{agent}:{hashlib.sha256(session.encode()).hexdigest()[:32]}"[:_SOURCE_CHARS]


def _prompts(record: Record) -> list[str]:
    if record["kind"] == spool.PROMPT:
        return [str(record.get("text", ""))]
    return _texts(record.get("prompts"))


def _laid_down(prompts: Iterable[str]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for sentence in (one.strip(" \t-*>") for prompt in prompts for one in _SENTENCE.split(prompt)):
        for category, pattern in _LAID_DOWN:
            if pattern.match(sentence) and len(found) < _MOST_CHANGES and not sentence.endswith("?"):
                said = sentence[:_STATEMENT_CHARS]
                found.append({"category": category, "title": said[:_TITLE_CHARS], "content": said})
                break
    return found


def _stand_in(files: Sequence[str], tools: Sequence[Record]) -> str:
    if not tools:
        return ""
    return f"Worked on {', '.join(files[:10])}." if files else f"Tools that ran: {len(tools)}."


def _last(turn: Sequence[Record], name: str) -> str:
    return next((str(record[name]) for record in reversed(turn) if record.get(name)), "")


def _distinct(values: Iterable[str]) -> list[str]:
    return [value for value in dict.fromkeys(values) if value]


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
