"""``loremark uninstall`` without names: everything that was put on this machine goes, and files are as before."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from loremark.base import profile
from loremark.cli.framework import FAILED, USAGE
from loremark.hook import flush, githooks, link, spool
from tests.agents_setup.conftest import put_program, snapshot
from tests.cli.harness import Cli, Server
from tests.cli.repository import git, make
from tests.support.processes import free_port


@pytest.fixture
def laptop(cli: Cli, server: Server) -> Cli:
    """A machine that is signed in with a key of its own, which can be revoked."""
    made = server.http.post("/api/keys", json={"name": "laptop"})
    profile.save(profile.Profile(server.url, made.json()["key"]))
    return cli


@pytest.fixture
def shop(laptop: Cli, tmp_path: Path) -> Path:
    """A repository on a machine with one agent."""
    folder = make(laptop.home / "shop")
    (laptop.home / ".gemini").mkdir()
    (laptop.home / ".gemini" / "settings.json").write_text('{\n  "ui": {}\n}\n')
    put_program(tmp_path / "bin")
    laptop.monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    laptop.monkeypatch.chdir(folder)
    return folder


def _user_files(home: Path) -> dict[str, Any]:
    """The files in home, without Loremark's own folders."""
    return {name: file for name, file in snapshot(home).items() if not name.startswith((".config", ".local", ".cache"))}


def test_every_linked_folder_is_as_before(laptop: Cli, server: Server, shop: Path) -> None:
    other, plain = make(laptop.home / "other"), laptop.home / "plain"
    plain.mkdir()
    (other / ".loremark.toml").write_text('exclude = ["secrets/**"]\n')
    (other / ".git" / "hooks").mkdir(exist_ok=True)
    (other / ".git" / "hooks" / "post-commit").write_text("#!/usr/bin/env python3\nprint('mine')\n")
    (other / ".git" / "hooks" / "post-commit").chmod(0o755)
    (other / ".git" / "hooks" / "post-merge").write_text("#!/bin/sh\necho mine\n")
    (other / ".git" / "hooks" / "post-merge").chmod(0o755)
    before = _user_files(laptop.home)
    project = server.create_project("Uninstalled")
    for folder in (shop, other):
        assert laptop.run("init", str(folder), "--project", project, "--git", "--json").code == 0
    assert laptop.run("init", str(plain), "--project", project, "--json").code == 0
    assert laptop.run("install", "gemini", "--yes").code == 0
    assert laptop.run("install", "claude-code", "--scope", "project", "--yes").code == 0
    assert laptop.run("sync", "--offline").code == 0
    assert (shop / "AGENTS.md").exists()
    linked = _user_files(laptop.home)
    saved = profile.load()
    assert saved is not None

    refused = laptop.run("uninstall")
    assert (refused.code, "use --yes" in refused.error) == (USAGE, True)
    preview = laptop.run("uninstall", "--dry-run")
    assert _user_files(laptop.home) == linked, "a dry run changes nothing"
    for words in ("~/.gemini/settings.json", "~/other/.git/hooks/post-commit", "~/plain/.loremark.toml", server.url):
        assert words in preview.out, words
    declined = laptop.run("uninstall", stdin="n\n", terminal=True)
    assert (declined.code, _user_files(laptop.home)) == (FAILED, linked)
    done = laptop.run("uninstall", stdin="\n", terminal=True)
    assert (done.code, "[Y/n]" in done.err) == (0, True), done.out
    assert _user_files(laptop.home) == before
    assert profile.load() is None
    assert {_status(server, key) for key in (saved.key, saved.agent_key(project))} == {401}, "revoked"
    assert [path for path in laptop.home.rglob("*") if path.name == "loremark"] == []
    again = laptop.run("uninstall", "--yes")
    assert (again.code, again.out.splitlines()[0]) == (0, "There is nothing to remove.")


def _status(server: Server, key: str) -> int:
    return server.http.get("/api/auth/me", headers={"Authorization": f"Bearer {key}"}).status_code


def test_captured_events_are_sent_before_the_sign_in_ends(laptop: Cli, server: Server, shop: Path) -> None:
    project = server.create_project("Sent before")
    assert laptop.run("init", "--project", project, "--json").code == 0
    spool.put({**_RECORD, "project": project, "url": server.url})
    assert "Send 1 event that is still queued" in laptop.run("uninstall", "--dry-run").out
    assert laptop.run("uninstall", "--yes").code == 0
    (session,) = server.http.get(f"/api/v2/sessions?projectId={project}").json()
    assert session["source"] == "codex:of-a-member"


_RECORD = {
    "kind": spool.EVENT,
    "event": "session_save",
    "payload": {"summary": "Carts expire after a day.", "changes": [], "source": "codex:of-a-member"},
    "agent": "codex",
    "session": "of-a-member",
}


def test_a_committed_link_and_an_unreachable_server(laptop: Cli, server: Server, shop: Path) -> None:
    """The file is part of the repository, and keys that cannot be revoked are mentioned."""
    project = server.create_project("Away")
    assert laptop.run("init", "--project", project, "--git", "--json").code == 0
    git(shop, "add", ".loremark.toml")
    git(shop, "commit", "-qm", "chore: link")
    saved = profile.load()
    assert saved is not None
    away = f"http://127.0.0.1:{free_port()}"
    profile.save(profile.Profile(away, saved.key, agent_keys=saved.agent_keys))
    spool.put({**_RECORD, "project": project, "url": away})
    done = laptop.run("uninstall", "--yes")
    assert done.code == FAILED
    assert "could not be revoked" in done.out
    assert "1 captured event could not be sent" in done.out
    assert "~/shop/.loremark.toml, which is part of the repository" in done.out
    assert (shop / ".loremark.toml").exists()
    assert githooks.list_installed(str(shop)) == []
    assert profile.load() is None
    assert flush.status().waiting == 0
    assert link.list_linked_folders() == []


def test_some_agents_only(laptop: Cli, server: Server, shop: Path) -> None:
    assert laptop.run("install", "gemini", "--yes").code == 0
    assert laptop.run("uninstall", "--scope", "user", "--yes").code == 0
    assert "loremark" not in (laptop.home / ".gemini" / "settings.json").read_text()
    assert profile.load() is not None, "a scope is about agents"


def test_a_hook_that_was_changed_is_left_alone(laptop: Cli, server: Server, shop: Path) -> None:
    project = server.create_project("Changed hook")
    assert laptop.run("init", "--project", project, "--git", "--json").code == 0
    hook = shop / ".git" / "hooks" / "post-commit"
    hook.write_text(hook.read_text() * 2)
    done = laptop.run("uninstall", "--yes", "--json")
    assert done.code == FAILED
    assert "remove the lines between the loremark markers yourself" in done.out
