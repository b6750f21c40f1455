"""Commits as real projects write them: which become items, what is kept of them, and which commit they quote."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from loremark.memory import item_classifier
from loremark.memory.extraction.commit_types import candidate_types
from loremark.memory.extraction.extract import Extraction, extract
from loremark.memory.extraction.results import Revert
from loremark.memory.extraction.sentence_splitter import split_sentences
from loremark.memory.extraction.titles import headline, without_prefix
from loremark.memory.items import Item, RawEvent

SOURCE = ("src/harbour/berths.py",)
SHA = "aaaa1111" * 5
WHY = "Two planners wrote one berth at once because each of them held a copy of the timetable."


def _read(message: str, files: Sequence[str] = SOURCE, author: str = "Mara") -> Extraction:
    commit = {"sha": SHA, "message": message, "author": author, "files": list(files)}
    return extract(RawEvent("e1", "git_digest", {"commits": [commit]}))


def _items(message: str, files: Sequence[str] = SOURCE, author: str = "Mara") -> tuple[Item, ...]:
    return _read(message, files, author).items


def _one(message: str, files: Sequence[str] = SOURCE) -> Item:
    (item,) = _items(message, files)
    return item


@pytest.mark.parametrize(
    "subject",
    [
        "berths: fix tide table of leap years",
        "feat(planner)!: drop support for paper lists",
        "Replace the Redis queue with Postgres notifications",
        "Never write to berth_log outside of a transaction; use Log.append()",
        "Merge branch 'tides'",
        "Merge pull request #58 from harbour/tides\n\nTides beside berths, always drawn",
        "Use a heap for slots\nbecause the list was slow with a thousand ships",  # Git reads both lines as the subject
        "harbour-core 0.5.6",
    ],
)
def test_a_commit_without_a_body_makes_no_item(subject: str) -> None:
    assert _items(subject) == ()


@pytest.mark.parametrize(
    "body",
    [
        "Closes #12.",
        "Fixes https://example.com/harbour/issues/12\nSigned-off-by: Mara <m@example.com>",
        "Thanks to @tuula for the review!",
        "🤖 Generated with an assistant\n\nCo-Authored-By: Assistant <a@example.com>",
        "This commit was written with the help of an assistant.",
        "- [ ] I have read the guide for contributors because it is required\n- [x] Tests were added",
        "## Checklist\n\n- never push to main because it is protected\n- sign every commit",
        "<!--\n- All exposed objects must have a comment, because the linter wants it.\n-->\nNONE",
        "Please read the contribution guidelines before opening this pull request, because it may be closed otherwise.",
        "Tested on macOS with two browsers.\n\nAll 214 tests pass and lint is clean.",
        "![before](https://example.com/before.png)\n\nExplainer: https://example.com/explainer",
        "- Add a tide table\n- Updated the planner\n- Improve logging for better debugging",
        "This commit introduces a tide table and enhances the user experience of the planner.",
        "* draw tides\n\n* fix tests\n\n* apply suggestions from the review",
        "Tide-Level: 12\nReviewed-by: Tuula <t@example.com>",
    ],
)
def test_what_does_not_explain_a_change_makes_no_item(body: str) -> None:
    assert _items(f"Show tides beside berths (#12)\n\n{body}") == ()
    (item,) = _items(f"Show tides beside berths (#12)\n\n{WHY}\n\n{body}")
    assert item.content.startswith(f"Show tides beside berths.\n\n{WHY}")


@pytest.mark.parametrize(
    ("message", "files"),
    [
        (f"wip: planner\n\n{WHY}", SOURCE),
        (f"Release 1.4.0\n\n{WHY}", SOURCE),
        ("docs: show tides\n\nThe page shows which quay is used and where its tide table can be found.", ["docs/a.md"]),
        ("Rework test of arrivals\n\nThe test covers notices of two ferries with long names now.", ["tests/test_a.py"]),
        ("chore: update packages\n\nThe new versions are faster and have a few more options for us.", SOURCE),
    ],
)
def test_unfinished_work_releases_and_upkeep_make_no_item(message: str, files: Sequence[str]) -> None:
    assert _items(message, files) == ()


@pytest.mark.parametrize(
    ("message", "files"),
    [
        ("Run the nightly jobs at four", [".github/workflows/night.yml"]),
        ("docs: berths are assigned by hand", ["docs/berths.md"]),
        ("chore: pin tides", ["pyproject.toml"]),
    ],
)
def test_upkeep_with_a_reason_is_kept(message: str, files: Sequence[str]) -> None:
    reason = "Jobs timed out because backups block the database until half past three each night."
    assert len(_items(f"{message}\n\n{reason}", files)) == 1


@pytest.mark.parametrize("author", ["dependabot[bot]", "HarbourBot", "ferry-bot", "Weblate"])
def test_automated_commits_yield_nothing(author: str) -> None:
    assert _items(f"Use the tide table of the northern quays\n\n{WHY}", author=author) == ()


@pytest.mark.parametrize("author", ["Abbot", "copilot-swe-agent[bot]", "google-labs-jules[bot]"])
def test_people_and_coding_agents_are_no_automation(author: str) -> None:
    assert len(_items(f"Use the tide table of the northern quays\n\n{WHY}", author=author)) == 1


@pytest.mark.parametrize(
    ("subject", "title"),
    [
        ("refactor(dep): version validation", "dep: version validation"),
        ("fix(planner): the planner loses slots", "The planner loses slots"),
        ("feat(mt#2932): fast checks before each commit", "Fast checks before each commit"),
        ("core,gui: add a `tide-line` option", "core,gui: add a tide-line option"),
        ("pkg/tides: read tables of other ports", "pkg/tides: read tables of other ports"),
        ("[FIX] berth planner: two ships in one berth", "berth planner: two ships in one berth"),
        ("PR #3013: widen the quay of the ferries", "Widen the quay of the ferries"),
        ("[3/3] tides: read tables of other ports", "tides: read tables of other ports"),
        ("Remove height: 100% to fix the berth map in Safari", "Remove height: 100% to fix the berth map in Safari"),
        ("ok: true in /berths.json for consistency", "ok: true in /berths.json for consistency"),
        ("Keep the value of __TIDE_TABLE__", "Keep the value of __TIDE_TABLE__"),
        ("List all ships under /berths/ships (Fixes #77) (#91)", "List all ships under /berths/ships"),
        ("Faster search for berths, closes #2832", "Faster search for berths"),
        ("Take back the change to tugs in #50 (#53)", "Take back the change to tugs in #50"),
        ("Write arrival notices as UTF-8", "Write arrival notices as UTF-8"),
    ],
)
def test_titles_keep_the_scope_and_lose_references(subject: str, title: str) -> None:
    assert _one(f"{subject}\n\n{WHY}").title == title


def test_a_meaningless_subject_is_replaced_by_the_first_sentence() -> None:
    assert _one(f"fixes\n\n{WHY}").title.startswith("Two planners wrote one berth at once")


def test_the_content_is_the_subject_and_the_body_with_its_lines_joined() -> None:
    item = _one(
        "planner: hold slots for ten minutes (#7)\n\n"
        "Pilots lost their slot while they were typing, because it was only held\nin the page.\n\n"
        "The limit is read from the settings:\n\n"
        "    [planner]\n    hold_s = 600\n\n"
        "Now:\n"
        "- a slot is held by the server, whichever\n  page shows it\n"
        "  - and it is released when the page closes\n"
        "- `hold_s = 0` turns it off\n\n"
        "## How it was tested\n\n"
        "With two browsers, and by unplugging one.\n\n"
        "https://example.com/talk/3\n\n"
        "Closes #6\nSigned-off-by: Mara <m@example.com>"
    )
    assert item.content == (
        "Hold slots for ten minutes.\n\n"
        "Pilots lost their slot while they were typing, because it was only held in the page.\n\n"
        "The limit is read from the settings:\n\n"
        "```\n[planner]\nhold_s = 600\n```\n\n"
        "Now:\n"
        "- a slot is held by the server, whichever page shows it\n"
        "  - and it is released when the page closes\n"
        "- `hold_s = 0` turns it off\n\n"
        "How it was tested:\n\n"
        "With two browsers, and by unplugging one."
    )


def test_a_subject_that_the_title_cuts_stands_in_full_before_the_body() -> None:
    subject = (
        "Plan the arrivals of ferries, tugs and pilot boats together, so that no two of them wait for one quay at once"
    )
    why = "Two planners wrote one berth twice because each of them held an old copy of the timetable in its own store."
    item = _one(f"{subject}\n\n{why}")
    assert len(item.title) <= 100
    assert item.content == f"{subject}.\n\n{why}"


def test_long_bodies_end_with_a_whole_sentence() -> None:
    item = _one(f"Plan arrivals together\n\n{' '.join([WHY] * 40)}\n\nThe rest:\n\n- {WHY}")
    assert 1_000 < len(item.content) <= 1_500
    assert item.content.endswith("timetable.")


@pytest.mark.parametrize("footer", ["BREAKING CHANGE: ", "BREAKING-CHANGE: ", "**BREAKING CHANGE**: "])
def test_a_breaking_change_is_kept_and_marked(footer: str) -> None:
    note = "`find_berth()` raises `NoBerth`, callers that expect None\nhave to catch it."
    item = _one(f"refactor(berths): one way to find a berth\n\n{' '.join([WHY] * 40)}\n\n{footer}{note}\nRefs: #12")
    assert item.content.endswith(f"Breaking change: {' '.join(note.split())}")
    assert "breaking" in item.tags
    assert item.evidence[-1].quote == note


def test_a_dropped_version_is_not_taken_for_a_release() -> None:
    item = _one("feat!: drop Python 3.9\n\nBREAKING CHANGE: Python 3.10 is the oldest supported version.")
    assert (item.title, item.tags) == ("Drop Python 3.9", ("breaking",))
    assert _items("chore: release core v3.9\n\nPython 3.10 is the oldest supported version.") == ()


def test_line_breaks_that_a_shell_did_not_expand_are_read() -> None:
    item = _one(f"fix(quay): show tides\\n\\n{WHY}\\n\\nCloses #7")
    assert (item.title, item.content) == ("quay: show tides", f"Show tides.\n\n{WHY}")
    assert item.evidence[1].quote == WHY


def test_evidence_quotes_its_own_commit() -> None:
    commits = [
        {"sha": f"{number}" * 40, "message": f"{subject}\n\n{why}", "files": list(SOURCE)}
        for number, subject, why in (
            (1, "Plan ferries apart", WHY),
            (
                2,
                "Sort quays",
                "Clerks searched for minutes since the harbour grew to ninety quays and got a second office.",
            ),
        )
    ]
    found = extract(RawEvent("e1", "git_digest", {"commits": commits})).items
    assert [{quote.commit_sha for quote in item.evidence} for item in found] == [{"1" * 40}, {"2" * 40}]
    assert [quote.quote for quote in found[0].evidence] == ["Plan ferries apart", WHY]


def test_a_squash_merge_is_one_change() -> None:
    item = _one(
        "Berths can be reserved by mail (#77)\n\n"
        "* Berths can be reserved by mail\n\n"
        "* style: format the reservation code\n\n"
        "* Answer mails without a ship's name with the form\n\n"
        "Clerks cannot guess the ship, because most captains write from a private address.\n\n"
        "* Apply suggestions from the review\n\n---------\n\nCo-authored-by: Tuula <t@example.com>"
    )
    assert item.title == "Berths can be reserved by mail"
    assert item.content == (
        "Berths can be reserved by mail.\n\n"
        "Answer mails without a ship's name with the form\n\n"
        "Clerks cannot guess the ship, because most captains write from a private address."
    )


@pytest.mark.parametrize(
    "merge",
    [
        "Merge pull request #58 from harbour/need-tides",
        "Merge branch 'need-tides'",
        "Merged in need-tides (pull request #58)",
        "Merged PR 58: Tide tables are required",
    ],
)
def test_a_merge_is_read_by_the_title_of_its_pull_request(merge: str) -> None:
    title = "" if merge.startswith("Merged PR") else "Tide tables are required\n\n"
    item = _one(f"{merge}\n\n{title}{WHY}")
    assert (item.title, item.content) == ("Tide tables are required", f"Tide tables are required.\n\n{WHY}")


@pytest.mark.parametrize("merge", ["Merge branch 'main' into tides", "Merge remote-tracking branch 'origin/main'"])
def test_bringing_a_branch_up_to_date_is_no_change(merge: str) -> None:
    assert _items(f"{merge}\n\nThe lock file conflicted because both sides had regenerated it since Monday.") == ()


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("fix(tides): tables of leap years", "bug"),
        ("planner: keep the slots", "bug"),
        ("feat(planner): always show the tide", "implementation"),
        ("Switch from Redis to Postgres notifications", "decision"),
        ("Never write to berth_log outside of a transaction", "convention"),
    ],
)
def test_the_type_follows_the_subject_and_what_is_stated(message: str, kind: str) -> None:
    body = {
        "planner: keep the slots": "Slots were lost because two ships came at once, the later one won and nobody knew.",
        "Switch from Redis to Postgres notifications": "We decided against Redis because its server failed twice.",
    }.get(message, WHY)
    assert _one(f"{message}\n\n{body}").type == kind


def test_a_documentation_commit_may_have_any_type() -> None:
    assert set(candidate_types("Where quays are kept", "implementation", ["docs/quays.md"])) == set(
        item_classifier.TYPES
    )
    assert candidate_types("Sort berths by quay", "implementation", SOURCE) == ("implementation", "bug")
    assert "decision" in candidate_types("Use a heap for slots", "implementation", SOURCE)


@pytest.mark.parametrize(
    ("message", "sha", "subject"),
    [
        ('Revert "Show tides"\n\nThis reverts commit 1234abcd.', "1234abcd", "Show tides"),
        ('Revert "Show tides (#7)" (#8)', "", "Show tides (#7)"),
        ('git: Revert "Revert "Show tides""\n\nThis reverts commit 1234abcd.', "1234abcd", 'Revert "Show tides"'),
        ('Reapply "Show tides"\n\nThis reverts commit 1234abcd.', "1234abcd", 'Revert "Show tides"'),
        ("Draw maps again\n\nThis reverts commit 1234abcd, reversing\nchanges made to 9876fedc.", "1234abcd", ""),
        ("rewrite: back out 9d4a973", "9d4a973", ""),
        ('Back out 89d57ffb: "build: add a toolchain"', "89d57ffb", "build: add a toolchain"),
        ('Back out "Show tides"', "", "Show tides"),
        ("uv: pin tides\n\nReverts https://example.com/harbour/core/commit/2f4277e9fa28", "2f4277e9fa28", ""),
        ('cli: no mode\n\nThis reverts a01d0bf7738f "cli: keep the mode".', "a01d0bf7738f", ""),
        ("revert: feat: show tides\n\nRefs: 676104e", "676104e", "show tides"),
    ],
)
def test_reverts_are_found(message: str, sha: str, subject: str) -> None:
    (revert,) = _read(message).reverts
    assert (revert.event_id, revert.by_sha, revert.sha, revert.subject) == ("e1", SHA, sha, subject)
    assert revert.quote in message


def test_several_commits_may_be_reverted_at_once() -> None:
    found = _read("rewrite.rs: revert commits cfcc7c5e and becbc889").reverts
    assert [revert.sha for revert in found] == ["cfcc7c5e", "becbc889"]


@pytest.mark.parametrize(
    "message",
    [
        "revert: make the revision required\n\nIt says that there is nothing to revert.",
        "Restore the map\n\nThis reverts most of 71a3045032f512.",
        "Remove the workaround\n\nThis reverts the workaround added by ea8aa1e17c.",
        "Document how to revert a merge",
    ],
)
def test_other_commits_revert_no_commit(message: str) -> None:
    assert [revert.sha for revert in _read(message).reverts if revert.sha] == []


def test_reverts_are_in_the_order_they_were_made() -> None:
    commits = [
        {"sha": "3" * 40, "message": f'Reapply "Show tides"\n\nThis reverts commit {"2" * 40}.'},
        {"sha": "2" * 40, "message": f'Revert "Show tides"\n\nThis reverts commit {"1" * 40}.'},
    ]
    for listed in (commits, commits[::-1]):
        payload = {"commits": listed, "headCommitSha": "3" * 40, "branch": "tides"}
        assert extract(RawEvent("e1", "git_digest", payload)).reverts == (
            _revert("2", "1", "Show tides", 'Revert "Show tides"'),
            _revert("3", "2", 'Revert "Show tides"', 'Reapply "Show tides"'),
        )


def _revert(by: str, undone: str, subject: str, by_subject: str) -> Revert:
    return Revert("e1", by * 40, f"This reverts commit {undone * 40}", undone * 40, subject, by_subject, "tides")


def test_a_revert_is_an_item_only_if_it_gives_a_reason() -> None:
    subject = 'Revert "feat(planner): cache slots (#7)" (#9)'
    assert _items(f"{subject}\n\nThis reverts commit 1234abcd.") == ()
    assert _items(f"{subject}\n\nReverts harbour/core#7") == ()
    item = _one(f"{subject}\n\nThis reverts commit 1234abcd.\n\nPilots were shown slots that had been given away.")
    assert item.type == "decision"
    assert item.title == 'Reverted "planner: cache slots": Pilots were shown slots that had been given away'
    assert item.content == 'Reverted "planner: cache slots".\n\nPilots were shown slots that had been given away.'


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


@pytest.mark.parametrize(
    ("message", "is_kept"),
    [
        (f"Plan ferries apart\n\n{WHY}", True),
        ("Close the gate\n\nThe sensor in the northern harbour froze.", True),
        ("Close the gate\n\nIt stayed open.", False),
        ("Close the gate\n\nThis adds a sensor for the northern harbour.", False),
        ("test: close the gate\n\nThe sensor of the northern harbour froze.", False),
        ("test: close the gate\n\nIt failed because the sensor froze in January.", True),
    ],
)
def test_a_body_must_state_something_and_that_of_upkeep_a_reason(message: str, is_kept: bool) -> None:
    assert [item.confidence for item in _items(message)] == ([0.9] if is_kept else [])


def test_a_wrapped_subject_ends_at_a_control_character() -> None:
    message = "keep uploads in\nthe spool \x00.\n\nThe disk fills up when the store is away for longer than a night."
    (item,) = extract(RawEvent("e1", "git_digest", {"commits": [{"sha": "abcd1234", "message": message}]})).items
    assert item.title == "Keep uploads in the spool"
    assert "\x00" not in item.content
