"""Better titles come from the sentence that was truncated, never from an aside, and keep the subject."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loremark.memory.extraction import sentence_splitter
from loremark.memory.extraction.titles import headline
from loremark.memory.hygiene import model_review, title_clauses, titles
from loremark.memory.hygiene.proposals import Proposal
from loremark.memory.items import Item, Quote
from tests.support.properties import examples

WEBHOOK = "The refund webhook of Adyen is not verified yet"
ADYEN = (
    f"{WEBHOOK} (HMAC check is missing in src/payments/adyen/webhooks.ts and in the tests). "
    "Must be done before the launch on 1 March."
)
DEPARTURES = (
    "All departure times are stored in UTC; the port's own time zone is applied only when a ticket is shown or printed "
    "at the counter. Greek ports changed their summer time handling in 2024, and we had wrong departures for a week."
)


def _item(title: str, content: str) -> Item:
    return Item(
        title=title,
        content=content,
        type="decision",
        schema_key="root/api",
        confidence=0.9,
        evidence=(Quote("evt_1", "said so"),),
        id="itm_1",
        status="approved",
    )


def _title_from_first_sentence(content: str) -> str:
    """The title of an item that is saved without one."""
    return headline(sentence_splitter.split_sentences(content, 1)[0].text, capital=True)


def _better(title: str, content: str) -> tuple[str | None, bool] | None:
    """The proposed title and whether it needs review; None if the title stays."""
    proposal = titles.propose(_item(title, content))
    return (proposal.after, proposal.requires_human_approval) if isinstance(proposal, Proposal) else None


@pytest.mark.parametrize(
    ("title", "content", "better"),
    [
        (_title_from_first_sentence(ADYEN), ADYEN, WEBHOOK),
        (f"{WEBHOOK} (HMAC…", ADYEN, WEBHOOK),
        (f"{WEBHOOK} (HMAC", ADYEN, WEBHOOK),
        (_title_from_first_sentence(DEPARTURES), DEPARTURES, "All departure times are stored in UTC"),
        ("All departure times are stored in UTC;…", DEPARTURES, "All departure times are stored in UTC"),
        (
            "Sessions are kept in…",
            "We decided that sessions are kept in Redis because they must outlive a restart.",
            "Sessions are kept in Redis",
        ),
        (
            "Deploys go out on…",
            "The pipeline runs on Jenkins. Deploys go out on Tuesdays only. Ask Maria about the keys.",
            "Deploys go out on Tuesdays only",
        ),
    ],
)
def test_a_truncated_title_is_completed_from_its_sentence(title: str, content: str, better: str) -> None:
    assert _better(title, content) == (better, False)


@pytest.mark.parametrize(
    "content",
    [
        "Retries of the mail queue use exponential backoff with jitter between one and ninety seconds per attempt up "
        "to eight attempts overall. Must be done before the launch on 1 March.",
        "The nightly export to the tax office runs at half past two and writes one file per branch and month into the "
        "bucket of the finance team. Only Jonas may read the finance bucket.",
    ],
)
def test_a_title_stays_if_its_sentence_cannot_be_shortened(content: str) -> None:
    title = _title_from_first_sentence(content)
    assert title.endswith("…")
    assert _better(title, content) is None
    assert _better(title, "Jonas may read the finance bucket after the launch.") is None, (
        "the content does not contain the sentence"
    )


def test_an_uninformative_title_is_replaced_by_the_first_informative_sentence() -> None:
    assert _better("Update", f"Done. {DEPARTURES}") == ("All departure times are stored in UTC", False)
    long = "Return reasons are configurable for each merchant and shown in the portal in the order they were saved."
    assert _better("Update", f"{long} Maria wants to see the list before Friday.") is None, (
        "never from a later sentence"
    )


@pytest.mark.parametrize(
    ("title", "content"),
    [
        ("fix: typo", "The checkout page said recieve. Maria found it."),
        ("[WIP] conditional questions", "Questions can depend on an earlier answer of the patient."),
    ],
)
def test_a_title_with_another_subject_needs_review(title: str, content: str) -> None:
    proposal = titles.propose(_item(title, content))
    assert isinstance(proposal, Proposal)
    assert (proposal.requires_human_approval, proposal.confidence < 0.8) == (True, True)


def test_a_models_title_with_another_subject_needs_review() -> None:
    item = _item(_title_from_first_sentence(ADYEN), ADYEN)
    proposal = titles.propose(item)
    assert isinstance(proposal, Proposal)
    for title, needs_review in (
        ("Must be done before the launch on 1 March", True),
        ("Refund webhook of Adyen is not verified", False),
    ):
        verdict = model_review.Verdict(True, "", title)
        (reviewed,) = model_review.apply_verdicts([proposal], {proposal: verdict}, {item.id: item})
        assert (reviewed.after, reviewed.requires_human_approval) == (title, needs_review)


@given(st.text(max_size=200), st.text(max_size=400))
@settings(max_examples=examples(100), deadline=None)
def test_better_titles_add_no_words(title: str, content: str) -> None:
    sentences = [sentence.text for sentence in sentence_splitter.split_sentences(content, 20)]
    full_sentence = title_clauses.find_full_sentence(title, sentences)
    assert full_sentence is None or any(full_sentence in sentence for sentence in sentences)
    assert len(title_clauses.main_clause(content)) <= 100
