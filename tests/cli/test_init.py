"""Linking a folder to a project: once, for all its copies, and never to a server that somebody else names."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from loremark.base import profile
from loremark.cli.kit import SIGNED_OUT, USAGE
from loremark.hook import flush, spool
from loremark.hook.link import UNCONFIRMED, look, remember_place
from tests.cli.people import join
from tests.cli.person import Desk, Server
from tests.cli.repository import git, make


@pytest.fixture
def shop(olga: Desk) -> Path:
    folder = make(olga.home / "shop")
    olga.monkeypatch.chdir(folder)
    return folder


def test_a_folder_is_linked_and_found_from_wherever_it_goes(olga: Desk, server: Server, shop: Path) -> None:
    git(shop, "remote", "add", "origin", "https://user:password@git.example.com/acme/Web-Shop.git")
    asked = olga.say("init")
    assert (asked.code, "--yes" in asked.refusal) == (USAGE, True), "nobody is there to be asked"
    (shop / "src").mkdir()
    olga.monkeypatch.chdir(shop / "src")
    linked = olga.say("init", "--yes", "--json").json
    assert (linked["name"], linked["created"], linked["canSign"]) == ("Web-Shop", True, True)
    assert linked["folder"] == str(shop)
    assert linked["rootCommit"] == git(shop, "rev-list", "--max-parents=0", "HEAD")
    text = (shop / ".loremark.toml").read_text()
    assert linked["project"] in text
    kept = profile.load()
    assert kept is not None
    secret = kept.secrets[linked["project"]]
    assert secret not in text
    assert "password" not in text

    again = olga.say("init", "--json").json
    assert again == {**linked, "created": False}
    assert (shop / ".loremark.toml").read_text() == text
    assert olga.say("projects", "show").out.splitlines()[0].split() == ["id", linked["project"]]

    # Without the file: a clone, a worktree and a folder with another name are known by the first commit.
    (shop / ".loremark.toml").unlink()
    git(olga.home, "clone", "--quiet", str(shop), "clone")
    git(shop, "worktree", "add", "--quiet", str(olga.home / "tree"))
    shutil.move(shop, olga.home / "renamed")
    for name in ("clone", "tree", "renamed"):
        if name == "tree":
            git(olga.home / "renamed", "worktree", "repair", str(olga.home / "tree"))
        olga.monkeypatch.chdir(olga.home / name)
        assert olga.say("projects", "show", "--json").json["id"] == linked["project"], name


def test_a_project_is_picked_by_id_name_or_number(olga: Desk, server: Server, shop: Path) -> None:
    first, second = server.create_project("Twin"), server.create_project("Twin")
    assert second in olga.say("init", "--name", "twin").refusal
    assert olga.say("init", "--project", first, "--json").json["project"] == first
    assert olga.say("init", "--project", second, "--json").json["project"] == second, "said anew, linked anew"
    assert first in olga.say("init", "--project", "twin").refusal
    server.create_project("Only one")
    assert olga.say("init", "--project", "only one", "--json").json["name"] == "Only one"
    assert olga.say("init", "--project", "prj_nowhere").code == 1
    assert olga.say("init", "--project", "../../etc").code == 1
    (shop / ".loremark.toml").unlink()
    (olga.home / ".config" / "loremark" / "links.json").unlink()
    one = server.create_project("shop")
    picked = olga.say("init", "--no-agents", given="\n\n", terminal=True)
    assert (picked.code, one in picked.out) == (0, True), "Enter takes the one of this name"
    by_name = olga.say("init", "--name", "SHOP", "--json").json
    assert (by_name["project"], by_name["created"]) == (one, False)


def test_what_a_repository_names_counts_only_when_one_has_said_so(olga: Desk, server: Server, shop: Path) -> None:
    """A teammate has committed the file, or a stranger: ``loremark init`` is how a person says that it is right."""
    mine = server.create_project("Mine")
    (shop / ".loremark.toml").write_text(f'project = "{mine}"\n')
    assert look(str(shop))[0] is None
    remember_place(str(shop))
    assert look(str(shop)) == (None, UNCONFIRMED)
    told = next(line for line in olga.say("doctor").out.splitlines() if "not confirmed" in line)
    assert "loremark init" in told
    linked = olga.say("init", "--json").json
    assert (linked["project"], linked["created"]) == (mine, False), "the one that is named, and not another"
    found = look(str(shop))[0]
    assert found is not None
    assert found.project == mine
    git(olga.home, "clone", "--quiet", str(shop), "clone")
    olga.monkeypatch.chdir(olga.home / "clone")
    assert olga.say("projects", "show", "--json").json["id"] == mine
    plain = olga.home / "plain"
    plain.mkdir()
    (plain / ".loremark.toml").write_text(f'project = "{mine}"\n')
    assert look(str(plain)) == (None, UNCONFIRMED)
    assert olga.say("init", str(plain), "--json").json["project"] == mine
    assert look(str(plain))[0] is not None


def test_a_hostile_link_leads_nowhere(olga: Desk, shop: Path) -> None:
    (shop / ".loremark.toml").write_text('project = "prj_x"\nurl = "https://evil.example.com"\n')
    refused = olga.say("projects", "show").refusal
    assert "another server" in refused
    assert "another server" in olga.say("init", "--yes").refusal, "not overwritten unless one says what is meant"
    assert "evil" in (shop / ".loremark.toml").read_text()
    (shop / ".loremark.toml").unlink()
    target = olga.home / "elsewhere"
    target.write_text("mine")
    (shop / ".loremark.toml").symlink_to(target)
    assert olga.say("init", "--name", "Linked away").code == 1
    assert target.read_text() == "mine"


def _captured_by_hook(server: Server, project: str) -> bool:
    """Whether what the hook has spooled comes to the project."""
    payload = {"summary": "Carts expire after a day.", "changes": [], "source": "codex:of-a-member"}
    told = {
        "kind": spool.EVENT,
        "event": "session_save",
        "payload": payload,
        "agent": "codex",
        "session": "of-a-member",
    }
    spool.put({**told, "project": project, "url": server.url})
    assert flush.run(seconds=20)
    return flush.status().waiting == 0 and len(server.http.get(f"/api/v2/sessions?projectId={project}").json()) == 2


def test_who_may_not_read_the_secret_captures_with_the_key(olga: Desk, server: Server, shop: Path) -> None:
    project = server.create_project("Guarded")
    secret = server.http.get(f"/api/projects/{project}/hmac-secret").json()["secret"]
    profile.save(profile.Profile(server.url, join(server, project)))
    linked = olga.say("init", "--project", project)
    assert linked.code == 0
    assert "sent with your key" in linked.out
    saved = olga.say("save", "We decided to retry three times because the gateway is slow.", "--json")
    assert saved.code == 0, saved.err
    assert _captured_by_hook(server, project), "a member's hook reaches the server without the secret"
    wrong = olga.say("init", "--secret-stdin", given="wrong\n")
    assert wrong.refusal == "the server does not take this secret"
    assert olga.say("init", "--secret-stdin", "--json", given=secret + "\n").json["canSign"] is True
    kept = profile.load()
    assert kept is not None
    assert kept.secrets == {project: secret}
    assert olga.say("init", "--json").json["canSign"] is True, "what is kept stays kept"


def test_git_hooks_come_and_go(olga: Desk, server: Server, shop: Path) -> None:
    hooks = shop / ".git" / "hooks"
    before = {path.name: path.read_bytes() for path in hooks.iterdir()}
    assert olga.say("init", "--project", server.project, "--git").code == 0
    assert (hooks / "post-commit").exists()
    assert olga.say("init", "--no-git").code == 0
    assert {path.name: path.read_bytes() for path in hooks.iterdir()} == before
    olga.monkeypatch.chdir(olga.home)
    assert "is in no git repository" in olga.say("init", "--project", server.project, "--git").refusal
    assert not (olga.home / ".loremark.toml").exists()


def test_who_is_not_signed_in_is_told(desk: Desk) -> None:
    make(desk.home / "repo")
    desk.monkeypatch.chdir(desk.home / "repo")
    assert desk.say("init").code == SIGNED_OUT
    assert not (desk.home / "repo" / ".loremark.toml").exists()


def test_a_key_of_the_environment_is_not_written_down(desk: Desk, server: Server) -> None:
    make(desk.home / "ci")
    desk.monkeypatch.chdir(desk.home / "ci")
    desk.monkeypatch.setenv("LOREMARK_URL", server.url)
    desk.monkeypatch.setenv("LOREMARK_API_KEY", server.key)
    linked = desk.say("init", "--project", server.project)
    assert linked.code == 0
    assert "LOREMARK_HMAC_SECRET" in linked.err
    written = [
        path for path in desk.home.rglob("*") if path.is_file() and server.key in path.read_text(errors="replace")
    ]
    assert written == []
    assert json.loads((desk.home / ".config" / "loremark" / "links.json").read_text())
