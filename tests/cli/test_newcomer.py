"""First steps: hints, empty lists, default subcommands and output width."""

from __future__ import annotations

import pytest

from loremark.base import profile
from loremark.cli.answer import AnswerPrinter, show_sources
from loremark.cli.framework import USAGE
from loremark.wire.answers import AnswerDone, EmbedUsage, Source, TokenUsage
from tests.cli.harness import Cli, Server
from tests.cli.invitations import join
from tests.cli.project_memory import NEVER, ProjectMemory

RETRIES = ("Webhooks are retried three times", "We retry webhooks three times because customers' servers restart.")
HASHES = ("Passwords are hashed with Argon2id", "We hash passwords with Argon2id because bcrypt cuts off long ones.")
QUESTION = "How often are webhooks retried?"


def test_hints_about_drafts(olga: Cli, server: Server) -> None:
    memory = ProjectMemory(olga, server, autoApproveThreshold=NEVER)
    assert olga.run("search", "webhooks").err == "No matching memories.\n"
    assert olga.run("brain").err == ""
    assert olga.run("save", RETRIES[1], "--title", RETRIES[0], "--type", "decision").err.startswith(
        "To extract memories now"
    )
    assert olga.run("enrich").err.endswith("1 draft to review; run: loremark review\n")
    assert olga.run("search", "webhooks").err == "No matching memories. 1 draft matches; run: loremark review\n"
    assert olga.run("search", "webhooks", "--type", "bug").err == "No matching memories.\n"
    assert olga.run("search", "webhooks", "--status", "approved").err == "No matching memories.\n"
    assert olga.run("ask", QUESTION).err == "1 draft matches; run: loremark review\n"
    assert olga.run("brain").err == "No approved items yet. 1 draft to review; run: loremark review\n"
    for words in (("search", "webhooks"), ("ask", QUESTION), ("brain",)):
        assert olga.run(*words, "--json").err == ""
    memory.learn(HASHES)
    assert olga.run("brain", "--metadata").err == "No approved items yet. 2 drafts to review; run: loremark review\n"
    (item,) = (item["id"] for item in memory.items() if item["title"] == RETRIES[0])
    assert olga.run("items", "approve", item).code == 0
    for words in (("search", "webhooks"), ("ask", QUESTION), ("brain",)):
        assert olga.run(*words).err == "", "something is approved now"


def test_project_by_name(olga: Cli, server: Server) -> None:
    named = server.create_project("Lighthouse of names")
    assert olga.run("projects", "show", "lighthouse of NAMES", "--json").json["id"] == named
    saved = olga.run("save", "The lamp turns once in ten seconds.", "--project", "Lighthouse of names", "--json").json
    listed = olga.run("sessions", "--project", named, "--json").json
    assert [each["id"] for each in listed] == [saved["sessionId"]]
    other = server.create_project("Lighthouse of names")
    refused = olga.run("items", "list", "--project", "Lighthouse of names")
    assert refused.code == USAGE
    assert "2 projects are named Lighthouse of names" in refused.error
    assert named in refused.err
    assert other in refused.err
    assert "no project 'Atlantis'" in olga.run("brain", "--project", "Atlantis").error


def test_default_subcommand_is_list(olga: Cli, server: Server) -> None:
    ProjectMemory(olga, server)
    for noun in ("projects", "keys", "team", "items", "sessions"):
        alone, listed = olga.run(noun, "--json").json, olga.run(noun, "list", "--json").json
        assert [each["id"] for each in alone] == [each["id"] for each in listed], noun
        assert olga.run(noun).out.split()[:4] == olga.run(noun, "list").out.split()[:4], noun
    assert olga.run("contexts") == olga.run("contexts", "tree")
    assert "default: list" in olga.run("items", "--help").out


def test_empty_lists(olga: Cli, server: Server) -> None:
    ProjectMemory(olga, server)
    for words, message in (
        (("items", "list"), "No items yet. Save one with: loremark save TEXT --enrich\n"),
        (("items", "list", "--status", "draft"), "No matching items.\n"),
        (("sessions", "list"), "No sessions yet. Start one with: loremark save TEXT\n"),
        (("sessions", "list", "--status", "failed"), "No failed sessions.\n"),
        (("contexts", "tree"), "No contexts yet. To create them from the code, run: loremark scan\n"),
    ):
        shown = olga.run(*words)
        assert (shown.code, shown.out, shown.err) == (0, "", message)
        as_json = olga.run(*words, "--json")
        assert (as_json.json, as_json.err) == ([], "")


def test_history_shows_names(olga: Cli, server: Server) -> None:
    memory = ProjectMemory(olga, server)
    item = memory.learn(RETRIES)[RETRIES[0]]
    assert olga.run("items", "deprecate", item).code == 0
    newest, *before = olga.run("items", "history", item).out.splitlines()[1:]
    assert newest.endswith("  Olga")
    assert all(line.endswith("  automatic") for line in before)
    assert olga.run("items", "history", item, "--json").json[0]["actorId"].startswith("usr_")
    profile.save(profile.Profile(server.url, join(server, memory.project)))
    assert "Olga" in olga.run("items", "history", item).out, "members can see names"


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_lines_fit_the_terminal(olga: Cli, server: Server, columns: int) -> None:
    memory = ProjectMemory(olga, server)
    item = memory.learn(RETRIES)[RETRIES[0]]
    body = {"name": "The webhooks and their retries", "schemaKey": "root/webhooks", "projectId": memory.project}
    assert server.http.post("/api/contexts", json={**body, "content": "All of it."}).status_code == 201
    olga.monkeypatch.setenv("COLUMNS", str(columns))
    for words in (("items",), ("search", "webhooks"), ("contexts",), ("keys",), ("sessions",)):
        shown = olga.run(*words, terminal=True)
        assert shown.code == 0
        assert max(map(len, shown.out.splitlines())) <= columns, shown.out
    listed = olga.run("items", terminal=True).out
    assert RETRIES[0] in listed, "titles stay readable"
    assert item in listed, "IDs stay whole"
    assert olga.run("items").out.splitlines()[1].startswith(item), "piped output does not depend on the width"


def _source(title: str, *, used: bool) -> Source:
    return Source(f"itm_{title}", "bug", title, "", "root", 0.9, 0.9, [], used)


@pytest.mark.parametrize(
    ("text", "used", "shown"),
    [
        (
            "One. [1] Three. [3]\n\nSources:\n- [1] A\n- [3] C (`[7].py`)",
            "AC",
            "One. [1] Three. [3]\n\nSources:\n  [1] A (bug) itm_A\n  [3] C (bug) itm_C\n",
        ),
        ("As a model says. [2]", "B", "As a model says. [2]\n\nSources:\n  [2] B (bug) itm_B\n"),
        ("With [4] of its own. [2]", "B", "With [4] of its own. [2]\n\nSources:\n  B (bug) itm_B\n"),
        (
            "So.\n\nSources:\nthe books, and [1]",
            "A",
            "So.\n\nSources:\nthe books, and [1]\n\nSources:\n  [1] A (bug) itm_A\n",
        ),
        ("Nothing.\n\nSo", "", "Nothing.\n\nSo\n\nRelated, but not used:\n  A (bug) itm_A\n"),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_sources_are_listed_once(
    text: str, used: str, shown: str, size: int, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = [_source(title, used=True) for title in used] or [_source("A", used=False)]
    done = AnswerDone(
        answer=text, sources=sources, avg_similarity=0.9, usage=TokenUsage(), model="m", embed_usage=EmbedUsage()
    )
    answer = AnswerPrinter(quiet=False)
    for start in range(0, len(text), size):
        answer.add(text[start : start + size])
    answer.complete(done)
    answer.end()
    show_sources(done)
    assert capsys.readouterr().out == shown
