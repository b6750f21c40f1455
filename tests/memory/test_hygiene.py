"""The rules of hygiene: single faults, what must be left alone, and hostile texts."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loremark.memory.evaluation.hygiene import make_value
from loremark.memory.hygiene import duplicates, personal, quality, redacting, second_look, tagging, titles
from loremark.memory.hygiene.analysis import analyze
from loremark.memory.hygiene.proposals import Proposal, Seen
from loremark.memory.items import Item, Quote


def _item(title: str, content: str = "", **fields: object) -> Item:
    known = Item(
        title=title,
        content=content,
        type="decision",
        schema_key="root/api",
        confidence=0.9,
        evidence=(Quote("evt_1", "said so"),),
        id="itm_1",
        status="approved",
    )
    return replace(known, **fields)  # type: ignore[arg-type]


SESSIONS = "Sessions are kept in Redis because they must outlive a restart."


def test_a_title_with_a_secret_is_in_no_plan_also_when_a_model_words_a_better_one() -> None:
    secret = make_value("aws_key", "of a title")
    item = _item(f"WIP: deploy with {secret}", SESSIONS)
    proposal = Proposal("FLAG_QUALITY", (item.id,), "Its title says little.", 0.6)
    verdict = second_look.Verdict(True, "", "Sessions are kept in Redis")
    (left,) = second_look.consider([proposal], {proposal: verdict}, {item.id: item})
    assert left.after == "Sessions are kept in Redis"
    assert secret not in repr(left)


@pytest.mark.parametrize(
    ("title", "better"),
    [
        ("Fix bug", "Sessions are kept in Redis"),
        ("misc", "Sessions are kept in Redis"),
        ("Untitled", "Sessions are kept in Redis"),
        ("src/sessions/store.py", "Sessions are kept in Redis"),
        ("fix(api): sessions survive a restart", "Sessions survive a restart"),
        ("WIP: sessions survive a restart", "Sessions survive a restart"),
        ("Sessions survive a restart...", "Sessions survive a restart"),
        ("Sessions survive a restart.", "Sessions survive a restart"),
        ("SESSIONS SURVIVE EVERY RESTART", "Sessions survive every restart"),
        ("ALL SESSIONS LIVE IN REDIS", "All sessions live in Redis"),
    ],
)
def test_a_bad_title_gets_a_better_one_of_the_items_own_words(title: str, better: str) -> None:
    proposal = titles.propose(_item(title, SESSIONS))
    assert isinstance(proposal, Proposal)
    assert proposal.before == title
    assert proposal.after is not None
    assert proposal.after.startswith(better)


@pytest.mark.parametrize(
    "title",
    [
        "Sessions are kept in Redis",
        "README and CHANGELOG are generated",
        "Use UTC in the API",
        "Why the planner keeps no database?",
        "`rotate()` ends all sessions",
        "Node.js 22 and PostgreSQL 17",
        "HTTP/2 for gRPC",
        "GTFS-RT vs SIRI",
        "Fix the session store when Redis restarts",
        "Bug in Safari: cookies end after seven days",
    ],
)
def test_a_good_title_stays(title: str) -> None:
    assert titles.propose(_item(title, SESSIONS)) is None


def test_a_title_that_says_nothing_over_a_text_that_says_nothing_is_flagged() -> None:
    (proposal,) = analyze([Seen(_item("misc", "Some stuff was done here and there."))], None)
    assert proposal.type == "FLAG_QUALITY"


@pytest.mark.parametrize("kind", ["person_email", "phone", "iban", "card", "street"])
def test_personal_data_is_found_by_its_form(kind: str) -> None:
    for seed in range(50):
        value = make_value(kind, str(seed))
        cleaned = redacting.clean(f"The customer's card or phone or account is {value}, as she said.")
        assert value not in cleaned
        assert "[redacted:" in cleaned
        assert redacting.clean(cleaned) == cleaned


@pytest.mark.parametrize(
    "text",
    [
        "Mails come from noreply@parcelo.io and support@parcelo.io",
        "anna@example.com, bob@test.example and x@localhost.local are made up",
        "clone git@github.com:parcelo/deploy.git or ssh deploy@10.0.0.1",
        "ci-signer@prod.iam.gserviceaccount.com signs, 4711+ci@users.noreply.github.com commits",
        "npm install react@18.3.1 @types/node@22.1.0 logo@2x.png",
        "version 4.18.2, build 20481, at 2024-05-01T10:00:00.000Z",
        "the pattern is ^\\+[1-9]\\d{1,14}$ and +1 or +2 points",
        "ids such as 1234567890123456 and 4242 4242 4242 4242, 4111111111111111",
        "IBAN DE89 3704 0044 0532 0130 00 is the one of the standard, GB00WEST12345698765432 is wrong",
        "0x00000000 +0000000000 00000000000000 127.0.0.1:5432 10.0.0.0/8",
        "timeout +1500 ms, 555-0100, SKU 49-170-2234",
        "Streets are stored as text; see 12 Unit 4 and Main Street",
    ],
)
def test_what_only_looks_like_personal_data_stays(text: str) -> None:
    assert personal.find_and_replace(text) == (text, ())


def test_a_proposal_never_holds_what_is_to_be_taken_out() -> None:
    secret, person = make_value("github", "x"), make_value("person_email", "x")
    item = _item(f"fix: token {secret}", f"Ask {person}. {SESSIONS} It is {secret}.", tags=(secret,))
    found = analyze([Seen(item)], None)
    assert "REDACT" in [proposal.type for proposal in found]
    assert secret not in str(found)
    assert person not in str(found)
    cleaned = redacting.clean_item(item)
    assert secret not in str(cleaned)
    assert redacting.clean_item(cleaned) is cleaned


def test_a_snapshot_is_cleaned_like_the_item() -> None:
    secret = make_value("stripe", "x")
    snapshot = {"title": "a", "content": secret, "tags": [], "evidence": [{"eventId": "e", "quote": secret}], "tier": 2}
    cleaned = redacting.clean_snapshot(snapshot)
    assert secret not in str(cleaned)
    assert (cleaned["title"], cleaned["tier"]) == ("a", 2)
    assert redacting.clean_snapshot(cleaned) == cleaned


def test_the_better_standing_item_stays_and_takes_over_the_sources() -> None:
    draft = _item("Sessions in Redis", SESSIONS, id="itm_1", status="draft", files=("a.py",), flags=("low_confidence",))
    approved = _item("Redis sessions", SESSIONS, id="itm_2", files=("b.py",), evidence=(Quote("evt_9", "q"),))
    assert duplicates.survivor_of([draft, approved]) is approved
    whole = duplicates.merged(approved, [draft])
    assert (whole.id, whole.title, whole.files, whole.flags) == ("itm_2", "Redis sessions", ("a.py", "b.py"), ())
    assert whole.merged_from == ("itm_1",)
    assert {quote.event_id for quote in whole.evidence} == {"evt_1", "evt_9"}


def test_items_of_different_open_branches_are_not_merged() -> None:
    one, two = _item("Sessions in Redis", SESSIONS, id="itm_1"), _item("Sessions in Redis", SESSIONS, id="itm_2")
    vectors = np.array([[1.0, 0.0], [1.0, 0.0]], dtype=np.float32)
    assert [each.type for each in analyze([Seen(one), Seen(two)], vectors)] == ["MERGE_MEMORIES"]
    assert analyze([Seen(one, branch="a"), Seen(two, branch="b")], vectors) == []


def test_what_holds_a_secret_is_not_merged_before_it_is_clean() -> None:
    secret = make_value("aws_key", "x")
    both = [Seen(_item("Archive key", f"The archive key is {secret}.", id=f"itm_{number}")) for number in (1, 2)]
    vectors = np.array([[1.0, 0.0], [1.0, 0.0]], dtype=np.float32)
    assert [each.type for each in analyze(both, vectors)] == ["REDACT", "REDACT"]


def test_a_key_that_names_no_place_is_taken_from_the_files() -> None:
    item = _item("Weights come from the scale", SESSIONS, schema_key="root/misc", files=("apps/packing/scale/a.py",))
    proposal = tagging.propose(item, None, [item])
    assert proposal is not None
    assert proposal.new_key == "root/packing/scale"
    assert tagging.propose(replace(item, schema_key="root/anything"), None, [item]) is None
    assert tagging.propose(replace(item, files=()), None, [item]) is None


def test_a_key_that_all_others_of_the_file_do_not_have_is_moved_to_theirs() -> None:
    files = ("src/billing/invoice.py",)
    item = _item("Invoices have no gaps", "Billing takes the next number.", schema_key="root/auth", files=files)
    others = [_item(f"T{n}", "x", id=f"itm_{n + 2}", schema_key="root/billing", files=files) for n in range(2)]
    proposal = tagging.propose(item, None, [item, *others])
    assert proposal is not None
    assert proposal.new_key == "root/billing"
    assert tagging.propose(item, None, [item, *others[:1]]) is None


def test_an_item_that_is_flagged_is_not_flagged_again() -> None:
    junk = _item("asdf", "test")
    assert quality.propose(junk, None) is not None
    assert quality.propose(replace(junk, flags=("quality",)), None) is None


@given(st.text(max_size=300), st.text(max_size=600))
@settings(max_examples=150, deadline=None)
def test_no_text_is_too_strange(title: str, content: str) -> None:
    item = _item(title or "x", content)
    found = analyze([Seen(item), Seen(replace(item, id="itm_2"))], None)
    for proposal in found:
        assert proposal.item_ids
        assert 0 < proposal.confidence < 1
        if proposal.after is not None:
            assert 0 < len(proposal.after) <= 100
    once = redacting.clean_item(item)
    assert redacting.clean_item(once) is once


@pytest.mark.parametrize(
    "text",
    ["+1" * 50_000, "a" * 200_000, "a@" * 50_000, "1 A" * 50_000, "replaced x by " * 10_000, "x " * 90_000,
     "(" * 90_000, "+1111111111111111111111111111x " * 5_000,
     "call 1 1 1 1 1 1 1 1 " * 8_000, "DE11 AAAA " * 15_000],
)  # fmt: skip
def test_long_texts_are_read_in_time(text: str) -> None:
    started = time.perf_counter()
    analyze([Seen(_item("Sessions survive", text)), Seen(_item(text[:200], text, id="itm_2"))], None)
    assert time.perf_counter() - started < 20
