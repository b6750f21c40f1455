"""Sign-in, projects, team, API keys and billing."""

from __future__ import annotations

import http.server
import json
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from loremark.base import profile
from loremark.cli.framework import FAILED, SIGNED_OUT, USAGE
from tests.cli.harness import Cli, Server, serving
from tests.cli.invitations import join
from tests.support import databases


@pytest.fixture
def either(engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """A server on each engine."""
    if engine == "sqlite":
        yield request.getfixturevalue("server")
        return
    with serving(tmp_path, databases.fresh_postgres()) as running:
        yield running


def test_sign_in_use_and_sign_out(cli: Cli, either: Server) -> None:
    signed_out = cli.run("whoami")
    assert (signed_out.code, signed_out.error) == (SIGNED_OUT, "not signed in; run: loremark login")
    wrong = cli.run("login", "--url", either.url, stdin="service_sk_wrong\n")
    assert (wrong.code, wrong.error) == (
        1,
        f"{either.url} rejected this key: Invalid or missing authentication credentials; "
        "create one in the dashboard, or use --browser",
    )
    path = Path(profile.location())
    assert not path.exists()

    signed_in = cli.run("login", "--url", either.url + "/", stdin=either.key + "\n")
    assert (signed_in.code, signed_in.err) == (0, "")
    assert "Olga <owner@example.com> (owner of Stones)" in signed_in.out
    assert either.key not in signed_in.out
    assert [stat.S_IMODE(place.stat().st_mode) for place in (path, path.parent)] == [0o600, 0o700]
    assert cli.run("whoami").out == "Olga <owner@example.com>, owner of Stones (business plan)\n"
    assert cli.run("whoami", "--json").json["teamName"] == "Stones"

    made = cli.run("projects", "create", "Höhle", "--description", "Deep", "--json").json
    assert cli.run("projects", "create", "x" * 101).error.startswith("name ")
    listed = cli.run("projects", "list").out.splitlines()
    assert [line.split()[0] for line in listed if "Höhle" in line] == [made["id"]]
    changed = cli.run("projects", "update", made["id"], "--threshold", "0.8", "--deep-enrich", "--json").json
    assert (changed["autoApproveThreshold"], changed["deepEnrichEnabled"]) == (0.8, True)
    assert "threshold    0.8" in cli.run("projects", "show", made["id"]).out
    assert cli.run("projects", "update", made["id"]).code == USAGE
    assert cli.run("projects", "update", made["id"], "--threshold", "1.5").code == USAGE
    assert "keeps" not in cli.run("projects", "show", made["id"]).out
    for period in ("0", "3651", "-1", "1.5", "ever"):
        assert cli.run("projects", "update", made["id"], "--keep-events", period).code == USAGE
    periods = ("--keep-events", "30", "--keep-chats", "1")
    unconfirmed = cli.run("projects", "update", made["id"], *periods)
    assert (unconfirmed.code, "Confirm with --yes" in unconfirmed.err) == (FAILED, True)
    limited = cli.run("projects", "update", made["id"], *periods, "--yes", "--json").json
    assert (limited["eventRetentionDays"], limited["sessionRetentionDays"], limited["chatRetentionDays"]) == (
        30,
        None,
        1,
    )
    assert "events for 30 days, conversations for 1 day" in cli.run("projects", "show", made["id"]).out
    longer = cli.run("projects", "update", made["id"], "--keep-events", "60", "--keep-chats", "forever", "--json").json
    assert (longer["eventRetentionDays"], longer["chatRetentionDays"]) == (60, None)

    key = cli.run("keys", "create", "laptop")
    assert key.out.startswith("service_sk_")
    assert "shown only once" in key.err
    assert cli.run("login", "--key", key.out.strip()).code == 0
    (entry,) = [entry for entry in cli.run("keys", "list", "--json").json if key.out.startswith(entry["prefix"])]
    assert "laptop (this one)" in cli.run("keys", "list").out
    limits = ("--agent", "--project", made["id"], "--days", "30", "--allow-from", "10.0.0.0/8")
    agent = cli.run("keys", "create", "agent", *limits, "--json").json
    assert (agent["scopes"], agent["projectId"]) == (["read", "capture"], made["id"])
    assert agent["allowedAddresses"] == ["10.0.0.0/8"]
    shown = next(line for line in cli.run("keys", "list").out.splitlines() if agent["id"] in line)
    assert f"{made['id']}  read+capture, until {agent['expiresAt'][:10]}, from 10.0.0.0/8" in shown
    reader = cli.run("keys", "create", "reader", "--scope", "read", "--json").json
    assert (reader["scopes"], "projectId" in reader) == (["read"], False)
    assert cli.run("keys", "create", "both", "--agent", "--scope", "read").code == USAGE
    assert cli.run("keys", "create", "late", "--days", "0").code == USAGE
    assert cli.run("keys", "create", "wrong", "--allow-from", "here").error.startswith("allowedAddresses must be")
    kept = cli.run("keys", "delete", entry["id"])
    assert (kept.code, kept.out) == (1, "")
    out = cli.run("logout", "--revoke", "--json").json
    assert out == {"forgotten": True, "revoked": True}
    assert not path.exists()
    ended = cli.run("login", "--url", either.url, "--key", key.out.strip())
    assert ended.code == 1
    assert cli.run("logout").err == "You were not signed in.\n"


def test_rotating_a_secret_updates_the_saved_one(olga: Cli, server: Server) -> None:
    project = server.create_project("Signed")
    before = olga.run("projects", "secret", "show", project).out.strip()
    profile.save_secret(server.url, project, before)
    assert olga.run("projects", "secret", "rotate", project).code == 1, "not confirmed"
    after = olga.run("projects", "secret", "rotate", project, "--revoke-now", "--yes", "--json").json
    assert after["secret"] != before
    assert after["previousValidUntil"] is None
    saved = profile.load()
    assert saved is not None
    assert saved.secrets == {project: after["secret"]}
    assert saved.key == server.key


def test_deleting_a_project_requires_its_name(olga: Cli, server: Server) -> None:
    project = server.create_project("Short lived")
    assert "use --yes" in olga.run("projects", "delete", project).err, "no terminal"
    wrong = olga.run("projects", "delete", "short lived", stdin="y\n", terminal=True)
    assert (wrong.code, "permanently deletes" in wrong.err) == (1, True)
    assert olga.run("projects", "show", project).code == 0
    deleted = olga.run("projects", "delete", "short lived", stdin="Short lived\n", terminal=True)
    assert (deleted.code, deleted.out) == (0, f"Deleted Short lived ({project}) and its memory.\n")
    assert olga.run("projects", "show", project).error == "Project not found"
    another = server.create_project("Shorter lived")
    assert olga.run("projects", "delete", another, "--yes", "--json").json == {"deleted": another}
    assert olga.run("projects", "delete").code == USAGE, "there is no default project"


def test_invite_and_remove_members(olga: Cli) -> None:
    invited = olga.run("team", "invite", "mira@example.com", "--role", "admin", "--json").json
    assert (invited["email"], invited["role"]) == ("mira@example.com", "admin")
    rows = [line.split() for line in olga.run("team", "list").out.splitlines()]
    assert rows[0] == ["id", "role", "status", "email", "name"]
    assert [row[1:4] for row in rows if "mira@example.com" in row] == [["admin", "invited", "mira@example.com"]]
    assert olga.run("team", "role", "owner@example.com", "member").code == 1
    assert olga.run("team", "role", "mira@example.com", "queen").code == USAGE
    assert olga.run("team", "remove", "MIRA@example.com", "--yes").out == "Removed mira@example.com from the team.\n"
    gone = olga.run("team", "remove", "mira@example.com", "--yes")
    assert gone.error.startswith("mira@example.com is not on the team")


def test_billing_usage(olga: Cli) -> None:
    usage = olga.run("billing", "usage").out
    assert usage.startswith("business plan")
    assert [line.split()[0] for line in usage.splitlines()[1:]] == ["sessions", "events", "enrichments", "storage"]
    assert "░" in usage
    assert "of 500 GiB" in usage
    assert olga.run("billing", "usage", "--json").json["plan"] == "business"
    assert olga.run("billing", "credits").out.startswith("balance        ")
    assert set(olga.run("billing", "credits", "--json").json) == {"balance", "autoRecharge"}
    assert olga.run("billing", "transactions", "--json").json == []
    assert (
        olga.run("billing", "transactions").err
        == "No credits have been bought or used yet. Buy credits in the dashboard.\n"
    )
    assert olga.run("billing").out == usage
    assert olga.run("billing", "transactions", "--limit", "0").code == USAGE


def test_a_member_of_an_archived_project(olga: Cli, server: Server) -> None:
    project = server.create_project("Old")
    profile.save(profile.Profile(server.url, join(server, project)))
    assert olga.run("projects", "delete", project, stdin="Old\n", terminal=True).err.endswith(
        "you don't have permission to do this; ask a project owner or admin\n"
    )
    server.http.patch(f"/api/projects/{project}", json={"status": "archived"}).raise_for_status()
    assert olga.run("items").error.startswith("all projects are archived; ")


def test_a_key_is_sent_only_to_its_server(olga: Cli, server: Server) -> None:
    olga.monkeypatch.setenv("LOREMARK_URL", "http://127.0.0.1:9")
    assert olga.run("whoami").code == SIGNED_OUT
    olga.monkeypatch.setenv("LOREMARK_API_KEY", "service_sk_\r\nX-Other: 1")
    assert olga.run("whoami").code == SIGNED_OUT
    olga.monkeypatch.setenv("LOREMARK_API_KEY", server.key)
    unreachable = olga.run("whoami").error
    assert unreachable.startswith(
        "cannot reach http://127.0.0.1:9: Connection refused; start the server (loremark start)"
    )
    olga.monkeypatch.setenv("LOREMARK_URL", server.url)
    assert olga.run("whoami").code == 0


@pytest.mark.parametrize(
    "url", ["http://[not an address", "ftp://example.com", "file:///etc/passwd", "http://", "https://a b", "http://h:x"]
)
def test_invalid_server_address(cli: Cli, url: str) -> None:
    assert "is not a server address" in cli.run("login", "--url", url, "--key", "service_sk_x").error


def test_invalid_key_is_rejected_locally(cli: Cli) -> None:
    for key in ("", "service_sk_a\x1b[2J", "two words", "ключ", "x" * 501):
        assert cli.run("login", "--url", "http://127.0.0.1:9", stdin=key + "\n").code == USAGE


_HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202eevil\r\n\x00"


class _OtherServer(http.server.BaseHTTPRequestHandler):
    """Another web server, or one that sends hostile text."""

    page = b"<h1>It works!</h1>"
    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(self.page)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def other_server() -> Iterator[str]:
    listening = http.server.HTTPServer(("127.0.0.1", 0), _OtherServer)
    thread = threading.Thread(target=listening.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{listening.server_address[1]}"
    listening.shutdown()
    thread.join()
    listening.server_close()


def test_other_server_software_is_reported(cli: Cli, other_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    unexpected = cli.run("login", "--url", other_server, "--key", "service_sk_x").error
    assert unexpected.startswith(f"unexpected response from {other_server}; it may not be a Loremark server")
    monkeypatch.setattr(_OtherServer, "status", 404)
    message = f"{other_server} responded with status 404, but not with a Loremark error; check the address"
    assert cli.run("login", "--url", other_server, "--key", "service_sk_x").error.startswith(message)
    profile.save(profile.Profile(other_server, "service_sk_x"))
    assert cli.run("whoami").error.startswith(message)
    assert "status 404" in cli.run("doctor").out


def test_server_named_by_a_folder_needs_confirmation(cli: Cli, server: Server) -> None:
    (cli.home / "shop").mkdir()
    (cli.home / "shop" / ".loremark.toml").write_text(f'project = "prj_x"\nurl = "{server.url}/"\n')
    cli.monkeypatch.chdir(cli.home / "shop")
    refused = cli.run("login", stdin=f"{server.key}\n")
    assert (refused.code, f"pass --url {server.url}" in refused.error) == (USAGE, True), "the repository is untrusted"
    no = cli.run("login", "--key", server.key, stdin="n\n", terminal=True)
    assert "http://127.0.0.1:8000" in no.err
    yes = cli.run("login", "--key", server.key, stdin="y\n", terminal=True)
    assert (yes.code, f"points to {server.url}. Sign in there?" in yes.err) == (0, True)
    assert cli.run("login", stdin=f"{server.key}\n").code == 0, "already signed in to this server"
    (cli.home / "shop" / ".loremark.toml").write_text('url = "https://evil.example.com"\n')
    assert server.url in cli.run("login", stdin=f"{server.key}\n").out


@pytest.mark.parametrize("words", [("whoami",), ("whoami", "--json"), ("api", "GET", "/api/auth/me")])
def test_server_text_is_stripped_of_control_characters(
    cli: Cli, other_server: str, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = ("userId", "name", "email", "teamId", "teamName", "plan", "authMethod")
    profile_fields = {**dict.fromkeys(fields, _HOSTILE), "role": "owner", "teams": []}
    monkeypatch.setattr(_OtherServer, "page", json.dumps(profile_fields, ensure_ascii=False).encode())
    profile.save(profile.Profile(other_server, "service_sk_x"))
    shown = cli.run(*words, terminal=True)
    assert shown.code == 0, shown
    assert "evil" in shown.out
    assert not set(shown.out + shown.err) & set("\x1b\x9b\x07\x00\r\u202e")


def test_browsers_are_listed_and_signed_out(olga: Cli, server: Server) -> None:
    listed = olga.run("logins", "list", "--json").json
    assert olga.run("logins", "end").code == USAGE
    assert olga.run("logins", "end", "log_unknown", "--yes").error == "Login not found"
    for login in listed:
        assert login["id"] in olga.run("logins").out
    assert olga.run("logins", "end", "--all", "--yes", "--json").json == {"ended": [login["id"] for login in listed]}
    assert olga.run("logins", "list", "--json").json == []


def test_audit_log_is_exported(olga: Cli, server: Server) -> None:
    project = server.create_project("Audited")
    file = olga.home / "audit.jsonl"
    written = olga.run("audit", "export", "--project", "Audited", "--output", str(file), "--json").json
    assert (written["path"], written["bytes"]) == (str(file), file.stat().st_size)
    assert next(json.loads(line)["projectId"] for line in file.read_text().splitlines()) == project
    assert project in olga.run("audit", "export", "--action", "project.created").out
