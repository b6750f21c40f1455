"""opencode. Its database lives in memory, and an agent of ours, without tools and plugins, answers."""

from __future__ import annotations

import json
import os
import shutil
from typing import Any

from loremark.hook.headless.answer import Answer, HeadlessFailed
from loremark.hook.headless.command_line import SYSTEM_PROMPT, Call, Command, CommandLine, add, read_lines, read_object

_AGENT = "loremark-headless"
_NOTHING = {"*": False}
_DENIED = {"*": "deny"}


def _command(call: Call) -> Command:
    variables = {
        "OPENCODE_AUTO_SHARE": "false",
        "OPENCODE_DB": ":memory:",
        "OPENCODE_DISABLE_AUTOUPDATE": "true",
        "OPENCODE_DISABLE_CLAUDE_CODE": "true",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "true",
        "OPENCODE_DISABLE_PROJECT_CONFIG": "true",
        "OPENCODE_DISABLE_PRUNE": "true",
        "OPENCODE_DISABLE_SHARE": "true",
        "OPENCODE_PERMISSION": json.dumps(_DENIED),
        "OPENCODE_PURE": "true",
        "XDG_STATE_HOME": _state(call),
    }
    configured = _configuration(call, variables)
    settings = {
        **_given_settings(call),
        "agent": {_AGENT: {"mode": "primary", "prompt": SYSTEM_PROMPT, "permission": _DENIED, "tools": _NOTHING}},
        "autoupdate": False,
        "formatter": False,
        "lsp": False,
        "mcp": {name: {"enabled": False} for name in configured.get("mcp") or {}},
        "permission": _DENIED,
        "share": "disabled",
        "snapshot": False,
        "tools": _NOTHING,
    }
    arguments = ["run", "--pure", "--format", "json", "--agent", _AGENT, "--title", "Loremark"]
    if call.model:
        arguments += ["--model", call.model]
    model = call.model or str(configured.get("model") or "")
    return Command(arguments, {**variables, "OPENCODE_CONFIG_CONTENT": json.dumps(settings)}, model=model)


def _given_settings(call: Call) -> dict[str, Any]:
    """Return the settings that the person already passes in the variable that we use."""
    try:
        return read_object(call.environment.get("OPENCODE_CONFIG_CONTENT", ""))
    except ValueError:
        return {}


def _state(call: Call) -> str:
    """Return a private state folder that knows the model used last, which is opencode's default."""
    used = os.path.join(call.configured("XDG_STATE_HOME", ".local", "state"), "opencode", "model.json")
    state = os.path.join(call.private, "state")
    os.makedirs(os.path.join(state, "opencode"), mode=0o700)
    if os.path.isfile(used):
        shutil.copyfile(used, os.path.join(state, "opencode", "model.json"))
    return state


def _configuration(call: Call, variables: dict[str, str]) -> dict[str, Any]:
    """Return the person's resolved configuration: each MCP server must be turned off by its name."""
    output = call.run(["debug", "config", "--pure"], variables)
    try:
        return read_object(output.text)
    except ValueError:
        if output.timed_out:
            raise HeadlessFailed("opencode did not show its configuration in time.") from None
        raise HeadlessFailed("opencode did not show its configuration.") from None


def _answer(call: Call, output: str) -> Answer:
    texts, tokens, error = [], [], ""
    for event in read_lines(output):
        part = event.get("part") or {}
        if event.get("type") == "text":
            texts.append(str(part.get("text")))
        elif event.get("type") == "step_finish":
            tokens.append(part.get("tokens") or {})
        elif event.get("type") == "error":
            data = (event.get("error") or {}).get("data") or {}
            error = str(data.get("message") or (event.get("error") or {}).get("name"))
    if error and not texts:
        raise HeadlessFailed(error)
    cached = [(used.get("cache") or {}).get(kind) for used in tokens for kind in ("read", "write")]
    return Answer(
        "".join(texts),
        call.model,
        add(*(used.get("input") for used in tokens), *cached),
        add(*(used.get(kind) for used in tokens for kind in ("output", "reasoning"))),
    )


OPENCODE = CommandLine(
    title="opencode",
    program="opencode",
    command=_command,
    answer=_answer,
    signed_out=r"no providers? (found|configured)|api key is missing|invalid api key|unauthorized",
)
