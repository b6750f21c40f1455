"""``loremark digest``: commits are sent oldest first, within the limit, and only once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.harness import Cli, Server
from tests.cli.repository import git, make

FIX = "fix(cart): keep the cart when the session expires"
REASON = "The cart was keyed by the session, so an expired session lost it. Key it by the user instead."


@pytest.fixture
def repository(olga: Cli, tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    _git(tmp_path, "init", "--quiet", "--initial-branch=main", str(folder))
    # fast-import: 130 separate commits would take seconds.
    stream = b"".join(
        b"commit refs/heads/main\nmark :%d\ncommitter Mara <m@example.com> %d +0000\ndata <<E\nSet %d\x1b[31m\nE\n"
        b"M 100644 inline n.txt\ndata <<E\n%d\nE\n\n" % (number, 1_700_000_000 + number * 60, number, number)
        for number in range(1, 131)
    )
    _git(folder, "fast-import", "--quiet", stdin=stream)
    olga.monkeypatch.chdir(folder)
    return folder


def _git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    return subprocess.run(["git", *arguments], cwd=folder, input=stdin, check=True, capture_output=True).stdout.decode()


def test_commits_are_sent_once(olga: Cli, server: Server, repository: Path) -> None:
    project = server.create_project("Digest")
    shown = olga.run("digest", "--project", project, "--limit", "120", "--dry-run")
    assert shown.code == 0
    assert len(shown.out.splitlines()) == 120
    assert "\x1b" not in shown.out + shown.err
    assert shown.out.splitlines()[0].endswith("Set 11[31m")
    done = olga.run("digest", "--project", project, "--limit", "120", "--no-enrich", "--json")
    assert done.json == {"commits": 120, "sent": 120, "events": 3, "duplicates": 0, "items": 0, "problems": []}
    assert done.err == ""
    again = olga.run("digest", "--project", project, "--limit", "130", "--no-enrich", "--json").json
    assert again == {**done.json, "commits": 130, "sent": 10, "events": 1}
    nothing = olga.run("digest", "--project", project, "--limit", "10")
    assert (nothing.out, nothing.err) == ("0 commits sent in 0 events; 10 were already sent\n", "")
    (session,) = server.http.get("/api/v2/sessions", params={"projectId": project}).json()
    assert session["eventCount"] == 4


def test_another_clone_sends_the_same_events(olga: Cli, server: Server, repository: Path, tmp_path: Path) -> None:
    """Events split the history at fixed points, so the server recognizes them from any clone."""
    project = server.create_project("Digest twice")
    assert olga.run("digest", "--project", project, "--no-enrich", "--json").json["events"] == 3
    olga.monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another-machine"))
    _git(repository, "fast-import", "--quiet", "--force", stdin=_one_more(repository))
    again = olga.run("digest", "--project", project, "--no-enrich", "--json").json
    assert again == {"commits": 131, "sent": 131, "events": 3, "duplicates": 2, "items": 0, "problems": []}


def test_memories_are_extracted_unless_told_otherwise(olga: Cli, server: Server, tmp_path: Path) -> None:
    folder = make(tmp_path / "decided")
    olga.monkeypatch.chdir(folder)
    (folder / "cart.py").write_text("KEY = 'user'\n")
    git(folder, "add", "cart.py")
    git(folder, "commit", "-qm", FIX, "-m", REASON)
    project = server.create_project("Digest of two")
    preview = olga.run("digest", "--project", "digest OF two", "--limit", "1", "--dry-run")
    assert preview.err == "1 of 1 commit would be sent, in 1 event\n"
    sent = olga.run("digest", "--project", project, "--limit", "1", "--no-enrich")
    (session,) = server.http.get("/api/v2/sessions", params={"projectId": project}).json()
    assert sent.out == "1 commit sent in 1 event\n"
    assert sent.err == f"To extract memories from them, run: loremark enrich {session['id']}\n"
    assert session["status"] == "active"
    done = olga.run("digest", "--project", project)
    assert done.out == "1 commit sent in 1 event; 1 was already sent\n"
    assert done.err == "1 item found\n"
    (item,) = server.http.get("/api/v2/items", params={"projectId": project}).json()
    assert REASON in item["content"]
    assert olga.run("digest", "--project", project).err == "", "nothing new, nothing to extract"


def _one_more(repository: Path) -> bytes:
    head = _git(repository, "rev-parse", "main").strip().encode()
    return (
        b"commit refs/heads/main\ncommitter Mara <m@example.com> 1700009999 +0000\ndata <<E\nOne more\nE\nfrom %s\n"
        b"M 100644 inline n.txt\ndata <<E\nmore\nE\n\n" % head
    )


def test_digest_errors(olga: Cli, server: Server, repository: Path, tmp_path: Path) -> None:
    named = ("--project", server.project)
    assert "commit '--upload-pack=x' not found" in olga.run("digest", *named, "--since=--upload-pack=x").error
    assert "between 1 and" in olga.run("digest", *named, "--limit", "0").error
    assert olga.run("digest", *named, "--since", "main", "--json").json["sent"] == 0
    (tmp_path / "empty").mkdir()
    olga.monkeypatch.chdir(tmp_path / "empty")
    assert olga.run("digest", *named).error == "not a git repository"
    with olga.monkeypatch.context() as signed_out:
        signed_out.setenv("HOME", str(tmp_path / "other-home"))
        assert olga.run("digest").error == "not a git repository", "checked first"
    _git(tmp_path / "empty", "init", "--quiet")
    assert olga.run("digest", *named).error == "this repository has no commits yet"
