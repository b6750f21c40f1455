"""The built-in answer: a few sentences of memory that answer the question, or an honest word that none does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loremark.memory.answering.composing import NEAREST, NOTHING, compose
from loremark.memory.answering.condensing import condense
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


def test_a_number_is_asked_for_and_the_sentence_with_the_number_is_told() -> None:
    told = compose("how many times is a failed webhook delivery tried?", [], [WEBHOOKS, LEDGER])
    assert told.used[0] == "webhooks"
    assert "A failed delivery is tried seven times over 24 hours. [1]" in told.text
    assert "Ed25519" not in told.text
    assert "- [1] Webhooks are retried for a day (`src/hooks/deliver.py`)" in told.text


def test_why_is_answered_with_the_reason() -> None:
    told = compose("why do webhook retries stop after a day?", [], [WEBHOOKS, WEBHOOKS_WHY])
    assert told.used[0] == "webhooks-why"
    assert _sentences(told.text).lstrip().startswith("Receivers that stay down longer never recover by themselves,")
    assert "because nobody reads their alarms. [2]" in told.text


def test_where_is_answered_with_files() -> None:
    told = compose("where is the double entry ledger booked?", [], [WEBHOOKS, LEDGER])
    assert told.used[0] == "ledger"
    assert "`src/ledger/book.py`, `src/ledger/check.py` [2]" in _sentences(told.text)


@pytest.mark.parametrize("question", ["SHP-4102", "shp 4102, what now?", "what does SHP4102 mean"])
def test_a_code_is_known_however_it_is_written(question: str) -> None:
    assert compose(question, [], [ERROR, WEBHOOKS]).used[0] == "err-4102"


@pytest.mark.parametrize("question", ["SHP-4109", "what does SHP-4109 mean?", "how do i get rid of shp4109"])
def test_another_code_is_another_thing(question: str) -> None:
    told = compose(question, [], [ERROR, WEBHOOKS])
    assert told.text == NOTHING
    assert told.used == ()


def test_two_codes_of_which_one_is_known() -> None:
    assert compose("is SHP-4102 the same as SHP-4109?", [], [ERROR, WEBHOOKS]).used == ("err-4102",)


def test_what_nothing_covers_is_said_to_be_so() -> None:
    far = [_passage("ledger", LEDGER.title, LEDGER.content, similarity=0.5)]
    assert compose("what is the capital of mongolia?", [], far).text == NOTHING
    assert compose("who won?", [], []) == compose("?", [], [])
    assert compose("who won?", [], []).used == ()


def test_what_is_only_near_is_named_and_not_cited() -> None:
    """The subject of the question is unknown, though the words around it are not."""
    near = [replace(passage, similarity=0.45) for passage in (WEBHOOKS, MAILS, LEDGER)]
    told = compose("how long does the forklift battery charge before a delivery?", [], near)
    assert told.used == ()
    assert told.text == f"{NEAREST} {WEBHOOKS.title}"


@pytest.mark.parametrize("question", ["BasketStale", "basket_stale?"])
def test_an_identifier_alone_means_itself(question: str) -> None:
    named = _passage("named", "Old baskets", "An old basket raises basket_stale. Reload it.", similarity=0.6)
    assert compose(question, [], [ERROR, named]).used == ("named",)
    assert compose(question, [], [ERROR, LEDGER]).used == ()


def test_where_one_passage_is_clearly_best_only_that_one_is_cited() -> None:
    told = compose("how many times is a failed webhook delivery tried?", [], [WEBHOOKS, MAILS, LEDGER, ERROR])
    assert told.used == ("webhooks",)


def test_a_follow_up_is_about_what_is_new_in_it() -> None:
    earlier = [Turn("how often is a webhook retried", "A failed delivery is tried seven times over 24 hours. [1]")]
    told = compose("and e-mail?", earlier, [WEBHOOKS, MAILS])
    assert told.used[0] == "mails"
    assert "tried again after 10 and 60 minutes. [2]" in told.text


def test_and_why_asks_for_the_reason_of_what_was_told() -> None:
    earlier = [Turn("how long do webhook retries go on", "Over 24 hours. [1]")]
    assert compose("and why?", earlier, [WEBHOOKS, WEBHOOKS_WHY]).used[0] == "webhooks-why"


def test_used_is_what_the_marks_say_and_not_everything() -> None:
    told = compose("how many times is a failed webhook delivery tried?", [], [WEBHOOKS, WEBHOOKS_WHY, MAILS, LEDGER])
    passages = {"webhooks": 1, "webhooks-why": 2, "mails": 3, "ledger": 4}
    for key, number in passages.items():
        assert (f"[{number}]" in told.text) == (key in told.used)
    assert "ledger" not in told.used


@pytest.mark.parametrize(
    ("question", "standalone"),
    [
        ("and why?", "how do we lock a slot and why?"),
        ("what about refunds", "how do we lock a slot what about refunds"),
        ("can i change that?", "how do we lock a slot can i change that?"),
        ("how long does a nightly backup of the ledger take", "how long does a nightly backup of the ledger take"),
    ],
)
def test_what_leans_on_a_turn_is_made_to_stand(question: str, standalone: str) -> None:
    assert condense(question, [Turn("how do we lock a slot", "With an advisory lock.")]) == standalone


def test_the_topic_is_the_last_question_that_stood_alone() -> None:
    talk = [
        Turn("where are invoices rendered", "In src/invoices."),
        Turn("how often is a webhook retried", "Seven times."),
        Turn("and mails?", "Twice."),
    ]
    assert condense("and push?", talk) == "how often is a webhook retried and push?"
    assert condense("and push?", []) == "and push?"
    assert condense("and push?", [Turn("and mails?", "Twice.")]) == "and mails? and push?"


def test_what_was_taken_back_comes_after_what_took_it_back() -> None:
    """Ids sort by the time they were made; where nothing is taken back, the better passage stays first."""
    told = _passage(
        "itm_1",
        "Basket rows are locked in Redis",
        "Basket rows are locked in Redis instead of Postgres, which was slow.",
        similarity=0.8,
    )
    back = _passage(
        "itm_2",
        "Basket rows are locked in Postgres again",
        "Basket rows are locked in Postgres instead of Redis, which lost locks.",
        similarity=0.78,
    )
    for given in ([told, back], [back, told]):
        assert compose("Where are basket rows locked?", (), given).used == ("itm_2", "itm_1")
    later = replace(LEDGER, item_id="zzz", similarity=0.69)
    assert compose("How often are webhooks retried?", (), [WEBHOOKS, later]).used[0] == "webhooks"
