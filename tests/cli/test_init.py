"""``loremark init``: link a folder and its copies to a project; links from others need confirmation."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from loremark.base import profile
from loremark.cli.framework import SIGNED_OUT, USAGE
from loremark.hook import flush, spool
from loremark.hook.link import UNCONFIRMED, resolve_link, resolve_repository
from tests.cli.harness import Cli, Server
from tests.cli.invitations import join
from tests.cli.repository import git, make


@pytest.fixture
def shop(olga: Cli) -> Path:
    folder = make(olga.home / "shop")
    olga.monkeypatch.chdir(folder)
    return folder


def test_link_is_found_from_worktrees_and_renamed_folders(olga: Cli, server: Server, shop: Path) -> None:
    git(shop, "remote", "add", "origin", "https://user:password@git.example.com/acme/Web-Shop.git")
    refused = olga.run("init")
    assert (refused.code, "--yes" in refused.error) == (USAGE, True), "no terminal"
    (shop / "src").mkdir()
    olga.monkeypatch.chdir(shop / "src")
    linked = olga.run("init", "--yes", "--json").json
    assert (linked["name"], linked["created"], linked["canSign"]) == ("Web-Shop", True, True)
    assert linked["folder"] == str(shop)
    assert linked["rootCommit"] == git(shop, "rev-list", "--max-parents=0", "HEAD")
    text = (shop / ".loremark.toml").read_text()
    assert linked["project"] in text
    saved = profile.load()
    assert saved is not None
    secret = saved.secrets[linked["project"]]
    assert secret not in text
    assert "password" not in text

    again = olga.run("init", "--json").json
    assert again == {**linked, "created": False}
    assert (shop / ".loremark.toml").read_text() == text
    assert olga.run("projects", "show").out.splitlines()[0].split() == ["id", linked["project"]]

    # Worktrees and renamed folders are linked without the file; a clone has to be confirmed.
    (shop / ".loremark.toml").unlink()
    git(olga.home, "clone", "--quiet", str(shop), "clone")
    olga.monkeypatch.chdir(olga.home / "clone")
    assert resolve_link(str(olga.home / "clone"))[0] is None
    assert olga.run("pause").error.endswith("run `loremark link` in it")
    confirmed = olga.run("link", "--json").json
    assert (confirmed["project"], confirmed["folder"]) == (linked["project"], str(olga.home / "clone"))
    assert not (olga.home / "clone" / ".loremark.toml").exists()
    assert olga.run("link", "--project", linked["project"]).code == 0
    assert (olga.home / "clone" / ".loremark.toml").exists()
    git(shop, "worktree", "add", "--quiet", str(olga.home / "tree"))
    shutil.move(shop, olga.home / "renamed")
    for name in ("clone", "tree", "renamed"):
        if name == "tree":
            git(olga.home / "renamed", "worktree", "repair", str(olga.home / "tree"))
        olga.monkeypatch.chdir(olga.home / name)
        assert olga.run("projects", "show", "--json").json["id"] == linked["project"], name


def test_choose_project_by_id_name_or_number(olga: Cli, server: Server, shop: Path) -> None:
    first, second = server.create_project("Twin"), server.create_project("Twin")
    assert second in olga.run("init", "--name", "twin").error
    assert olga.run("init", "--project", first, "--json").json["project"] == first
    assert olga.run("init", "--project", second, "--json").json["project"] == second, "relinked"
    assert first in olga.run("init", "--project", "twin").error
    server.create_project("Only one")
    assert olga.run("init", "--project", "only one", "--json").json["name"] == "Only one"
    assert olga.run("init", "--project", "prj_nowhere").code == 1
    assert olga.run("init", "--project", "../../etc").code == 1
    (shop / ".loremark.toml").unlink()
    (olga.home / ".config" / "loremark" / "links.json").unlink()
    one = server.create_project("shop")
    picked = olga.run("init", "--no-agents", stdin="\n\n", terminal=True)
    assert (picked.code, one in picked.out) == (0, True), "Enter picks the project with the folder's name"
    by_name = olga.run("init", "--name", "SHOP", "--json").json
    assert (by_name["project"], by_name["created"]) == (one, False)


def test_project_named_by_a_repository_needs_confirmation(olga: Cli, server: Server, shop: Path) -> None:
    """Anyone may have committed the file; running ``loremark init`` confirms it."""
    mine = server.create_project("Mine")
    (shop / ".loremark.toml").write_text(f'project = "{mine}"\n')
    assert resolve_link(str(shop))[0] is None
    resolve_repository(str(shop))
    assert resolve_link(str(shop)) == (None, UNCONFIRMED)
    line = next(line for line in olga.run("doctor").out.splitlines() if "this copy of the project" in line)
    assert "loremark link" in line
    linked = olga.run("init", "--json").json
    assert (linked["project"], linked["created"]) == (mine, False), "the project named in the file"
    found = resolve_link(str(shop))[0]
    assert found is not None
    assert found.project == mine
    nameless = make(olga.home / "nameless")
    assert "loremark init" in olga.run("link", str(nameless)).error
    plain = olga.home / "plain"
    plain.mkdir()
    (plain / ".loremark.toml").write_text(f'project = "{mine}"\n')
    assert resolve_link(str(plain)) == (None, UNCONFIRMED)
    assert olga.run("init", str(plain), "--json").json["project"] == mine
    assert resolve_link(str(plain))[0] is not None


def test_hostile_link_is_rejected(olga: Cli, shop: Path) -> None:
    (shop / ".loremark.toml").write_text('project = "prj_x"\nurl = "https://evil.example.com"\n')
    refused = olga.run("projects", "show").error
    assert "a different server" in refused
    assert "a different server" in olga.run("init", "--yes").error, "not overwritten without --project or --name"
    assert "evil" in (shop / ".loremark.toml").read_text()
    (shop / ".loremark.toml").unlink()
    target = olga.home / "elsewhere"
    target.write_text("mine")
    (shop / ".loremark.toml").symlink_to(target)
    assert olga.run("init", "--name", "Linked away").code == 1
    assert target.read_text() == "mine"


def _captured_by_hook(server: Server, project: str) -> bool:
    """Whether an event spooled by the hook reaches the project."""
    payload = {"summary": "Carts expire after a day.", "changes": [], "source": "codex:of-a-member"}
    record = {
        "kind": spool.EVENT,
        "event": "session_save",
        "payload": payload,
        "agent": "codex",
        "session": "of-a-member",
    }
    spool.put({**record, "project": project, "url": server.url})
    assert flush.run(seconds=20)
    return flush.status().waiting == 0 and len(server.http.get(f"/api/v2/sessions?projectId={project}").json()) == 2


def test_members_without_the_secret_send_events_with_their_key(olga: Cli, server: Server, shop: Path) -> None:
    project = server.create_project("Guarded")
    secret = server.http.get(f"/api/projects/{project}/hmac-secret").json()["secret"]
    profile.save(profile.Profile(server.url, join(server, project)))
    linked = olga.run("init", "--project", project)
    assert linked.code == 0
    assert "sent with your API key" in linked.out
    saved = olga.run("save", "We decided to retry three times because the gateway is slow.", "--json")
    assert saved.code == 0, saved.err
    assert _captured_by_hook(server, project), "works without the signing secret"
    wrong = olga.run("init", "--secret-stdin", stdin="wrong\n")
    assert wrong.error == "the server rejected this secret; ask a project owner or admin for the current one"
    assert olga.run("init", "--secret-stdin", "--json", stdin=secret + "\n").json["canSign"] is True
    stored = profile.load()
    assert stored is not None
    assert stored.secrets == {project: secret}
    assert olga.run("init", "--json").json["canSign"] is True, "the saved secret stays"


def test_git_hooks_are_installed_and_removed(olga: Cli, server: Server, shop: Path) -> None:
    hooks = shop / ".git" / "hooks"
    before = {path.name: path.read_bytes() for path in hooks.iterdir()}
    assert olga.run("init", "--project", server.project, "--git").code == 0
    assert (hooks / "post-commit").exists()
    assert olga.run("init", "--no-git").code == 0
    assert {path.name: path.read_bytes() for path in hooks.iterdir()} == before
    olga.monkeypatch.chdir(olga.home)
    assert "is not in a git repository" in olga.run("init", "--project", server.project, "--git").error
    assert not (olga.home / ".loremark.toml").exists()


def test_init_requires_sign_in(cli: Cli) -> None:
    make(cli.home / "repo")
    cli.monkeypatch.chdir(cli.home / "repo")
    assert cli.run("init").code == SIGNED_OUT
    assert not (cli.home / "repo" / ".loremark.toml").exists()


def test_key_from_the_environment_is_not_saved(cli: Cli, server: Server) -> None:
    make(cli.home / "ci")
    cli.monkeypatch.chdir(cli.home / "ci")
    cli.monkeypatch.setenv("LOREMARK_URL", server.url)
    cli.monkeypatch.setenv("LOREMARK_API_KEY", server.key)
    linked = cli.run("init", "--project", server.project)
    assert linked.code == 0
    assert "LOREMARK_HMAC_SECRET" in linked.err
    written = [
        path for path in cli.home.rglob("*") if path.is_file() and server.key in path.read_text(errors="replace")
    ]
    assert written == []
    assert json.loads((cli.home / ".config" / "loremark" / "links.json").read_text())


def _call(server: Server, key: str, method: str, path: str, body: object = None) -> int:
    headers = {"Authorization": f"Bearer {key}"}
    return server.http.request(method, path, headers=headers, json=body).status_code


def test_agents_get_a_key_that_can_only_read_the_project_and_send_events(olga: Cli, server: Server, shop: Path) -> None:
    project, other = server.create_project("Keyed"), server.create_project("Another")
    assert olga.run("init", "--project", project).code == 0
    saved = profile.load()
    assert saved is not None
    key = saved.agent_keys[project]
    assert key != saved.key
    assert saved.agent_key(other) == saved.key
    event = {"event": "session_save", "payload": {"summary": "Carts expire after a day."}}
    assert _call(server, key, "POST", "/api/v2/events", {"projectId": project, **event}) == 202
    assert _call(server, key, "POST", "/api/v2/briefing", {"projectId": project}) == 200
    assert _call(server, key, "POST", "/api/v2/events", {"projectId": other, **event}) == 404
    assert _call(server, key, "GET", f"/api/projects/{project}/hmac-secret") == 403
    assert _call(server, key, "POST", "/api/contexts", {"projectId": project, "name": "Planted"}) == 403
    assert _call(server, key, "GET", "/api/keys") == 403

    assert olga.run("init").code == 0
    again = profile.load()
    assert again is not None
    assert again.agent_keys == {project: key}, "the key is kept while it works"
    assert "agents use a key of their own" in olga.run("doctor").out
    entry = next(entry for entry in server.http.get("/api/keys").json() if key.startswith(entry["prefix"]))
    assert server.http.request("DELETE", "/api/keys", json={"keyId": entry["id"]}).status_code == 204
    assert "agent key" in olga.run("doctor").out
    assert olga.run("init").code == 0
    replaced = profile.load()
    assert replaced is not None
    assert replaced.agent_keys[project] != key
    assert _call(server, replaced.agent_keys[project], "GET", f"/api/projects/{project}") == 200


def test_hook_sends_events_with_the_agents_key(olga: Cli, server: Server, shop: Path) -> None:
    project = server.create_project("Agents only")
    assert olga.run("init", "--project", project).code == 0
    saved = profile.load()
    assert saved is not None
    profile.save(profile.Profile(saved.url, "service_sk_of_nobody", agent_keys=saved.agent_keys))
    record = {"kind": spool.EVENT, "event": "session_save", "agent": "codex", "session": "by-agent"}
    spool.put({**record, "payload": {"summary": "Carts expire."}, "project": project, "url": server.url})
    assert flush.run(seconds=20)
    assert flush.status().waiting == 0
    assert len(server.http.get(f"/api/v2/sessions?projectId={project}").json()) == 1


def test_sign_out_revokes_the_agents_keys_and_another_account_does_not_use_them(
    olga: Cli, server: Server, shop: Path
) -> None:
    project = server.create_project("Left")
    own = server.http.post("/api/keys", json={"name": "olga's"}).json()["key"]
    assert olga.run("login", "--url", server.url, "--key", own).code == 0
    assert olga.run("init", "--project", project).code == 0
    saved = profile.load()
    assert saved is not None
    key = saved.agent_keys[project]
    assert olga.run("login", "--key", own).code == 0
    kept = profile.load()
    assert kept is not None
    assert kept.agent_keys == {project: key}
    member = join(server, project)
    assert olga.run("login", "--key", member).code == 0
    changed = profile.load()
    assert changed is not None
    assert changed.agent_keys == {}
    profile.save(kept)
    assert olga.run("logout", "--revoke", "--json").json == {"forgotten": True, "revoked": True}
    assert _call(server, key, "GET", "/api/auth/me") == 401
    assert _call(server, own, "GET", "/api/auth/me") == 401
