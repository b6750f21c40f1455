"""Codex. It runs in its own home, because the login may be tied to it, and keeps nothing of an ephemeral session."""

from __future__ import annotations

import os
import re
import tomllib
from typing import Any

from loremark.hook.headless.answer import Answer, HeadlessFailed
from loremark.hook.headless.command_line import Call, Command, CommandLine, add, read_lines

_SYSTEM_CONFIG = "/etc/codex/config.toml"
_SERVER = re.compile(r"[A-Za-z0-9_-]+")
_OFF = (
    "apps",
    "browser_use",
    "computer_use",
    "goals",
    "hooks",
    "image_generation",
    "in_app_browser",
    "memories",
    "multi_agent",
    "multi_agent_v2",
    "plugins",
    "remote_plugin",
    "shell_snapshot",
    "shell_tool",
    "skill_search",
    "tool_suggest",
    "unified_exec",
    "view_image",
    "workspace_dependencies",
)
_SETTINGS = (
    'approval_policy="never"',
    'history.persistence="none"',
    'web_search="disabled"',
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    "notify=[]",
    "project_doc_max_bytes=0",
    "project_root_markers=[]",
    "skills.bundled.enabled=false",
    "skills.include_instructions=false",
    "tools.experimental_request_user_input.enabled=false",
    "tools.update_plan.enabled=false",
)


def _command(call: Call) -> Command:
    arguments = ["exec", "--json", "--ephemeral", "--skip-git-repo-check", "--ignore-rules", "--sandbox", "read-only"]
    configs = [_read(path) for path in (_config_path(call), _SYSTEM_CONFIG)]
    # Each server must be turned off by its name. Codex starts none with another kind of name.
    names = {name for config in configs for name in config.get("mcp_servers", {}) if _SERVER.fullmatch(name)}
    for setting in (
        *_SETTINGS,
        *(f"features.{feature}=false" for feature in _OFF),
        *(f"mcp_servers.{name}.enabled=false" for name in sorted(names)),
    ):
        arguments += ["-c", setting]
    model = call.model or next((str(config["model"]) for config in configs if "model" in config), "")
    if call.model:
        arguments += ["--model", call.model]
    # Without an environment, a tool that some models are always given (apply_patch) has nothing to work on.
    return Command([*arguments, "-"], {"CODEX_EXEC_SERVER_URL": "none"}, model=model)


def _config_path(call: Call) -> str:
    return os.path.join(call.configured("CODEX_HOME", ".codex"), "config.toml")


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise HeadlessFailed(f"Codex's {path} could not be read: {error}.") from error


def _answer(call: Call, output: str) -> Answer:
    text, error = "", ""
    used: dict[str, Any] = {}
    for event in read_lines(output):
        item = event.get("item") or {}
        if event.get("type") == "item.completed" and item.get("type") == "agent_message":
            text = str(item.get("text"))
        elif event.get("type") == "turn.completed":
            used = event.get("usage") or {}
        elif event.get("type") in ("turn.failed", "error"):
            error = str((event.get("error") or event).get("message"))
    if error and not used:
        raise HeadlessFailed(error)
    return Answer(text, call.model, add(used.get("input_tokens")), add(used.get("output_tokens")))


CODEX = CommandLine(
    title="Codex",
    program="codex",
    command=_command,
    answer=_answer,
    signed_out=r"not logged in|codex login|401 unauthorized|missing bearer|log out and sign in again",
)
