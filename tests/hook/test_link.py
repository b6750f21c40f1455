"""Link folders to projects: clones, worktrees, renamed folders, and malicious repositories."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from loremark.hook import batching, gitpaths, link, spool
from tests.hook.machine import Machine


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def create_repository(folder: Path, message: str) -> Path:
    """Create a repository with one commit."""
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return folder


@pytest.fixture
def linked(local_machine: Machine, tmp_path: Path) -> Path:
    """A repository in home with one commit, linked without a .loremark.toml."""
    folder = create_repository(local_machine.home / "repository", "First")
    assert link.save_link(str(folder), "prj_stones", local_machine.url).root
    (folder / ".loremark.toml").unlink()
    return folder


def test_the_nearest_file_wins(local_machine: Machine) -> None:
    inner = local_machine.folder / "a" / "b"
    inner.mkdir(parents=True)
    assert link.find_link(str(inner)) == link.Link(
        "prj_stones", local_machine.url, str(local_machine.folder.resolve()), ""
    )
    local_machine.link("prj_other", local_machine.folder / "a")
    (local_machine.folder / "a" / ".loremark.toml").write_text(
        f"# ours\nproject = 'prj_other' # that\nurl = \"{local_machine.url}/\"\n[x]\n"
    )
    found = link.find_link(str(inner))
    assert found is not None
    assert (found.project, Path(found.folder).name) == ("prj_other", "a")
    # Files above home are ignored.
    local_machine.link("prj_stones", local_machine.home.parent)
    assert link.find_link(str(local_machine.home)) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('project = "prj_stones"\nurl = "https://evil.example.com"\n', "different server"),
        ('project = "../../etc"\n', "does not name a project"),
        ('project = "a\\r\\nX-Header: b"\n', "does not name a project"),
        ('[table]\nproject = "prj_stones"\n', "does not name a project"),
        ("project = 5\n", "does not name a project"),
        ("\0" * 100, "does not name a project"),
        ("x" * 100_000, "not a regular file"),
    ],
)
def test_a_hostile_file_links_nothing(local_machine: Machine, text: str, expected: str) -> None:
    (local_machine.folder / ".loremark.toml").write_text(text)
    found, reason = link.resolve_link(str(local_machine.folder))
    assert found is None
    assert expected in reason


def test_a_pipe_or_symlink_instead_of_the_file_does_not_block(local_machine: Machine) -> None:
    path = local_machine.folder / ".loremark.toml"
    path.unlink()
    os.mkfifo(path)
    assert link.resolve_link(str(local_machine.folder))[0] is None
    path.unlink()
    (local_machine.home / "other.toml").write_text('project = "prj_stones"\n')
    path.symlink_to(local_machine.home / "other.toml")
    assert link.resolve_link(str(local_machine.folder))[0] is None


def test_saving_keeps_every_other_line(local_machine: Machine) -> None:
    path = local_machine.folder / ".loremark.toml"
    path.write_text('# a comment\nproject = "prj_old"\nurl = "http://old"\nother = 1\n[table]\nproject = "stays"\n')
    link.save_link(str(local_machine.folder), "prj_new", local_machine.url + "/")
    assert path.read_text() == (
        f'project = "prj_new"\nurl = "{local_machine.url}"\n# a comment\nother = 1\n[table]\nproject = "stays"\n'
    )
    with pytest.raises(ValueError, match="project"):
        link.save_link(str(local_machine.folder), "no project", local_machine.url)


def test_a_repository_is_identified_by_its_root_commit(local_machine: Machine, linked: Path) -> None:
    assert link.find_link(str(linked)) is not None
    # A worktree shares its repository's cache entry, without running git.
    git(linked, "worktree", "add", "-q", "-b", "side", str(local_machine.home / "side"))
    found = link.find_link(str(local_machine.home / "side"))
    assert found is not None
    assert (found.project, Path(found.folder).name) == ("prj_stones", "side")
    assert gitpaths.current_branch(str(local_machine.home / "side")) == "side"
    # Clones and renamed folders are unknown until the flusher resolves them.
    git(local_machine.home, "clone", "-q", str(linked), str(local_machine.home / "clone"))
    linked.rename(local_machine.home / "renamed")
    for name in ("clone", "renamed"):
        folder = str(local_machine.home / name)
        assert link.resolve_link(folder) == (None, link.UNRESOLVED)
        spool.put({"kind": spool.UNRESOLVED_FOLDER, "folder": folder})
        batching.build_batches()
        found = link.find_link(folder)
        assert found is not None
        assert found.project == "prj_stones"
    # Another repository is resolved once; linking any of its copies takes effect right away.
    other = create_repository(local_machine.home / "another", "Another")
    link.resolve_repository(str(other))
    assert link.resolve_link(str(other)) == (None, "not linked to a project")
    git(local_machine.home, "clone", "-q", str(other), str(local_machine.home / "copy"))
    link.save_link(str(local_machine.home / "copy"), "prj_other", local_machine.url)
    found = link.find_link(str(other))
    assert found is not None
    assert found.project == "prj_other"
    links = local_machine.home / ".config" / "loremark" / "links.json"
    # A link for a different server is ignored.
    links.write_text(
        json.dumps({row: {"project": "prj_x", "url": "http://e"} for row in json.loads(links.read_text())})
    )
    assert link.find_link(str(local_machine.home / "clone")) is None


def test_an_untrusted_file_links_nothing(local_machine: Machine, linked: Path) -> None:
    """A malicious clone names a project that the user can read: no briefing is injected and nothing is captured."""
    hostile = create_repository(local_machine.home / "hostile", "A trap")
    for folder in (hostile, local_machine.home / "unpacked"):
        folder.mkdir(exist_ok=True)
        (folder / ".loremark.toml").write_text('project = "prj_stones"\n')
        for _ in range(2):  # unknown at first, then known but not trusted
            found, reason = link.resolve_link(str(folder))
            assert found is None
            link.resolve_repository(str(folder))
        assert reason == link.UNCONFIRMED
        assert "loremark init" in reason
        for event in ("SessionStart", "UserPromptSubmit", "Stop"):
            fields = {"prompt": "Why?", "last_assistant_message": "So.", "source": "startup"}
            assert local_machine.hook({**local_machine.claude(event, **fields), "cwd": str(folder)}) == b""
        assert spool.list_names() == []
        assert not (local_machine.home / ".cache").exists()
    # Once the user confirms it, it also counts for copies, but not for other projects.
    link.save_link(str(hostile), "prj_stones", local_machine.url)
    git(local_machine.home, "clone", "-q", str(hostile), str(local_machine.home / "copy"))
    (local_machine.home / "copy" / ".loremark.toml").write_text('project = "prj_stones"\n')
    link.resolve_repository(str(local_machine.home / "copy"))
    for name in ("hostile", "copy"):
        assert link.find_link(str(local_machine.home / name)) is not None
        (local_machine.home / name / ".loremark.toml").write_text('project = "prj_other"\n')
        assert link.resolve_link(str(local_machine.home / name)) == (None, link.UNCONFIRMED)


def test_a_replaced_repository_is_not_linked(local_machine: Machine, linked: Path) -> None:
    assert link.find_link(str(linked)) is not None
    shutil.rmtree(linked)
    create_repository(linked, "Another one")
    assert link.resolve_link(str(linked)) == (None, link.UNRESOLVED)
    link.resolve_repository(str(linked))
    assert link.resolve_link(str(linked)) == (None, "not linked to a project")
    # Nor is a folder whose .git file points to a linked repository.
    own = create_repository(local_machine.home / "own", "Own")
    link.save_link(str(own), "prj_stones", local_machine.url)
    git(own, "worktree", "add", "-q", "-b", "side", str(local_machine.home / "side"))
    for number, target in enumerate((own / ".git", own / ".git" / "worktrees" / "side")):
        impostor = local_machine.home / f"thief-{number}"
        impostor.mkdir()
        (impostor / ".git").write_text(f"gitdir: {target}\n")
        (impostor / ".loremark.toml").write_text('project = "prj_stones"\n')
        link.resolve_repository(str(impostor))
        assert link.resolve_link(str(impostor)) == (None, link.UNCONFIRMED)
    assert link.find_link(str(local_machine.home / "side")) is not None
    # Nor one whose git folder claims the linked repository with a symlink, a file or a worktree.
    for method in ("link", "folder", "worktree"):
        impostor = local_machine.home / f"claimant-{method}"
        impostor.mkdir()
        inner = impostor / ("inner" if method == "worktree" else ".git")
        if method == "link":
            inner.symlink_to(own / ".git")
        else:
            inner.mkdir()
            (inner / "HEAD").write_text("ref: refs/heads/main\n")
            (inner / "commondir").write_text("../../own/.git\n")
        if method == "worktree":
            (impostor / ".git").write_text("gitdir: inner\n")
            (inner / "gitdir").write_text(f"{impostor}/.git\n")
        link.resolve_repository(str(impostor))
        assert link.find_link(str(impostor)) is None, method


def shallow_clone(origin: Path, folder: Path) -> Path:
    """Clone only the newest commit of a repository."""
    git(origin, "clone", "-q", "--depth=1", f"file://{origin}", str(folder))
    git(folder, "config", "remote.origin.url", "https://git.example.com/acme/stones.git")
    return folder


def test_a_shallow_clone_is_identified_by_its_path(local_machine: Machine) -> None:
    """It has no root commit, and its origin URL is not proof of anything."""
    origin = create_repository(local_machine.home / "origin", "First")
    git(origin, "commit", "-q", "--allow-empty", "-m", "Second")
    clone = shallow_clone(origin, local_machine.home / "clone")
    assert link.save_link(str(clone), "prj_stones", local_machine.url).root == ""
    assert link.resolve_link(str(clone))[1] == ""
    found = link.find_link(str(clone))
    assert found is not None
    assert found.project == "prj_stones"
    # An archive with a different history that claims the same origin and to be shallow.
    hostile = create_repository(local_machine.home / "hostile", "A trap")
    git(hostile, "config", "remote.origin.url", "https://git.example.com/acme/stones.git")
    git(hostile, "commit", "-q", "--allow-empty", "-m", "Second")
    (hostile / ".git" / "shallow").write_text(git(hostile, "rev-parse", "HEAD") + "\n")
    # Another clone must be linked again, since it can't be told apart from the archive.
    second = shallow_clone(origin, local_machine.home / "second")
    for folder in (hostile, second):
        link.resolve_repository(str(folder))
        assert link.resolve_link(str(folder)) == (None, "not linked to a project")
        (folder / ".loremark.toml").write_text('project = "prj_stones"\n')
        assert link.resolve_link(str(folder)) == (None, link.UNCONFIRMED)
        assert (
            local_machine.hook({**local_machine.claude("UserPromptSubmit", prompt="Why?"), "cwd": str(folder)}) == b""
        )
        assert spool.list_names() == []
    link.save_link(str(second), "prj_stones", local_machine.url)
    assert link.find_link(str(second)) is not None
    # Once unshallowed, it is identified by its root commit, as are other clones.
    git(second, "fetch", "-q", "--unshallow", f"file://{origin}")
    link.resolve_repository(str(second))
    found = link.find_link(str(second))
    assert found is not None
    assert found.root
    link.resolve_repository(str(origin))
    assert link.find_link(str(origin)) is not None
    # A repository that replaces the linked one is not linked.
    shutil.rmtree(clone)
    hostile.rename(clone)
    for _ in range(2):
        assert link.find_link(str(clone)) is None
        link.resolve_repository(str(clone))
    shutil.rmtree(clone / ".git")
    assert link.find_link(str(clone)) is None


def test_links_by_origin_are_no_longer_accepted(local_machine: Machine) -> None:
    origin = create_repository(local_machine.home / "origin", "First")
    git(origin, "commit", "-q", "--allow-empty", "-m", "Second")
    clone = shallow_clone(origin, local_machine.home / "clone")
    link.resolve_repository(str(clone))
    name = f"shallow-{'a' * 40}"
    for table in (
        local_machine.home / ".config" / "loremark" / "links.json",
        local_machine.home / ".local/state/loremark/repositories.json",
    ):
        kept = json.loads(table.read_text())
        row = kept.get(str(clone / ".git"), {"project": "prj_stones", "url": local_machine.url})
        kept[name if "project" in row else str(clone / ".git")] = {**row, "root": name}
        table.write_text(json.dumps(kept))
    assert link.resolve_link(str(clone)) == (None, link.UNRESOLVED)
    link.resolve_repository(str(clone))
    assert link.resolve_link(str(clone)) == (None, "not linked to a project")
    link.save_link(str(clone), "prj_stones", local_machine.url)
    assert link.find_link(str(clone)) is not None


def test_a_forged_root_commit_is_rejected(local_machine: Machine, linked: Path) -> None:
    """An attacker can create a history that ends at a known hash, but doesn't have the commit object."""
    root = link.root_commit(str(linked))
    hostile = create_repository(local_machine.home / "hostile", "A trap")
    objects = hostile / ".git" / "objects"
    own = git(hostile, "rev-parse", "HEAD")
    (objects / root[:2]).mkdir(exist_ok=True)
    shutil.copy(objects / own[:2] / own[2:], objects / root[:2] / root[2:])
    forged = git(hostile, "commit-tree", git(hostile, "write-tree"), "-p", root, "-m", "Ours")
    (hostile / ".git" / "refs" / "heads" / "main").write_text(forged + "\n")
    assert git(hostile, "rev-list", "--max-parents=0", "HEAD") == root, "git itself is fooled"
    link.resolve_repository(str(hostile))
    assert link.resolve_link(str(hostile)) == (None, "not linked to a project")


def test_a_repository_linked_before_its_first_commit_is_identified_by_it_later(local_machine: Machine) -> None:
    folder = local_machine.home / "fresh"
    folder.mkdir()
    link.save_link(str(folder), "prj_stones", local_machine.url)
    git(folder, "init", "-q", "-b", "main")
    assert link.find_link(str(folder)) is not None, "linked before it was a repository"
    link.resolve_repository(str(folder))
    git(folder, "commit", "-q", "--allow-empty", "-m", "First")
    found, reason = link.resolve_link(str(folder))
    assert (found is not None, reason) == (True, link.UNRESOLVED), "valid, but to be resolved again"
    assert local_machine.hook({**local_machine.claude("UserPromptSubmit", prompt="Why?"), "cwd": str(folder)}) == b""
    assert {spool.kind_of(name) for name in spool.list_names()} >= {spool.PROMPT}
    link.resolve_repository(str(folder))
    assert link.resolve_link(str(folder))[1] == ""
    git(local_machine.home, "clone", "-q", str(folder), str(local_machine.home / "copy"))
    link.resolve_repository(str(local_machine.home / "copy"))
    assert link.find_link(str(local_machine.home / "copy")) is not None
