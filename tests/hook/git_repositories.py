"""Real git repositories for tests. Their hooks only log their calls; the test replays them."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loremark.base import profile
from loremark.hook import batching, commits, link, outbox, spawn, spool

PROJECT = "prj_git"
SERVER = "http://127.0.0.1:1"
# Each hook call becomes a file with the folder, the hook, its arguments, HEAD and stdin.
_LOGGING_HOOK = """#!/bin/sh
mkdir -p "$HOME/hooks"
{ pwd; basename "$0"; echo "$@"; git rev-parse HEAD --symbolic-full-name HEAD; echo "${GIT_CHERRY_PICK_HELP+rebase}"
[ "$(basename "$0")" = post-rewrite ] && cat; } > "$HOME/hooks/$(date +%s%N)"
exit 0
"""


class Repository:
    """A git repository with shortcuts for working in it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.monkeypatch = monkeypatch

    def git(self, *arguments: str, stdin: str = "", **environment: str) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            input=stdin.encode("utf-8", "surrogateescape"),
            capture_output=True,
            check=True,
            env={**os.environ, **environment},
        )
        return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")

    def write(self, path: str, content: str | bytes) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)

    def link(self) -> None:
        """Link the repository like ``loremark init``."""
        link.save_link(str(self.folder), PROJECT, SERVER)

    def commit(self, path: str, content: str | bytes, message: str) -> str:
        self.write(path, content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--file=-", stdin=message)
        return self.head

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    def watch(self) -> None:
        """Install hooks that log their calls."""
        for name in commits.EVENTS:
            hook = self.folder / ".git" / "hooks" / name
            hook.parent.mkdir(exist_ok=True)
            hook.write_text(_LOGGING_HOOK)
            hook.chmod(0o755)

    def events(self) -> list[dict[str, Any]]:
        """Return the events of all hook calls since the last time."""
        calls = Path(os.environ["HOME"]) / "hooks"
        for call in sorted(calls.iterdir()) if calls.exists() else []:
            folder, name, given, head, branch, rebase, stdin = call.read_text().split("\n", 6)
            call.unlink()
            with self.monkeypatch.context() as patch:
                patch.setenv("LOREMARK_GIT_HEAD", f"{head}\n{branch}")
                if rebase:
                    patch.setenv("GIT_CHERRY_PICK_HELP", "…")
                patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
                patch.setattr(spawn, "start_flusher", lambda: None)  # the test is the flusher
                commits.record_git_hook(name, given.split(), folder)
        return take_events()


def take_events() -> list[dict[str, Any]]:
    """Batch the spool like the flusher and return the payloads."""
    batching.remove_batched_records()
    batching.build_batches()
    assert spool.list_names() == []
    batches = [outbox.read(name) for name in outbox.list_names()]
    for batch in batches:
        assert batch is not None
        assert (batch.event, batch.project) == ("git_digest", PROJECT)
        outbox.remove(batch.name)
    return [batch.payload for batch in batches if batch is not None]


def subjects(payloads: list[dict[str, Any]]) -> list[str]:
    return [commit["message"].split("\n")[0] for payload in payloads for commit in payload["commits"]]


def create(folder: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> Repository:
    folder.mkdir(parents=True)
    repository = Repository(folder, monkeypatch)
    repository.git("init", "--quiet", "--initial-branch=main", *options)
    repository.write(".git/info/exclude", "/.loremark.toml\n")
    repository.link()
    return repository


def use_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use an isolated home for git and Loremark, signed in to a server that doesn't exist."""
    home.mkdir()
    for name in [name for name in os.environ if name.startswith(("LOREMARK_", "XDG_", "GIT_"))]:
        if not name.startswith("LOREMARK_TEST_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (home / ".gitconfig").write_text(
        '[user]\nname = Mara\nemail = mara@example.com\n[commit]\ngpgsign = false\n[protocol "file"]\nallow = always\n'
    )
    profile.save(profile.Profile(SERVER, "service_sk_none"))
