"""What people do with the memory from a command line: tell it something, read it, ask it, set it right."""

from __future__ import annotations

import json
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from loremark.base import profile
from loremark.base.folders import state_folder
from loremark.cli.kit import USAGE
from loremark.hook import flush
from tests.cli.person import Desk, Server, serving
from tests.cli.remembering import NEVER, Rememberer
from tests.cli.terminal import Terminal
from tests.client.scripted import hangs_up, says, scripted, writes
from tests.support import databases

RETRIES = ("Webhooks are retried three times", "We retry webhooks three times because customers' servers restart.")
HASHES = ("Passwords are hashed with Argon2id", "We hash passwords with Argon2id because bcrypt cuts off long ones.")


@pytest.fixture
def either(engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """A server on each engine."""
    if engine == "sqlite":
        yield request.getfixturevalue("server")
        return
    with serving(tmp_path, databases.fresh_postgres()) as running:
        yield running


def test_from_telling_something_to_asking_about_it(desk: Desk, either: Server) -> None:
    Rememberer(desk, either)
    told = ("save", RETRIES[1], "--title", RETRIES[0], "--type", "decision", "--files", "src/hooks.py")
    learned = desk.say(*told, "--enrich", "--json").json
    assert [(item["title"], item["files"]) for item in learned["items"]] == [(RETRIES[0], ["src/hooks.py"])]
    assert [stage["status"] for stage in learned["job"]["pipeline"]] == ["completed"] * 4
    assert desk.say(*told).out == f"this was saved before, in {learned['sessionId']}\n"
    item_id = learned["items"][0]["id"]

    document = desk.say("brain")
    assert document.out.startswith("# Memory\n")
    assert RETRIES[1] in document.out
    assert desk.say("brain", "--json").json["markdown"].rstrip("\n") == document.out.rstrip("\n")
    assert desk.say("brain", "--budget", "7").refusal == "tokenBudget must be between 200 and 200000"
    assert "items      1\n" in desk.say("brain", "--metadata").out

    found = desk.say("search", "how", "often", "are", "webhooks", "retried", "--explain")
    assert found.out.splitlines()[0].endswith(f"decision       {RETRIES[0]}")
    assert f"     {item_id} src/hooks.py" in found.out
    assert " meaning: near in meaning" in found.out
    assert desk.say("search", "webhooks", "--type", "bug").err == "nothing found\n"
    around = desk.say("context", "src/../src/hooks.py", "--json").json
    assert ([item["id"] for item in around["items"]], around["files"]) == ([item_id], ["src/hooks.py"])

    answer = desk.say("ask", "How often are webhooks retried?")
    assert "three times" in answer.out
    assert answer.out.count("ources:") == 1
    assert answer.out.endswith(f"\n\nSources:\n  [1] {RETRIES[0]} (decision) src/hooks.py {item_id}\n")
    first = desk.say("ask", "--continue", "And why is that so?", "--json").json
    assert first["sources"][0]["used"]
    chat = either.http.get(f"/api/v2/chat-sessions/{first['chatSessionId']}/messages").json()
    assert [message["content"] for message in chat["messages"] if message["role"] == "user"] == [
        "How often are webhooks retried?",
        "And why is that so?",
    ]
    other = desk.say("ask", "--json", given=b"How often, once more \xff?\n").json
    assert other["chatSessionId"] != first["chatSessionId"]
    either.http.delete(f"/api/v2/chat-sessions/{other['chatSessionId']}")
    gone = desk.say("ask", "--continue", "Is it still there?", "--json")
    assert gone.err == "the last conversation is gone; this is a new one\n"
    assert gone.json["chatSessionId"] not in (first["chatSessionId"], other["chatSessionId"])
    assert desk.say("ask", "--chat", "cht_nowhere", "Is it there?").refusal == "Session not found"
    assert stat.S_IMODE(Path(state_folder(), "conversations.json").stat().st_mode) == 0o600


def test_sessions_and_their_events(olga: Desk, server: Server) -> None:
    Rememberer(olga, server)
    assert "there is no active session" in olga.say("enrich").refusal
    session = olga.say("save", "--file", "-", "--json", given="The cache is kept for ten minutes.").json["sessionId"]
    assert [each["id"] for each in olga.say("sessions", "list", "--status", "active", "--json").json] == [session]
    begun = olga.say("enrich", "--no-wait", "--json").json
    watched = olga.say("enrich", session)
    assert watched.code == 0
    assert begun["jobId"] in olga.say("sessions", "show", session).out
    assert olga.say("enrich", session, "--retry").refusal == "No failed job to retry"
    events = olga.say("sessions", "events", session)
    assert "session_save" in events.out
    assert "kept for ten minutes" in events.out
    assert olga.say("sessions", "events", session, "--json").json[0]["payload"]["source"] == "cli"
    assert olga.say("save", "Logs are written as JSON lines to standard output.").code == 0
    with Terminal("enrich") as terminal:
        terminal.see("✓ drift_check")
        terminal.see("found in ses_")
        assert terminal.end() == 0
    assert olga.say("sessions", "show", "../../keys").refusal.endswith("ot found")


def test_an_answer_can_be_interrupted(olga: Desk) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    with scripted() as server:
        ticket = json.dumps({"ticket": "t.t", "workerUrl": server.url}).encode()
        token = b'data: {"type": "token", "content": "So far"}\n\n'
        server.replies = [says(200, ticket), writes(head + token, pause_s=5.0)]
        profile.save(profile.Profile(server.url, "service_sk_x"))
        with Terminal("ask", "Why is it so?", "--project", "prj_x") as terminal:
            terminal.see("So far")
            time.sleep(0.2)  # it waits for more by now: Python hears of a signal between two of its steps, or in a wait
            terminal.press("\x03")
            assert terminal.end(4.0) == 130
    assert "Traceback" not in terminal.shown


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("The TTL of bookings is now 15 minutes instead of 10, since payments take longer.", "decision"),
        ("We picked Terraform over Pulumi.", "bug"),
        ("Answers errors as RFC 9457.", "convention"),
    ],
)
def test_what_a_person_calls_it_is_what_it_is(desk: Desk, server: Server, text: str, type: str) -> None:
    Rememberer(desk, server)
    (item,) = desk.say("save", text, "--type", type, "--enrich", "--json").json["items"]
    assert (item["type"], item["status"]) == (type, "approved")
    shown = desk.say("items", "show", item["id"], "--json").json
    assert (shown["type"], shown["content"]) == (type, text)


def test_nothing_is_lost_while_the_server_is_away(desk: Desk) -> None:
    secret = "Q3EGRT5YHJ2KLM4N"
    words = [
        "save",
        f"The token is AKIA{secret} and we rotate it monthly.",
        "--project",
        "prj_x",
        "--title",
        "Rotation",
    ]
    with scripted() as server:
        profile.save(profile.Profile(server.url, "service_sk_x", {"prj_x": "a secret"}))
        server.replies = [hangs_up()]
        kept = desk.say(*words)
        assert (kept.code, "cannot be reached" in kept.err, "kept on this machine" in kept.out) == (0, True, True)
        (record,) = Path(state_folder(), "spool", "records").iterdir()
        assert stat.S_IMODE(record.stat().st_mode) == 0o600
        assert secret not in record.read_text()
        tried = server.requests[-1]

        server.replies = [says(202, b'{"eventId": "evt_1", "sessionId": "ses_1"}', close=True)]
        assert flush.run()
        sent = [request for request in server.requests if request.path == "/api/v2/ingest"][-1]
        told = json.loads(tried.body)
        assert (tried.path, told.pop("projectId")) == ("/api/v2/events", "prj_x")
        assert json.loads(sent.body) == told, "the very same event: if it did arrive, it is known"
        assert json.loads(sent.body)["payload"]["changes"][0]["title"] == "Rotation"
        assert flush.status().waiting == 0
    assert desk.say("save", given="  \n").code == USAGE
    assert desk.say("save", "twice", "--file", "x").code == USAGE


@pytest.fixture
def pen(olga: Desk, tmp_path: Path) -> Path:
    """An editor that is a program with a blank in its path and an option; it does what ``pen`` says."""
    script = tmp_path / "my pen.py"
    olga.monkeypatch.setenv("EDITOR", f"'{sys.executable}' '{script}' --wait")
    return script


def _writes(pen: Path, code: str) -> None:
    pen.write_text(f"import sys\nassert sys.argv[1] == '--wait'\npath = sys.argv[2]\ntext = open(path).read()\n{code}")


def test_items_are_set_right(olga: Desk, server: Server, pen: Path) -> None:
    someone = Rememberer(olga, server, autoApproveThreshold=NEVER)
    ids = someone.learn(RETRIES, HASHES)
    one, two = ids[RETRIES[0]], ids[HASHES[0]]
    assert [item["status"] for item in someone.items()] == ["draft", "draft"]
    shown = olga.say("items", "show", one)
    assert "evidence" in shown.out
    assert "“" + RETRIES[1][:30] in shown.out

    some = olga.say("items", "approve", one, "itm_nowhere", two)
    assert (some.code, some.err) == (1, "itm_nowhere: Item not found\n")
    assert [item["status"] for item in someone.items()] == ["approved", "approved"]
    assert olga.say("items", "deprecate", two).code == 0
    assert [item["id"] for item in someone.items("--status", "deprecated")] == [two]

    _writes(pen, "open(path, 'w').write(text.replace('three', 'five').replace('tier: 2', 'tier: 1'))")
    edited = olga.say("items", "edit", one)
    assert edited.code == 0, edited
    now = someone.item(one)
    assert (now["title"], now["tier"]) == ("Webhooks are retried five times", 1)
    assert "five times because" in now["content"]
    assert list(Path(state_folder(), "edits").iterdir()) == []
    changed = olga.say("items", "diff", one)
    assert "- Webhooks are retried three times\n+ Webhooks are retried five times\n" in changed.out
    assert "-We retry webhooks three" in changed.out
    assert olga.say("items", "diff", one, "1", "99").refusal.startswith("there is no version 99")
    assert [each["version"] for each in olga.say("items", "history", one, "--json").json] == [3, 2, 1]
    assert olga.say("items", "revert", one, "--json").json["title"] == RETRIES[0]
    assert olga.say("items", "delete", two).refusal == "not deleted; say --yes"
    assert olga.say("items", "delete", two, "--yes").code == 0
    assert [item["id"] for item in someone.items()] == [one]


def test_what_somebody_else_has_changed_is_not_overwritten(olga: Desk, server: Server, pen: Path) -> None:
    someone = Rememberer(olga, server)
    one = someone.learn(RETRIES)[RETRIES[0]]
    # The other comes while the editor is open.
    other = f"""
import urllib.request, json
body = json.dumps({{"title": "Somebody else's title"}}).encode()
headers = {{"Authorization": "Bearer {server.key}", "Content-Type": "application/json"}}
urllib.request.urlopen(urllib.request.Request(
    "{server.url}/api/v2/items/{one}", body, headers, method="PATCH"
)).close()
open(path, "w").write(text.replace("three", "seven"))
"""
    _writes(pen, other)
    refused = olga.say("items", "edit", one)
    assert refused.refusal.startswith("it was changed by somebody else meanwhile; your text is kept in ")
    assert someone.item(one)["title"] == "Somebody else's title"
    kept = Path(refused.refusal.rpartition(" ")[2])
    assert "seven times because" in kept.read_text()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert olga.say("items", "edit", one, "--file", str(kept)).code == 0
    assert "seven times because" in someone.item(one)["content"]
    assert kept.exists(), "a person's own file is theirs"

    for code, told in (
        ("open(path, 'w').write('no fields')", "must begin with its fields"),
        ("open(path, 'w').write(text.replace('tier: 2', 'tier: x'))", "tier must be a number"),
        ("open(path, 'w').write(text.replace('title:', 'colour:'))", "is none of the fields"),
        ("open(path, 'w').write(text.replace('type: decision', 'type: hunch'))", "type must be one of"),
        ("sys.exit(3)", "the editor ended with 3"),
    ):
        _writes(pen, code)
        failed = olga.say("items", "edit", one)
        assert (failed.code, failed.out) == (1, "")
        assert told in failed.err
    _writes(pen, "open(path, 'w').write('')")
    assert olga.say("items", "edit", one).err == "nothing is changed\n"
    olga.monkeypatch.setenv("EDITOR", "/no/such/editor; touch hacked")
    assert "cannot be started" in olga.say("items", "edit", one).refusal
    assert not Path("hacked").exists()


def test_contexts(olga: Desk, server: Server, pen: Path) -> None:
    project = Rememberer(olga, server).project
    journal = "Kept by hand.\n\n## Monday\n- The cache is off\n\n## Tuesday\n- The cache is off\n- The cache is on\n"
    for name, key in (("Api", "root/api"), ("Journal", "root/api/journal")):
        body = {"name": name, "schemaKey": key, "content": journal, "projectId": project}
        assert server.http.post("/api/contexts", json=body).status_code == 201
    tree = olga.say("contexts", "tree").out.splitlines()
    assert [line.split("  ctx")[0].split(" ctx")[0] for line in tree] == [
        "Api  root/api",
        "  Journal  root/api/journal",
    ]
    assert olga.say("contexts", "approve", "root/api/journal").out.endswith("is approved\n")
    _writes(pen, "open(path, 'w').write(text.replace('name: Journal', 'name: Log').replace('by hand', 'by us'))")
    assert olga.say("contexts", "edit", "root/api/journal", "--json").json["name"] == "Log"
    assert "+Kept by us." in olga.say("contexts", "diff", "root/api/journal").out
    shorter = olga.say("contexts", "compact", "root/api/journal", "--json").json
    assert shorter["entriesAfter"] < shorter["entriesBefore"]
    assert olga.say("contexts", "deprecate", "root/api/journal", "--json").json["state"] == "deprecated"
    assert "there is no context root/nothing" in olga.say("contexts", "show", "root/nothing").refusal
    assert olga.say("contexts", "show", "root/api").out.startswith("Api\ndraft memory, tier 2, root/api\n")
