"""The memory commands: save, brain, search, ask, items, contexts and sessions."""

from __future__ import annotations

import json
import re
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from loremark.base import profile
from loremark.base.folders import state_folder
from loremark.cli.framework import USAGE
from loremark.hook import flush
from tests.cli.harness import Cli, Server, serving
from tests.cli.project_memory import NEVER, ProjectMemory
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


def test_save_search_and_ask(cli: Cli, either: Server) -> None:
    ProjectMemory(cli, either)
    save = ("save", RETRIES[1], "--title", RETRIES[0], "--type", "decision", "--files", "src/hooks.py")
    learned = cli.run(*save, "--enrich", "--json").json
    assert [(item["title"], item["files"]) for item in learned["items"]] == [(RETRIES[0], ["src/hooks.py"])]
    assert [stage["status"] for stage in learned["job"]["pipeline"]] == ["completed"] * 4
    assert cli.run(*save).out == f"Already saved in {learned['sessionId']}\n"
    item_id = learned["items"][0]["id"]

    document = cli.run("brain")
    assert document.out.startswith("# Memory\n")
    assert RETRIES[1] in document.out
    assert cli.run("brain", "--json").json["markdown"].rstrip("\n") == document.out.rstrip("\n")
    assert cli.run("brain", "--budget", "7").error == "tokenBudget must be between 200 and 200000"
    assert "items      1\n" in cli.run("brain", "--metadata").out

    found = cli.run("search", "how", "often", "are", "webhooks", "retried", "--explain")
    assert found.out.splitlines()[0].endswith(f"decision       {RETRIES[0]}")
    assert f"     {item_id} (unreviewed) src/hooks.py" in found.out
    assert " meaning: similar in meaning" in found.out
    assert cli.run("search", "webhooks", "--type", "bug").err == "No matching memories.\n"
    around = cli.run("context", "src/../src/hooks.py", "--json").json
    assert ([item["id"] for item in around["items"]], around["files"]) == ([item_id], ["src/hooks.py"])
    assert {"kind": "item", "id": item_id, "reviewed": False} in around["entries"]
    shown = cli.run("context", "src/hooks.py", "--task", "retry webhooks less often")
    assert shown.out.startswith("## Rules and decisions\n")
    assert "Items about src/hooks.py\nid" in shown.out
    assert cli.run("context", "--budget", "7").error == "tokenBudget must be at least 100"
    assert RETRIES[0] in cli.run("context").out

    answer = cli.run("ask", "How often are webhooks retried?")
    assert "three times" in answer.out
    assert answer.out.count("ources:") == 1
    assert answer.out.endswith(f"\n\nSources:\n  [1] {RETRIES[0]} (decision, unreviewed) src/hooks.py {item_id}\n")
    first = cli.run("ask", "--continue", "And why is that so?", "--json").json
    assert first["sources"][0]["used"]
    chat = either.http.get(f"/api/v2/chat-sessions/{first['chatSessionId']}/messages").json()
    assert [message["content"] for message in chat["messages"] if message["role"] == "user"] == [
        "How often are webhooks retried?",
        "And why is that so?",
    ]
    other = cli.run("ask", "--json", stdin=b"How often, once more \xff?\n").json
    assert other["chatSessionId"] != first["chatSessionId"]
    either.http.delete(f"/api/v2/chat-sessions/{other['chatSessionId']}")
    gone = cli.run("ask", "--continue", "Is it still there?", "--json")
    assert gone.err == "the last chat no longer exists; starting a new one\n"
    assert gone.json["chatSessionId"] not in (first["chatSessionId"], other["chatSessionId"])
    assert cli.run("ask", "--chat", "cht_nowhere", "Is it there?").error == "chat not found: cht_nowhere"
    assert stat.S_IMODE(Path(state_folder(), "conversations.json").stat().st_mode) == 0o600


def test_sessions_and_events(olga: Cli, server: Server) -> None:
    ProjectMemory(olga, server)
    assert "no active session" in olga.run("enrich").error
    session = olga.run("save", "--file", "-", "--json", stdin="The cache is kept for ten minutes.").json["sessionId"]
    assert [each["id"] for each in olga.run("sessions", "list", "--status", "active", "--json").json] == [session]
    begun = olga.run("enrich", "--no-wait", "--json").json
    watched = olga.run("enrich", session)
    assert watched.code == 0
    assert begun["jobId"] in olga.run("sessions", "show", session).out
    assert olga.run("enrich", session, "--retry").error == "No failed job to retry"
    events = olga.run("sessions", "events", session)
    assert "session_save" in events.out
    assert "kept for ten minutes" in events.out
    assert olga.run("sessions", "events", session, "--json").json[0]["payload"]["source"] == "cli"
    assert olga.run("save", "Logs are written as JSON lines to standard output.").code == 0
    with Terminal("enrich") as terminal:
        terminal.wait_for("✓ drift_check")
        terminal.wait_for("found in ses_")
        assert terminal.end() == 0
    assert olga.run("sessions", "show", "../../keys").error.endswith("ot found")
    assert olga.run("sessions", "forget", session).error == "not deleted; confirm with --yes"
    forgotten = olga.run("sessions", "forget", session, "--yes")
    assert forgotten.out == f"Deleted {session} and its 1 event.\n"
    assert olga.run("sessions", "forget", session, "--yes", "--json").error == "Session not found"


def test_what_sessions_said_is_searched_and_briefed(olga: Cli, server: Server) -> None:
    project = ProjectMemory(olga, server).project
    nothing = olga.run("context", "--task", "wait for the ACK of St. Anna")
    assert (nothing.out, nothing.err) == ("", "No matching memories.\n")
    payload = {
        "notes": "the sender hangs up on St. Anna before their ACK arrives, give it 45 seconds",
        "summary": "Done: `ACK_TIMEOUT_S = 45` for all sites.",
        "changes": [],
        "source": "claude-code:1",
        "agent": "claude-code",
        "branch": "fix/ack",
    }
    event = {"projectId": project, "event": "session_save", "payload": payload}
    session = server.http.post("/api/v2/events", json=event).json()["sessionId"]
    question = ("search", "how long does the sender wait for the ACK of St. Anna", "--in")
    found = olga.run(*question, "sessions")
    deadline = time.monotonic() + 30
    while "45 seconds" not in found.out and time.monotonic() < deadline:
        time.sleep(0.1)  # turns are indexed in the background
        found = olga.run(*question, "sessions")
    lines = found.out.splitlines()
    assert lines[0] == "Sessions and commits (unreviewed):"
    assert re.fullmatch(r"[01]\.\d\d session {8}\d{4}-\d\d-\d\d, claude-code, branch fix/ack", lines[1])
    assert lines[3] == f"     {session}"
    assert olga.run(*question, "all", "--json").json["turns"][0]["sessionId"] == session
    assert olga.run(*question, "items").err.startswith("No matching memories.")
    answer = olga.run("ask", "How long does the sender wait for the ACK of St. Anna?")
    assert answer.out.startswith("Unreviewed, from a session with claude-code on ")
    assert answer.out.endswith(f" (unreviewed) {session}\n")
    briefed = olga.run("context", "--task", "write the HL7 sender for St. Anna: wait for the ACK before hanging up")
    assert "give it 45 seconds" in briefed.out
    assert "unreviewed" in briefed.out


def test_interrupting_an_answer(olga: Cli) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    with scripted() as server:
        ticket = json.dumps({"ticket": "t.t", "workerUrl": server.url}).encode()
        token = b'data: {"type": "token", "content": "So far"}\n\n'
        server.replies = [says(200, ticket), writes(head + token, pause_s=5.0)]
        profile.save(profile.Profile(server.url, "service_sk_x"))
        with Terminal("ask", "Why is it so?", "--project", "prj_x") as terminal:
            terminal.wait_for("So far")
            time.sleep(0.2)  # let it block on the next read before the signal arrives
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
def test_explicit_type_is_kept(cli: Cli, server: Server, text: str, type: str) -> None:
    ProjectMemory(cli, server)
    (item,) = cli.run("save", text, "--type", type, "--enrich", "--json").json["items"]
    assert (item["type"], item["status"]) == (type, "approved")
    shown = cli.run("items", "show", item["id"], "--json").json
    assert (shown["type"], shown["content"]) == (type, text)


def test_save_is_queued_while_the_server_is_unreachable(cli: Cli) -> None:
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
        queued = cli.run(*words)
        assert (queued.code, "cannot reach" in queued.err, "Queued on this machine" in queued.out) == (0, True, True)
        (record,) = Path(state_folder(), "spool", "records").iterdir()
        assert stat.S_IMODE(record.stat().st_mode) == 0o600
        assert secret not in record.read_text()
        tried = server.requests[-1]

        server.replies = [says(202, b'{"eventId": "evt_1", "sessionId": "ses_1"}', close=True)]
        assert flush.run()
        sent = [request for request in server.requests if request.path == "/api/v2/ingest"][-1]
        event = json.loads(tried.body)
        assert (tried.path, event.pop("projectId")) == ("/api/v2/events", "prj_x")
        assert json.loads(sent.body) == event, "the same event, so the server can deduplicate it"
        assert json.loads(sent.body)["payload"]["changes"][0]["title"] == "Rotation"
        assert flush.status().waiting == 0
    assert cli.run("save", stdin="  \n").code == USAGE
    assert cli.run("save", "twice", "--file", "x").code == USAGE


@pytest.fixture
def editor(olga: Cli, tmp_path: Path) -> Path:
    """An editor with a space in its path and an option; it runs the Python file that this returns."""
    script = tmp_path / "my pen.py"
    olga.monkeypatch.setenv("EDITOR", f"'{sys.executable}' '{script}' --wait")
    return script


def _set_script(editor: Path, code: str) -> None:
    editor.write_text(
        f"import sys\nassert sys.argv[1] == '--wait'\npath = sys.argv[2]\ntext = open(path).read()\n{code}"
    )


def test_approve_edit_revert_and_delete_items(olga: Cli, server: Server, editor: Path) -> None:
    memory = ProjectMemory(olga, server, autoApproveThreshold=NEVER)
    ids = memory.learn(RETRIES, HASHES)
    one, two = ids[RETRIES[0]], ids[HASHES[0]]
    assert [item["status"] for item in memory.items()] == ["draft", "draft"]
    shown = olga.run("items", "show", one)
    assert "evidence" in shown.out
    assert "“" + RETRIES[1][:30] in shown.out

    some = olga.run("items", "approve", one, "itm_nowhere", two)
    assert (some.code, some.err) == (1, "itm_nowhere: Item not found\n")
    assert [item["status"] for item in memory.items()] == ["approved", "approved"]
    assert olga.run("items", "deprecate", two).code == 0
    assert [item["id"] for item in memory.items("--status", "deprecated")] == [two]

    _set_script(editor, "open(path, 'w').write(text.replace('three', 'five').replace('tier: 2', 'tier: 1'))")
    edited = olga.run("items", "edit", one)
    assert edited.code == 0, edited
    now = memory.item(one)
    assert (now["title"], now["tier"]) == ("Webhooks are retried five times", 1)
    assert "five times because" in now["content"]
    assert list(Path(state_folder(), "edits").iterdir()) == []
    changed = olga.run("items", "diff", one)
    assert "- Webhooks are retried three times\n+ Webhooks are retried five times\n" in changed.out
    assert "-We retry webhooks three" in changed.out
    assert olga.run("items", "diff", one, "1", "99").error.startswith("version 99 does not exist")
    assert [each["version"] for each in olga.run("items", "history", one, "--json").json] == [3, 2, 1]
    assert olga.run("items", "revert", one, "--json").json["title"] == RETRIES[0]
    assert olga.run("items", "delete", two).error == "not deleted; confirm with --yes"
    assert olga.run("items", "delete", two, "--yes").code == 0
    assert [item["id"] for item in memory.items()] == [one]


def test_concurrent_edit_is_not_overwritten(olga: Cli, server: Server, editor: Path) -> None:
    memory = ProjectMemory(olga, server)
    one = memory.learn(RETRIES)[RETRIES[0]]
    # Another user changes the item while the editor is open.
    other = f"""
import urllib.request, json
body = json.dumps({{"title": "Somebody else's title"}}).encode()
headers = {{"Authorization": "Bearer {server.key}", "Content-Type": "application/json"}}
urllib.request.urlopen(urllib.request.Request(
    "{server.url}/api/v2/items/{one}", body, headers, method="PATCH"
)).close()
open(path, "w").write(text.replace("three", "seven"))
"""
    _set_script(editor, other)
    refused = olga.run("items", "edit", one)
    assert refused.error.startswith("someone else changed this in the meantime; your text is saved in ")
    assert memory.item(one)["title"] == "Somebody else's title"
    kept = Path(refused.error.rpartition(" ")[2])
    assert "seven times because" in kept.read_text()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert olga.run("items", "edit", one, "--file", str(kept)).code == 0
    assert "seven times because" in memory.item(one)["content"]
    assert kept.exists(), "the user's own file is not deleted"

    for code, message in (
        ("open(path, 'w').write('no fields')", "must start with its fields"),
        ("open(path, 'w').write(text.replace('tier: 2', 'tier: x'))", "tier must be a number"),
        ("open(path, 'w').write(text.replace('title:', 'colour:'))", "is not a known field"),
        ("open(path, 'w').write(text.replace('type: decision', 'type: hunch'))", "type must be one of"),
        ("sys.exit(3)", "the editor exited with status 3"),
    ):
        _set_script(editor, code)
        failed = olga.run("items", "edit", one)
        assert (failed.code, failed.out) == (1, "")
        assert message in failed.err
    _set_script(editor, "open(path, 'w').write('')")
    assert olga.run("items", "edit", one).err == "No changes.\n"
    olga.monkeypatch.setenv("EDITOR", "/no/such/editor; touch hacked")
    assert "cannot start the editor" in olga.run("items", "edit", one).error
    assert not Path("hacked").exists()


def test_contexts(olga: Cli, server: Server, editor: Path) -> None:
    project = ProjectMemory(olga, server).project
    journal = "Kept by hand.\n\n## Monday\n- The cache is off\n\n## Tuesday\n- The cache is off\n- The cache is on\n"
    for name, key in (("Api", "root/api"), ("Journal", "root/api/journal")):
        body = {"name": name, "schemaKey": key, "content": journal, "projectId": project}
        assert server.http.post("/api/contexts", json=body).status_code == 201
    tree = olga.run("contexts", "tree").out.splitlines()
    assert [line.split("  ctx")[0].split(" ctx")[0] for line in tree] == [
        "Api  root/api",
        "  Journal  root/api/journal",
    ]
    assert olga.run("contexts", "approve", "root/api/journal").out.endswith("is now approved\n")
    _set_script(editor, "open(path, 'w').write(text.replace('name: Journal', 'name: Log').replace('by hand', 'by us'))")
    assert olga.run("contexts", "edit", "root/api/journal", "--json").json["name"] == "Log"
    assert "+Kept by us." in olga.run("contexts", "diff", "root/api/journal").out
    shorter = olga.run("contexts", "compact", "root/api/journal", "--json").json
    assert shorter["entriesAfter"] < shorter["entriesBefore"]
    assert olga.run("contexts", "deprecate", "root/api/journal", "--json").json["state"] == "deprecated"
    assert "no context root/nothing" in olga.run("contexts", "show", "root/nothing").error
    assert olga.run("contexts", "show", "root/api").out.startswith("Api\ndraft memory, tier 2, root/api\n")
