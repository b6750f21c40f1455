"""Link folders to projects: clones, worktrees, renamed folders, and malicious repositories."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from loremark.base import clock
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


def events(machine: Machine, folder: Path) -> list[bytes]:
    """What the hook answers to the events of a session in a folder."""
    fields = {"prompt": "Why?", "last_assistant_message": "So.", "source": "startup"}
    return [
        machine.hook({**machine.claude(event, **fields), "cwd": str(folder)})
        for event in ("SessionStart", "UserPromptSubmit", "Stop")
    ]


def test_a_fork_with_the_same_root_commit_is_not_linked(local_machine: Machine, linked: Path) -> None:
    """A stranger's fork is a clone like any other: it gets no briefing, and nothing of it is captured."""
    fork = local_machine.home / "fork"
    git(local_machine.home, "clone", "-q", str(linked), str(fork))
    git(fork, "commit", "-q", "--allow-empty", "-m", "A trap")
    link.resolve_repository(str(fork))
    assert link.resolve_link(str(fork)) == (None, link.UNCONFIRMED)
    (fork / ".loremark.toml").write_text('project = "prj_stones"\n')
    assert link.resolve_link(str(fork)) == (None, link.UNCONFIRMED)
    # It says once how to link it.
    said = json.loads(events(local_machine, fork)[0])
    assert list(said) == ["systemMessage"]
    assert "`loremark link`" in said["systemMessage"]
    assert events(local_machine, fork) == [b"", b"", b""]
    assert spool.list_names() == []
    # Packing an ID into the repository does not help.
    own = gitpaths.read_setting(paths(linked), "loremark", "place")
    assert len(own) == 32
    for planted in ("", "0" * 32):
        git(fork, "config", "loremark.place", planted)
        link.resolve_repository(str(fork))
        assert link.resolve_link(str(fork)) == (None, link.UNCONFIRMED)
    twin = local_machine.home / "twin"
    shutil.copytree(fork, twin)
    link.confirm_link(str(fork), "prj_stones", local_machine.url)
    assert link.find_link(str(fork)) is not None
    assert link.find_link(str(twin)) is None, "the ID that came with it is not the one that counts"


def test_a_clone_inside_a_linked_repository_is_not_linked(local_machine: Machine, linked: Path) -> None:
    """A stranger's fork among our files is theirs; a submodule or a worktree is part of ours."""
    link.save_link(str(linked), "prj_stones", local_machine.url)
    fork = linked / "vendor" / "fork"
    fork.parent.mkdir()
    git(linked, "clone", "-q", str(linked), str(fork))
    assert not (fork / ".loremark.toml").exists()
    (fork / "deep").mkdir()
    for folder in (fork, fork / "deep"):
        assert link.resolve_link(str(folder))[0] is None
    link.resolve_repository(str(fork))
    assert link.resolve_link(str(fork)) == (None, link.UNCONFIRMED)
    assert link.suggest_project(str(fork)) == "prj_stones"
    assert json.loads(events(local_machine, fork)[0]).keys() == {"systemMessage"}
    assert spool.list_names() == []
    git(linked, "worktree", "add", "-q", "-b", "side", str(linked / "side"))
    other = create_repository(local_machine.home / "library", "Library")
    git(linked, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "library")
    for name in (".", "vendor", "side", "library"):
        found = link.find_link(str(linked / name))
        assert found is not None, name
        assert found.project == "prj_stones"
    copy = linked / "vendor" / "copy"
    copy.mkdir()
    (copy / ".git").write_text("gitdir: ../../.git/modules/library\n")
    assert link.find_link(str(copy)) is None
    link.confirm_link(str(fork), "prj_stones", local_machine.url)
    assert link.find_link(str(fork / "deep")) is not None


def paths(folder: Path) -> gitpaths.RepositoryPaths:
    found = gitpaths.find_repository(str(folder))
    assert found is not None
    return found


def test_a_linked_repository_stays_linked_when_renamed_and_in_its_worktrees(
    local_machine: Machine, linked: Path
) -> None:
    assert link.find_link(str(linked)) is not None
    git(linked, "worktree", "add", "-q", "-b", "side", str(local_machine.home / "side"))
    found = link.find_link(str(local_machine.home / "side"))
    assert found is not None
    assert (found.project, Path(found.folder).name) == ("prj_stones", "side")
    assert gitpaths.current_branch(str(local_machine.home / "side")) == "side"
    linked.rename(local_machine.home / "renamed")
    found, reason = link.resolve_link(str(local_machine.home / "renamed"))
    assert found is not None
    assert (found.project, reason) == ("prj_stones", "")
    # Clones are unknown until the flusher has looked up which project they may belong to.
    clone = local_machine.home / "clone"
    git(local_machine.home, "clone", "-q", str(local_machine.home / "renamed"), str(clone))
    assert link.resolve_link(str(clone)) == (None, link.UNRESOLVED)
    spool.put({"kind": spool.UNRESOLVED_FOLDER, "folder": str(clone)})
    batching.build_batches()
    assert link.resolve_link(str(clone)) == (None, link.UNCONFIRMED)
    assert link.suggest_project(str(clone)) == "prj_stones"
    # Linking one copy to another project leaves the others alone.
    link.save_link(str(clone), "prj_other", local_machine.url)
    for name, project in (("clone", "prj_other"), ("renamed", "prj_stones")):
        found = link.find_link(str(local_machine.home / name))
        assert found is not None
        assert found.project == project
    # A repository without a link is resolved once.
    other = create_repository(local_machine.home / "another", "Another")
    link.resolve_repository(str(other))
    assert link.resolve_link(str(other)) == (None, "not linked to a project")
    links = local_machine.home / ".config" / "loremark" / "links.json"
    # A link for a different server is ignored.
    links.write_text(
        json.dumps({row: {"project": "prj_x", "url": "http://e"} for row in json.loads(links.read_text())})
    )
    assert link.find_link(str(local_machine.home / "renamed")) is None


def test_links_of_older_versions_keep_working(local_machine: Machine, linked: Path) -> None:
    """They trusted the root commit of the repositories in the cache. These get an ID; clones made later don't."""
    clone, shallow = local_machine.home / "clone", local_machine.home / "shallow"
    git(local_machine.home, "clone", "-q", str(linked), str(clone))
    git(linked, "commit", "-q", "--allow-empty", "-m", "Second")
    shallow_clone(linked, shallow)
    root = link.root_commit(str(linked))
    row = {"project": "prj_stones", "url": local_machine.url}
    git(linked, "config", "--unset", "loremark.place")
    links = {root: row, str(shallow): {**row, "fingerprint": link._fingerprint(paths(shallow))}}
    repositories = {
        paths(folder).common: {"root": known, "fingerprint": link._fingerprint(paths(folder)), "at_ms": clock.now_ms()}
        for folder, known in ((linked, root), (clone, root), (shallow, ""))
    }
    (local_machine.home / ".config/loremark/links.json").write_text(json.dumps(links))
    (local_machine.home / ".local/state/loremark/repositories.json").write_text(json.dumps(repositories))
    for folder in (linked, clone, shallow):
        found, reason = link.resolve_link(str(folder))
        assert (found is not None, reason) == (True, link.UNRESOLVED), "valid, but to be resolved again"
        link.resolve_repository(str(folder))
        found, reason = link.resolve_link(str(folder))
        assert (found is not None, reason) == (True, "")
        folder.rename(folder.with_name(f"{folder.name}-renamed"))
        assert link.find_link(str(folder.with_name(f"{folder.name}-renamed"))) is not None
    later = local_machine.home / "later"
    git(local_machine.home, "clone", "-q", str(local_machine.home / "repository-renamed"), str(later))
    link.resolve_repository(str(later))
    assert link.resolve_link(str(later)) == (None, link.UNCONFIRMED)


def test_a_repository_that_cannot_store_an_id_is_linked_by_its_path(local_machine: Machine, linked: Path) -> None:
    settings = linked / ".git" / "config"
    git(linked, "config", "--unset", "loremark.place")
    target = local_machine.home / "settings"
    settings.rename(target)
    settings.symlink_to(target)
    before = target.read_bytes()
    link.confirm_link(str(linked), "prj_stones", local_machine.url)
    assert target.read_bytes() == before, "not written through a symlink"
    assert link.find_link(str(linked)) is not None
    linked.rename(local_machine.home / "renamed")
    assert link.find_link(str(local_machine.home / "renamed")) is None


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
        assert "loremark link" in reason
        assert events(local_machine, folder)[1:] == [b"", b""]
        assert spool.list_names() == []
        assert not (local_machine.home / ".cache/loremark/briefings").exists()
    # Once the user confirms it, it counts, but not for other projects.
    link.save_link(str(hostile), "prj_stones", local_machine.url)
    assert link.find_link(str(hostile)) is not None
    (hostile / ".loremark.toml").write_text('project = "prj_other"\n')
    assert link.resolve_link(str(hostile)) == (None, link.UNCONFIRMED)


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


def test_a_shallow_clone_is_identified_by_its_id(local_machine: Machine) -> None:
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
        assert events(local_machine, folder)[1:] == [b"", b""]
        assert spool.list_names() == []
    link.save_link(str(second), "prj_stones", local_machine.url)
    assert link.find_link(str(second)) is not None
    # Once unshallowed, its root commit tells which project other clones may belong to.
    git(second, "fetch", "-q", "--unshallow", f"file://{origin}")
    link.resolve_repository(str(second))
    found = link.find_link(str(second))
    assert found is not None
    assert found.root
    link.resolve_repository(str(origin))
    assert link.resolve_link(str(origin)) == (None, link.UNCONFIRMED)
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
    for _ in range(2):
        assert link.resolve_link(str(clone)) == (None, "not linked to a project")
        link.resolve_repository(str(clone))
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


def test_a_folder_linked_before_it_was_a_repository_gets_an_id_later(local_machine: Machine) -> None:
    folder = local_machine.home / "fresh"
    folder.mkdir()
    link.save_link(str(folder), "prj_stones", local_machine.url)
    git(folder, "init", "-q", "-b", "main")
    found, reason = link.resolve_link(str(folder))
    assert (found is not None, reason) == (True, link.UNRESOLVED), "valid, but to be resolved again"
    assert events(local_machine, folder) == [b"", b"", b""]
    assert {spool.kind_of(name) for name in spool.list_names()} >= {spool.PROMPT}
    link.resolve_repository(str(folder))
    assert link.resolve_link(str(folder))[1] == ""
    git(folder, "commit", "-q", "--allow-empty", "-m", "First")
    folder.rename(local_machine.home / "renamed")
    assert link.find_link(str(local_machine.home / "renamed")) is not None
