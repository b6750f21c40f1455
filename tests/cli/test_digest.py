"""``loremark digest``: history told to a real server, bounded, oldest first, and once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.person import Desk, Server


@pytest.fixture
def repository(olga: Desk, tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    _git(tmp_path, "init", "--quiet", "--initial-branch=main", str(folder))
    # 130 commits at once: as single ones they would take seconds.
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


def test_history_is_told_once(olga: Desk, server: Server, repository: Path) -> None:
    project = server.create_project("Digest")
    shown = olga.say("digest", "--project", project, "--limit", "120", "--dry-run")
    assert shown.code == 0
    assert len(shown.out.splitlines()) == 120
    assert "\x1b" not in shown.out + shown.err
    assert shown.out.splitlines()[0].endswith("Set 11[31m")
    done = olga.say("digest", "--project", project, "--limit", "120", "--json")
    assert done.json == {"commits": 120, "told": 120, "events": 3, "duplicates": 0}
    assert done.err == ""
    again = olga.say("digest", "--project", project, "--limit", "130", "--json").json
    assert again == {"commits": 130, "told": 10, "events": 1, "duplicates": 0}
    nothing = olga.say("digest", "--project", project, "--limit", "10")
    assert (nothing.out, nothing.err) == ("0 commits told in 0 events; 10 were told before\n", "")
    (session,) = server.http.get("/api/v2/sessions", params={"projectId": project}).json()
    assert session["eventCount"] == 4


def test_another_clone_tells_the_same_events(olga: Desk, server: Server, repository: Path, tmp_path: Path) -> None:
    """Full events end at fixed places of the history, so the server knows them whoever tells them."""
    project = server.create_project("Digest twice")
    assert olga.say("digest", "--project", project, "--json").json["events"] == 3
    olga.monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another-machine"))
    _git(repository, "fast-import", "--quiet", "--force", stdin=_one_more(repository))
    again = olga.say("digest", "--project", project, "--json").json
    assert again == {"commits": 131, "told": 131, "events": 3, "duplicates": 2}


def test_it_says_what_comes_next(olga: Desk, server: Server, repository: Path) -> None:
    project = server.create_project("Digest of one")
    looked = olga.say("digest", "--project", "digest OF one", "--limit", "1", "--dry-run")
    assert looked.err == "1 of 1 commit would be told, in 1 event\n"
    told = olga.say("digest", "--project", "Digest of one", "--limit", "1")
    (session,) = server.http.get("/api/v2/sessions", params={"projectId": project}).json()
    assert told.out == "1 commit told in 1 event\n"
    assert told.err == f"turn them into memory with: loremark enrich {session['id']}\n"


def _one_more(repository: Path) -> bytes:
    head = _git(repository, "rev-parse", "main").strip().encode()
    return (
        b"commit refs/heads/main\ncommitter Mara <m@example.com> 1700009999 +0000\ndata <<E\nOne more\nE\nfrom %s\n"
        b"M 100644 inline n.txt\ndata <<E\nmore\nE\n\n" % head
    )


def test_what_cannot_be_told_is_said_in_one_line(olga: Desk, server: Server, repository: Path, tmp_path: Path) -> None:
    named = ("--project", server.project)
    assert "no commit '--upload-pack=x'" in olga.say("digest", *named, "--since=--upload-pack=x").refusal
    assert "between 1 and" in olga.say("digest", *named, "--limit", "0").refusal
    assert olga.say("digest", *named, "--since", "main", "--json").json["told"] == 0
    (tmp_path / "empty").mkdir()
    olga.monkeypatch.chdir(tmp_path / "empty")
    assert olga.say("digest", *named).refusal == "this folder is in no git repository"
    with olga.monkeypatch.context() as nobody:
        nobody.setenv("HOME", str(tmp_path / "nobody"))
        assert olga.say("digest").refusal == "this folder is in no git repository", "before all else"
    _git(tmp_path / "empty", "init", "--quiet")
    assert olga.say("digest", *named).refusal == "nothing was committed here yet"
