"""Qwen Code. It gets a private home with the login and settings that turn everything else off."""

from __future__ import annotations

import json
import os

from loremark.hook.headless.answer import Answer, HeadlessFailed
from loremark.hook.headless.command_line import (
    SYSTEM_PROMPT,
    Call,
    Command,
    CommandLine,
    add,
    link_login,
    read_settings,
)

_LOGIN = ("oauth_creds.json", "installation_id", ".env")
_LOGIN_SETTINGS = ("security", "selectedAuthType", "model", "modelProviders", "env")
_SETTINGS = {
    "context": {"fileName": ["loremark-no-instructions.md"]},
    "disableAllHooks": True,
    "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
    "memory": {"enableAutoDream": False, "enableManagedAutoMemory": False},
    "permissions": {"deny": ["*"]},
    "privacy": {"usageStatisticsEnabled": False},
    "tools": {"core": ["none"]},
}


def _command(call: Call) -> Command:
    home = call.configured("QWEN_HOME", ".qwen")
    saved = read_settings(os.path.join(home, "settings.json"))
    login = {name: saved[name] for name in _LOGIN_SETTINGS if name in saved}
    call.write_private("settings.json", json.dumps({**login, **_SETTINGS}))
    arguments = ["--output-format", "json", "--chat-recording", "false", "--approval-mode", "plan"]
    arguments += ["--system-prompt", SYSTEM_PROMPT]
    if call.model:
        arguments += ["--model", call.model]
    variables = {
        "QWEN_CODE_NO_RELAUNCH": "true",
        "QWEN_HOME": call.private,
        "QWEN_RUNTIME_DIR": call.private,
        "QWEN_SANDBOX": "false",
    }
    return Command(arguments, variables, links=link_login(call, {name: os.path.join(home, name) for name in _LOGIN}))


def _answer(call: Call, output: str) -> Answer:
    messages = json.loads(output[output.index("[") :])
    result = next(message for message in reversed(messages) if message.get("type") == "result")
    if result.get("is_error"):
        raise HeadlessFailed(str((result.get("error") or {}).get("message") or result.get("subtype")))
    replies = [message["message"] for message in messages if message.get("type") == "assistant"]
    used = result.get("usage") or {}
    model = next((str(reply["model"]) for reply in replies if reply.get("model")), call.model)
    return Answer(str(result.get("result") or ""), model, add(used.get("input_tokens")), add(used.get("output_tokens")))


QWEN = CommandLine(
    title="Qwen Code",
    program="qwen",
    command=_command,
    answer=_answer,
    signed_out=r"no auth type|auth(entication)? .*(required|not configured)|missing api key|use /auth",
)
