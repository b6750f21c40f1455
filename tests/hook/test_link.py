"""Which project a folder belongs to: clones, worktrees, renames, and repositories that mean ill."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from loremark.hook import gathering, link, place, spool
from tests.hook.desk import Desk


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def started(folder: Path, message: str) -> Path:
    """A repository with one commit."""
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return folder


@pytest.fixture
def linked(here: Desk, tmp_path: Path) -> Path:
    """A repository below the home with one commit, linked without a file in it."""
    folder = started(here.home / "repository", "First")
    assert link.save_link(str(folder), "prj_stones", here.url).root
    (folder / ".loremark.toml").unlink()
    return folder


def test_a_file_above_links_and_a_nearer_one_wins(here: Desk) -> None:
    inner = here.folder / "a" / "b"
    inner.mkdir(parents=True)
    assert link.find_link(str(inner)) == link.Link("prj_stones", here.url, str(here.folder.resolve()), "")
    here.link("prj_other", here.folder / "a")
    (here.folder / "a" / ".loremark.toml").write_text(
        f"# ours\nproject = 'prj_other' # that\nurl = \"{here.url}/\"\n[x]\n"
    )
    found = link.find_link(str(inner))
    assert found is not None
    assert (found.project, Path(found.folder).name) == ("prj_other", "a")
    # Not above the home.
    here.link("prj_stones", here.home.parent)
    assert link.find_link(str(here.home)) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('project = "prj_stones"\nurl = "https://evil.example.com"\n', "another server"),
        ('project = "../../etc"\n', "no project"),
        ('project = "a\\r\\nX-Header: b"\n', "no project"),
        ('[table]\nproject = "prj_stones"\n', "no project"),
        ("project = 5\n", "no project"),
        ("\0" * 100, "no project"),
        ("x" * 100_000, "no plain file"),
    ],
)
def test_a_hostile_file_links_nothing(here: Desk, text: str, why: str) -> None:
    (here.folder / ".loremark.toml").write_text(text)
    found, reason = link.look(str(here.folder))
    assert found is None
    assert why in reason


def test_a_pipe_or_a_link_in_its_place_holds_nothing_up(here: Desk) -> None:
    path = here.folder / ".loremark.toml"
    path.unlink()
    os.mkfifo(path)
    assert link.look(str(here.folder))[0] is None
    path.unlink()
    (here.home / "other.toml").write_text('project = "prj_stones"\n')
    path.symlink_to(here.home / "other.toml")
    assert link.look(str(here.folder))[0] is None


def test_saving_keeps_every_other_line(here: Desk) -> None:
    path = here.folder / ".loremark.toml"
    path.write_text('# a comment\nproject = "prj_old"\nurl = "http://old"\nother = 1\n[table]\nproject = "stays"\n')
    link.save_link(str(here.folder), "prj_new", here.url + "/")
    assert path.read_text() == (
        f'project = "prj_new"\nurl = "{here.url}"\n# a comment\nother = 1\n[table]\nproject = "stays"\n'
    )
    with pytest.raises(ValueError, match="project"):
        link.save_link(str(here.folder), "no project", here.url)


def test_a_repository_is_known_by_its_root_commit_wherever_it_lies(here: Desk, linked: Path) -> None:
    assert link.find_link(str(linked)) is not None
    # A worktree shares what is known of its repository; no git is needed for that.
    git(linked, "worktree", "add", "-q", "-b", "side", str(here.home / "side"))
    found = link.find_link(str(here.home / "side"))
    assert found is not None
    assert (found.project, Path(found.folder).name) == ("prj_stones", "side")
    assert place.branch_of(str(here.home / "side")) == "side"
    # A clone, and a folder that was renamed, are not known at first; the flusher finds out.
    git(here.home, "clone", "-q", str(linked), str(here.home / "clone"))
    linked.rename(here.home / "renamed")
    for name in ("clone", "renamed"):
        folder = str(here.home / name)
        assert link.look(folder) == (None, link.UNKNOWN_PLACE)
        spool.put({"kind": spool.PLACE, "folder": folder})
        gathering.gather()
        found = link.find_link(folder)
        assert found is not None
        assert found.project == "prj_stones"
    # Another repository is asked about once; that it was linked by one of its copies is seen at once.
    other = started(here.home / "another", "Another")
    link.remember_place(str(other))
    assert link.look(str(other)) == (None, "not linked to a project")
    git(here.home, "clone", "-q", str(other), str(here.home / "copy"))
    link.save_link(str(here.home / "copy"), "prj_other", here.url)
    found = link.find_link(str(other))
    assert found is not None
    assert found.project == "prj_other"
    links = here.home / ".config" / "loremark" / "links.json"
    # The server that the link was made for is not the one signed in to: nothing goes there.
    links.write_text(
        json.dumps({row: {"project": "prj_x", "url": "http://e"} for row in json.loads(links.read_text())})
    )
    assert link.find_link(str(here.home / "clone")) is None


def test_a_file_of_somebody_else_joins_nobody_to_a_project(here: Desk, linked: Path) -> None:
    """A hostile clone names a project this person may read: no briefing goes in, nothing said there goes out."""
    hostile = started(here.home / "hostile", "A trap")
    for folder in (hostile, here.home / "unpacked"):
        folder.mkdir(exist_ok=True)
        (folder / ".loremark.toml").write_text('project = "prj_stones"\n')
        for _ in range(2):  # not known at first, and not trusted when it is
            found, why = link.look(str(folder))
            assert found is None
            link.remember_place(str(folder))
        assert why == link.UNCONFIRMED
        assert "loremark init" in why
        for event in ("SessionStart", "UserPromptSubmit", "Stop"):
            told = {"prompt": "Why?", "last_assistant_message": "So.", "source": "startup"}
            assert here.hook({**here.claude(event, **told), "cwd": str(folder)}) == b""
        assert spool.list_names() == []
        assert not (here.home / ".cache").exists()
    # It counts from the moment that the person says so, for its copies as well, and for no other project.
    link.save_link(str(hostile), "prj_stones", here.url)
    git(here.home, "clone", "-q", str(hostile), str(here.home / "copy"))
    (here.home / "copy" / ".loremark.toml").write_text('project = "prj_stones"\n')
    link.remember_place(str(here.home / "copy"))
    for name in ("hostile", "copy"):
        assert link.find_link(str(here.home / name)) is not None
        (here.home / name / ".loremark.toml").write_text('project = "prj_other"\n')
        assert link.look(str(here.home / name)) == (None, link.UNCONFIRMED)


def test_a_repository_in_the_place_of_another_is_not_the_same(here: Desk, linked: Path) -> None:
    assert link.find_link(str(linked)) is not None
    shutil.rmtree(linked)
    started(linked, "Another one")
    assert link.look(str(linked)) == (None, link.UNKNOWN_PLACE)
    link.remember_place(str(linked))
    assert link.look(str(linked)) == (None, "not linked to a project")
    # Nor is one whose .git only points to a repository that is linked.
    own = started(here.home / "own", "Own")
    link.save_link(str(own), "prj_stones", here.url)
    git(own, "worktree", "add", "-q", "-b", "side", str(here.home / "side"))
    for number, told in enumerate((own / ".git", own / ".git" / "worktrees" / "side")):
        thief = here.home / f"thief-{number}"
        thief.mkdir()
        (thief / ".git").write_text(f"gitdir: {told}\n")
        (thief / ".loremark.toml").write_text('project = "prj_stones"\n')
        link.remember_place(str(thief))
        assert link.look(str(thief)) == (None, link.UNCONFIRMED)
    assert link.find_link(str(here.home / "side")) is not None
    # Nor one whose git folder calls the linked repository its own: as a link, by a file, or by way of a worktree.
    for way in ("link", "folder", "worktree"):
        thief = here.home / f"claimant-{way}"
        thief.mkdir()
        inner = thief / ("inner" if way == "worktree" else ".git")
        if way == "link":
            inner.symlink_to(own / ".git")
        else:
            inner.mkdir()
            (inner / "HEAD").write_text("ref: refs/heads/main\n")
            (inner / "commondir").write_text("../../own/.git\n")
        if way == "worktree":
            (thief / ".git").write_text("gitdir: inner\n")
            (inner / "gitdir").write_text(f"{thief}/.git\n")
        link.remember_place(str(thief))
        assert link.find_link(str(thief)) is None, way


def shallow_clone(origin: Path, folder: Path) -> Path:
    """A clone of the newest commit alone, of a repository that has more of them."""
    git(origin, "clone", "-q", "--depth=1", f"file://{origin}", str(folder))
    git(folder, "config", "remote.origin.url", "https://git.example.com/acme/stones.git")
    return folder


def test_a_shallow_clone_is_known_by_its_place_alone(here: Desk) -> None:
    """Its first commit is not there, and what it says of its origin is what its own configuration says."""
    origin = started(here.home / "origin", "First")
    git(origin, "commit", "-q", "--allow-empty", "-m", "Second")
    clone = shallow_clone(origin, here.home / "clone")
    assert link.save_link(str(clone), "prj_stones", here.url).root == ""
    assert link.look(str(clone))[1] == ""
    found = link.find_link(str(clone))
    assert found is not None
    assert found.project == "prj_stones"
    # An unpacked archive with a history of its own, that names the same origin and calls itself shallow.
    hostile = started(here.home / "hostile", "A trap")
    git(hostile, "config", "remote.origin.url", "https://git.example.com/acme/stones.git")
    git(hostile, "commit", "-q", "--allow-empty", "-m", "Second")
    (hostile / ".git" / "shallow").write_text(git(hostile, "rev-parse", "HEAD") + "\n")
    # Another clone asks to be linked as well: nothing tells it from the archive.
    second = shallow_clone(origin, here.home / "second")
    for folder in (hostile, second):
        link.remember_place(str(folder))
        assert link.look(str(folder)) == (None, "not linked to a project")
        (folder / ".loremark.toml").write_text('project = "prj_stones"\n')
        assert link.look(str(folder)) == (None, link.UNCONFIRMED)
        assert here.hook({**here.claude("UserPromptSubmit", prompt="Why?"), "cwd": str(folder)}) == b""
        assert spool.list_names() == []
    link.save_link(str(second), "prj_stones", here.url)
    assert link.find_link(str(second)) is not None
    # When the rest of its history has come, it is known by its first commit, and so are others.
    git(second, "fetch", "-q", "--unshallow", f"file://{origin}")
    link.remember_place(str(second))
    found = link.find_link(str(second))
    assert found is not None
    assert found.root
    link.remember_place(str(origin))
    assert link.find_link(str(origin)) is not None
    # What is put in the place of the linked one is not linked, whatever it says.
    shutil.rmtree(clone)
    hostile.rename(clone)
    for _ in range(2):
        assert link.find_link(str(clone)) is None
        link.remember_place(str(clone))
    shutil.rmtree(clone / ".git")
    assert link.find_link(str(clone)) is None


def test_what_was_linked_by_its_origin_once_is_to_be_linked_again(here: Desk) -> None:
    origin = started(here.home / "origin", "First")
    git(origin, "commit", "-q", "--allow-empty", "-m", "Second")
    clone = shallow_clone(origin, here.home / "clone")
    link.remember_place(str(clone))
    name = f"shallow-{'a' * 40}"
    for table in (here.home / ".config" / "loremark" / "links.json", here.home / ".local/state/loremark/places.json"):
        kept = json.loads(table.read_text())
        row = kept.get(str(clone / ".git"), {"project": "prj_stones", "url": here.url})
        kept[name if "project" in row else str(clone / ".git")] = {**row, "root": name}
        table.write_text(json.dumps(kept))
    assert link.look(str(clone)) == (None, link.UNKNOWN_PLACE)
    link.remember_place(str(clone))
    assert link.look(str(clone)) == (None, "not linked to a project")
    link.save_link(str(clone), "prj_stones", here.url)
    assert link.find_link(str(clone)) is not None


def test_a_first_commit_that_is_only_claimed_is_none(here: Desk, linked: Path) -> None:
    """Whoever knows its name can write a history that ends there; the commit itself they do not have."""
    root = link.root_commit(str(linked))
    hostile = started(here.home / "hostile", "A trap")
    objects = hostile / ".git" / "objects"
    own = git(hostile, "rev-parse", "HEAD")
    (objects / root[:2]).mkdir(exist_ok=True)
    shutil.copy(objects / own[:2] / own[2:], objects / root[:2] / root[2:])
    forged = git(hostile, "commit-tree", git(hostile, "write-tree"), "-p", root, "-m", "Ours")
    (hostile / ".git" / "refs" / "heads" / "main").write_text(forged + "\n")
    assert git(hostile, "rev-list", "--max-parents=0", "HEAD") == root, "git's walk believes it"
    link.remember_place(str(hostile))
    assert link.look(str(hostile)) == (None, "not linked to a project")


def test_what_was_linked_before_its_first_commit_is_known_by_it_afterwards(here: Desk) -> None:
    folder = here.home / "fresh"
    folder.mkdir()
    link.save_link(str(folder), "prj_stones", here.url)
    git(folder, "init", "-q", "-b", "main")
    assert link.find_link(str(folder)) is not None, "linked before it was a repository"
    link.remember_place(str(folder))
    git(folder, "commit", "-q", "--allow-empty", "-m", "First")
    found, why = link.look(str(folder))
    assert (found is not None, why) == (True, link.UNKNOWN_PLACE), "it counts, and is looked at once more"
    assert here.hook({**here.claude("UserPromptSubmit", prompt="Why?"), "cwd": str(folder)}) == b""
    assert {spool.kind_of(name) for name in spool.list_names()} >= {spool.PROMPT}
    link.remember_place(str(folder))
    assert link.look(str(folder))[1] == ""
    git(here.home, "clone", "-q", str(folder), str(here.home / "copy"))
    link.remember_place(str(here.home / "copy"))
    assert link.find_link(str(here.home / "copy")) is not None
