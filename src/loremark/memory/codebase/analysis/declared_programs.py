"""Reads programs and commands that a manifest declares."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

_MAX_CHARS = 200_000
_MAX = 12
_NAME = re.compile(r"[\w@./:-]{1,60}")
_SCRIPT = re.compile(
    r"^\s{0,16}[\"']?([\w.-]{1,40})\s{0,3}=\s{0,3}([A-Za-z_][\w.]{0,80}:[A-Za-z_]\w{0,40})\b", re.MULTILINE
)
_WANTED = re.compile(
    r"^(?:dev|start|serve|build|test|lint|format|fmt|check|typecheck|type-check|types|e2e|watch|preview|migrate|db|seed"
    r"|generate|codegen|release|deploy|storybook|coverage|fix|prettier|analyse|analyze)(?:$|[:.-])"
)


def declared_signs(path: str, content: str) -> dict[str, str]:
    """``target:<program>`` maps to a file or module, ``command:<name>`` to a command line."""
    name = path.rpartition("/")[2].lower()
    if (
        name not in ("package.json", "composer.json", "pyproject.toml", "cargo.toml", "deno.json")
        or len(content) > _MAX_CHARS
    ):
        return {}
    try:
        table = tomllib.loads(content) if name.endswith(".toml") else json.loads(content)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(table, dict):
        return {}
    if name == "pyproject.toml":
        return _targets({**_inside(table, "project", "scripts"), **_inside(table, "tool", "poetry", "scripts")})
    if name == "cargo.toml":
        rows = table.get("bin")
        tables = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        return _targets({str(row.get("name")): row.get("path") for row in tables[:_MAX]})
    programs: Any = table.get("bin")
    own = str(table.get("name", "")).rpartition("/")[2]
    if isinstance(programs, list):
        programs = {str(one).rpartition("/")[2]: one for one in programs[:_MAX]}
    targets: dict[str, Any] = (
        {own: programs} if isinstance(programs, str) else programs if isinstance(programs, dict) else {}
    )
    signs = _targets(targets)
    library = next(
        (table[key] for key in ("source", "module", "main", "types") if isinstance(table.get(key), str)), None
    )
    signs |= _targets({"library": library or _exported(table.get("exports"))})
    return signs | _commands(_inside(table, "scripts") or _inside(table, "tasks"))


def _inside(table: dict[str, Any], *names: str) -> dict[str, Any]:
    value: Any = table
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _exported(value: Any) -> str | None:
    """The main file of an ``exports`` table, a few levels deep."""
    for _ in range(4):
        if isinstance(value, dict):
            value = next((value[key] for key in (".", "import", "default", "require", "types") if key in value), None)
    return value if isinstance(value, str) else None


def _targets(rows: dict[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, target in list(rows.items())[:_MAX]:
        target = target.get("reference") or target.get("callable") if isinstance(target, dict) else target
        if isinstance(name, str) and _NAME.fullmatch(name) and isinstance(target, str):
            found[f"target:{name}"] = target.strip()[:200]
    return found


def _commands(rows: dict[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    named = [(name, command) for name, command in list(rows.items())[:200] if isinstance(name, str)]
    for name, command in sorted(named, key=lambda row: len(re.split(r"[:.-]", row[0]))):
        if isinstance(command, list):
            command = " && ".join(step for step in command[:5] if isinstance(step, str))
        if isinstance(command, str) and command and _NAME.fullmatch(name) and _WANTED.match(name) and len(found) < _MAX:
            found[f"command:{name}"] = " ".join(command[:400].split())[:120]
    return found
