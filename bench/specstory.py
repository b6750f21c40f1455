"""Reads agent sessions that SpecStory saved as Markdown in a git repository."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import PurePosixPath

_HISTORY = re.compile(r"(?:^|/)\.specstory/history/[^/]*\.md$")
_SPEAKER = re.compile(r"\n_\*\*(User|Assistant|Agent)[^*\n]*\*\*_\n")
_RULE = re.compile(r"\n-{3,}\n")
_HIDDEN = re.compile(r"<(think|details|tool-use)\b.*?</\1>", re.DOTALL)
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})[_T ](\d{2})-?:?(\d{2})")


@dataclass(frozen=True)
class Session:
    """A session's name, when it started, and its messages: ``role`` and ``text``."""

    id: str
    date: str
    messages: list[dict[str, str]]


def read_sessions(repository: str, commit: str) -> list[Session]:
    """The sessions in the order in which they started."""
    found = []
    for path in _git(repository, "ls-tree", "-r", "--name-only", commit).splitlines():
        name = PurePosixPath(path).stem
        date = _DATE.search(name)
        if _HISTORY.search(path) and date is not None:
            messages = _messages(_git(repository, "show", f"{commit}:{path}"))
            if messages:
                found.append(Session(name, f"{date[1]}T{date[2]}:{date[3]}:00Z", messages))
    return sorted(found, key=lambda session: session.date)


def _messages(text: str) -> list[dict[str, str]]:
    parts = _SPEAKER.split(text.replace("\r\n", "\n"))
    messages: list[dict[str, str]] = []
    for speaker, said in zip(parts[1::2], parts[2::2], strict=True):
        role = "user" if speaker == "User" else "assistant"
        if text := _HIDDEN.sub("", _RULE.sub("\n", said)).strip():
            if messages and messages[-1]["role"] == role:
                messages[-1]["text"] += f"\n\n{text}"
            else:
                messages.append({"role": role, "text": text})
    return messages


def _git(repository: str, *words: str) -> str:
    done = subprocess.run(["git", "-C", repository, *words], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")
