"""Gemini CLI. It gets a private home with the login and settings that turn everything else off."""

from __future__ import annotations

import json
import os

from loremark.hook.headless.answer import Answer
from loremark.hook.headless.command_line import (
    SYSTEM_PROMPT,
    Call,
    Command,
    CommandLine,
    add,
    link_login,
    read_object,
    read_settings,
)

_LOGIN = ("oauth_creds.json", "google_accounts.json", "gemini-credentials.json", "installation_id", ".env")
_NO_TOOLS = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n'
_SETTINGS = {
    "admin": {"extensions": {"enabled": False}, "mcp": {"enabled": False}, "skills": {"enabled": False}},
    "context": {"fileName": ["loremark-no-instructions.md"]},
    "experimental": {"enableAgents": False},
    "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
    "hooksConfig": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
    "tools": {"core": ["none"]},
}


def _command(call: Call) -> Command:
    home = call.configured("GEMINI_CLI_HOME")
    saved = read_settings(os.path.join(home, ".gemini", "settings.json"))
    # Before 0.3, the method of signing in was a setting of its own.
    login = {name: saved[name] for name in ("security", "selectedAuthType") if name in saved}
    call.write_private(".gemini/settings.json", json.dumps({**login, **_SETTINGS}))
    sources = {os.path.join(".gemini", name): os.path.join(home, ".gemini", name) for name in _LOGIN}
    links = link_login(call, {**sources, ".env": os.path.join(home, ".env")})
    arguments = ["--output-format", "json", "--policy", call.write_private("no-tools.toml", _NO_TOOLS)]
    if call.model:
        arguments += ["--model", call.model]
    variables = {
        "GEMINI_CLI_HOME": call.private,
        "GEMINI_CLI_NO_RELAUNCH": "true",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_SANDBOX": "false",
        "GEMINI_SYSTEM_MD": call.write_private("system.md", SYSTEM_PROMPT),
    }
    return Command(arguments, variables, links=links)


def _answer(call: Call, output: str) -> Answer:
    result = read_object(output)
    models = (result.get("stats") or {}).get("models") or {}
    tokens = [model.get("tokens") or {} for model in models.values()]
    return Answer(
        str(result.get("response") or ""),
        next(iter(models), call.model),
        add(*(used.get("prompt") for used in tokens)),
        add(*(used.get(kind) for used in tokens for kind in ("candidates", "thoughts"))),
    )


GEMINI = CommandLine(
    title="Gemini CLI",
    program="gemini",
    command=_command,
    answer=_answer,
    signed_out=(
        r"set an auth method|invalid auth method|please (log|sign) ?in|GEMINI_API_KEY environment variable"
        r"|api key not valid|could not load the default credentials|status: 401"
    ),
    default_model="flash-lite",
)
