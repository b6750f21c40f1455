"""Detect agents and events from real payloads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loremark.base import briefing_markers
from loremark.base.clock import iso
from loremark.hook import agents, injected_text, record, spool, tools, transcript
from loremark.hook.link import Link

PAYLOADS = Path(__file__).parents[1] / "agents" / "payloads"
LINK = Link("prj_stones", "http://127.0.0.1:1", "/home/dev/project", "")
PROMPT = "Look how errors are answered in this project, then say it."
ANSWER = "All done: the memory was consulted and something was saved."
KINDS = {
    "SessionStart": spool.SESSION_START, "sessionStart": spool.SESSION_START, "TaskStart": spool.SESSION_START,
    "UserPromptSubmit": spool.PROMPT, "userPromptSubmitted": spool.PROMPT, "BeforeAgent": spool.PROMPT,
    "PostToolUse": spool.TOOL, "postToolUse": spool.TOOL, "AfterTool": spool.TOOL,
    "PostToolUseFailure": spool.TOOL,
    "Stop": spool.TURN_END, "agentStop": spool.TURN_END, "AfterAgent": spool.TURN_END,
    "TaskComplete": spool.TURN_END, "notify": spool.TURN_END,
    "PreCompact": spool.COMPACT,
    "SessionEnd": spool.SESSION_END, "sessionEnd": spool.SESSION_END,
}  # fmt: skip


def recorded() -> Iterator[Any]:
    for path in sorted(PAYLOADS.glob("*/*.json")):
        agent = path.parent.name.removesuffix("-pascal")
        if agent != "opencode":  # uses our plugin, which sends our own format
            event = path.stem.rpartition("-")[0] if path.stem[-1].isdigit() else path.stem
            yield pytest.param(agent, event, path, id=f"{path.parent.name}/{path.stem}")


@pytest.mark.parametrize(("agent", "event", "path"), list(recorded()))
def test_recorded_payloads_are_detected_regardless_of_the_hint(agent: str, event: str, path: Path) -> None:
    payload = json.loads(path.read_text())
    for hint in ("", "claude", agent):
        assert agents.detect(payload, hint) == agent
    kind = agents.record_kind(agent, payload)
    assert kind == KINDS.get(event)
    assert agents.working_folder(payload) == "/home/dev/project"
    made = record.build(agent, kind, payload, LINK) if kind is not None else None
    if kind == spool.PROMPT:
        assert made is not None
        assert made["text"] in (PROMPT, "And who decided it?")
        assert made["session"] not in ("", "unknown")
    if kind == spool.TURN_END and agent != agents.COPILOT:  # which sends a transcript path instead
        assert made is not None
        assert made["text"] == ANSWER
    if made is not None and kind == spool.TOOL and "files" in made:
        assert made["files"] == ["stones.txt"]


OPENCODE = {"loremark": 1, "agent": "opencode"}
OTHERS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("cursor", "prompt", {"hook_event_name": "beforeSubmitPrompt", "prompt": "Why?"}, {"text": "Why?", "turn": "g-1"}),
    ("cursor", "tool", {"hook_event_name": "afterFileEdit", "file_path": "/w/a.py"}, {"files": ["a.py"]}),
    ("cursor", "answer", {"hook_event_name": "afterAgentResponse", "text": "So."}, {"text": "So."}),
    (
        "windsurf",
        "prompt",
        {"agent_action_name": "pre_user_prompt", "tool_info": {"user_prompt": "Why?"}},
        {"text": "Why?"},
    ),
    (
        "windsurf",
        "tool",
        {"agent_action_name": "post_write_code", "tool_info": {"file_path": "/w/a.py"}},
        {"files": ["a.py"]},
    ),
    (
        "windsurf",
        "turn_end",
        {"agent_action_name": "post_cascade_response", "tool_info": {"response": "So."}},
        {"text": "So."},
    ),
    ("vscode", "prompt", {"hookEventName": "UserPromptSubmit", "sessionId": "v", "prompt": "Why?"}, {"text": "Why?"}),
    ("opencode", "prompt", {**OPENCODE, "event": "prompt", "prompt": "Why?"}, {"text": "Why?"}),
    ("opencode", "turn_end", {**OPENCODE, "event": "turn_end", "last_assistant_message": "So."}, {"text": "So."}),
    ("cline", "prompt", {"taskId": "t", "userPromptSubmit": {"prompt": "Why?"}}, {"text": "Why?"}),
]
COMMON: dict[str, dict[str, Any]] = {
    "cursor": {"conversation_id": "c-1", "generation_id": "g-1", "cursor_version": "3.1", "workspace_roots": ["/w"]},
    "windsurf": {"trajectory_id": "w-1", "execution_id": "e-1"},
}


@pytest.mark.parametrize(("agent", "kind", "payload", "expected"), OTHERS)
def test_documented_payloads_of_other_agents(
    agent: str, kind: str, payload: dict[str, Any], expected: dict[str, Any]
) -> None:
    payload = {**COMMON.get(agent, {"session_id": "s"}), **payload}
    assert agents.detect(payload, "claude") == agent
    assert agents.record_kind(agent, payload) == kind
    made = record.build(agent, kind, payload, Link("prj_stones", "", "/w", ""))
    assert made is not None
    assert {name: made[name] for name in expected} == expected


def test_injected_text_is_removed_from_prompts() -> None:
    briefing = f"{briefing_markers.BEGIN}\n# First\n- all of it\n{briefing_markers.END}"
    escaped = briefing.replace("<", "&lt;").replace(">", "&gt;")
    assert injected_text.strip_injected(f"{briefing}\nWhy is it so?\n{briefing}") == "Why is it so?"
    assert injected_text.strip_injected(f"<hook_context>{escaped}</hook_context>\n\nWhy?") == "Why?"
    assert injected_text.strip_injected("<system-reminder>Be brief</system-reminder>Why?") == "Why?"
    assert injected_text.strip_injected(f"Why? {briefing_markers.BEGIN} and no end") == "Why?"
    assert injected_text.strip_injected("<hook_context>never closed, so a person's words") != ""
    assert injected_text.strip_injected(briefing_markers.BEGIN * 5_000) == ""


def test_copilots_last_answer_is_read_only_from_a_transcript_in_its_own_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".copilot" / "session-state" / "s"
    folder.mkdir(parents=True)
    answers = [("First.", 1_000), ("Last.", 60_000), ("", 60_100), ("Of the next turn.", 90_000)]
    entries = [{"type": "assistant.message", "data": {"content": text}, "timestamp": iso(at)} for text, at in answers]
    lines = "\n".join(map(json.dumps, [*entries, {"type": "session.idle"}])) + "\nassistant.message {"
    (folder / "events.jsonl").write_text(lines)
    (tmp_path / "events.jsonl").write_text(lines)
    (folder / "out.jsonl").symlink_to(tmp_path / "events.jsonl")
    for path, expected in (
        (folder / "events.jsonl", "Last."),
        (tmp_path / "events.jsonl", ""),
        (folder / "out.jsonl", ""),
        (folder / ".." / ".." / ".." / "events.jsonl", ""),
    ):
        assert transcript.last_answer(str(path), 30_000, 61_000) == expected
    assert transcript.last_answer(str(folder / "events.jsonl"), 61_000, 70_000) == ""


def test_files_outside_the_folder_are_not_reported() -> None:
    for path, expected in (
        ("/w/src/a.py", "src/a.py"),
        ("src/a.py", "src/a.py"),
        ("../etc/passwd", ""),
        ("/w/../etc/passwd", ""),
        ("/wicked/a.py", ""),
        ("/etc/passwd", ""),
        ("a\nb", ""),
        ("a\0b", ""),
        ("\x1b[31mred", ""),
        ("/w", ""),
        ("x" * 5_000, ""),
    ):
        assert tools.path_inside(path, "/w") == expected, path
