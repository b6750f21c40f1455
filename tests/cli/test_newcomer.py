"""The first hour: what a newcomer types, and that nothing leaves them in the dark."""

from __future__ import annotations

import pytest

from loremark.base import profile
from loremark.cli.answer import Answer, show_sources
from loremark.cli.kit import USAGE
from loremark.wire.answers import AnswerDone, EmbedUsage, Source, TokenUsage
from tests.cli.people import join
from tests.cli.person import Desk, Server
from tests.cli.remembering import NEVER, Rememberer

RETRIES = ("Webhooks are retried three times", "We retry webhooks three times because customers' servers restart.")
HASHES = ("Passwords are hashed with Argon2id", "We hash passwords with Argon2id because bcrypt cuts off long ones.")
QUESTION = "How often are webhooks retried?"


def test_drafts_are_told_of_where_nothing_is_approved(olga: Desk, server: Server) -> None:
    someone = Rememberer(olga, server, autoApproveThreshold=NEVER)
    assert olga.say("search", "webhooks").err == "nothing found\n"
    assert olga.say("brain").err == ""
    assert olga.say("save", RETRIES[1], "--title", RETRIES[0], "--type", "decision").err.startswith("turn it into ")
    assert olga.say("enrich").err.endswith("1 draft waits for you: loremark review\n")
    assert olga.say("search", "webhooks").err == "nothing found; 1 draft matches: loremark review\n"
    assert olga.say("search", "webhooks", "--type", "bug").err == "nothing found\n"
    assert olga.say("search", "webhooks", "--status", "approved").err == "nothing found\n"
    assert olga.say("ask", QUESTION).err == "1 draft matches: loremark review\n"
    assert olga.say("brain").err == "no item is approved yet; 1 draft waits for you: loremark review\n"
    for words in (("search", "webhooks"), ("ask", QUESTION), ("brain",)):
        assert olga.say(*words, "--json").err == ""
    someone.learn(HASHES)
    assert olga.say("brain", "--metadata").err == "no item is approved yet; 2 drafts wait for you: loremark review\n"
    (item,) = (item["id"] for item in someone.items() if item["title"] == RETRIES[0])
    assert olga.say("items", "approve", item).code == 0
    for words in (("search", "webhooks"), ("ask", QUESTION), ("brain",)):
        assert olga.say(*words).err == "", "there is something now"


def test_a_project_is_meant_by_its_name(olga: Desk, server: Server) -> None:
    named = server.create_project("Lighthouse of names")
    assert olga.say("projects", "show", "lighthouse of NAMES", "--json").json["id"] == named
    saved = olga.say("save", "The lamp turns once in ten seconds.", "--project", "Lighthouse of names", "--json").json
    listed = olga.say("sessions", "--project", named, "--json").json
    assert [each["id"] for each in listed] == [saved["sessionId"]]
    other = server.create_project("Lighthouse of names")
    refused = olga.say("items", "list", "--project", "Lighthouse of names")
    assert refused.code == USAGE
    assert "2 projects are called Lighthouse of names" in refused.refusal
    assert named in refused.err
    assert other in refused.err
    assert "there is no project 'Atlantis'" in olga.say("brain", "--project", "Atlantis").refusal


def test_a_noun_alone_lists(olga: Desk, server: Server) -> None:
    Rememberer(olga, server)
    for noun in ("projects", "keys", "team", "items", "sessions"):
        alone, listed = olga.say(noun, "--json").json, olga.say(noun, "list", "--json").json
        assert [each["id"] for each in alone] == [each["id"] for each in listed], noun
        assert olga.say(noun).out.split()[:4] == olga.say(noun, "list").out.split()[:4], noun
    assert olga.say("contexts") == olga.say("contexts", "tree")
    assert "list, if none is named" in olga.say("items", "--help").out


def test_what_is_empty_says_so(olga: Desk, server: Server) -> None:
    Rememberer(olga, server)
    for words, told in (
        (("items", "list"), "no items yet; tell the memory something with: loremark save TEXT --enrich\n"),
        (("items", "list", "--status", "draft"), "no such items\n"),
        (("sessions", "list"), "no sessions yet; loremark save begins one\n"),
        (("sessions", "list", "--status", "failed"), "no failed sessions\n"),
        (("contexts", "tree"), "no contexts yet; loremark scan makes them from the code\n"),
    ):
        shown = olga.say(*words)
        assert (shown.code, shown.out, shown.err) == (0, "", told)
        as_json = olga.say(*words, "--json")
        assert (as_json.json, as_json.err) == ([], "")


def test_history_names_people(olga: Desk, server: Server) -> None:
    someone = Rememberer(olga, server)
    item = someone.learn(RETRIES)[RETRIES[0]]
    assert olga.say("items", "deprecate", item).code == 0
    newest, *before = olga.say("items", "history", item).out.splitlines()[1:]
    assert newest.endswith("  Olga")
    assert all(line.endswith("  by itself") for line in before)
    assert olga.say("items", "history", item, "--json").json[0]["actorId"].startswith("usr_")
    profile.save(profile.Profile(server.url, join(server, someone.project)))
    assert "Olga" in olga.say("items", "history", item).out, "a member may know who it was"


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_lines_fit_the_terminal(olga: Desk, server: Server, columns: int) -> None:
    someone = Rememberer(olga, server)
    item = someone.learn(RETRIES)[RETRIES[0]]
    body = {"name": "The webhooks and their retries", "schemaKey": "root/webhooks", "projectId": someone.project}
    assert server.http.post("/api/contexts", json={**body, "content": "All of it."}).status_code == 201
    olga.monkeypatch.setenv("COLUMNS", str(columns))
    for words in (("items",), ("search", "webhooks"), ("contexts",), ("keys",), ("sessions",)):
        shown = olga.say(*words, terminal=True)
        assert shown.code == 0
        assert max(map(len, shown.out.splitlines())) <= columns, shown.out
    listed = olga.say("items", terminal=True).out
    assert RETRIES[0] in listed, "a title can be read"
    assert item in listed, "and an id copied"
    assert olga.say("items").out.splitlines()[1].startswith(item), "what is piped on is the same everywhere"


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
        ("Nothing.\n\nSo", "", "Nothing.\n\nSo\n\nNear the question, and not used:\n  A (bug) itm_A\n"),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_what_an_answer_rests_on_is_listed_once(
    text: str, used: str, shown: str, size: int, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = [_source(title, used=True) for title in used] or [_source("A", used=False)]
    done = AnswerDone(
        answer=text, sources=sources, avg_similarity=0.9, usage=TokenUsage(), model="m", embed_usage=EmbedUsage()
    )
    answer = Answer(silently=False)
    for start in range(0, len(text), size):
        answer.add(text[start : start + size])
    answer.complete(done)
    answer.end()
    show_sources(done)
    assert capsys.readouterr().out == shown
