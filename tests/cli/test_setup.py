"""``loremark setup``: from nothing to a briefing, again without doing anything twice, and back."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from loremark.base import folders, profile, running_servers
from loremark.cli import local_server
from loremark.cli.framework import INTERRUPTED, USAGE
from loremark.cli.setup.run import sends_sessions
from loremark.cli.setup.server import ServerPlan
from loremark.hook import link
from tests.agents_setup.conftest import snapshot
from tests.cli.harness import Cli, Server
from tests.cli.repository import git, make
from tests.cli.terminal import Terminal
from tests.exchange.samples import write_lines
from tests.support.processes import COMMAND, free_port

CACHE = folders.cache_folder()
FIX = "fix(cart): keep the cart when the session expires"
REASON = "The cart was keyed by the session, so an expired session lost it. Key it by the user instead."
DECISION = """# 1. Store prices in cents

## Context

Prices in floating point differ by a cent between the cart and the invoice.

## Decision

Every price is an integer number of cents.
"""
HOOK = "#!/bin/sh\necho mine\n"
SETTINGS = '{\n  "model": "opus"\n}\n'


@pytest.fixture
def machine(cli: Cli) -> Iterator[Cli]:
    """A developer's machine with Claude Code, a repository and past sessions, but without Loremark."""
    folder = make(cli.home / "code" / "shop")
    (folder / "CLAUDE.md").write_text(
        "# Rules\n\n- Never log card numbers.\n- Always run `make check` before you push.\n"
    )
    (folder / "docs" / "adr").mkdir(parents=True)
    (folder / "docs" / "adr" / "0001-cents.md").write_text(DECISION)
    (folder / "cart.py").write_text("KEY = 'user'\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", FIX, "-m", REASON)
    (folder / ".git" / "hooks").mkdir(exist_ok=True)
    (folder / ".git" / "hooks" / "post-commit").write_text(HOOK)
    (folder / ".git" / "hooks" / "post-commit").chmod(0o755)
    (cli.home / ".claude").mkdir()
    (cli.home / ".claude" / "settings.json").write_text(SETTINGS)
    _transcript(
        cli.home,
        folder,
        "a-session",
        "Why do refunds fail?",
        "Decision: we retry refunds once, because banks lock an account for a minute.",
    )
    _transcript(cli.home, cli.home / "code" / "other", "not-here", "Which salary does Ada get?", "90,000.")
    cli.monkeypatch.chdir(folder)
    for name in [name for name in os.environ if name.startswith("LOREMARK_TEST_")]:
        cli.monkeypatch.delenv(name)  # a server of its own knows no such setting
    cli.monkeypatch.setenv("LOREMARK_CACHE_DIR", CACHE)  # prepared models
    cli.monkeypatch.setenv("LOREMARK_PORT", str(free_port()))
    cli.monkeypatch.setenv("PATH", f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}")
    yield cli
    for server in running_servers.list_running():
        local_server.stop(server)


def _transcript(home: Path, folder: Path, session: str, prompt: str, answer: str) -> None:
    def turn(kind: str, content: Any) -> dict[str, Any]:
        message = {"role": kind, "content": content}
        return {
            "type": kind,
            "sessionId": session,
            "cwd": str(folder),
            "timestamp": "2026-10-01T10:00:00Z",
            "message": message,
        }

    records = [turn("user", prompt), turn("assistant", [{"type": "text", "text": answer}])]
    name = re.sub(r"[^A-Za-z0-9]", "-", str(folder))
    write_lines(home / ".claude" / "projects" / name / f"{session}.jsonl", records)


def _states(result: dict[str, Any]) -> dict[str, str]:
    return {step["name"]: step["state"] for step in result["steps"]}


def test_from_nothing_to_a_briefing_and_back(machine: Cli) -> None:
    before = snapshot(machine.home)
    preview = machine.run("setup", "--dry-run")
    assert snapshot(machine.home) == before, "a dry run changes nothing"
    for words in (
        "Start one on this machine",
        "shop (a new project)",
        "change ~/.claude/settings.json",
        "post-commit: will get a loremark block",
        "Import 1 instruction file and 1 decision record",
        "Import 2 past commits",
        "Import 1 past session of Claude Code",
    ):
        assert words in preview.out, words
    assert _states(machine.run("setup", "--dry-run", "--json").json) == {
        **dict.fromkeys(("Server", "Sign-in", "Project", "Git", "Agents"), "planned"),
        **dict.fromkeys(("Documents", "Commits", "Sessions", "Memory"), "planned"),
    }

    done = machine.run("setup", "--yes", "--json").json
    assert set(_states(done).values()) == {"done"}
    known = profile.load()
    assert known is not None
    with httpx.Client(base_url=done["url"], headers={"Authorization": f"Bearer {known.key}"}) as http:
        said = str([http.get(f"/api/v2/sessions/{each['id']}/events").json() for each in _sessions(http, done)])
        assert "we retry refunds once" in said
        assert "salary" not in said, "sessions of other folders stay where they are"
        assert REASON in str(http.get("/api/v2/items", params={"projectId": done["project"]}).json())
        count = len(_sessions(http, done))
    assert REASON in done["briefing"]["forPrompt"]
    assert done["briefing"]["prompt"] in FIX
    assert "loremark hook claude-code" in (machine.home / ".claude" / "settings.json").read_text()
    assert machine.run("doctor").code == 0
    signin = machine.run("open", "--no-browser").out.strip()
    assert httpx.get(signin).cookies.get("loremark_login"), "the owner can open the dashboard"

    started = time.monotonic()
    again = machine.run("setup", "--json").json
    assert time.monotonic() - started < 20
    assert set(_states(again).values()) == {"unchanged"}, again["steps"]
    assert again["briefing"] == done["briefing"]
    with httpx.Client(base_url=done["url"], headers={"Authorization": f"Bearer {known.key}"}) as http:
        assert len(_sessions(http, done)) == count, "nothing is sent twice"

    (machine.home / "code" / "shop" / "CLAUDE.md").write_text(
        "# Rules\n\n- Round taxes down, as the tax office does.\n"
    )
    git(machine.home / "code" / "shop", "-c", "core.hooksPath=/dev/null", "commit", "-qam", "docs: other rules")
    assert "Import 1 instruction file" in machine.run("setup", "--dry-run").out
    changed = _states(machine.run("setup", "--yes", "--json").json)
    assert (changed["Documents"], changed["Commits"], changed["Sessions"]) == ("done", "done", "unchanged")

    git(machine.home / "code" / "shop", "reset", "-q", "--hard", "HEAD~1")
    machine.monkeypatch.delenv("LOREMARK_CACHE_DIR")
    removed = machine.run("uninstall", "--yes")
    assert (removed.code, removed.err) == (0, ""), removed
    assert "~/.local/share/loremark" in removed.out, "it says where the memory is"
    assert running_servers.list_running() == []
    left = {name: file for name, file in snapshot(machine.home).items() if not name.startswith(_OURS)}
    assert left == {name: file for name, file in before.items() if not name.startswith(_OURS)}
    with pytest.raises(AssertionError):
        assert machine.run("brain").code == 0


_OURS = (
    ".local",
    ".config",
    ".cache",
    "code/shop/.git/index",
    "code/shop/.git/logs",
    "code/shop/.git/objects",
    "code/shop/.git/ORIG_HEAD",
    "code/shop/.git/COMMIT_EDITMSG",
)
"""Folders that may stay, empty but for server data, and what git itself has written."""


def _sessions(http: httpx.Client, done: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = http.get("/api/v2/sessions", params={"projectId": done["project"]}).json()
    return found


def test_enter_accepts_and_ctrl_c_leaves_a_usable_state(machine: Cli) -> None:
    with Terminal("setup") as terminal:
        terminal.wait_for("Continue? [Y/n]")
        terminal.press("\x03")
        assert terminal.end() == INTERRUPTED
    assert not (machine.home / ".config" / "loremark").exists(), "nothing was changed"
    with Terminal("setup", "--yes") as terminal:
        terminal.wait_for("Starting a server")
        terminal.press("\x03")
        assert terminal.end() == INTERRUPTED
    with Terminal("setup") as terminal:
        terminal.wait_for("Continue? [Y/n]")
        terminal.press("\r")
        terminal.wait_for("Imported 2 past commits", 120)
        terminal.press("\x03")
        assert terminal.end() == INTERRUPTED
        assert "run loremark setup again" in terminal.shown
    assert len(running_servers.list_running()) == 1, "the server does not stop with the command"
    assert machine.run("doctor").code == 0
    done = machine.run("setup", "--yes", "--json").json
    assert REASON in done["briefing"]["forPrompt"], "what was sent is enriched"


def test_a_server_that_runs_already(machine: Cli, server: Server) -> None:
    """The folder is linked to the project of the same name, and what the user does not want is left out."""
    machine.sign_in(server)
    project = server.create_project("Web-Shop of setup")
    git(Path.cwd(), "remote", "add", "origin", "https://git.example.com/acme/Web-Shop of setup.git")
    plain = ("--no-git", "--no-agents", "--no-sessions", "--commits", "0")
    done = machine.run("setup", *plain, "--yes", "--json").json
    assert (done["url"], done["project"]) == (server.url, project)
    states = _states(done)
    assert {name for name, state in states.items() if state == "skipped"} == {"Git", "Agents", "Sessions", "Commits"}
    assert (states["Server"], states["Sign-in"], states["Project"]) == ("unchanged", "unchanged", "done")
    assert (machine.home / ".claude" / "settings.json").read_text() == SETTINGS
    assert [server["url"] for server in done["next"] if "stop" in server] == [], "not ours to stop"
    shown = machine.run("setup", *plain)
    assert shown.out.index("Your next session will know:") < shown.out.index("Next:")
    named = machine.run("setup", *plain, "--name", "Another shop", "--yes", "--json").json
    assert named["project"] != project
    saved = profile.load()
    assert saved is not None
    profile.save(profile.Profile(server.url, "service_sk_revoked"))
    refused = machine.run("setup", "--yes")
    assert "not signed in" in refused.err
    assert "loremark login --url" in refused.err


def test_captured_sessions_are_not_imported_again(machine: Cli, server: Server) -> None:
    machine.sign_in(server)
    project = server.create_project("Captured shop")
    payload = {"summary": "We retry refunds once.", "changes": [], "source": "claude-code:a-session"}
    body = {"projectId": project, "event": "session_save", "payload": payload}
    assert server.http.post("/api/v2/events", json=body).status_code in (200, 201, 202)
    words = ("setup", "--project", project, "--no-agents", "--commits", "0", "--yes", "--json")
    assert _states(machine.run(*words).json)["Sessions"] == "skipped", "this user does not run the server"
    assert _states(machine.run(*words, "--sessions").json)["Sessions"] == "unchanged"


def test_errors_say_what_to_do(machine: Cli) -> None:
    asked = machine.run("setup")
    assert (asked.code, "--dry-run, then use --yes" in asked.error) == (USAGE, True)
    assert "must be between 0 and" in machine.run("setup", "--commits", "-1").error
    assert "is not a folder" in machine.run("setup", "nowhere").error
    assert "contains your home folder" in machine.run("setup", str(machine.home)).error
    assert "must start with http" in machine.run("setup", "--url", "memory").error
    elsewhere = f"http://127.0.0.1:{free_port()}"
    assert f"no server is running at {elsewhere}" in machine.run("setup", "--url", elsewhere, "--yes").error
    away = machine.run("setup", "--url", "https://memory.invalid", "--yes").error
    assert away.startswith("cannot reach https://memory.invalid; ")
    assert "--url http://127.0.0.1:8000" in away
    (Path.cwd() / ".loremark.toml").write_text('project = "prj_x"\nurl = "https://evil.example.com"\n')
    assert "if you trust it, pass --url https://evil.example.com" in machine.run("setup", "--yes").error
    assert not (machine.home / ".local").exists()


def test_a_declined_plan_changes_nothing(machine: Cli) -> None:
    before = snapshot(machine.home)
    for answer in ("n\n", ""):
        assert "nothing was changed" in machine.run("setup", stdin=answer, terminal=True).err
    assert snapshot(machine.home) == before


def test_sessions_are_sent_to_other_peoples_servers_only_on_request(machine: Cli) -> None:
    url = "http://127.0.0.1:1"
    record = running_servers.ServerRecord(
        url=url, base_url=url, port=1, pid=1, version="1", data_dir=str(machine.home), environment={}, started_at_ms=1
    )
    assert not sends_sessions(None, ServerPlan(url)), "whoever runs it, on this machine or not"
    assert sends_sessions(True, ServerPlan("https://memory.example.com"))
    with running_servers.recorded(record):
        assert sends_sessions(None, ServerPlan(url))
        assert not sends_sessions(False, ServerPlan(url))
    assert not sends_sessions(None, ServerPlan(url))
    assert sends_sessions(None, ServerPlan(url, start=local_server.plan_start()))


def test_a_hostile_repository_cannot_name_other_folders(machine: Cli) -> None:
    """The list of working trees is part of the repository; only those that point back count."""
    folder = machine.home / "code" / "shop"
    planted = folder / ".git" / "worktrees" / "other"
    planted.mkdir(parents=True)
    (planted / "gitdir").write_text(f"{machine.home}/code/other/.git\n")
    make(machine.home / "code" / "other")
    preview = json.loads(machine.run("setup", "--dry-run", "--json").out)
    (sessions,) = [step for step in preview["steps"] if step["name"] == "Sessions"]
    assert sessions["message"].startswith("Import 1 past session of Claude Code")
    git(folder, "worktree", "add", "--quiet", str(machine.home / "code" / "tree"))
    _transcript(machine.home, machine.home / "code" / "tree", "in-a-worktree", "And?", "Nothing.")
    assert "2 past sessions of Claude Code" in machine.run("setup", "--dry-run").out
    assert link.resolve_link(str(folder))[0] is None
