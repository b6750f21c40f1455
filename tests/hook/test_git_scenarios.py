"""Repository scenarios: whatever happens to the history, each change is reported once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loremark.hook import commits, githooks, gitledger
from loremark.memory.extraction.commit_parser import parse_commits
from tests.hook.git_repositories import PROJECT, Repository, create, subjects, use_home

SIXTY = "".join(f"line {number}\n" for number in range(60))


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    use_home(tmp_path / "home", monkeypatch)
    made = create(tmp_path / "work", monkeypatch)
    made.watch()
    return made


def test_commits_are_reported_with_their_files(work: Repository) -> None:
    root = work.commit("src/old.py", SIXTY, "feat: begin\n\nIt begins here.")
    work.write("src/gone.py", "x = 1\n")
    work.commit("logo.bin", bytes(range(256)), "Add a picture")
    (work.folder / "src/gone.py").unlink()
    work.git("mv", "src/old.py", "src/new.py")
    last = work.commit("src/new.py", SIXTY + "more\n", "refactor: rename\n\npassword = 'hunter2-Xy9!pq'")
    events = work.events()
    assert all(event["source"] == f"git:{root}" and event["branch"] == "main" for event in events)
    assert [event["baseCommitSha"] for event in events] == [None, *(event["headCommitSha"] for event in events[:-1])]
    assert events[-1]["headCommitSha"] == last
    assert not any("defaultBranch" in event for event in events)
    (one,), (two,), (three,) = (event["commits"] for event in events)
    assert one | {"date": "", "diff": ""} == {
        "sha": root,
        "message": "feat: begin\n\nIt begins here.",
        "author": "Mara",
        "date": "",
        "files": ["src/old.py"],
        "insertions": 60,
        "deletions": 0,
        "diff": "",
    }
    assert "+line 59\n" in one["diff"]
    assert "index " not in one["diff"]
    assert two["files"] == ["logo.bin", "src/gone.py"]
    assert "Binary files" in two["diff"]
    assert three["files"] == [
        {"path": "src/gone.py", "status": "deleted"},
        {"path": "src/new.py", "status": "renamed", "oldPath": "src/old.py"},
    ]
    assert "hunter2" not in json.dumps(events)
    (read,) = parse_commits(events[2])  # as the server reads it
    assert {file.path: file.deleted for file in read.files} == {
        "src/gone.py": True,
        "src/old.py": True,
        "src/new.py": False,
    }
    assert work.events() == []


def test_an_amended_commit_reports_only_what_is_new(work: Repository) -> None:
    work.commit("a.py", "a = 1\n", "Add a")
    old = work.commit("b.py", "b = 1\n", "Add b")
    assert subjects(work.events()) == ["Add a", "Add b"]
    work.git("commit", "--amend", "--quiet", "--no-edit", "--date=2020-01-01T00:00:00Z")
    (event,) = work.events()
    assert event["commits"] == []
    assert event["rewritten"] == [{"old": old, "new": work.head}]
    work.git("commit", "--amend", "--quiet", "-m", "Add b, because a needs it")
    (event,) = work.events()
    (commit,) = event["commits"]
    assert commit["message"] == "Add b, because a needs it"
    assert "diff" not in commit  # the message is new, the change is not
    work.write("b.py", "b = 2\n")
    work.git("commit", "--amend", "--quiet", "--all", "--no-edit")
    (event,) = work.events()
    assert "+b = 2" in event["commits"][0]["diff"]


def _branched(work: Repository) -> None:
    work.commit("base.py", SIXTY, "Begin")
    work.git("checkout", "--quiet", "-b", "feature")
    for name in ("one", "two", "three"):
        work.commit(f"{name}.py", f"{name} = 1\n", f"Add {name}")
    work.git("checkout", "--quiet", "main")
    work.commit("base.py", SIXTY.replace("line 5\n", "line five\n"), "Five in words")
    work.git("checkout", "--quiet", "feature")
    events = work.events()  # the hooks run late but still know their HEAD
    assert subjects(events) == ["Begin", "Add one", "Add two", "Add three", "Five in words"]
    assert [event["branch"] for event in events] == ["main", *["feature"] * 3, "main"]


def test_a_rebase_and_a_squash_report_nothing_twice(work: Repository) -> None:
    _branched(work)
    work.git("rebase", "--quiet", "main")
    (event,) = work.events()
    assert event["commits"] == []
    assert len(event["rewritten"]) == 3
    sequence = "sed -i -e 2,3s/pick/squash/"
    work.git("rebase", "--quiet", "-i", "main", GIT_SEQUENCE_EDITOR=sequence, GIT_EDITOR="true")
    (event,) = work.events()
    assert event["commits"] == []
    assert [pair["new"] for pair in event["rewritten"]] == [work.head] * 3
    work.git("commit", "--amend", "--quiet", "-m", "Numbers, since the report needs them")
    assert subjects(work.events()) == ["Numbers, since the report needs them"]
    work.commit("four.py", "four = 1\n", "Add four")
    assert subjects(work.events()) == ["Add four"]


def test_a_rebase_without_its_hook_is_recognized_by_its_changes(work: Repository) -> None:
    _branched(work)
    (work.folder / ".git/hooks/post-rewrite").unlink()
    tips = gitledger.load(gitledger.ledger_name(work.git("rev-list", "--max-parents=0", "HEAD"), PROJECT)).tips
    work.git("rebase", "--quiet", "main")
    work.git("reflog", "expire", "--expire=now", "--all")
    work.git("gc", "--quiet", "--prune=now")
    assert tips  # one of them no longer exists
    work.commit("five.py", "five = 1\n", "Add five")
    events = work.events()
    assert subjects(events) == ["Add five"]


def test_the_same_change_twice_in_one_history_is_reported_twice(work: Repository) -> None:
    for content in ("on\n", "off\n", "on\n", "off\n"):
        work.commit("switch", content, f"Switch {content.strip()}")
        work.events()
    name = gitledger.ledger_name(work.git("rev-list", "--max-parents=0", "HEAD"), PROJECT)
    assert len(gitledger.load(name).reported) == 4
    work.commit("switch", "on\n", "Switch on")
    assert subjects(work.events()) == ["Switch on"]


def test_cherry_picks_and_merges_are_not_reported_twice(work: Repository) -> None:
    work.commit("base.py", SIXTY, "Begin")
    work.events()
    work.git("checkout", "--quiet", "-b", "feature")
    picked = work.commit("one.py", "one = 1\n", "Add one")
    work.commit("two.py", "two = 1\n", "Add two")
    assert subjects(work.events()) == ["Add one", "Add two"]
    work.git("checkout", "--quiet", "main")
    work.git("cherry-pick", "-x", picked)
    (event,) = work.events()
    assert event["commits"] == []
    assert event["repeated"] == [{"old": picked, "new": work.head}]
    work.git("merge", "--quiet", "--no-ff", "-m", "Merge branch 'feature'", "feature")
    (event,) = work.events()
    (merge,) = event["commits"]
    assert merge["files"] == ["two.py"]
    assert "diff" not in merge  # already reported by its commits
    assert event["mergedBranches"] == ["feature"]
    work.git("checkout", "--quiet", "-b", "quick")
    work.commit("three.py", "three = 1\n", "Add three")
    assert subjects(work.events()) == ["Add three"]
    work.git("checkout", "--quiet", "main")
    work.git("merge", "--quiet", "--ff-only", "quick")
    (event,) = work.events()
    assert (event["branch"], event["commits"], event["mergedBranches"]) == ("main", [], ["quick"])
    assert event["headCommitSha"] == work.head


def test_merging_an_old_branch_reports_only_the_merge(work: Repository) -> None:
    work.commit("a.py", "a = 1\n", "Add a")
    work.git("checkout", "--quiet", "-b", "early")
    work.commit("b.py", "b = 1\n", "Add b")
    work.git("checkout", "--quiet", "main")
    githooks.install(str(work.folder))
    work.watch()
    (work.folder.parent / "home" / "hooks").rename(work.folder.parent / "forgotten")
    work.git("merge", "--quiet", "--ff-only", "early")
    (event,) = work.events()
    assert (event["commits"], event["mergedBranches"], event["headCommitSha"]) == ([], ["early"], work.head)


def test_pulled_commits_are_reported_by_first_parent(work: Repository, tmp_path: Path) -> None:
    work.commit("base.py", SIXTY, "Begin")
    work.git("clone", "--quiet", str(work.folder), str(tmp_path / "clone"))
    clone = Repository(tmp_path / "clone", work.monkeypatch)
    clone.watch()
    clone.write(".git/info/exclude", "/.loremark.toml\n")
    clone.link()
    work.events()
    work.git("checkout", "--quiet", "-b", "side")
    (work.folder / ".git/hooks/post-commit").unlink()  # someone without our hooks
    work.commit("side.py", "side = 1\n", "On the side")
    work.git("checkout", "--quiet", "main")
    work.git("merge", "--quiet", "--no-ff", "-m", "Merge branch 'side'", "side")
    work.events()
    clone.commit("mine.py", "mine = 1\n", "Mine")
    clone.git("pull", "--quiet", "--no-rebase", "--no-edit")
    events = clone.events()
    assert subjects(events) == ["Mine", f"Merge branch 'main' of {work.folder}"]
    assert "+side = 1" in events[-1]["commits"][-1]["diff"]  # not reported before
    assert events[-1]["defaultBranch"] == "main"
    assert "remote" not in events[-1]["repo"]  # a local path


def test_worktrees_share_the_ledger_and_a_detached_head_has_no_branch(work: Repository, tmp_path: Path) -> None:
    work.commit("a.py", "a = 1\n", "Add a")
    work.events()
    work.git("worktree", "add", "--quiet", "-b", "beside", str(tmp_path / "beside"))
    beside = Repository(tmp_path / "beside", work.monkeypatch)
    beside.write(".loremark.toml", f'project = "{PROJECT}"\n')
    beside.commit("b.py", "b = 1\n", "Add b")
    (event,) = beside.events()
    assert (event["branch"], subjects([event])) == ("beside", ["Add b"])
    work.git("merge", "--quiet", "beside")
    assert subjects(work.events()) == []
    work.git("checkout", "--quiet", "--detach")
    work.commit("c.py", "c = 1\n", "Add c")
    (event,) = work.events()
    assert "branch" not in event
    assert subjects([event]) == ["Add c"]


def test_unrecorded_reports_are_repeated_identically(work: Repository) -> None:
    """If the flusher is killed in between, the server recognizes the second event by its content."""
    sha = work.commit("a.py", "a = 1\n", "Add a")
    notes = commits.snapshot("post-commit", [], str(work.folder))
    assert notes is not None
    first = commits.build_report(notes, PROJECT)
    work.commit("b.py", "b = 1\n", "Add b")
    again = commits.build_report(notes, PROJECT)
    assert again == first
    assert subjects(first.payloads) == ["Add a"]
    commits.mark_reported(again)
    assert commits.build_report(notes, PROJECT).payloads == []
    assert commits.build_report(notes, "prj_other") == first._replace(
        ledger=commits.build_report(notes, "prj_other").ledger
    )
    assert commits.build_report({**notes, "head": "0" * 40}, PROJECT).payloads == []
    assert commits.build_report({**notes, "gitdir": "/nowhere"}, PROJECT).payloads == []
    assert first.head == sha


def test_hooks_can_run_out_of_order(work: Repository) -> None:
    notes = []
    for name in ("a", "b", "c"):
        work.commit(f"{name}.py", f"{name} = 1\n", f"Add {name}")
        notes.append(commits.snapshot("post-commit", [], str(work.folder)))
    reports = []
    for one in (notes[1], notes[0], notes[2]):
        assert one is not None
        made = commits.build_report(one, PROJECT)
        commits.mark_reported(made)
        reports.append((subjects(made.payloads), made.head))
    heads = [one["head"] for one in notes if one is not None]
    assert reports == [(["Add a", "Add b"], heads[1]), ([], heads[1]), (["Add c"], heads[2])]


def test_other_kinds_of_repositories(work: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        work.commit("a.py", f"a = {number}\n", f"Set {number}")
    work.git("clone", "--quiet", "--depth=2", f"file://{work.folder}", str(tmp_path / "shallow"))
    first, second = commits.digest(str(tmp_path / "shallow"))[0]["commits"]
    assert (first["message"], first["files"], "diff" in first) == ("Set 2", [], False)  # its change is unknown
    assert (second["message"], second["files"], second["insertions"]) == ("Set 3", ["a.py"], 1)
    large = create(tmp_path / "large", monkeypatch, "--object-format=sha256")
    sha = large.commit("a.py", "a = 1\n", "Add a")
    assert len(sha) == 64
    (event,) = commits.digest(str(tmp_path / "large"))
    assert (event["source"], event["commits"][0]["sha"]) == (f"git:{sha}", sha)
    whole = create(tmp_path / "whole", monkeypatch)
    whole.commit("a.py", "a = 1\n", "Add a")
    whole.git("submodule", "--quiet", "add", str(work.folder), "part")
    whole.commit("b.py", "b = 1\n", "Add b and a part")
    (event,) = commits.digest(str(whole.folder))
    assert event["commits"][1]["files"] == [".gitmodules", "b.py"]
    assert "Subproject" not in event["commits"][1]["diff"]
    (event,) = commits.digest(str(whole.folder / "part"))  # here, .git is a file
    assert len(event["commits"]) == 4


def test_decision_records_are_reported_as_the_last_commit_of_the_event_left_them(work: Repository) -> None:
    path = "docs/adr/0001-queue.md"
    work.commit("readme.md", "hello\n", "Begin")
    work.commit(path, "# Use a queue\n\npassword = 'hunter2-Xy9!pq'\n", "docs: decide")
    work.commit("docs/adr.md", "not a record\n", "docs: overview")
    _, decision, overview = work.events()
    assert "decisionRecords" not in overview
    decided = decision["decisionRecords"]
    assert [(record["path"], record["commit"]) for record in decided] == [(path, decided[0]["commit"])]
    assert decided[0]["content"].startswith("# Use a queue")
    assert "hunter2" not in decided[0]["content"]
    work.git("rm", "--quiet", path)
    work.git("commit", "--quiet", "-m", "Drop it")
    assert "decisionRecords" not in work.events()[0]
