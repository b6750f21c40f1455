"""Write tests/agents/payloads anew: run every agent once with a hook that listens on all its events.

    python -m tests.agents.record [AGENT ...]

What is of this machine or of this hour (folders, ids, times) becomes something that stays the same.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.agents import cast, install, samples
from tests.agents.cast import Agent, Place, write_json
from tests.agents.model import AgentModel, Step
from tests.agents.runs import Stage

_LISTENER = Path(__file__).with_name("listener.py")
_ASK_MEMORY = Step("memory_search", {"query": "how are errors answered"})


def _plan(agent: Agent, place: Place) -> list[Step]:
    """A command, one that fails, a file, and a tool of a server."""
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

Setup = Callable[[Place, Path], None]


def _command(target: Path, *more: str) -> list[str]:
    return [sys.executable, "-I", str(_LISTENER), str(target), *more]


def _line(target: Path, *more: str) -> str:
    return " ".join(_command(target, *more))


def _server() -> dict[str, Any]:
    return {"command": sys.executable, "args": ["-I", str(_LISTENER), "serve"]}


def _claude(place: Place, target: Path) -> None:
    hooks = {name: [{"hooks": [{"type": "command", "command": _line(target, name)}]}] for name in _CLAUDE_EVENTS}
    write_json(place.project / ".claude" / "settings.json", {"hooks": hooks, "enableAllProjectMcpServers": True})
    write_json(place.project / ".mcp.json", {"mcpServers": {cast.SERVER: {**_server()}}})


def _codex(place: Place, target: Path) -> None:
    hooks = {name: [{"hooks": [{"type": "command", "command": _line(target, name)}]}] for name in _CODEX_EVENTS}
    write_json(place.home / ".codex" / "hooks.json", {"hooks": hooks})
    config = place.home / ".codex" / "config.toml"
    server = _server()
    notify = f"notify = {json.dumps(_command(target, 'notify'))}\n"
    tools = f"""
[mcp_servers.{cast.SERVER}]
command = {json.dumps(server["command"])}
args = {json.dumps(server["args"])}
default_tools_approval_mode = "approve"
required = true
"""
    config.write_text(notify + config.read_text() + tools)


def _gemini(place: Place, target: Path) -> None:
    path = place.home / ".gemini" / "settings.json"
    settings = json.loads(path.read_text())
    settings["hooks"] = {
        name: [{"matcher": "*", "hooks": [{"type": "command", "name": name, "command": _line(target, name)}]}]
        for name in _GEMINI_EVENTS
    }
    settings["mcpServers"] = {cast.SERVER: _server()}
    write_json(path, settings)


def _copilot(place: Place, target: Path) -> None:
    names = [*_COPILOT_EVENTS, *(name[0].upper() + name[1:] for name in _COPILOT_EVENTS), "UserPromptSubmit", "Stop"]
    hooks = {name: [{"type": "command", "bash": _line(target, name), "timeoutSec": 30}] for name in names}
    write_json(place.project / ".github" / "hooks" / "listen.json", {"version": 1, "hooks": hooks})
    server = {"type": "local", **_server(), "tools": ["*"]}
    write_json(place.home / ".copilot" / "mcp-config.json", {"mcpServers": {cast.SERVER: server}})


def _opencode(place: Place, target: Path) -> None:
    plugin = place.project / ".opencode" / "plugin" / "listener.js"
    plugin.parent.mkdir(parents=True)
    text = _OPENCODE_PLUGIN.replace("PYTHON", json.dumps(sys.executable)).replace("TARGET", json.dumps(str(target)))
    plugin.write_text(text.replace("LISTENER", json.dumps(str(_LISTENER))))
    path = place.home / ".config" / "opencode" / "opencode.json"
    settings = json.loads(path.read_text())
    server = _server()
    settings["mcp"] = {cast.SERVER: {"type": "local", "command": [server["command"], *server["args"]]}}
    write_json(path, settings)


def _cline(place: Place, target: Path) -> None:
    for name in _CLINE_EVENTS:
        path = place.home / ".cline" / "hooks" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\nexec {_line(target, name)}\n")
        path.chmod(0o755)
    path = place.home / ".cline" / "data" / "settings" / "cline_mcp_settings.json"
    write_json(path, {"mcpServers": {cast.SERVER: {**_server(), "disabled": False, "autoApprove": ["memory_search"]}}})


SETUPS: dict[str, Setup] = {
    "claude-code": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "copilot": _copilot,
    "opencode": _opencode,
    "cline": _cline,
}


def record(agent: Agent, packages: Path, folder: Path) -> list[dict[str, Any]]:
    """What the agent told its hooks, in order."""
    place = Place(folder / "home", folder / "project")
    target = folder / "heard.jsonl"
    with AgentModel(_plan(agent, place)) as model:
        stage = Stage(agent, place, packages, model.url)
        stage.prepare()
        subprocess.run(["git", "init", "-q", str(place.project)], check=True)
        SETUPS[agent.name](place, target)
        try:
            stage.ask("Look how errors are answered in this project, then say it.")
            model.begin(())
            stage.ask("And who decided it?", again=True)
            if agent.compact:
                stage.ask(agent.compact, again=True)
        finally:
            stage.end_processes()
    return [json.loads(line) for line in target.read_text().splitlines()]


def main(wanted: list[str]) -> None:
    packages = install.install()
    for agent in cast.AGENTS:
        if wanted and agent.name not in wanted:
            continue
        folder = Path(tempfile.mkdtemp(prefix=f"loremark-record-{agent.name}-"))
        heard = record(agent, packages, folder)
        print(*samples.save(agent.name, heard, folder), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
