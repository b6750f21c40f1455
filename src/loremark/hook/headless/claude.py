"""Claude Code. Its safe mode leaves out the person's hooks, plugins and instructions, but keeps the login."""

from __future__ import annotations

import json
import os

from loremark.hook.headless.answer import Answer, HeadlessFailed
from loremark.hook.headless.command_line import SYSTEM_PROMPT, Call, Command, CommandLine, add, read_object

_SETTINGS = {
    "disableAllHooks": True,
    # A prompt can mention files with @, which are read even without tools.
    "permissions": {"deny": ["Read", "Read(//**)"]},
    # Otherwise the clean-up after some seconds deletes the person's old transcripts, ignoring their own setting.
    "cleanupPeriodDays": 36_500,
}


def _command(call: Call) -> Command:
    arguments = ["-p", "--output-format", "json", "--no-session-persistence", "--safe-mode"]
    arguments += ["--tools", "", "--strict-mcp-config", "--disable-slash-commands"]
    arguments += ["--system-prompt", SYSTEM_PROMPT, "--settings", json.dumps(_SETTINGS)]
    if call.model:
        arguments += ["--model", call.model]
    variables = {
        "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_PLUGIN_CACHE_DIR": os.path.join(call.private, "plugins"),
        "CLAUDE_CODE_TMPDIR": call.private,
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
    }
    return Command(arguments, variables)


def _answer(call: Call, output: str) -> Answer:
    result = read_object(output)
    text = result.get("result") if isinstance(result.get("result"), str) else ""
    if result.get("is_error"):
        raise HeadlessFailed(str(text or result.get("subtype")))
    used = result.get("usage") or {}
    prompt = add(*(used.get(f"{kind}input_tokens") for kind in ("", "cache_creation_", "cache_read_")))
    return Answer(
        str(text), next(iter(result.get("modelUsage") or {}), call.model), prompt, add(used.get("output_tokens"))
    )


CLAUDE = CommandLine(
    title="Claude Code",
    program="claude",
    command=_command,
    answer=_answer,
    signed_out=r"not logged in|run /login|invalid (api key|bearer token)|oauth token has expired",
    default_model="haiku",
)
