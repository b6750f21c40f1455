"""Save recorded hook payloads as stable files, without machine-specific values or times."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from tests.agents.agent_specs import write_json

PAYLOADS = Path(__file__).parent / "payloads"
_KEPT_OF_EACH = 3
_NOW_MS = 1_794_830_400_000
_NOW = "2026-11-16T12:00:00.000Z"
_IDS = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b(?:ses|msg|prt|toolu|call|evt)_[0-9A-Za-z]{8,40}\b"
    r"|\b(?:conv|agent)_\d{13}_[0-9a-z]{4,12}\b"
    r"|\ba[0-9a-f]{16}\b"
    r"|\b\d{13}_[0-9A-Za-z]{4,12}\b"
    r"|\b[0-9a-f]{40}\b"
)
_FILE_TIMES = re.compile(r"\b20\d\d-\d\d-\d\dT\d\d-\d\d(?:-\d\d)?(?=-)")
_CHAT_FILES = re.compile(r"(chats/session-[0-9T-]+-)[0-9a-f]{6,8}(?=\.jsonl)")
_TIMES = re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?")
_GROUP = re.compile(r"(Process Group PGID: )\d+")
_NOISE = re.compile(r"event\.(?:plugin|catalog|reference|integration|message\.part\.delta|session\.diff)")


class Cleaner:
    """Replaces paths, IDs and times with stable values, consistently."""

    def __init__(self, folder: Path) -> None:
        self._known: dict[str, str] = {}
        self._folders = [(str(folder / "project"), "/home/dev/project"), (str(folder / "home"), "/home/dev")]
        self._folders += [(str(folder), "/home/dev"), (sys.executable, "python3")]
        self._folders += [(str(Path(__file__).parent), "/home/dev/tools")]

    def text(self, value: str) -> str:
        for real, shown in self._folders:
            value = value.replace(real, shown)
            value = value.replace(re.sub("[^0-9A-Za-z]", "-", real), shown.replace("/", "-"))
        value = _GROUP.sub(r"\g<1>4242", value)
        value = _CHAT_FILES.sub(r"\g<1>00000000", value)
        value = _TIMES.sub(_NOW, _IDS.sub(lambda found: self._placeholder(found.group()), value))
        return _FILE_TIMES.sub("2026-11-16T12-00-00", value)

    def _placeholder(self, real: str) -> str:
        number = len(self._known) + 1
        kind = real.partition("_")[0]
        made = f"{kind}_{number:08d}"
        if real.count("-") == 4:
            made = f"00000000-0000-4000-8000-{number:012d}"
        elif kind.isdigit():
            made = f"{_NOW_MS}_{number:05d}"
        elif "_" not in real:
            made = f"{number:0{len(real)}d}"
        return self._known.setdefault(real, made)

    def value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {name: self.value(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.value(inner) for inner in value]
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 1_700_000_000_000:
            return _NOW_MS
        return value


def save(agent: str, calls: list[dict[str, Any]], folder: Path) -> list[str]:
    """Write one file per event, numbered from the second of a kind on. Returns the file names."""
    cleaner = Cleaner(folder)
    counts: dict[str, int] = {}
    written: list[str] = []
    for one in calls:
        event, raw = one["arguments"][0], one["input"]
        if event == "notify":
            raw = one["arguments"][1]
        content = cleaner.value(json.loads(raw))
        counts[event] = counts.get(event, 0) + 1
        if counts[event] > _kept(event) or _NOISE.match(event):
            continue
        name = event if counts[event] == 1 else f"{event}-{counts[event]}"
        path = _folder(agent, event) / f"{name}.json"
        write_json(path, content)
        written.append(f"{path.parent.name}/{path.name}")
    for old in [*PAYLOADS.glob(f"{agent}/*.json"), *PAYLOADS.glob(f"{agent}-pascal/*.json")]:
        if f"{old.parent.name}/{old.name}" not in written:
            old.unlink()
    return written


def _kept(event: str) -> int:
    """Return how many samples of an event to keep: more for tools, since others hardly vary."""
    return 6 if "tool" in event.lower() else _KEPT_OF_EACH


def _folder(agent: str, event: str) -> Path:
    """Return the folder. Copilot has two names per event that differ only in case, as some file systems don't."""
    return PAYLOADS / (f"{agent}-pascal" if agent == "copilot" and event[0].isupper() else agent)
