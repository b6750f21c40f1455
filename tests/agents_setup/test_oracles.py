"""Compare our entries with those of two popular setup tools (see ``golden/oracles/NOTE.md``)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from loremark.agents import jsonc
from loremark.agents.agent import PROJECT, USER
from tests.agents_setup.conftest import GOLDEN, Machine

ORACLES = GOLDEN / "oracles"
_URL = "https://loremark.example.com/mcp"
# Agent, scope, file, key in it, and the keys that we write in addition to add-mcp's.
_SERVERS = [
    ("claude-code", USER, ".claude.json", "mcpServers", {"type", "alwaysLoad"}),
    ("claude-code", PROJECT, ".mcp.json", "mcpServers", {"type", "alwaysLoad"}),
    ("codex", USER, ".codex/config.toml", "mcp_servers", {"startup_timeout_sec", "bearer_token_env_var"}),
    ("codex", PROJECT, ".codex/config.toml", "mcp_servers", {"startup_timeout_sec", "bearer_token_env_var"}),
    ("gemini", USER, ".gemini/settings.json", "mcpServers", set()),
    ("gemini", PROJECT, ".gemini/settings.json", "mcpServers", set()),
    ("copilot", USER, ".copilot/mcp-config.json", "mcpServers", set()),
    ("opencode", USER, ".config/opencode/opencode.json", "mcp", set()),
    ("opencode", PROJECT, "opencode.json", "mcp", set()),
    ("cline", USER, ".cline/data/settings/cline_mcp_settings.json", "mcpServers", {"type"}),
    ("cursor", USER, ".cursor/mcp.json", "mcpServers", set()),
    ("cursor", PROJECT, ".cursor/mcp.json", "mcpServers", set()),
    ("vscode", USER, ".config/Code/User/mcp.json", "servers", {"type"}),
    ("vscode", PROJECT, ".vscode/mcp.json", "servers", {"type"}),
    ("windsurf", USER, ".codeium/windsurf/mcp_config.json", "mcpServers", set()),
    ("zed", USER, ".config/zed/settings.json", "context_servers", set()),
    ("zed", PROJECT, ".zed/settings.json", "context_servers", set()),
]
_VARIABLES = {
    "cursor": "${env:LOREMARK_API_KEY}",
    "vscode": "${env:LOREMARK_API_KEY}",
    "windsurf": "${env:LOREMARK_API_KEY}",
}
_VARIABLES |= {"opencode": "{env:LOREMARK_API_KEY}"}
_HOOKS = [
    ("claude-code", PROJECT, ".claude/settings.json", ".claude/settings.json"),
    ("codex", PROJECT, ".codex/hooks.json", ".codex/hooks.json"),
    ("cursor", PROJECT, ".cursor/hooks.json", ".cursor/hooks.json"),
    ("copilot", PROJECT, ".github/hooks/loremark.json", ".github/hooks/copilotcli-hooks.json"),
    ("copilot", USER, ".copilot/hooks/loremark.json", ".copilot/hooks/copilot-hooks.json"),
    ("devin", USER, ".config/devin/config.json", ".config/devin/config.json"),
    ("devin", PROJECT, ".devin/hooks.v1.json", ".devin/hooks.v1.json"),
]


def _load(path: Path) -> Any:
    text = path.read_text()
    return tomllib.loads(text) if path.suffix == ".toml" else jsonc.parse(text).plain()


_CASES = [(*row, transport) for row in _SERVERS for transport in ("stdio", "http")]


# Cline and Zed can't take the key from an environment variable, so they don't support HTTP.
@pytest.mark.parametrize(
    ("name", "scope", "file", "under", "added", "transport"),
    [row for row in _CASES if row[5] == "stdio" or row[0] not in ("cline", "zed")],
)
def test_servers_match_add_mcp(
    machine: Machine, name: str, scope: str, file: str, under: str, added: set[str], transport: str
) -> None:
    theirs_file = ORACLES / "add-mcp" / scope / transport / file
    if not theirs_file.exists():
        theirs_file = theirs_file.with_suffix(".jsonc")
    theirs = _load(theirs_file)[under]["loremark"]
    machine.install(name, machine.options(scope, url=_URL if transport == "http" else None))
    ours = _load(machine.root(scope) / file)[under]["loremark"]
    if name == "codex" and transport == "http":
        assert ours == {"url": theirs["url"], "bearer_token_env_var": "LOREMARK_API_KEY", "startup_timeout_sec": 20}
        return
    if "headers" in theirs:
        theirs["headers"]["Authorization"] = f"Bearer {_VARIABLES.get(name, '${LOREMARK_API_KEY}')}"
    theirs = {key: value for key, value in theirs.items() if value != {}}
    ours = {key: value for key, value in ours.items() if value != {}}
    assert {key: ours.get(key) for key in theirs} == theirs
    assert ours.keys() - theirs.keys() <= added


@pytest.mark.parametrize(("name", "scope", "file", "theirs_file"), _HOOKS)
def test_hooks_match_rulesync(machine: Machine, name: str, scope: str, file: str, theirs_file: str) -> None:
    machine.install(name, machine.options(scope))
    ours, theirs = _load(machine.root(scope) / file), _load(ORACLES / "rulesync" / scope / theirs_file)
    assert ours.get("version") == theirs.get("version")
    ours, theirs = ours.get("hooks", ours), theirs.get("hooks", theirs)
    unknown = {
        "cursor": {"afterAgentResponse"},
        "claude-code": {"PostToolUseFailure"},
        "copilot": {"postToolUseFailure"},
    }.get(name, set())
    assert ours.keys() - unknown <= theirs.keys()
    for event in ours.keys() - unknown:
        assert _shape(ours[event]) == _shape(theirs[event]), event


def _shape(value: Any) -> Any:
    """Replace commands and timeouts with a placeholder."""
    if isinstance(value, dict):
        return {key: "…" if key in ("command", "timeout", "timeoutSec") else _shape(one) for key, one in value.items()}
    return [_shape(one) for one in value] if isinstance(value, list) else value
