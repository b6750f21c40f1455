"""Cline CLI. It gets a private home with links to the real one, because hooks and rules can't be turned off."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

from loremark.hook.headless.answer import Answer, HeadlessFailed
from loremark.hook.headless.command_line import (
    SYSTEM_PROMPT,
    Call,
    Command,
    CommandLine,
    add,
    read_object,
    read_settings,
)

# Where Cline looks for hooks, rules, skills and MCP servers. Other files in the home may hold logins of providers.
_NOT_LINKED = frozenset((".agents", ".cline", ".clinerules", "Cline", "Documents", "OneDrive"))
_MOVED = ("CLINE_DIR", "CLINE_DATA_DIR", "CLINE_DB_DATA_DIR", "CLINE_SESSION_DATA_DIR", "CLINE_TEAM_DATA_DIR")
_TOOLS = (
    "apply_patch",
    "ask_question",
    "attempt_completion",
    "editor",
    "fetch_web_content",
    "read_files",
    "run_commands",
    "search_codebase",
    "skills",
    "spawn_agent",
    "submit_and_exit",
    "team_attach_outcome_fragment",
    "team_await_runs",
    "team_broadcast",
    "team_cancel_run",
    "team_cleanup",
    "team_create_outcome",
    "team_finalize_outcome",
    "team_list_outcomes",
    "team_list_runs",
    "team_mission_log",
    "team_read_mailbox",
    "team_review_outcome_fragment",
    "team_run_task",
    "team_send_message",
    "team_shutdown_teammate",
    "team_spawn_teammate",
    "team_status",
    "team_task",
)
# Cline replaces a mention of a file by its content. An invisible character after the @ prevents that.
_MENTION = re.compile(r'@(?="?(?:/|~/|\.{1,2}/))')
_INVISIBLE = "\u2060"


def _command(call: Call) -> Command:
    home = os.path.join(call.private, "home")
    os.mkdir(home, 0o700)
    for entry in os.scandir(call.home()):
        if entry.name not in _NOT_LINKED:
            os.symlink(entry.path, os.path.join(home, entry.name))
    settings = {"autoUpdateEnabled": False, "disabledTools": list(_TOOLS), "telemetryOptOut": True}
    variables = {
        **{name: os.path.join(home, ".cline", name.lower()) for name in _MOVED if name in call.environment},
        "HOME": home,
        "CLINE_GLOBAL_SETTINGS_PATH": call.write_private("settings.json", json.dumps(settings)),
        "CLINE_MCP_SETTINGS_PATH": call.write_private("mcp.json", "{}"),
        "CLINE_PROVIDER_SETTINGS_PATH": _providers(call),
        "CLINE_SESSION_BACKEND_MODE": "local",  # no hub daemon
        "CLINE_TELEMETRY_DISABLED": "1",
    }
    arguments = ["--auto-approve", "false", "--system", SYSTEM_PROMPT]
    if call.model:
        arguments += ["--model", call.model]
    return Command(arguments, variables, _MENTION.sub(f"@{_INVISIBLE}", call.prompt))


def _providers(call: Call) -> str:
    """Return the file with the logins: a copy, because every run writes to it, unless it holds tokens to renew."""
    data = call.configured("CLINE_DATA_DIR") if "CLINE_DATA_DIR" in call.environment else ""
    folder = data or os.path.join(call.configured("CLINE_DIR", ".cline"), "data")
    path = call.environment.get("CLINE_PROVIDER_SETTINGS_PATH") or os.path.join(folder, "settings", "providers.json")
    providers = (read_settings(path).get("providers") or {}).values()
    if not providers:
        raise HeadlessFailed("Cline CLI is not signed in: run `cline auth`.")
    if any("auth" in (provider.get("settings") or {}) for provider in providers):
        return path
    copy = os.path.join(call.private, "providers.json")
    shutil.copyfile(path, copy)
    os.chmod(copy, 0o600)
    return copy


def _answer(call: Call, output: str) -> Answer:
    """Read the session's file: the output is made for terminals."""
    found = sorted(Path(call.private).glob("home/.cline/**/*.messages.json"))
    if not found:
        raise ValueError("no session")
    messages = read_object(found[-1].read_text(encoding="utf-8", errors="replace"))["messages"]
    replies = [message for message in messages if message.get("role") == "assistant"]
    last = replies[-1] if replies else {}
    text = "".join(str(part.get("text")) for part in last.get("content") or [] if part.get("type") == "text")
    used = [reply.get("metrics") or {} for reply in replies]
    return Answer(
        text.replace(f"@{_INVISIBLE}", "@"),
        str((last.get("modelInfo") or {}).get("id") or call.model),
        add(
            *(metrics.get(kind) for metrics in used for kind in ("inputTokens", "cacheReadTokens", "cacheWriteTokens"))
        ),
        add(*(metrics.get("outputTokens") for metrics in used)),
    )


CLINE = CommandLine(
    title="Cline CLI",
    program="cline",
    command=_command,
    answer=_answer,
    signed_out=r"cline auth|not authenticated|missing api key|unauthorized",
)
