"""``loremark export`` and ``loremark import``: by a file to another project, and from other tools into the memory."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from loremark.base import clock, profile
from loremark.cli.kit import FAILED, USAGE
from tests.cli.people import join
from tests.cli.person import Desk, Server
from tests.exchange import samples


def test_a_project_goes_by_a_file_to_another(olga: Desk, server: Server, tmp_path: Path) -> None:
    project, there = server.create_project("Here"), server.create_project("There")
    (tmp_path / "CLAUDE.md").write_text(samples.CLAUDE_MD)
    told = olga.say("import", str(tmp_path / "CLAUDE.md"), "--project", project, "--json").json
    assert (told["new"], told["known"], told["failed"]) == (3, 0, [])
    again = olga.say("import", str(tmp_path / "CLAUDE.md"), "--project", project, "--json").json
    assert (again["new"], again["known"]) == (0, 3), "the server has heard it before"
    server.http.post(f"/api/v2/sessions/{told['sessions'][0]}/enrich").raise_for_status()
    _wait(server, project, 3)

    file = tmp_path / "memory.jsonl"
    done = olga.say("export", "--project", project, "-o", str(file), "--json").json
    lines = file.read_text().splitlines()
    assert (done["lines"], json.loads(lines[0])["loremark"], json.loads(lines[-1])["items"]) == (
        len(lines),
        "export",
        3,
    )
    assert file.stat().st_mode & 0o777 == 0o600
    assert olga.say("export", "--project", project).out.encode() == file.read_bytes()
    rehearsed = olga.say("import", str(file), "--project", there, "--dry-run", "--json").json
    assert (rehearsed["dryRun"], rehearsed["created"]["items"]) == (True, 3)
    assert "3 items" in olga.say("import", str(file), "--project", there).out
    assert olga.say("export", "--project", there).out.encode() == file.read_bytes()
    assert olga.say("import", str(file), "--project", there).out.startswith("nothing new; ")
    file.write_bytes(file.read_bytes() + b'{"loremark":"cake"}\n')
    assert "loremark has a value that is not known here" in olga.say("import", str(file), "--project", there).refusal
    assert os.listdir(tmp_path).count("memory.jsonl") == 1
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".part")]


def _wait(server: Server, project: str, count: int) -> None:
    for _ in range(400):
        items = server.http.get("/api/v2/items", params={"projectId": project}).json()
        sessions = server.http.get("/api/v2/sessions", params={"projectId": project}).json()
        if len(items) == count and all(session["status"] != "enriching" for session in sessions):
            return
        clock.pause(0.05)
    raise AssertionError(items)


def test_whoever_may_write_brings_notes_and_a_link_out_of_the_repository_is_none(
    olga: Desk, server: Server, tmp_path: Path
) -> None:
    project = server.create_project("Ours")
    profile.save(profile.Profile(server.url, join(server, project)))
    (tmp_path / "CLAUDE.md").write_text(samples.CLAUDE_MD)
    told = olga.say("import", str(tmp_path / "CLAUDE.md"), "--project", project, "--json").json
    assert (told["new"], told["known"]) == (3, 0), "members do not see the secret of a project"
    bank, repository = tmp_path / "private", tmp_path / "repository"
    bank.mkdir()
    (bank / "projectbrief.md").write_text("# Private\nNobody else may read this.\n")
    (repository / ".git").mkdir(parents=True)
    (repository / "memory-bank").symlink_to(bank)
    for words in (("--from", "cline"), ()):
        refused = olga.say("import", str(repository / "memory-bank"), *words, "--dry-run")
        assert "memory-bank is a link out of repository" in refused.refusal


def test_notes_for_people_are_written_into_a_folder_of_their_own(olga: Desk, server: Server, tmp_path: Path) -> None:
    project, file = server.create_project("Notes"), tmp_path / "in.jsonl"
    item: dict[str, Any] = {
        "loremark": "item",
        "ref": "itm_01hzzzzzzz0000000000000001",
        "title": "Use Redis",
        "content": "It is fast.",
        "type": "decision",
        "schemaKey": "root/api",
        "status": "approved",
        "confidence": 0.9,
        "files": ["a.py"],
        "tags": [],
        "evidence": [],
        "flags": [],
        "tier": 2,
        "branch": None,
        "mergedFrom": [],
        "supersededBy": None,
        "session": None,
        "sourceRef": None,
        "mergedAtMs": None,
        "fingerprints": {},
        "conflicts": [],
        "version": 1,
        "createdAtMs": 5,
        "updatedAtMs": 5,
    }
    samples.write_lines(file, [item, {**item, "ref": item["ref"][:-1] + "2", "title": "Draft", "status": "draft"}])
    assert (
        olga.say("import", str(file), "--from", "loremark", "--project", project, "--json").json["created"]["items"]
        == 2
    )
    notes, records = tmp_path / "notes", tmp_path / "adr"
    made = olga.say("export", "--format", "markdown", "-o", str(notes), "--project", project, "--json").json
    assert made["files"] == ["root/api/use-redis.md"]
    every = olga.say("export", "--format", "markdown", "--all", "-o", str(notes), "--project", project, "--json").json
    assert len(every["files"]) == 2
    olga.say("export", "--format", "markdown", "-o", str(notes), "--project", project)
    assert not (notes / "root" / "api" / "draft.md").exists(), "what is no longer told is taken away"
    assert olga.say("export", "--format", "madr", "-o", str(records), "--project", project).code == 0
    assert "## Decision Outcome" in (records / "0001-use-redis.md").read_text()
    again = olga.say("import", str(notes), "--dry-run", "--json").json
    assert [(told["event"], told["payload"]["item"]["title"]) for told in again] == [("memory_operation", "Use Redis")]
    assert (
        "holds other files" in olga.say("export", "--format", "madr", "-o", str(tmp_path), "--project", project).refusal
    )
    (records / "root").mkdir()
    (notes / "root" / "api" / "use-redis.md").unlink()
    (notes / "root" / "api").rmdir()
    (notes / "root" / "api").symlink_to(tmp_path)
    refused = olga.say("export", "--format", "markdown", "-o", str(notes), "--project", project)
    assert "is a link" in refused.refusal
    assert not (tmp_path / "use-redis.md").exists()


def test_what_would_be_told_is_shown_first(olga: Desk, tmp_path: Path) -> None:
    samples.claude_transcript(tmp_path / "projects")
    (tmp_path / "repository").mkdir()
    (tmp_path / "repository" / "AGENTS.md").write_text("# Rules\nNever push to main by \x1b[31mhand\x1b[0m.\n")
    shown = olga.say("import", str(tmp_path / "projects"), "--dry-run")
    assert "Why does the cart lose its items?" in shown.out
    assert "1 session would be told" in shown.err
    listed = olga.say("import", str(tmp_path / "repository"), "--dry-run", "--json").json
    assert [told["payload"]["source"] for told in listed] == ["import:instructions"]
    assert olga.say("import", str(tmp_path / "repository"), "--dry-run").out.count("\x1b") == 0
    many = olga.say("import", str(tmp_path / "repository"), "--from", "instructions", "--limit", "1", "--dry-run")
    assert many.code == 0


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (("import", "nowhere"), FAILED, "there is nothing at nowhere"),
        (("import", ".", "--from", "cake"), USAGE, "--from must be one of auto, loremark, claude-code"),
        (("import", ".", "--limit", "0"), USAGE, "--limit must be between 1 and 100000"),
        (("import", "."), FAILED, "nothing that is known was found in ."),
        (("export", "--format", "madr", "--project", "x"), USAGE, "say where: -o FOLDER"),
        (("export", "--project", "prj_nobodys"), FAILED, "Project not found"),
    ],
)
def test_what_cannot_be_done_is_one_line(olga: Desk, words: tuple[str, ...], code: int, line: str) -> None:
    done = olga.say(*words)
    assert done.code == code
    assert done.refusal.startswith(line)
