"""Finding the sessions that agents have kept for a folder."""

from __future__ import annotations

import os
from pathlib import Path

from loremark.exchange import claude_code, codex, past_sessions
from tests.exchange import samples

SHOP = "/home/dev/shop"


def test_only_the_sessions_of_the_folder_and_below_are_found(tmp_path: Path) -> None:
    transcript = samples.claude_transcript(tmp_path / ".claude" / "projects")
    rollout = samples.codex_rollout(tmp_path / ".codex" / "sessions" / "2026" / "10" / "02")
    for name, session, folder in (
        ("-home-dev-shop-api", "below", f"{SHOP}/api"),
        ("-home-dev-shop-old", "sibling", f"{SHOP}-old"),
        ("-home-dev-shop", "moved", "/home/dev/elsewhere"),
    ):
        record = {"type": "user", "sessionId": session, "cwd": folder, "message": {"role": "user", "content": "Hi"}}
        samples.write_lines(tmp_path / ".claude" / "projects" / name / f"{session}.jsonl", [record])
    subagent = tmp_path / ".claude" / "projects" / "-home-dev-shop" / "5f0c" / "subagents" / "agent-1.jsonl"
    samples.write_lines(subagent, [{"type": "user", "sessionId": "5f0c", "cwd": SHOP, "isSidechain": True}])
    os.utime(transcript, (2_000_000_000, 2_000_000_000))
    found = past_sessions.find([SHOP], str(tmp_path), {})
    assert found[0].key == "claude-code:5f0c", "the last used first"
    assert {session.key: session.file for session in found} == {
        "claude-code:5f0c": transcript,
        "claude-code:below": tmp_path / ".claude" / "projects" / "-home-dev-shop-api" / "below.jsonl",
        "codex:0199": rollout,
    }
    assert past_sessions.find(["/home/dev/other"], str(tmp_path), {}) == []
    assert {each.key for each in past_sessions.find([SHOP, f"{SHOP}-old"], str(tmp_path), {})} == {
        "claude-code:5f0c",
        "claude-code:below",
        "claude-code:sibling",
        "codex:0199",
    }, "a second working tree"


def test_agents_that_keep_their_files_elsewhere(tmp_path: Path) -> None:
    samples.claude_transcript(tmp_path / "claude" / "projects")
    samples.codex_rollout(tmp_path / "codex" / "archived_sessions")
    variables = {"CLAUDE_CONFIG_DIR": str(tmp_path / "claude"), "CODEX_HOME": str(tmp_path / "codex")}
    assert past_sessions.find([SHOP], str(tmp_path), {}) == []
    assert {each.tool for each in past_sessions.find([SHOP], str(tmp_path), variables)} == {"claude-code", "codex"}


def test_symbolic_links_and_broken_files_are_skipped(tmp_path: Path) -> None:
    outside = samples.claude_transcript(tmp_path / "outside")
    projects = tmp_path / "home" / ".claude" / "projects"
    (projects / "-home-dev-shop").mkdir(parents=True)
    (projects / "-home-dev-shop" / "linked.jsonl").symlink_to(outside)
    (projects / "-home-dev-shop-too").symlink_to(outside.parent)
    (projects / "-home-dev-shop" / "broken.jsonl").write_bytes(b'\xff\n{"cwd": 5}\n[]\n')
    (projects / "-home-dev-shop" / "folder.jsonl").mkdir()
    assert past_sessions.find([SHOP], str(tmp_path / "home"), {}) == []


def test_agents_without_a_reader_are_named(tmp_path: Path) -> None:
    assert past_sessions.list_unreadable(str(tmp_path / "shop"), str(tmp_path), {}) == []
    (tmp_path / ".gemini" / "tmp").mkdir(parents=True)
    assert past_sessions.list_unreadable(str(tmp_path / "shop"), str(tmp_path), {}) == [], "nothing in it"
    (tmp_path / ".gemini" / "tmp" / "abc").mkdir()
    (tmp_path / "shop" / ".specstory" / "history").mkdir(parents=True)
    (tmp_path / "shop" / ".specstory" / "history" / "2026-10-01.md").write_text("# Hi")
    assert past_sessions.list_unreadable(str(tmp_path / "shop"), str(tmp_path), {}) == ["Gemini CLI", "SpecStory"]


def test_private_turns_are_left_out(tmp_path: Path) -> None:
    def turn(kind: str, content: object) -> dict[str, object]:
        return {"type": kind, "sessionId": "1", "cwd": SHOP, "message": {"role": kind, "content": content}}

    edit = {"type": "tool_use", "id": "t", "name": "Edit", "input": {"file_path": f"{SHOP}/secret.md"}}
    file = samples.write_lines(
        tmp_path / "1.jsonl",
        [
            turn("user", "Where are prices rounded?"),
            turn("assistant", "In cart.py."),
            turn("user", " [Private] Draft a reply to the customer"),
            turn("assistant", [{"type": "text", "text": "Dear customer"}, edit]),
            turn("user", "And taxes?"),
            turn("assistant", "In tax.py."),
            turn("user", "off the record: who is leaving?"),
            turn("assistant", "Ada."),
        ],
    )
    (note,) = claude_code.read(file)
    prompts = [turn["prompt"] for turn in note.extra["turns"]]
    assert prompts == ["Where are prices rounded?", "And taxes?", "off the record: who is leaving?"]
    assert "customer" not in str(note)
    assert note.files == ()
    (note,) = claude_code.read(file, "off the record:")
    assert "Ada" not in str(note)
    assert "Dear customer" in str(note)
    rollout = samples.codex_rollout(tmp_path)
    assert list(codex.read(rollout, "")) == list(codex.read(rollout))
