"""Regenerate tests/agents/payloads: run every agent once with a hook that records all events.

    python -m tests.agents.record_payloads [AGENT ...]

Folders, IDs and times are replaced by stable values.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.agents import agent_specs, install, samples
from tests.agents.agent_specs import Agent, Workspace, write_json
from tests.agents.model import AgentModel, Step
from tests.agents.runs import AgentRunner

_LISTENER = Path(__file__).with_name("listener.py")
_ASK_MEMORY = Step("memory_search", {"query": "how are errors answered"})


def _plan(agent: Agent, place: Workspace) -> list[Step]:
    """A command, a failing command, a file and an MCP tool."""
    return [
        agent.shell("echo one stone upon another"),
        agent.shell("cat no-such-file"),
        agent.write(str(place.project / "stones.txt"), "granite"),
        _ASK_MEMORY,
    ]


_CLAUDE_EVENTS = (
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PermissionRequest",
    "InstructionsLoaded",
)
_CODEX_EVENTS = (
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PermissionRequest",
    "PreCompact",
    "PostCompact",
    "SubagentStart",
    "SubagentStop",
    "Stop",
)
_GEMINI_EVENTS = (
    "SessionStart",
    "SessionEnd",
    "BeforeAgent",
    "AfterAgent",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "BeforeTool",
    "AfterTool",
    "PreCompress",
    "Notification",
)
_COPILOT_EVENTS = (
    "sessionStart",
    "sessionEnd",
    "userPromptSubmitted",
    "preToolUse",
    "postToolUse",
    "postToolUseFailure",
    "agentStop",
    "subagentStart",
    "subagentStop",
    "preCompact",
    "errorOccurred",
    "permissionRequest",
    "notification",
)
_CLINE_EVENTS = (
    "TaskStart",
    "TaskResume",
    "TaskCancel",
    "TaskComplete",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PreCompact",
    "SessionShutdown",
    "Notification",
)
_OPENCODE_PLUGIN = """
import { execFileSync } from "node:child_process"
const say = (name, value) =>
  execFileSync(PYTHON, [LISTENER, TARGET, name], { input: JSON.stringify(value) })
export const Listener = async ({ directory, worktree }) => ({
  event: async (input) => say("event." + input.event.type, input),
  "chat.message": async (input, output) => say("chat.message", { input, output }),
  "tool.execute.before": async (input, output) => say("tool.execute.before", { input, output }),
  "tool.execute.after": async (input, output) => say("tool.execute.after", { input, output }),
  "experimental.chat.system.transform": async (input, output) =>
    say("experimental.chat.system.transform", { input, output: output.system.map((one) => one.slice(0, 200)) }),
})
"""

Setup = Callable[[Workspace, Path], None]


def _command(target: Path, *more: str) -> list[str]:
    return [sys.executable, "-I", str(_LISTENER), str(target), *more]


def _line(target: Path, *more: str) -> str:
    return " ".join(_command(target, *more))


def _server() -> dict[str, Any]:
    return {"command": sys.executable, "args": ["-I", str(_LISTENER), "serve"]}


def _claude(place: Workspace, target: Path) -> None:
    hooks = {name: [{"hooks": [{"type": "command", "command": _line(target, name)}]}] for name in _CLAUDE_EVENTS}
    write_json(place.project / ".claude" / "settings.json", {"hooks": hooks, "enableAllProjectMcpServers": True})
    write_json(place.project / ".mcp.json", {"mcpServers": {agent_specs.SERVER: {**_server()}}})


def _codex(place: Workspace, target: Path) -> None:
    hooks = {name: [{"hooks": [{"type": "command", "command": _line(target, name)}]}] for name in _CODEX_EVENTS}
    write_json(place.home / ".codex" / "hooks.json", {"hooks": hooks})
    config = place.home / ".codex" / "config.toml"
    server = _server()
    notify = f"notify = {json.dumps(_command(target, 'notify'))}\n"
    tools = f"""
[mcp_servers.{agent_specs.SERVER}]
command = {json.dumps(server["command"])}
args = {json.dumps(server["args"])}
default_tools_approval_mode = "approve"
required = true
"""
    config.write_text(notify + config.read_text() + tools)


def _gemini(place: Workspace, target: Path) -> None:
    path = place.home / ".gemini" / "settings.json"
    settings = json.loads(path.read_text())
    settings["hooks"] = {
        name: [{"matcher": "*", "hooks": [{"type": "command", "name": name, "command": _line(target, name)}]}]
        for name in _GEMINI_EVENTS
    }
    settings["mcpServers"] = {agent_specs.SERVER: _server()}
    write_json(path, settings)


def _copilot(place: Workspace, target: Path) -> None:
    names = [*_COPILOT_EVENTS, *(name[0].upper() + name[1:] for name in _COPILOT_EVENTS), "UserPromptSubmit", "Stop"]
    hooks = {name: [{"type": "command", "bash": _line(target, name), "timeoutSec": 30}] for name in names}
    write_json(place.project / ".github" / "hooks" / "listen.json", {"version": 1, "hooks": hooks})
    server = {"type": "local", **_server(), "tools": ["*"]}
    write_json(place.home / ".copilot" / "mcp-config.json", {"mcpServers": {agent_specs.SERVER: server}})


def _opencode(place: Workspace, target: Path) -> None:
    plugin = place.project / ".opencode" / "plugin" / "listener.js"
    plugin.parent.mkdir(parents=True)
    text = _OPENCODE_PLUGIN.replace("PYTHON", json.dumps(sys.executable)).replace("TARGET", json.dumps(str(target)))
    plugin.write_text(text.replace("LISTENER", json.dumps(str(_LISTENER))))
    path = place.home / ".config" / "opencode" / "opencode.json"
    settings = json.loads(path.read_text())
    server = _server()
    settings["mcp"] = {agent_specs.SERVER: {"type": "local", "command": [server["command"], *server["args"]]}}
    write_json(path, settings)


def _cline(place: Workspace, target: Path) -> None:
    for name in _CLINE_EVENTS:
        path = place.home / ".cline" / "hooks" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\nexec {_line(target, name)}\n")
        path.chmod(0o755)
    path = place.home / ".cline" / "data" / "settings" / "cline_mcp_settings.json"
    write_json(
        path, {"mcpServers": {agent_specs.SERVER: {**_server(), "disabled": False, "autoApprove": ["memory_search"]}}}
    )


SETUPS: dict[str, Setup] = {
    "claude-code": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "copilot": _copilot,
    "opencode": _opencode,
    "cline": _cline,
}


def record(agent: Agent, packages: Path, folder: Path) -> list[dict[str, Any]]:
    """Run the agent and return its hook calls in order."""
    place = Workspace(folder / "home", folder / "project")
    target = folder / "calls.jsonl"
    with AgentModel(_plan(agent, place)) as model:
        runner = AgentRunner(agent, place, packages, model.url)
        runner.prepare()
        subprocess.run(["git", "init", "-q", str(place.project)], check=True)
        SETUPS[agent.name](place, target)
        try:
            runner.ask("Look how errors are answered in this project, then say it.")
            model.begin(())
            runner.ask("And who decided it?", again=True)
            if agent.compact:
                runner.ask(agent.compact, again=True)
        finally:
            runner.end_processes()
    return [json.loads(line) for line in target.read_text().splitlines()]


def main(wanted: list[str]) -> None:
    packages = install.install()
    for agent in agent_specs.AGENTS:
        if wanted and agent.name not in wanted:
            continue
        folder = Path(tempfile.mkdtemp(prefix=f"loremark-record-{agent.name}-"))
        calls = record(agent, packages, folder)
        print(*samples.save(agent.name, calls, folder), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
