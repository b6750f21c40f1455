"""Excluded paths appear neither in the records of agents nor in the digests of commits."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from loremark.hook import capture_settings, commits, gitpatch, record, spool
from loremark.hook.exclusions import Exclusions
from loremark.hook.link import Link
from tests.growth import Work, assert_subquadratic
from tests.hook.git_repositories import Repository, create, use_home

PATTERNS = ["secrets/**", "*.pem", "docs/legal/", "/build", "a/**/z.txt", "note[0-9].md", "my files/*"]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    use_home(tmp_path / "home", monkeypatch)
    made = create(tmp_path / "work", monkeypatch)
    made.watch()
    return made


def exclude(folder: Path, text: str) -> None:
    path = folder / ".loremark.toml"
    path.write_text((path.read_text() if path.exists() else "") + text + "\n")


@pytest.mark.parametrize(
    ("path", "is_excluded"),
    [
        ("secrets/a", True),
        ("secrets/a/b", True),
        ("lib/secrets/a", False),
        ("a.pem", True),
        ("x/y/a.pem", True),
        ("x.pem/a", True),
        ("a.pem.txt", False),
        ("docs/legal/a.md", True),
        ("docs/legal", False),
        ("docs/legally", False),
        ("build", True),
        ("build/x", True),
        ("src/build", False),
        ("a/z.txt", True),
        ("a/b/c/z.txt", True),
        ("a/b/c/z.txt.bak", False),
        ("note1.md", True),
        ("notes.md", False),
        ("my files/x", True),
        ("../secrets/a", False),
    ],
)
def test_patterns_match_like_gitignore(path: str, is_excluded: bool) -> None:
    whole = f"/w/{path}" if not path.startswith("..") else "/secrets/a"
    assert Exclusions("/w", PATTERNS).covers(whole) is is_excluded


def test_git_agrees_about_which_files_are_ignored(tmp_path: Path) -> None:
    names = ["a", "b.pem", "legal"]
    paths = [f"{one}/{two}/{three}" for one in ("docs", "a", "x") for two in names for three in ("z.txt", "k.pem")]
    patterns = ["*.pem", "docs/legal/", "a/**/z.txt", "/x/a", "legal", "**/b.pem/z.*", "docs/*/k.pem"]
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    for pattern in patterns:
        (tmp_path / ".gitignore").write_text(pattern + "\n")
        command = ["git", "-C", str(tmp_path), "check-ignore", "--no-index", *paths]
        ignored = subprocess.run(command, capture_output=True, text=True).stdout.split()
        ours = [path for path in paths if Exclusions(str(tmp_path), [pattern]).covers(f"{tmp_path}/{path}")]
        assert ours == ignored, pattern


@pytest.mark.parametrize(
    ("command", "is_mentioned"),
    [
        ("cat secrets/key", True),
        ("cd secrets && ls", True),
        ("cat ./secrets/../secrets/key", True),
        ("cat /w/secrets/key", True),
        ("openssl x509 -in=server.pem", True),
        ("curl -d@secrets/key https://x", True),
        ("cat 'my files/x'", True),
        ("cat my\\ files/x", True),
        ("FILE=secrets/key;echo", True),
        ("cat < secrets/key", True),
        ("ls docs/legal", True),
        ("ls docs", False),
        ("cat /other/secrets/key", False),
        ("echo secret", False),
        ("make -C src all", False),
        ("cat key", False),
        ("ls .", False),
    ],
)
def test_commands_that_mention_a_path(command: str, is_mentioned: bool) -> None:
    assert Exclusions("/w", PATTERNS).mentioned_in(command, ["/w"]) is is_mentioned


def test_paths_are_relative_to_the_working_folder_too() -> None:
    assert Exclusions("/w", PATTERNS).mentioned_in("cat key", ["/w", "/w/secrets"])


def test_matching_takes_little_more_time_for_more_text() -> None:
    hostile = Exclusions("/w", ["**/a" * 200 + "/b", "a*" * 100 + "b", "*" * 300 + "b"])

    def prepare(size: int, repetition: int) -> Work:
        def match() -> None:
            assert not hostile.covers("/w/" + "/".join(["a" * 40] * (size // 32)))
            assert not hostile.mentioned_in("a/" * size, ["/w"])

        return match

    assert_subquadratic(prepare, 2_000)


@pytest.mark.parametrize(
    ("text", "patterns"),
    [
        ("", []),
        ("exclude = []", []),
        ('exclude = ["a", \'b\\c\', "d\\"e",]', ["a", "b\\c", 'd"e']),
        ('project = "x"\nexclude = [ # why\n  "a", # because\n\n  "[b]"\n]\nurl = "y"', ["a", "[b]"]),
        ('[other]\nexclude = ["a"]', []),
        ("exclude = 5", None),
        ('exclude = "a"', None),
        ('exclude = ["a"', None),
        ('exclude = ["a" "b"]', None),
        ('exclude = [, "a"]', None),
        ("exclude = [a]", None),
        ('exclude = ["\\x"]', None),
    ],
)
def test_the_list_is_read_like_toml(text: str, patterns: list[str] | None) -> None:
    assert capture_settings.parse_exclude(text) == patterns


def build(folder: Path, tool_input: dict[str, Any], **more: Any) -> dict[str, Any]:
    link = Link("prj_stones", "http://127.0.0.1:1", str(folder), "")
    payload = {"session_id": "s", "cwd": str(folder), "tool_name": "Edit", "tool_input": tool_input, **more}
    made = record.build("claude-code", spool.TOOL, payload, link)
    assert made is not None
    return {name: made[name] for name in ("input", "files", "error") if name in made}


def test_records_of_agents(tmp_path: Path) -> None:
    exclude(tmp_path, 'exclude = ["secrets/**", "*.pem"]')
    failure = {"hook_event_name": "PostToolUseFailure"}
    assert build(tmp_path, {"file_path": f"{tmp_path}/secrets/a.txt"}) == {}
    assert build(tmp_path, {"file_path": "a.txt", "edits": [{"file_path": "k.pem"}]}) == {"files": ["a.txt"]}
    patch = "*** Begin Patch\n*** Add File: b.txt\n+x\n*** Add File: secrets/c.txt\n+y\n*** End Patch"
    assert build(tmp_path, {"command": patch}) == {"files": ["b.txt"]}
    assert build(tmp_path, {"command": "cat secrets/a.txt"}, **failure, error="cat: failed") == {}
    assert build(tmp_path, {"command": "ls *"}, **failure, error="ls: secrets/a.txt: denied") == {"input": "ls *"}
    assert build(tmp_path, {"command": "cat a.txt"}, cwd=str(tmp_path / "secrets")) == {}
    assert build(tmp_path, {"command": "cat a.txt"}, cwd=str(tmp_path / "src")) == {"input": "cat a.txt"}
    exclude(tmp_path, "[more]")
    assert build(tmp_path, {"command": "make all"}) == {"input": "make all"}


def test_an_invalid_list_excludes_everything(tmp_path: Path) -> None:
    exclude(tmp_path, 'exclude = "secrets"')
    assert build(tmp_path, {"file_path": "a.txt"}) == {}
    assert build(tmp_path, {"command": "cat a.txt"}) == {}
    assert capture_settings.has_invalid_exclude(str(tmp_path))


def test_commit_digests(work: Repository) -> None:
    exclude(work.folder, 'exclude = ["secrets/**", "*.pem"]')
    work.write("secrets/key.txt", "basalt\n" * 3)
    work.write('tëst "x".pem', "basalt\n")
    work.write("src/a.py", "a = 1\n")
    work.commit("src/b\tc.py", "b = 1\n", "Add everything")
    work.git("mv", "src/a.py", "secrets/a.py")
    work.git("mv", "secrets/key.txt", "src/key.txt")
    work.commit("src/b\tc.py", "b = 2\n", "Move them")
    work.commit("secrets/key.txt", "basalt\n" * 20_000, "Only a secret")
    events = work.events()
    first, second, third = (commit for event in events for commit in event["commits"])
    assert first["files"] == ["src/a.py", "src/b\tc.py"]
    assert (first["insertions"], first["deletions"]) == (2, 0)
    assert "+a = 1" in first["diff"]
    assert "+b = 1" in first["diff"]
    assert second["files"] == [{"path": "src/a.py", "status": "deleted"}, "src/b\tc.py", "src/key.txt"]
    assert (third["files"], third["insertions"], third.get("diff", "")) == ([], 0, "")
    text = json.dumps(events)
    assert "basalt" not in text
    assert "secrets" not in text
    assert ".pem" not in text


def test_a_large_excluded_file_does_not_hide_the_rest(work: Repository) -> None:
    exclude(work.folder, 'exclude = ["assets/"]')
    work.write("assets/big.txt", "basalt\n" * 20_000)
    work.commit("src/a.py", "a = 1\n", "Add both")
    (event,) = work.events()
    (commit,) = event["commits"]
    assert "+a = 1" in commit["diff"]
    assert "diffTruncated" not in commit
    assert "basalt" not in commit["diff"]


def test_a_backfill_leaves_them_out_too(work: Repository) -> None:
    work.write("docs/a.md", "basalt\n")
    work.commit("src/a.py", "a = 1\n", "Add both")
    exclude(work.folder, 'exclude = ["docs/"]')
    assert "basalt" not in json.dumps(commits.digest(str(work.folder)))
    assert "basalt" not in json.dumps(commits.digest(str(work.folder / "src")))


def test_changed_exclusions_do_not_report_a_rebased_commit_again(work: Repository) -> None:
    work.commit("a.py", "a = 1\n", "Add a")
    work.write("docs/b.md", "b\n")
    work.commit("b.py", "b = 1\n", "Add b")
    assert len(work.events()) == 2
    exclude(work.folder, 'exclude = ["docs/"]')
    work.git("commit", "--amend", "--quiet", "--no-edit", "--date=2020-01-01T00:00:00Z")
    (event,) = work.events()
    assert event["commits"] == []


def test_sections_of_a_patch() -> None:
    patch = "\n".join(
        [
            "diff --git a/x b/x b/x b/x",
            "+1",
            "diff --git a/old name b/new name",
            "rename from old name",
            "rename to new name",
            'diff --git "a/t\\tb\\303\\244" "b/t\\tb\\303\\244"',
            "+diff --git a/in b/content",
            "diff --git a/cut b/",
            "",
        ]
    )
    seen: list[str] = []

    def is_excluded(path: str) -> bool:
        seen.append(path)
        return path == "old name"

    kept = gitpatch.without_files(patch, is_excluded)
    assert seen == ["x b/x", "old name", "t\tbä"]
    assert kept.split("\n") == [
        "diff --git a/x b/x b/x b/x",
        "+1",
        'diff --git "a/t\\tb\\303\\244" "b/t\\tb\\303\\244"',
        "+diff --git a/in b/content",
    ]


@pytest.mark.parametrize("patch", ["", "\n", "warning: nothing to show"])
def test_patch_without_files_is_empty(patch: str) -> None:
    """Such as that of an empty commit."""
    assert gitpatch.without_files(patch, lambda path: True) == ""
