"""Durable facts versus work reports, on lines that no labeled set contains."""

from __future__ import annotations

import pytest

from loremark.memory.extraction.durability import durability_score
from loremark.memory.extraction.extract import extract
from loremark.memory.extraction.type_rules import classify_type
from loremark.memory.items import Item, RawEvent

WORK_REPORTS = [
    "Helped Sven set up his dev environment, his Docker needed more memory.",
    "Bisected the regression, it is somewhere between 4.1 and 4.2, will go on tomorrow.",
    "Released 2.14.0 to production at 14:05, error rate is normal, no alerts.",
    "Updated the Jira board and moved the three stories to done. Sprint ends Friday.",
    "Tried three different indexes on orders, none is faster. Query still takes 900 ms.",
    "Load test: 1200 rps, p99 340 ms, CPU 71 %, no errors.",
    "Deployment to staging in progress, waiting for the database migration to finish.",
    "Reproduced the crash twice on the old tablet, have a heap dump, no cause yet.",
    "Backup job ran for 3 h 12 min tonight, 1.4 TB, OK.",
    "I have completed the task you requested. All changes have been made and the code compiles without errors.",
    "[info] compiling 12 sources\n[warn] 3 deprecations\n[info] done in 41 s",
    "NAME   READY   STATUS\napi-0   1/1   Running\nweb01 : ok=41 changed=1 failed=0",
]
DURABLE_FACTS = [
    ("convention", "SQL migrations must be reversible; the down step is tested in CI."),
    ("convention", "style: don't import from generated/ by hand, the linter owns it"),
    ("decision", "Chose Pinia over Vuex: less boilerplate and better types."),
    ("decision", "telemetry: decided no analytics in the app, not even opt-in"),
    ("decision", "Websockets were killed by the proxies of our readers. The ticker is back to polling."),
    ("bug", "The app froze when the camera permission was denied; the callback was never called. Added a timeout."),
    ("bug", "Search returned deleted products as the index was only updated on insert."),
    ("todo", "We should remove the legacy webhook once all partners are on v3."),
    ("architecture", "The gateway authenticates requests and forwards them to the billing services over gRPC."),
    ("codemap", "Entry point of the CLI is cmd/root.go, subcommands are registered in cmd/commands."),
    ("implementation", "Sessions are kept in Redis with a sliding TTL of 8 hours."),
]
# The category is vague or wrong, so the structure of the sentence decides.
STRUCTURED_SENTENCES = [
    ("bug", "feature", "The last page repeated its first row whenever the total was a multiple of the page size."),
    ("bug", "note", "The image proxy follows redirects to internal addresses, an attacker can read the metadata."),
    ("todo", "backend", "The SOAP endpoint should be dropped as soon as the last partner has left."),
    ("convention", "note", "Table names are plural and snake case."),
    ("convention", "docs", "To restore: stop the writers, load the newest dump, then start them again."),
    ("decision", "feature", "Sessions stay on the server after all; tokens would have made logout a problem."),
    ("architecture", "feature", "The tablet writes to a local SQLite and a sync agent pushes changes to the server."),
    ("codemap", "backend", "Jobs are registered in worker/registry.ts and started from bin/worker.ts."),
    ("implementation", "change", "The moisture chart shows the last thirty days and marks irrigation events."),
]


@pytest.mark.parametrize(("kind", "category", "line"), STRUCTURED_SENTENCES)
def test_sentence_structure_indicates_the_type(kind: str, category: str, line: str) -> None:
    assert classify_type("", [line], [category]).type == kind


def _items(**payload: object) -> tuple[Item, ...]:
    return extract(RawEvent("evt_1", "session_save", payload)).items


@pytest.mark.parametrize("line", WORK_REPORTS)
def test_work_reports_yield_nothing(line: str) -> None:
    assert _items(summary=line, changes=[]) == ()


@pytest.mark.parametrize(("kind", "line"), DURABLE_FACTS)
def test_durable_facts_are_kept_with_their_type(kind: str, line: str) -> None:
    assert [item.type for item in _items(summary=line, changes=[])] == [kind]


def test_reasons_are_more_durable_than_plans() -> None:
    assert (
        durability_score("Retries are capped because the bank locks the account")
        > 1.5
        > durability_score("maybe retries, tomorrow")
    )


def test_a_stub_is_replaced_by_the_summary_that_describes_it() -> None:
    summary = (
        "The slow orders join was data skew: one shop holds a third of the rows, so one task ran for 55 minutes. "
        "We salt the customer id for the largest shops now."
    )
    found = _items(summary=summary, changes=[{"category": "performance", "content": "salt for the orders join"}])
    assert len(found) == 1
    assert "data skew" in found[0].content


def test_an_incident_report_is_one_fact() -> None:
    report = (
        "# Incident 2026-05-03: two primaries\n\n## Impact\n17 minutes of writes were lost.\n\n## Cause\n"
        "The lease was shorter than the fencing script, so the new primary came up too early.\n\n"
        "## Change\nPromotion waits until fencing has reported success (failover/promote.go)."
    )
    found = _items(summary=report, changes=[])
    assert [(item.type, item.files) for item in found] == [("bug", ("failover/promote.go",))]


def test_an_empty_checkbox_is_open_work_and_a_ticked_one_is_not() -> None:
    found = _items(summary="Pilot\n[ ] log rotation on the robots, the disk fills up in 9 days\n[x] speaker volume")
    assert [item.type for item in found] == ["todo"]


@pytest.mark.parametrize("subject", ["go mod tidy", "fix: flaky upload spec", "move files around", "try to fix ci"])
def test_housekeeping_commits_yield_nothing(subject: str) -> None:
    commits = [{"sha": "abc1234", "message": subject, "files": ["src/a.py"]}]
    assert extract(RawEvent("evt_2", "git_digest", {"branch": "main", "commits": commits})).items == ()
