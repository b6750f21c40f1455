"""Malicious repositories: their content is treated as text, and none of their programs run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from loremark.hook import commits, git, githooks, gitrepository
from loremark.memory.extraction.commit_parser import parse_commits
from tests.hook.git_repositories import PROJECT, Repository, create, subjects, use_home

BRANCHES = (
    "$(touch${IFS}owned)",
    ";touch${IFS}owned;",
    "`touch${IFS}owned`",
    "a'b\"c|d&e>f",
    "--upload-pack=touch-owned",
    "-rf",
    "ünïcode/with.dots",
    "ghp_" + "a1B2" * 9,
)
MESSAGE = (
    'Fix "quotes" and $(touch owned)\n\n; rm -rf / `touch owned`\n\x1b]0;owned\x07\x1b[31mred\n--\n../../etc/passwd\r'
)
FILES = (
    "new\nline.py",
    'quo"te.py',
    "-rf",
    "--upload-pack=x",
    "$(touch owned).py",
    "\x1b[31mred.py",
    "b\\ack.py",
    "tab\there",
)


PROGRAMS = """
core.fsmonitor core.pager core.editor core.sshCommand core.gitProxy core.askPass core.alternateRefsCommand
diff.external diff.evil.command diff.evil.textconv filter.evil.clean filter.evil.smudge filter.evil.process
pager.log pager.diff-tree pager.rev-list gpg.program credential.helper sequence.editor interactive.diffFilter
""".split()  # noqa: SIM905


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    use_home(tmp_path / "home", monkeypatch)
    return create(tmp_path / "work", monkeypatch)


@pytest.mark.parametrize("branch", BRANCHES)
def test_branch_names_are_treated_as_text(work: Repository, branch: str) -> None:
    work.watch()
    work.commit("a.py", "a = 1\n", "Add a")
    work.git("update-ref", f"refs/heads/{branch}", "HEAD")  # the only way to create a name with a leading dash
    work.git("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    sha = work.commit("b.py", "b = 1\n", "Add b")
    events = work.events()
    assert subjects(events) == ["Add a", "Add b"]
    assert events[1]["branch"] == ("[redacted:github-token]" if branch.startswith("ghp_") else branch)
    assert gitrepository.resolve(str(work.folder / ".git"), branch) in (sha, None)
    _assert_nothing_ran(work)


def test_messages_and_file_names_are_treated_as_text(work: Repository) -> None:
    for name in FILES:
        work.write(name, "x = 1\n")
    # A tree with a path out of the repository, which no checkout would allow.
    blob = work.git("hash-object", "-w", "--stdin", stdin="root:0\n")
    above = work.git("mktree", stdin=f"100644 blob {blob}\tpasswd\n")
    work.commit("last.py", "x = 1\n", MESSAGE)
    evil = work.git("mktree", "--missing", stdin=f"040000 tree {above}\t..\n")
    commit = work.git("commit-tree", evil, "-p", "HEAD", stdin="Out of here\n")
    work.git("update-ref", "HEAD", commit)
    (event,) = commits.digest(str(work.folder))
    first, second = event["commits"]
    assert sorted(first["files"]) == sorted([*FILES, "last.py"])
    assert first["message"].startswith('Fix "quotes" and $(touch owned)\n\n; rm -rf / `touch owned`')
    assert "\x1b" not in first["message"] + first["diff"]
    assert "../passwd" in second["files"]  # reported as is; the server ignores such paths
    assert not any(".." in file.path or file.path.startswith("/") for one in parse_commits(event) for file in one.files)
    assert json.loads(json.dumps(event)) == event
    _assert_nothing_ran(work)


def test_programs_named_by_the_repository_do_not_run(work: Repository, tmp_path: Path) -> None:
    bait = tmp_path / "bait"
    bait.write_text(f"#!/bin/sh\ntouch '{work.folder}/owned'\ncat\n")
    bait.chmod(0o755)
    work.commit("a.txt", "one\n", "Add a")
    for key in PROGRAMS:
        work.git("config", key, str(bait))
    for name in ("log", "rev-list", "rev-parse", "diff-tree", "cat-file", "config", "for-each-ref", "merge-base"):
        work.git("config", f"alias.{name}", f"!{bait}")
    work.git("config", "core.hooksPath", str(tmp_path / "hooks"))
    work.git("config", "log.showSignature", "true")
    (tmp_path / "hooks").mkdir()
    for name in ("post-index-change", "reference-transaction", "fsmonitor-watchman", "post-checkout"):
        (tmp_path / "hooks" / name).symlink_to(bait)
    work.write(".gitattributes", "* diff=evil filter=evil\n")
    work.write(".git/info/attributes", "* diff=evil filter=evil\n")
    work.write("a.txt", "two\n")
    work.write("git", bait.read_bytes())  # in our working folder
    (work.folder / "git").chmod(0o755)
    safe_config = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "filter.evil.clean=cat")
    work.git(*safe_config, "-c", "filter.evil.process=", "add", "--all")
    work.git(*safe_config, "-c", "filter.evil.process=", "commit", "--quiet", "-m", "Change a")
    (work.folder / "owned").unlink(missing_ok=True)
    work.monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    work.monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(bait))
    work.monkeypatch.setenv("GIT_PAGER", str(bait))
    work.monkeypatch.chdir(work.folder)
    (event,) = commits.digest(".")
    assert subjects([event]) == ["Add a", "Change a"]
    assert "-one\n+two\n" in event["commits"][1]["diff"]
    githooks.preview(".")
    note = commits.snapshot("post-commit", [], ".")
    assert note is not None
    assert commits.build_report(note, PROJECT).payloads
    _assert_nothing_ran(work)


def test_a_partial_clone_fetches_nothing(work: Repository, tmp_path: Path) -> None:
    """Git would fetch missing objects, with a transport chosen by the repository."""
    work.commit("a.txt", "one\n", "Add a")
    work.commit("a.txt", "two\n", "Change a")
    work.git("config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    work.git("clone", "--quiet", "--no-checkout", "--filter=blob:none", f"file://{work.folder}", str(partial))
    clone = Repository(partial, work.monkeypatch)
    clone.git("config", "remote.origin.url", f"ext::sh -c touch% {work.folder}/owned")
    clone.git("config", "protocol.ext.allow", "always")
    clone.git("config", "remote.origin.uploadpack", f"touch {work.folder}/owned;")
    (event,) = commits.digest(str(partial))
    assert subjects([event]) == ["Add a", "Change a"]
    assert event["commits"][1]["files"] == ["a.txt"]
    assert "diff" not in event["commits"][1]
    _assert_nothing_ran(work)


def test_time_and_output_are_bounded(work: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work.commit("large.txt", "".join(f"{number:09d}\n" for number in range(40_000)), "Add much\n\n" + "word " * 20_000)
    for number in range(700):
        work.write(f"{number:03d}-{'n' * 180}.txt", "x\n")
    work.commit("small.txt", "x\n", "Add many")
    (event,) = commits.digest(str(work.folder))
    large, many = event["commits"]
    assert len(large["diff"].encode()) <= 65_536
    assert large["diffTruncated"]
    assert large["insertions"] == 40_000
    assert len(large["message"].encode()) <= 32_768
    assert 300 < len(many["files"]) <= 500
    assert many["insertions"] == 701
    assert len(json.dumps(event)) < 1_300_000
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "git").write_text("#!/bin/sh\nsleep 3600 & wait\n")
    (tmp_path / "slow" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'slow'}:{os.environ['PATH']}")
    with pytest.raises(git.GitError, match="timed out"):
        git.run(["rev-parse"], folder=str(work.folder), seconds=0.3)


def test_remote_credentials_are_not_reported() -> None:
    expected = {
        "https://user:secret@example.com/a/b.git": "https://example.com/a/b.git",
        "https://ghp_abc@example.com:8443/a/b?token=x#y": "https://example.com:8443/a/b",
        "git@example.com:a/b.git": "ssh://example.com/a/b.git",
        "ssh://git@example.com:22/a/b": "ssh://example.com:22/a/b",
        "/home/mara/work": None,
        "file:///home/mara/work": None,
        "ext::sh -c touch% x": None,
        "https://[": None,
    }
    assert {url: gitrepository.public_url(url) for url in expected} == expected


def _assert_nothing_ran(work: Repository) -> None:
    assert not (work.folder / "owned").exists()


@pytest.mark.parametrize("name", ["shallow", "logs/HEAD"])
def test_a_pipe_instead_of_a_file_does_not_block(work: Repository, name: str) -> None:
    """Opening a pipe from a prepared archive would block forever."""
    work.commit("a.py", "a = 1\n", "Add a")
    path = work.folder / ".git" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    script = (
        "import sys; from loremark.hook import commits, gitrepository, link, spool\n"
        "link.resolve_repository(sys.argv[1]); commits.record_git_hook('post-commit', [], sys.argv[1])\n"
        "print(gitrepository.last_head_move(gitrepository.Repository(*[sys.argv[1] + '/.git'] * 2, '', ''), 'x'))"
    )
    command = [sys.executable, "-c", script, str(work.folder)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=15, env={**os.environ, "LOREMARK_DISABLED": ""}
    )
    assert (done.stdout, done.stderr) == ("('', '')\n", "")
