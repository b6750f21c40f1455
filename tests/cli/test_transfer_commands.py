"""``loremark export`` and ``loremark import``: between projects, and from other tools."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from loremark.base import profile
from loremark.cli.framework import FAILED, USAGE
from loremark.wire.transfer import CHUNK_LINES
from tests.cli.harness import Cli, Server
from tests.cli.invitations import join
from tests.exchange import samples
from tests.support.polling import until


def test_export_and_import_between_projects(olga: Cli, server: Server, tmp_path: Path) -> None:
    project, there = server.create_project("Here"), server.create_project("There")
    (tmp_path / "CLAUDE.md").write_text(samples.CLAUDE_MD)
    imported = olga.run("import", str(tmp_path / "CLAUDE.md"), "--project", project, "--json").json
    assert (imported["new"], imported["known"], imported["failed"]) == (1, 0, [])
    again = olga.run("import", str(tmp_path / "CLAUDE.md"), "--project", project, "--json").json
    assert (again["new"], again["known"]) == (0, 1), "duplicates"
    server.http.post(f"/api/v2/sessions/{imported['sessions'][0]}/enrich").raise_for_status()
    _wait(server, project, 3)

    file = tmp_path / "memory.jsonl"
    done = olga.run("export", "--project", project, "-o", str(file), "--json").json
    lines = file.read_text().splitlines()
    assert (done["lines"], json.loads(lines[0])["loremark"], json.loads(lines[-1])["items"]) == (
        len(lines),
        "export",
        3,
    )
    assert file.stat().st_mode & 0o777 == 0o600
    assert olga.run("export", "--project", project).out.encode() == file.read_bytes()
    preview = olga.run("import", str(file), "--project", there, "--dry-run", "--json").json
    assert (preview["dryRun"], preview["created"]["items"]) == (True, 3)
    assert "3 items" in olga.run("import", str(file), "--project", there, "--keep-reviews").out
    assert olga.run("export", "--project", there).out.encode() == file.read_bytes()
    assert olga.run("import", str(file), "--project", there).out.startswith("nothing new; ")
    file.write_bytes(file.read_bytes() + b'{"loremark":"cake"}\n')
    assert "loremark has an unknown value" in olga.run("import", str(file), "--project", there).error
    file.write_bytes(b"\n" * CHUNK_LINES + b'{"loremark":"cake"}\n')
    late = olga.run("import", str(file), "--from", "loremark", "--project", there).error
    assert late == "line 20001: loremark has an unknown value (the first 20,000 lines were imported)"
    assert os.listdir(tmp_path).count("memory.jsonl") == 1
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".part")]


def _wait(server: Server, project: str, count: int) -> None:
    def imported() -> bool:
        items = server.http.get("/api/v2/items", params={"projectId": project}).json()
        sessions = server.http.get("/api/v2/sessions", params={"projectId": project}).json()
        return len(items) == count and all(session["status"] != "enriching" for session in sessions)

    until(imported)


def test_members_can_import_and_symlinks_are_rejected(olga: Cli, server: Server, tmp_path: Path) -> None:
    project = server.create_project("Ours")
    profile.save(profile.Profile(server.url, join(server, project)))
    (tmp_path / "CLAUDE.md").write_text(samples.CLAUDE_MD)
    imported = olga.run("import", str(tmp_path / "CLAUDE.md"), "--project", project, "--json").json
    assert (imported["new"], imported["known"]) == (1, 0), "works without the signing secret"
    bank, repository = tmp_path / "private", tmp_path / "repository"
    bank.mkdir()
    (bank / "projectbrief.md").write_text("# Private\nNobody else may read this.\n")
    (repository / ".git").mkdir(parents=True)
    (repository / "memory-bank").symlink_to(bank)
    for words in (("--from", "cline"), ()):
        refused = olga.run("import", str(repository / "memory-bank"), *words, "--dry-run")
        assert "memory-bank is a symlink that points outside repository" in refused.error


def test_markdown_and_madr_export(olga: Cli, server: Server, tmp_path: Path) -> None:
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
        olga.run("import", str(file), "--from", "loremark", "--project", project, "--json").json["created"]["items"]
        == 2
    )
    notes, records = tmp_path / "notes", tmp_path / "adr"
    made = olga.run("export", "--format", "markdown", "-o", str(notes), "--project", project, "--json").json
    assert made["files"] == ["root/api/use-redis.md"]
    every = olga.run("export", "--format", "markdown", "--all", "-o", str(notes), "--project", project, "--json").json
    assert len(every["files"]) == 2
    olga.run("export", "--format", "markdown", "-o", str(notes), "--project", project)
    assert not (notes / "root" / "api" / "draft.md").exists(), "files from the earlier export are removed"
    assert olga.run("export", "--format", "madr", "-o", str(records), "--project", project).code == 0
    assert "## Decision Outcome" in (records / "0001-use-redis.md").read_text()
    again = olga.run("import", str(notes), "--dry-run", "--json").json
    assert [(event["event"], event["payload"]["item"]["title"]) for event in again] == [
        ("memory_operation", "Use Redis")
    ]
    assert (
        "contains other files"
        in olga.run("export", "--format", "madr", "-o", str(tmp_path), "--project", project).error
    )
    (records / "root").mkdir()
    (notes / "root" / "api" / "use-redis.md").unlink()
    (notes / "root" / "api").rmdir()
    (notes / "root" / "api").symlink_to(tmp_path)
    refused = olga.run("export", "--format", "markdown", "-o", str(notes), "--project", project)
    assert "is a symbolic link" in refused.error
    assert not (tmp_path / "use-redis.md").exists()


def test_import_dry_run(olga: Cli, tmp_path: Path) -> None:
    samples.claude_transcript(tmp_path / "projects")
    (tmp_path / "repository").mkdir()
    (tmp_path / "repository" / "AGENTS.md").write_text("# Rules\nNever push to main by \x1b[31mhand\x1b[0m.\n")
    shown = olga.run("import", str(tmp_path / "projects"), "--dry-run")
    assert "Why does the cart lose its items?" in shown.out
    assert "1 session would be sent" in shown.err
    listed = olga.run("import", str(tmp_path / "repository"), "--dry-run", "--json").json
    assert [event["payload"]["source"] for event in listed] == ["import:instructions"]
    assert olga.run("import", str(tmp_path / "repository"), "--dry-run").out.count("\x1b") == 0
    many = olga.run("import", str(tmp_path / "repository"), "--from", "instructions", "--limit", "1", "--dry-run")
    assert many.code == 0


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (("import", "nowhere"), FAILED, "nowhere does not exist"),
        (("import", ".", "--from", "cake"), USAGE, "--from must be one of auto, loremark, claude-code"),
        (("import", ".", "--limit", "0"), USAGE, "--limit must be between 1 and 100000"),
        (("import", "."), FAILED, "found nothing to import in ."),
        (("export", "--format", "madr", "--project", "x"), USAGE, "choose an output folder with -o FOLDER"),
        (("export", "--project", "prj_nobodys"), FAILED, "Project not found"),
    ],
)
def test_import_and_export_errors(olga: Cli, words: tuple[str, ...], code: int, line: str) -> None:
    done = olga.run(*words)
    assert done.code == code
    assert done.error.startswith(line)
