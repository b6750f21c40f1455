"""Commits as real projects write them: types, maintenance commits, and which text is kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from loremark.features.items.records import item_text
from loremark.memory import item_classifier
from loremark.memory.extraction.commit_types import candidate_types
from loremark.memory.extraction.extract import extract
from loremark.memory.extraction.sentence_splitter import split_sentences
from loremark.memory.extraction.titles import headline, without_prefix
from loremark.memory.items import Item, RawEvent
from loremark.ports.embeddings.embedder import open_embedder

pytestmark = pytest.mark.anyio

SOURCE = ("src/harbour/berths.py",)


def _items(message: str, files: Sequence[str] = SOURCE, author: str = "Mara") -> tuple[Item, ...]:
    commit = {"sha": "aaaa1111", "message": message, "author": author, "files": list(files)}
    return extract(RawEvent("e1", "git_digest", {"commits": [commit]})).items


def _one(message: str, files: Sequence[str] = SOURCE) -> Item:
    (item,) = _items(message, files)
    return item


@pytest.mark.parametrize(
    ("subject", "kind"),
    [
        ("berths: fix tide table of leap years", "bug"),
        ("Prevent two ships from taking one berth", "bug"),
        ("Avoid a crash when the pilot list is empty", "bug"),
        ("handle missing draught in arrival notices", "bug"),
        ("Use a copy of the slot map to fix a race in the planner", "bug"),
        ("Departure time should not move when the berth changes", "bug"),
        ("Add a berth map, which was missing since the rewrite", "implementation"),
        ("Support tugs of other ports, they were rejected before", "implementation"),
        ("Speed up the search for free slots, it timed out on busy days", "implementation"),
        ("planner: much faster assignment of berths", "implementation"),
        ("perf: look up wrong-way traffic through a set", "implementation"),
        ("refactor: remove workaround for the tide library's bug", "implementation"),
        ("Replace the Redis queue with Postgres notifications", "decision"),
        ("drop support for Python 3.9", "decision"),
        ('Revert "planner: cache slots"\n\nPilots were shown slots that had been given away an hour ago.', "decision"),
        ("Never write to berth_log outside of a transaction; use Log.append()", "convention"),
        ("TODO list for the ferry module: tickets, delays, boarding", "todo"),
    ],
)
def test_a_plain_subject_determines_the_type(subject: str, kind: str) -> None:
    item = _one(subject)
    vector = np.zeros(384, dtype=np.float32)
    assert (item.type, item_classifier.assign_type(item, "git_digest", vector).type) == (kind, kind)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Always show the tide next to the berth", "implementation"),
        (
            "Sort berths by quay\n\nEvery list of berths must be in one order, so the planner sorts them.",
            "implementation",
        ),
        ("Planner keeps slots in a heap\n\nThe gateway talks to the planner over gRPC.", "implementation"),
    ],
)
def test_a_rule_in_the_body_does_not_make_a_commit_a_rule(message: str, kind: str) -> None:
    assert _items(message)[0].type == kind


def test_a_documentation_commit_may_have_any_type() -> None:
    assert _one("Require a tide table for each new quay", ["docs/quays.md"]).type == "convention"
    assert set(candidate_types("Where quays are kept", "implementation", ["docs/quays.md"])) == set(
        item_classifier.TYPES
    )
    assert candidate_types("Sort berths by quay", "implementation", SOURCE) == ("implementation", "bug")
    assert "decision" in candidate_types("Use a heap for slots", "implementation", SOURCE)


def test_steps_of_a_squashed_branch_are_not_labels() -> None:
    found = _items(
        "Berths can be reserved by mail (#77)\n\n"
        "* Berths can be reserved by mail\n"
        "* style: format the reservation code with the new rules of the linter\n"
        "* test: cover mails in two languages and without a subject line\n"
        "* Apply suggestions from the code review of the harbour team\n"
        "* Mails without a ship's name are answered with the form, because clerks cannot guess it"
    )
    assert [item.type for item in found] == ["implementation"]
    assert "because clerks cannot guess it" in found[0].content
    assert "linter" not in found[0].content
    assert "two languages" not in found[0].content


@pytest.mark.parametrize(
    ("subject", "files"),
    [
        ("Bump the github-actions group with 2 updates", [".github/workflows/ci.yml"]),
        ("Bump the python group across 1 directory with 6 updates", ["requirements/dev.txt", "src/harbour/a.py"]),
        ("Bump Black to black==26.3.1", ["pyproject.toml"]),
        ("Bump to actions/checkout@v6", [".github/workflows/ci.yml"]),
        ("update minimum dependencies", ["pyproject.toml", "CHANGES.rst"]),
        ("Upgrade the tide library and its bindings", ["go.mod", "go.sum"]),
        ("Update ko_KR translations", ["po/ko_KR.po"]),
        ("Polish strings for the berth dialog of release four", ["locale/de/LC_MESSAGES/harbour.po"]),
        ("start version 3.2.0", ["src/harbour/__init__.py", "CHANGES.rst"]),
        ("set up the nightly workflow for pilots", [".github/workflows/night.yml"]),
        ("Rework test of arrival notices for ferries", ["tests/test_notices.py"]),
        ("fix typing", SOURCE),
        ("cleanup", SOURCE),
        ("lint", SOURCE),
        ("fix mypy findings", SOURCE),
        ("remove deprecated code", SOURCE),
        ("harbour-core 0.5.6", ["core/Cargo.toml", "core/src/lib.rs"]),
        ("Prep v0.32.2 for the northern quays", ["VERSION", *SOURCE]),
        ("Synchronize common files from harbour/templates", ["Makefile.common"]),
        ("📌 pin tides==1.*", ["pyproject.toml"]),
        ("Add lighthouse sponsorship", ["docs/overrides/partials/nav.html", "mkdocs.yml"]),
        ("Stop leaking a connection in the tide example", ["examples/tides/src/main.rs"]),
    ],
)
def test_maintenance_is_also_detected_by_its_files(subject: str, files: Sequence[str]) -> None:
    assert _items(subject, files) == ()


@pytest.mark.parametrize(
    "subject",
    [
        "enable tide key rotation",
        "drop support for paper lists of berths",
        "skip ships without a draught in the plan",
        "planner: pilots can be booked by the hour",
    ],
)
async def test_a_terse_product_change_is_kept(subject: str) -> None:
    item = _one(subject, [*SOURCE, "CHANGES.rst", "tests/test_berths.py"])
    assert item_classifier.needs_salience_check(item, "git_digest"), "a bare subject always needs a salience check"
    assert await _is_kept(item)


@pytest.mark.parametrize(
    "subject",
    ["Pass the berth by value to the planner", "use inline format args", "hoist the slot loop"],
)
async def test_a_subject_without_product_content_is_dropped(subject: str) -> None:
    assert not await _is_kept(_one(subject, SOURCE))


async def _is_kept(item: Item) -> bool:
    embedder = open_embedder("builtin")
    try:
        (vector,) = (await embedder.embed([item_text(item)])).vectors
    finally:
        await embedder.close()
    return item_classifier.is_salient(item, "git_digest", vector)


@pytest.mark.parametrize(
    "subject",
    [
        "Simplify berth and quay construction",
        "Clean up the planner signature",
        "Add missing type hints to the planner",
        "Address deprecated warning of the tide library",
        "Upgrade the formatter ruff",
        "Docs restructuring",
        "Document how arrivals are cancelled",
        "Test parsing of notices via the public api",
        "Correct duplicate 'not' typos in comments of the planner",
        "Drop redundant check of the berth",
        "Keep planners in sync",
    ],
)
def test_a_minor_subject_needs_a_reason(subject: str) -> None:
    assert _items(subject, SOURCE) == ()
    reason = "Two planners wrote one berth at once because each of them held a copy of the timetable."
    assert len(_items(f"{subject}\n\n{reason}", SOURCE)) == 1


@pytest.mark.parametrize(
    "subject",
    [
        "Documents of a ship expire after 30 days",
        "Delete logs of the planner after 30 days",
        "Fix comments being lost when a berth is moved",
        "Order lines can be cancelled one by one",
        "Missed arrivals are planned anew every night",
        "UPS labels for parcels of the harbour shop",
        "Weekly reports are sent on Monday mornings",
        "Auto merge of carts when a captain logs in",
        "Retrigger webhooks that failed three times",
        "Sync configuration files from the bucket every minute",
        "Remove unused accounts of agents after a year",
        "Add size guides to the pages of the shop",
        "Alte Dateien werden nach 30 Tagen aus dem Archiv entfernt",
    ],
)
def test_maintenance_words_may_name_the_product(subject: str) -> None:
    assert len(_items(subject, SOURCE)) == 1


@pytest.mark.parametrize("author", ["dependabot[bot]", "HarbourBot", "ferry-bot", "Weblate"])
def test_automated_commits_yield_nothing(author: str) -> None:
    assert _items("Use the tide table of the northern quays in the planner", SOURCE, author) == ()
    assert len(_items("Use the tide table of the northern quays in the planner", SOURCE, "Abbot")) == 1


def test_template_text_is_ignored() -> None:
    body = "<!--\n- All exposed objects should have a comment.\n\n- Never push to main.\n-->\nNONE"
    items = _items(f"feat(quay): show tides beside berths\n\n{body}", SOURCE)
    assert [item.title for item in items] == ["Show tides beside berths"]


@pytest.mark.parametrize(
    ("subject", "title", "kind"),
    [
        ("[FIX] berth planner: two ships in one berth", "Berth planner: two ships in one berth", "bug"),
        (
            "[FEATURE] Add a tide table to the planner of berths",
            "Add a tide table to the planner of berths",
            "implementation",
        ),
    ],
)
def test_a_commit_kind_may_be_in_brackets(subject: str, title: str, kind: str) -> None:
    item = _one(subject, SOURCE)
    assert (item.title, item.type) == (title, kind)


def test_maintenance_with_a_reason_is_kept() -> None:
    reason = "Run the nightly jobs at four\n\nJobs timed out because backups block the database until half past three."
    assert len(_items(reason, [".github/workflows/night.yml"])) == 1


def test_boilerplate_is_removed_from_the_body() -> None:
    item = _one(
        "Slots are held for ten minutes\n\n"
        "Fixes https://example.com/harbour/issues/12\n\n"
        "Pilots lost their slot while they were typing, because it was only held in the page.\n"
        "https://example.com/talk/3 has the recording.\n\n"
        "![before](https://example.com/before.png)\n\n"
        "Explainer: https://example.com/explainer\n"
        "AI usage: Claude wrote the tests.\n"
        "This commit was written with the help of an assistant.\n"
        "Manually verified on macOS and Linux.\n"
        "Thanks to @tuula for the review!\n"
        "Generated with a tool\n\n"
        "- [ ] I have read the guide for contributors\n"
        "- [x] Tests were added"
    )
    assert item.title == "Slots are held for ten minutes"
    assert item.content == "Pilots lost their slot while they were typing, because it was only held in the page."
    bare = _one("Slots of ferries are held for ten minutes\n\nCloses #12.\n\nTested on macOS with two browsers.")
    assert bare.confidence == _one("Slots of ferries are held for ten minutes").confidence
    assert bare.content == "Slots of ferries are held for ten minutes."


@pytest.mark.parametrize(
    ("subject", "title"),
    [
        ("Remove height: 100% to fix the berth map in Safari", "Remove height: 100% to fix the berth map in Safari"),
        ("ok: true in /berths.json for consistency", "ok: true in /berths.json for consistency"),
        ("core,gui: add a `tide-line` option", "Add a tide-line option"),
        ("pkg/tides: read tables of other ports", "Read tables of other ports"),
        ("Keep the value of __TIDE_TABLE__", "Keep the value of __TIDE_TABLE__"),
        ("tides: -Dsmall-tables to leave out old years", "-Dsmall-tables to leave out old years"),
        ("List all ships under /berths/ships (Fixes #77) (#91)", "List all ships under /berths/ships"),
        ("Faster search for berths, closes #2832", "Faster search for berths"),
        ("Show the tug roster again, refs #1, #2 and #3.", "Show the tug roster again"),
        ("Write arrival notices as UTF-8", "Write arrival notices as UTF-8"),
        ("Explain the hiding of quays (F-QUAY-HIDE-001)", "Explain the hiding of quays (F-QUAY-HIDE-001)"),
        ("hm, turns out the tide cache is one per process", "The tide cache is one per process"),
    ],
)
def test_titles_lose_only_references(subject: str, title: str) -> None:
    assert _one(subject).title == title


def test_edge_cases_of_titles() -> None:
    assert headline("**Use quay order in lists**") == "Use quay order in lists"
    assert headline("- a dash before a long sentence") == "A dash before a long sentence"
    assert headline("Leave out plugin-tides-*") == "Leave out plugin-tides-*"
    assert without_prefix("fix(quays): sort them (see harbour/core#12)") == "sort them"
    assert without_prefix("x" * 5_000 + ", closes #1") == "x" * 5_000


def test_a_sentence_may_start_with_an_identifier() -> None:
    def body(text: str) -> list[str]:
        return [one.text for one in split_sentences(text)]

    assert body("It was removed. auto_berth was never used. `slots` stays.") == [
        "It was removed.",
        "auto_berth was never used.",
        "`slots` stays.",
    ]
    assert body("Old names go. berth.find() is the new one. Call reload() then.") == [
        "Old names go.",
        "berth.find() is the new one.",
        "Call reload() then.",
    ]
    assert body("Names (e.g. tide_1 and tide_2) stay. and so on") == ["Names (e.g. tide_1 and tide_2) stay. and so on"]


def test_a_merge_does_not_repeat_its_commits() -> None:
    merge = {
        "sha": "bbbb2222",
        "message": "Merge pull request #58 from harbour/tides\n\nTides beside berths, always drawn",
    }
    commit = {"sha": "aaaa1111", "message": "Draw tides beside berths in the planner", "files": list(SOURCE)}
    for commits in ([commit, merge], [merge, commit]):
        found = extract(RawEvent("e1", "git_digest", {"commits": commits})).items
        assert [item.title for item in found] == ["Draw tides beside berths in the planner"]
    assert len(extract(RawEvent("e1", "git_digest", {"commits": [merge]})).items) == 1
    assert _items("Merge branch '6.4'\n\nThis PR was merged into the 6.4 branch.") == ()


def test_a_lone_merge_is_read_by_its_first_body_line() -> None:
    pulled = _one("Merge pull request #58 from harbour/need-tides\n\ntide tables are required, maps are always drawn")
    assert pulled.title == "tide tables are required, maps are always drawn"
    assert _items("Merge pull request #59 from harbour/velo\n\nVelo") == ()
    assert _items("Merge pull request #60 from harbour/bump\n\nBump tides from 1.8.4 to 1.8.5") == ()
    assert _items("Merge branch 'stable'\n\nConflicts:\n\tsrc/a.py") == ()
    forked = _one(
        "Merge commit from fork\n\n* tides: add failing test for tables of leap years\n\n"
        "* tides: prevent tables from overlapping\n\nTwo tables shared a day, so a ship could leave twice."
    )
    assert (forked.type, forked.title) == ("bug", "Prevent tables from overlapping")
