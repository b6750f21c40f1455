"""The built-in answer: the sentences that answer the question, or a statement that there are none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loremark.memory.answering.extractive_answer import CLOSEST_TITLE, NO_ANSWER, compose_answer
from loremark.memory.answering.follow_ups import resolve_follow_up
from loremark.memory.answering.records import Passage, Turn


def _passage(
    key: str, title: str, content: str, *files: str, type: str = "implementation", similarity: float = 0.7
) -> Passage:
    return Passage(key, type, title, content, "root/shop", files, 0.9, similarity)


WEBHOOKS = _passage(
    "webhooks",
    "Webhooks are retried for a day",
    "A failed delivery is tried seven times over 24 hours. The worker sleeps between tries. Signatures use Ed25519.",
    "src/hooks/deliver.py",
)
WEBHOOKS_WHY = _passage(
    "webhooks-why",
    "Webhook retries stop after a day",
    "We looked at three days first. Receivers that stay down longer never recover by themselves, because nobody reads"
    " their alarms. The dashboard shows them.",
    "docs/adr/0007-hooks.md",
    type="decision",
    similarity=0.68,
)
MAILS = _passage(
    "mails",
    "E-mail is retried twice",
    "A mail that the relay refuses is tried again after 10 and 60 minutes. Then the address is marked as dead.",
    "src/mails/send.py",
    similarity=0.6,
)
LEDGER = _passage(
    "ledger",
    "The ledger is double entry",
    "Every booking writes two rows into ledger_entries. Sums are checked each night.",
    "src/ledger/book.py",
    "src/ledger/check.py",
    type="codemap",
    similarity=0.55,
)
ERROR = _passage(
    "err-4102",
    "SHP-4102 means the basket is stale",
    "SHP-4102 is answered when the basket is older than 30 minutes. Reload the basket and try once more.",
    "src/basket/errors.py",
    similarity=0.66,
)


def _sentences(text: str) -> str:
    return text.split("Sources:")[0]


def test_a_question_for_a_number_gets_the_sentence_with_the_number() -> None:
    answer = compose_answer("how many times is a failed webhook delivery tried?", [], [WEBHOOKS, LEDGER])
    assert answer.used[0] == "webhooks"
    assert "A failed delivery is tried seven times over 24 hours. [1]" in answer.text
    assert "Ed25519" not in answer.text
    assert "- [1] Webhooks are retried for a day (`src/hooks/deliver.py`)" in answer.text


def test_why_is_answered_with_the_reason() -> None:
    answer = compose_answer("why do webhook retries stop after a day?", [], [WEBHOOKS, WEBHOOKS_WHY])
    assert answer.used[0] == "webhooks-why"
    assert _sentences(answer.text).lstrip().startswith("Receivers that stay down longer never recover by themselves,")
    assert "because nobody reads their alarms. [2]" in answer.text


def test_where_is_answered_with_files() -> None:
    answer = compose_answer("where is the double entry ledger booked?", [], [WEBHOOKS, LEDGER])
    assert answer.used[0] == "ledger"
    assert "`src/ledger/book.py`, `src/ledger/check.py` [2]" in _sentences(answer.text)


@pytest.mark.parametrize("question", ["SHP-4102", "shp 4102, what now?", "what does SHP4102 mean"])
def test_codes_match_in_any_spelling(question: str) -> None:
    assert compose_answer(question, [], [ERROR, WEBHOOKS]).used[0] == "err-4102"


@pytest.mark.parametrize("question", ["SHP-4109", "what does SHP-4109 mean?", "how do i get rid of shp4109"])
def test_a_different_code_does_not_match(question: str) -> None:
    answer = compose_answer(question, [], [ERROR, WEBHOOKS])
    assert answer.text == NO_ANSWER
    assert answer.used == ()


def test_one_of_two_codes_is_enough() -> None:
    assert compose_answer("is SHP-4102 the same as SHP-4109?", [], [ERROR, WEBHOOKS]).used == ("err-4102",)


def test_uncovered_questions_get_no_answer() -> None:
    far = [_passage("ledger", LEDGER.title, LEDGER.content, similarity=0.5)]
    assert compose_answer("what is the capital of mongolia?", [], far).text == NO_ANSWER
    assert compose_answer("who won?", [], []) == compose_answer("?", [], [])
    assert compose_answer("who won?", [], []).used == ()


def test_a_close_match_is_named_but_not_cited() -> None:
    """Memory knows the surrounding words but not the subject of the question."""
    near = [replace(passage, similarity=0.45) for passage in (WEBHOOKS, MAILS, LEDGER)]
    answer = compose_answer("how long does the forklift battery charge before a delivery?", [], near)
    assert answer.used == ()
    assert answer.text == f"{CLOSEST_TITLE} {WEBHOOKS.title}"


@pytest.mark.parametrize("question", ["BasketStale", "basket_stale?"])
def test_a_sole_identifier_matches_only_itself(question: str) -> None:
    named = _passage("named", "Old baskets", "An old basket raises basket_stale. Reload it.", similarity=0.6)
    assert compose_answer(question, [], [ERROR, named]).used == ("named",)
    assert compose_answer(question, [], [ERROR, LEDGER]).used == ()


def test_only_a_clearly_best_passage_is_cited() -> None:
    answer = compose_answer("how many times is a failed webhook delivery tried?", [], [WEBHOOKS, MAILS, LEDGER, ERROR])
    assert answer.used == ("webhooks",)


def test_a_follow_up_is_answered_about_its_new_subject() -> None:
    earlier = [Turn("how often is a webhook retried", "A failed delivery is tried seven times over 24 hours. [1]")]
    answer = compose_answer("and e-mail?", earlier, [WEBHOOKS, MAILS])
    assert answer.used[0] == "mails"
    assert "tried again after 10 and 60 minutes. [2]" in answer.text


def test_and_why_asks_for_the_reason_behind_the_last_answer() -> None:
    earlier = [Turn("how long do webhook retries go on", "Over 24 hours. [1]")]
    assert compose_answer("and why?", earlier, [WEBHOOKS, WEBHOOKS_WHY]).used[0] == "webhooks-why"


def test_used_lists_only_cited_passages() -> None:
    answer = compose_answer(
        "how many times is a failed webhook delivery tried?", [], [WEBHOOKS, WEBHOOKS_WHY, MAILS, LEDGER]
    )
    passages = {"webhooks": 1, "webhooks-why": 2, "mails": 3, "ledger": 4}
    for key, number in passages.items():
        assert (f"[{number}]" in answer.text) == (key in answer.used)
    assert "ledger" not in answer.used


@pytest.mark.parametrize(
    ("question", "standalone"),
    [
        ("and why?", "how do we lock a slot and why?"),
        ("what about refunds", "how do we lock a slot what about refunds"),
        ("can i change that?", "how do we lock a slot can i change that?"),
        ("how long does a nightly backup of the ledger take", "how long does a nightly backup of the ledger take"),
    ],
)
def test_follow_ups_are_resolved(question: str, standalone: str) -> None:
    assert resolve_follow_up(question, [Turn("how do we lock a slot", "With an advisory lock.")]) == standalone


def test_the_topic_is_the_last_question_that_was_not_a_follow_up() -> None:
    history = [
        Turn("where are invoices rendered", "In src/invoices."),
        Turn("how often is a webhook retried", "Seven times."),
        Turn("and mails?", "Twice."),
    ]
    assert resolve_follow_up("and push?", history) == "how often is a webhook retried and push?"
    assert resolve_follow_up("and push?", []) == "and push?"
    assert resolve_follow_up("and push?", [Turn("and mails?", "Twice.")]) == "and mails? and push?"


def test_a_reversed_passage_comes_after_the_newer_one() -> None:
    """Ids sort by creation time. Without a reversal the better passage stays first."""
    original = _passage(
        "itm_1",
        "Basket rows are locked in Redis",
        "Basket rows are locked in Redis instead of Postgres, which was slow.",
        similarity=0.8,
    )
    reversal = _passage(
        "itm_2",
        "Basket rows are locked in Postgres again",
        "Basket rows are locked in Postgres instead of Redis, which lost locks.",
        similarity=0.78,
    )
    for passages in ([original, reversal], [reversal, original]):
        assert compose_answer("Where are basket rows locked?", (), passages).used == ("itm_2", "itm_1")
    later = replace(LEDGER, item_id="zzz", similarity=0.69)
    assert compose_answer("How often are webhooks retried?", (), [WEBHOOKS, later]).used[0] == "webhooks"
