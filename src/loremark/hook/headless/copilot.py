"""Copilot CLI. It gets a private home with nothing but the login."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from loremark.hook.headless.answer import Answer, HeadlessFailed
from loremark.hook.headless.command_line import Call, Command, CommandLine, add, read_lines, read_settings

# Older versions write these names with underscores.
_LOGIN = ("authtokens", "copilottokens", "lastloggedinuser", "loggedinusers")


def _command(call: Call) -> Command:
    saved = read_settings(os.path.join(call.configured("COPILOT_HOME", ".copilot"), "config.json"))
    login = {name: value for name, value in saved.items() if name.replace("_", "").lower() in _LOGIN}
    call.write_private("config.json", json.dumps(login))
    # An empty list of tools means all of them, so it names one that doesn't exist.
    arguments = ["--silent", "--output-format", "json", "--stream", "off", "--available-tools", "none"]
    arguments += ["--disable-builtin-mcps", "--no-custom-instructions", "--log-level", "none"]
    if call.model:
        arguments += ["--model", call.model]
    variables = {"COPILOT_HOME": call.private, "COPILOT_ALLOW_ALL": "false", "COPILOT_AUTO_UPDATE": "false"}
    return Command(arguments, variables)


def _answer(call: Call, output: str) -> Answer:
    text, model = "", call.model
    for event in read_lines(output):
        if event.get("type") == "assistant.message" and event["data"].get("content"):
            text, model = str(event["data"]["content"]), str(event["data"].get("model") or model)
        elif event.get("type") == "session.error":
            raise HeadlessFailed(str(event["data"].get("message")))
    usage = [event["data"]["usage"] for event in _history(call) if event.get("type") == "session.usage_record"]
    return Answer(
        text,
        model,
        add(*(used.get("inputTokens") for used in usage)),
        add(*(used.get("outputTokens") for used in usage)),
    )


def _history(call: Call) -> list[dict[str, Any]]:
    """Return the events of the session, of which the output leaves out the token counts."""
    found = Path(call.private).glob("session-state/*/events.jsonl")
    return [event for path in found for event in read_lines(path.read_text(encoding="utf-8", errors="replace"))]


COPILOT = CommandLine(
    title="Copilot CLI",
    program="copilot",
    command=_command,
    answer=_answer,
    signed_out=r"no authentication information|authentication failed|'/login' command|copilot login",
)
