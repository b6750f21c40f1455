"""The agents under test: their programs, how to point them at the scripted model, and how to prompt them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.agents.model import Step
from tests.agents.model_apis import MODEL

SERVER = "loremark"
"""The name of our MCP server in the agents' configurations."""


@dataclass(frozen=True)
class Workspace:
    """The isolated home and project folder that an agent runs in."""

    home: Path
    project: Path


@dataclass(frozen=True)
class Agent:
    """An agent installed from npm."""

    name: str
    program: str
    """The path of its program in node_modules."""
    settings: Callable[[str], dict[str, str]]
    """Returns the environment that points it at the model with this URL."""
    prompt: Callable[[str], list[str]]
    again: Callable[[str], list[str]]
    """Like ``prompt``, but continues the last conversation."""
    shell: Callable[[str], Step]
    """The model's tool call for a shell command."""
    write: Callable[[str, str], Step]
    """The model's tool call for writing a file."""
    compact: str | None = None
    """The prompt that compacts the conversation, if supported."""
    prepare: Callable[[Workspace, str], None] = field(default=lambda place, url: None)
    """Writes the model configuration that a user with an account already has."""
    session: Callable[[Workspace, str], str | None] = field(default=lambda place, output: None)
    """Returns the session ID of a run from its output or files, or None."""
    reports_prompt: bool = True
    """Whether its hooks get the user's prompt."""
    reports_end: bool = True
    """Whether its hooks get the end of a session; otherwise the next session or a timeout ends it."""
    briefed_at: int = 0
    """The index of the model request that contains the briefing."""
    daemon: str | None = None
    """Part of the command line of a daemon that it leaves running on purpose."""
    login: Callable[[str], list[str]] | None = None
    """Arguments of a setup run before the first prompt."""


def write_json(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _from_output(*names: str) -> Callable[[Workspace, str], str | None]:
    """Read the session ID from the first line of the output, under one of these names."""

    def find(place: Workspace, output: str) -> str | None:
        first = json.loads(output.splitlines()[0])
        return next((str(first[name]) for name in names if name in first), None)

    return find


def _claude_settings(url: str) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "x",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
    }


_CLAUDE_ALLOWED = ["--allowedTools", f"mcp__{SERVER}", "Bash", "Read", "Write", "Edit", "--output-format", "json"]

CLAUDE = Agent(
    name="claude-code",
    program="@anthropic-ai/claude-code-linux-x64/claude",
    settings=_claude_settings,
    prompt=lambda text: ["-p", text, *_CLAUDE_ALLOWED],
    again=lambda text: ["-c", "-p", text, *_CLAUDE_ALLOWED],
    shell=lambda line: Step("Bash", {"command": line, "description": "Say something"}),
    write=lambda path, text: Step("Write", {"file_path": path, "content": text}),
    compact="/compact",
    session=_from_output("session_id"),
)


_CODEX_MODEL = "gpt-5.5"
"""A model known to Codex, so it offers all its tools, including patches."""


def _codex_prepare(place: Workspace, url: str) -> None:
    path = place.home / ".codex" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"""model = "{_CODEX_MODEL}"
model_provider = "stub"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.stub]
name = "stub"
base_url = "{url}/v1"
env_key = "STUB_KEY"
wire_api = "responses"

[projects."{place.project}"]
trust_level = "trusted"
""",
        encoding="utf-8",
    )


_PATCH = "*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch\n"
_CODEX = ["--json", "--dangerously-bypass-hook-trust"]

CODEX = Agent(
    name="codex",
    program="@openai/codex/bin/codex.js",
    settings=lambda url: {"STUB_KEY": "x"},
    prompt=lambda text: ["exec", *_CODEX, text],
    again=lambda text: ["exec", *_CODEX, "resume", "--last", text],
    prepare=_codex_prepare,
    shell=lambda line: Step(("exec_command", "shell"), {"cmd": line}),
    write=lambda path, text: Step("apply_patch", {"input": _PATCH.format(path=path, text=text)}),
    session=_from_output("thread_id"),
)


def _gemini_prepare(place: Workspace, url: str) -> None:
    chosen = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    quiet = {"general": {"disableAutoUpdate": True}, "privacy": {"usageStatisticsEnabled": False}}
    write_json(place.home / ".gemini" / "settings.json", {**chosen, **quiet})


_GEMINI = ["--yolo", "--output-format", "stream-json"]

GEMINI = Agent(
    name="gemini",
    program="@google/gemini-cli/bundle/gemini.js",
    settings=lambda url: {
        "GEMINI_API_KEY": "x",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    },
    prompt=lambda text: ["-p", text, *_GEMINI],
    again=lambda text: ["--resume", "latest", "-p", text, *_GEMINI],
    prepare=_gemini_prepare,
    shell=lambda line: Step("run_shell_command", {"command": line, "description": "Say something"}),
    write=lambda path, text: Step("write_file", {"file_path": path, "content": text}),
    session=_from_output("session_id"),
)


def _copilot_session(place: Workspace, output: str) -> str | None:
    """Return the session that was modified last."""
    states = sorted((place.home / ".copilot" / "session-state").iterdir(), key=lambda state: state.stat().st_mtime_ns)
    return states[-1].name if states else None


COPILOT = Agent(
    name="copilot",
    program="@github/copilot/npm-loader.js",
    settings=lambda url: {
        "COPILOT_OFFLINE": "true",
        "COPILOT_ALLOW_ALL": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": "x",
        "COPILOT_MODEL": MODEL,
        "COPILOT_AUTO_UPDATE": "false",
    },
    prompt=lambda text: ["-p", text, "--allow-all-tools"],
    again=lambda text: ["--continue", "-p", text, "--allow-all-tools"],
    shell=lambda line: Step("bash", {"command": line, "description": "Say something"}),
    write=lambda path, text: Step("create", {"path": path, "file_text": text}),
    session=_copilot_session,
)


def _opencode_prepare(place: Workspace, url: str) -> None:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Stub",
        "options": {"baseURL": f"{url}/v1", "apiKey": "x"},
        "models": {MODEL: {"name": MODEL}},
    }
    chosen = {"model": f"stub/{MODEL}", "small_model": f"stub/{MODEL}", "autoupdate": False, "share": "disabled"}
    path = place.home / ".config" / "opencode" / "opencode.json"
    write_json(path, {**chosen, "provider": {"stub": provider}, "permission": "allow"})


OPENCODE = Agent(
    name="opencode",
    program="opencode-linux-x64/bin/opencode",
    settings=lambda url: {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    },
    prompt=lambda text: ["run", "--format", "json", text],
    again=lambda text: ["run", "--continue", "--format", "json", text],
    prepare=_opencode_prepare,
    shell=lambda line: Step("bash", {"command": line, "description": "Say something"}),
    write=lambda path, text: Step("write", {"filePath": path, "content": text}),
    session=_from_output("sessionID"),
    reports_end=False,
)

CLINE = Agent(
    name="cline",
    program="@cline/cli-linux-x64/bin/cline",
    settings=lambda url: {"CLINE_TELEMETRY_DISABLED": "1"},
    prompt=lambda text: ["--json", "--auto-approve", "true", text],
    again=lambda text: ["--json", "--auto-approve", "true", text],
    login=lambda url: ["auth", "-p", "openai-compatible", "-b", f"{url}/v1", "-k", "x", "-m", MODEL],
    shell=lambda line: Step("run_commands", {"commands": [line]}),
    write=lambda path, text: Step("editor", {"path": path, "new_text": text}),
    daemon="hub",
    reports_prompt=False,
    reports_end=False,
    briefed_at=1,
)

AGENTS = (CLAUDE, CODEX, GEMINI, COPILOT, OPENCODE, CLINE)
