"""Signing in and out, and what belongs to the account: projects, people, keys, what is used."""

from __future__ import annotations

import http.server
import json
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from loremark.base import profile
from loremark.cli.kit import SIGNED_OUT, USAGE
from tests.cli.person import Desk, Server, serving
from tests.support import databases


@pytest.fixture
def either(engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """A server on each engine."""
    if engine == "sqlite":
        yield request.getfixturevalue("server")
        return
    with serving(tmp_path, databases.fresh_postgres()) as running:
        yield running


def test_from_signing_in_to_signing_out(desk: Desk, either: Server) -> None:
    nobody = desk.say("whoami")
    assert (nobody.code, nobody.refusal) == (SIGNED_OUT, "not signed in; run: loremark login")
    wrong = desk.say("login", "--url", either.url, given="service_sk_wrong\n")
    assert (wrong.code, wrong.refusal) == (
        1,
        f"{either.url} does not take this key: Invalid or missing authentication credentials",
    )
    path = Path(profile.location())
    assert not path.exists()

    signed_in = desk.say("login", "--url", either.url + "/", given=either.key + "\n")
    assert (signed_in.code, signed_in.err) == (0, "")
    assert "Olga (owner of Stones)" in signed_in.out
    assert either.key not in signed_in.out
    assert [stat.S_IMODE(place.stat().st_mode) for place in (path, path.parent)] == [0o600, 0o700]
    assert desk.say("whoami").out == "Olga <owner@example.com>, owner of Stones (team plan)\n"
    assert desk.say("whoami", "--json").json["teamName"] == "Stones"

    made = desk.say("projects", "create", "Höhle", "--description", "Deep", "--json").json
    assert desk.say("projects", "create", "x" * 101).refusal.startswith("name ")
    listed = desk.say("projects", "list").out.splitlines()
    assert [line.split()[0] for line in listed if "Höhle" in line] == [made["id"]]
    changed = desk.say("projects", "update", made["id"], "--threshold", "0.8", "--deep-enrich", "--json").json
    assert (changed["autoApproveThreshold"], changed["deepEnrichEnabled"]) == (0.8, True)
    assert "threshold    0.8" in desk.say("projects", "show", made["id"]).out
    assert desk.say("projects", "update", made["id"]).code == USAGE
    assert desk.say("projects", "update", made["id"], "--threshold", "1.5").code == USAGE

    key = desk.say("keys", "create", "laptop")
    assert key.out.startswith("service_sk_")
    assert "shown only now" in key.err
    assert desk.say("login", "--key", key.out.strip()).code == 0
    (entry,) = [entry for entry in desk.say("keys", "list", "--json").json if key.out.startswith(entry["prefix"])]
    assert "laptop (this one)" in desk.say("keys", "list").out
    kept = desk.say("keys", "delete", entry["id"])
    assert (kept.code, kept.out) == (1, "")
    out = desk.say("logout", "--revoke", "--json").json
    assert out == {"forgotten": True, "revoked": True}
    assert not path.exists()
    ended = desk.say("login", "--url", either.url, "--key", key.out.strip())
    assert ended.code == 1
    assert desk.say("logout").err == "nobody was signed in\n"


def test_a_secret_is_shown_and_renewed_and_the_kept_one_with_it(olga: Desk, server: Server) -> None:
    project = server.create_project("Signed")
    before = olga.say("projects", "secret", "show", project).out.strip()
    profile.keep_secret(server.url, project, before)
    assert olga.say("projects", "secret", "rotate", project).code == 1, "nobody said yes"
    after = olga.say("projects", "secret", "rotate", project, "--revoke-now", "--yes", "--json").json
    assert after["secret"] != before
    assert after["previousValidUntil"] is None
    kept = profile.load()
    assert kept is not None
    assert kept.secrets == {project: after["secret"]}
    assert kept.key == server.key


def test_a_project_is_deleted_by_its_name(olga: Desk, server: Server) -> None:
    project = server.create_project("Short lived")
    assert "say --yes" in olga.say("projects", "delete", project).err, "nobody can be asked"
    wrong = olga.say("projects", "delete", "short lived", given="y\n", terminal=True)
    assert (wrong.code, "nothing brings them back" in wrong.err) == (1, True)
    assert olga.say("projects", "show", project).code == 0
    deleted = olga.say("projects", "delete", "short lived", given="Short lived\n", terminal=True)
    assert (deleted.code, deleted.out) == (0, f"Short lived ({project}) is deleted, and all it remembered.\n")
    assert olga.say("projects", "show", project).refusal == "Project not found"
    another = server.create_project("Shorter lived")
    assert olga.say("projects", "delete", another, "--yes", "--json").json == {"deleted": another}
    assert olga.say("projects", "delete").code == USAGE, "never that of the folder"


def test_people_come_and_go(olga: Desk) -> None:
    invited = olga.say("team", "invite", "mira@example.com", "--role", "admin", "--json").json
    assert (invited["email"], invited["role"]) == ("mira@example.com", "admin")
    rows = [line.split() for line in olga.say("team", "list").out.splitlines()]
    assert rows[0] == ["id", "role", "status", "e-mail", "name"]
    assert [row[1:4] for row in rows if "mira@example.com" in row] == [["admin", "invited", "mira@example.com"]]
    assert olga.say("team", "role", "owner@example.com", "member").code == 1
    assert olga.say("team", "role", "mira@example.com", "queen").code == USAGE
    assert olga.say("team", "remove", "MIRA@example.com", "--yes").out == "mira@example.com is no longer of the team.\n"
    assert olga.say("team", "remove", "mira@example.com", "--yes").refusal.startswith("mira@example.com is not of the")


def test_what_is_used_is_drawn(olga: Desk) -> None:
    usage = olga.say("billing", "usage").out
    assert usage.startswith("team plan")
    assert [line.split()[0] for line in usage.splitlines()[1:]] == ["sessions", "events", "enrichments", "storage"]
    assert "░" in usage
    assert "of 50 GiB" in usage
    assert olga.say("billing", "usage", "--json").json["plan"] == "team"
    assert olga.say("billing", "credits").out.startswith("balance        ")
    assert set(olga.say("billing", "credits", "--json").json) == {"balance", "autoRecharge"}
    assert olga.say("billing", "transactions", "--json").json == []
    assert olga.say("billing", "transactions").err == "no credits were bought or used yet\n"
    assert olga.say("billing").out == usage
    assert olga.say("billing", "transactions", "--take", "0").code == USAGE


def test_a_key_goes_only_to_the_server_it_was_saved_for(olga: Desk, server: Server) -> None:
    olga.monkeypatch.setenv("LOREMARK_URL", "http://127.0.0.1:9")
    assert olga.say("whoami").code == SIGNED_OUT
    olga.monkeypatch.setenv("LOREMARK_API_KEY", "service_sk_\r\nX-Other: 1")
    assert olga.say("whoami").code == SIGNED_OUT
    olga.monkeypatch.setenv("LOREMARK_API_KEY", server.key)
    away = olga.say("whoami").refusal
    assert away.startswith("http://127.0.0.1:9 cannot be reached: Connection refused; start it (loremark serve)")
    olga.monkeypatch.setenv("LOREMARK_URL", server.url)
    assert olga.say("whoami").code == 0


@pytest.mark.parametrize(
    "url", ["http://[not an address", "ftp://example.com", "file:///etc/passwd", "http://", "https://a b", "http://h:x"]
)
def test_what_is_no_address_is_one_line(desk: Desk, url: str) -> None:
    assert "is not the address of a server" in desk.say("login", "--url", url, "--key", "service_sk_x").refusal


def test_a_key_that_is_none_goes_nowhere(desk: Desk) -> None:
    for given in ("", "service_sk_a\x1b[2J", "two words", "ключ", "x" * 501):
        assert desk.say("login", "--url", "http://127.0.0.1:9", given=given + "\n").code == USAGE


_HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202eevil\r\n\x00"


class _Stranger(http.server.BaseHTTPRequestHandler):
    """Some other server: it greets whoever asks, or it lies in every field."""

    page = b"<h1>It works!</h1>"
    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(self.page)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def stranger() -> Iterator[str]:
    listening = http.server.HTTPServer(("127.0.0.1", 0), _Stranger)
    thread = threading.Thread(target=listening.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{listening.server_address[1]}"
    listening.shutdown()
    thread.join()
    listening.server_close()


def test_a_server_that_is_not_loremark_is_one_line(desk: Desk, stranger: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        desk.say("login", "--url", stranger, "--key", "service_sk_x").refusal
        == f"{stranger} does not answer like Loremark"
    )
    monkeypatch.setattr(_Stranger, "status", 404)
    told = f"{stranger} does not answer like Loremark, but with 404; is the address right?"
    assert desk.say("login", "--url", stranger, "--key", "service_sk_x").refusal.startswith(told)
    profile.save(profile.Profile(stranger, "service_sk_x"))
    assert desk.say("whoami").refusal.startswith(told)
    assert "with 404" in desk.say("doctor").out


def test_a_folder_names_the_server_and_a_person_says_yes(desk: Desk, server: Server) -> None:
    (desk.home / "shop").mkdir()
    (desk.home / "shop" / ".loremark.toml").write_text(f'project = "prj_x"\nurl = "{server.url}/"\n')
    desk.monkeypatch.chdir(desk.home / "shop")
    refused = desk.say("login", given=f"{server.key}\n")
    assert (refused.code, f"say --url {server.url}" in refused.refusal) == (USAGE, True), "it may be a stranger's"
    no = desk.say("login", "--key", server.key, given="n\n", terminal=True)
    assert "http://127.0.0.1:8000" in no.err
    yes = desk.say("login", "--key", server.key, given="y\n", terminal=True)
    assert (yes.code, f"names {server.url}. Sign in there?" in yes.err) == (0, True)
    assert desk.say("login", given=f"{server.key}\n").code == 0, "it is the one that was signed in to"
    (desk.home / "shop" / ".loremark.toml").write_text('url = "https://evil.example.com"\n')
    assert server.url in desk.say("login", given=f"{server.key}\n").out


@pytest.mark.parametrize("words", [("whoami",), ("whoami", "--json"), ("api", "GET", "/api/auth/me")])
def test_what_a_server_says_never_commands_the_terminal(
    desk: Desk, stranger: str, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = ("userId", "name", "email", "teamId", "teamName", "plan", "via")
    told = {**dict.fromkeys(fields, _HOSTILE), "role": "owner", "teams": []}
    monkeypatch.setattr(_Stranger, "page", json.dumps(told, ensure_ascii=False).encode())
    profile.save(profile.Profile(stranger, "service_sk_x"))
    shown = desk.say(*words, terminal=True)
    assert shown.code == 0, shown
    assert "evil" in shown.out
    assert not set(shown.out + shown.err) & set("\x1b\x9b\x07\x00\r\u202e")
