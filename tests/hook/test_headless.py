"""One question to an agent's command line: private, bounded, and with a failure that a person understands."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loremark.hook import agents, headless
from loremark.hook.hook import HEADLESS
from tests.hook.machine import Machine

PROMPT = "/help What was settled in this session? @/etc/passwd"
KEY = "service_sk_granite"
SECRET = "ghp_" + "q7Zr2Lw9" + "Xk4Tb6Vn" + "Yc3Md8Ps" + "Hf5Jg1Ra" + "Ue0W"
TEXT = "Nothing, as far as I can see."
_PROGRAM = """\
#!{python}
import json, os, subprocess, sys, time
seen = {{
    "stdin": sys.stdin.read(),
    "arguments": sys.argv[1:],
    "folder": os.getcwd(),
    "files": os.listdir("."),
    "mode": os.stat("..").st_mode & 0o777,
    "environment": dict(os.environ),
}}
if sys.argv[1:2] == ["debug"]:
    print(json.dumps({{"model": "stub/small", "mcp": {{"mine": {{}}}}}}))
    sys.exit()
with open({seen!r}, "w") as file:
    json.dump(seen, file)
{body}
"""

Program = Callable[[str, str], None]


@pytest.fixture
def program(local_machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Puts a program on the PATH that records its call in ``seen.json`` and then runs this code."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def write(name: str, body: str) -> None:
        path = folder / name
        path.write_text(
            _PROGRAM.format(python=os.path.realpath(sys.executable), seen=str(tmp_path / "seen.json"), body=body)
        )
        path.chmod(0o755)

    return write


@pytest.fixture
def seen(tmp_path: Path) -> Callable[[], dict[str, Any]]:
    return lambda: dict(json.loads((tmp_path / "seen.json").read_text()))


def _claude_prints(text: str = TEXT, **more: object) -> str:
    return f"print({json.dumps(json.dumps({'result': text, 'is_error': False, **more}))})"


_ANSWERS: dict[str, tuple[str, list[Any]]] = {
    agents.CLAUDE: ("claude", [{"result": TEXT, "usage": {"input_tokens": 5, "cache_read_input_tokens": 7}}]),
    agents.CODEX: (
        "codex",
        [
            {"type": "item.completed", "item": {"type": "agent_message", "text": TEXT}},
            {"type": "turn.completed", "usage": {"input_tokens": 12, "output_tokens": 3}},
        ],
    ),
    agents.COPILOT: ("copilot", [{"type": "assistant.message", "data": {"content": TEXT, "model": "small"}}]),
    agents.GEMINI: (
        "gemini",
        [{"response": TEXT, "stats": {"models": {"flash": {"tokens": {"prompt": 12, "candidates": 3}}}}}],
    ),
    agents.OPENCODE: (
        "opencode",
        [
            {"type": "text", "part": {"text": TEXT}},
            {"type": "step_finish", "part": {"tokens": {"input": 2, "cache": {"read": 10}, "output": 3}}},
        ],
    ),
    agents.QWEN: ("qwen", [[{"type": "result", "result": TEXT, "usage": {"input_tokens": 12, "output_tokens": 3}}]]),
}


@pytest.mark.parametrize("agent", _ANSWERS)
def test_every_agent_gets_the_prompt_in_private(
    agent: str, program: Program, seen: Callable[[], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other users see command lines, our key belongs to us, and a nested agent must not take itself for the outer."""
    name, output = _ANSWERS[agent]
    program(name, "\n".join(f"print({json.dumps(json.dumps(line))})" for line in output))
    for variable, value in (("LOREMARK_API_KEY", KEY), ("CLAUDECODE", "1"), ("CODEX_THREAD_ID", "t"), ("KEPT", "yes")):
        monkeypatch.setenv(variable, value)
    answer = headless.ask(agent, PROMPT, seconds=30)
    assert answer.text == TEXT
    if agent != agents.COPILOT:  # which has its numbers in a file
        assert answer.prompt_tokens == 12
    call = seen()
    assert PROMPT in call["stdin"]
    assert not call["stdin"].startswith("/")  # a command of the agent
    assert not any("settled" in argument for argument in call["arguments"])
    assert KEY not in str(call["environment"])
    assert not {"CLAUDECODE", "CODEX_THREAD_ID"} & set(call["environment"])
    assert (call["environment"][HEADLESS], call["environment"]["KEPT"]) == ("1", "yes")
    assert (call["files"], call["mode"]) == ([], 0o700)
    assert not Path(call["folder"]).parent.exists()


def test_cline_cannot_be_asked_without_a_login(program: Program) -> None:
    program("cline", "")
    with pytest.raises(headless.HeadlessFailed, match="not signed in"):
        headless.ask(agents.CLINE, PROMPT, seconds=30)


def test_a_slow_agent_is_stopped_with_all_it_started(program: Program, tmp_path: Path) -> None:
    """Also what has left the process group, and ignores a request to end."""
    child = f"import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); \
open({str(tmp_path / 'child')!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    program("claude", f"subprocess.Popen([sys.executable, '-c', {child!r}], start_new_session=True)\ntime.sleep(60)")
    with pytest.raises(headless.HeadlessFailed, match="did not answer within"):
        headless.ask(agents.CLAUDE, PROMPT, seconds=3)
    pid = int((tmp_path / "child").read_text())
    assert not _is_running(pid)


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("while True: print('x' * 10_000)", "Claude Code printed more than 1 MiB."),
        ("print('hello')", "Claude Code's output could not be read as an answer."),
        ("print('[' * 100_000)", "Claude Code's output could not be read as an answer."),
        (_claude_prints(" "), "Claude Code gave an empty answer."),
        (_claude_prints("Credit balance is too low", is_error=True), "Claude Code failed: Credit balance is too low."),
        (_claude_prints("Invalid API key · Please run /login", is_error=True), "Claude Code is not signed in."),
        ("sys.exit('no such model')", "Claude Code exited with code 1: no such model."),
        (f"sys.exit('\\x1b[31mbad token {SECRET}\\x07')", "Claude Code exited with code 1: bad token [redacted"),
        ("os.kill(os.getpid(), 9)", "Claude Code exited with code -9."),
        ("os.close(0)\n" + _claude_prints(), None),
    ],
)
def test_whatever_it_does_a_person_understands_it(program: Program, body: str, message: str | None) -> None:
    program("claude", body)
    if message is None:
        assert headless.ask(agents.CLAUDE, PROMPT, seconds=30).text == TEXT
        return
    with pytest.raises(headless.HeadlessFailed) as failure:
        headless.ask(agents.CLAUDE, PROMPT, seconds=30)
    assert failure.value.reason.startswith(message)
    assert failure.value.reason.isprintable()
    assert SECRET not in failure.value.reason


def test_an_agent_that_answers_in_the_background_starts_no_other(
    program: Program, monkeypatch: pytest.MonkeyPatch, local_machine: Machine, tmp_path: Path
) -> None:
    program("claude", _claude_prints())
    monkeypatch.setenv(HEADLESS, "1")
    with pytest.raises(headless.HeadlessFailed, match="can't start another"):
        headless.ask(agents.CLAUDE, PROMPT, seconds=30)
    assert not (tmp_path / "seen.json").exists()
    local_machine.settings[HEADLESS] = "1"
    assert local_machine.hook(local_machine.claude("SessionStart", source="startup")) == b""
    local_machine.hook(local_machine.claude("UserPromptSubmit", prompt="Remember the granite.", prompt_id="p"))
    assert not local_machine.waiting()


def test_a_program_in_a_project_folder_is_not_run(
    program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A relative entry in the PATH would let a cloned repository choose the program."""
    program("claude", _claude_prints())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "bin:.")
    assert headless.installed(agents.CLAUDE) is None
    with pytest.raises(headless.HeadlessFailed, match="not installed"):
        headless.ask(agents.CLAUDE, PROMPT, seconds=30)


@pytest.mark.parametrize("model", ["--dangerously-skip-permissions", "haiku; rm -rf ~", "a b"])
def test_a_model_name_is_never_an_option(program: Program, model: str, tmp_path: Path) -> None:
    program("claude", _claude_prints())
    with pytest.raises(headless.HeadlessFailed, match="not the name of a model"):
        headless.ask(agents.CLAUDE, PROMPT, model=model, seconds=30)
    assert not (tmp_path / "seen.json").exists()


def test_a_login_that_was_renewed_during_the_call_is_kept(program: Program, local_machine: Machine) -> None:
    """The private home links to it; a program that replaces the link must not lose the new token."""
    login = local_machine.home / ".gemini" / "oauth_creds.json"
    login.parent.mkdir(parents=True)
    login.write_text("old")
    renew = """
path = os.path.join(os.environ["GEMINI_CLI_HOME"], ".gemini", "oauth_creds.json")
assert open(path).read() == "old"
os.remove(path)
open(path, "w").write("renewed")
"""
    program("gemini", renew + f"print({json.dumps(json.dumps({'response': TEXT}))})")
    assert headless.ask(agents.GEMINI, PROMPT, seconds=30).text == TEXT
    assert login.read_text() == "renewed"


def test_settings_of_the_person_stay_as_they_are(
    program: Program, local_machine: Machine, seen: Callable[[], dict[str, Any]]
) -> None:
    """MCP servers of Codex are turned off by their names, and its file is not touched."""
    config = local_machine.home / ".codex" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('model = "mine"\n[mcp_servers.jira]\ncommand = "jira"\n')
    program("codex", "\n".join(f"print({json.dumps(json.dumps(line))})" for line in _ANSWERS[agents.CODEX][1]))
    before = config.stat().st_mtime_ns
    assert headless.ask(agents.CODEX, PROMPT, seconds=30).model == "mine"
    assert "mcp_servers.jira.enabled=false" in seen()["arguments"]
    assert config.stat().st_mtime_ns == before


def test_the_folder_of_a_killed_call_is_removed_later(program: Program, local_machine: Machine) -> None:
    program("claude", _claude_prints())
    headless.ask(agents.CLAUDE, PROMPT, seconds=30)
    (parent,) = (local_machine.home / ".cache" / "loremark").glob("headless")
    old, young = parent / "old", parent / "young"
    for folder in (old, young):
        (folder / "work").mkdir(parents=True)
    yesterday = time.time() - 2 * 86_400
    os.utime(old, (yesterday, yesterday))
    headless.ask(agents.CLAUDE, PROMPT, seconds=30)
    assert [path.name for path in parent.iterdir()] == ["young"]


def test_an_agent_that_ends_on_request_may_clean_up(program: Program, tmp_path: Path) -> None:
    """It removes its entries in lists of running sessions."""
    note = str(tmp_path / "ended")
    body = f"import signal\nsignal.signal(signal.SIGTERM, lambda *_: (open({note!r}, 'w').close(), sys.exit()))\n"
    program("claude", f"{body}time.sleep(60)")
    with pytest.raises(headless.HeadlessFailed, match="did not answer"):
        headless.ask(agents.CLAUDE, PROMPT, seconds=2)
    assert Path(note).exists()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
