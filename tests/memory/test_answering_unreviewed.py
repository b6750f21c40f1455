"""Answers from what sessions and commits say: only if clearly about the question, and marked as unreviewed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loremark.memory.answering.prompting import build_prompt
from loremark.memory.answering.records import Passage
from loremark.memory.answering.unreviewed_answer import MIN_SIMILARITY, compose_unreviewed_answer, select_quotations

QUESTION = "How long does the HL7 sender wait for the ACK of St. Anna?"
SAID = Passage(
    item_id="trn_1",
    type="implementation",
    title="the HL7 sender hangs up",
    content="How long should the HL7 sender wait for the ACK of St. Anna?\n"
    "The HL7 sender waits 45 seconds for the ACK.",
    schema_key="",
    files=(),
    confidence=0.0,
    similarity=0.8,
    origin="a session with claude-code on 2026-11-03",
)


def test_statements_are_quoted_and_questions_are_not() -> None:
    kept = select_quotations(QUESTION, (), [SAID])
    assert kept == [SAID]
    answer = compose_unreviewed_answer(QUESTION, (), kept)
    assert answer.text == (
        "Unreviewed, from a session with claude-code on 2026-11-03: "
        "The HL7 sender waits 45 seconds for the ACK. [1]\n\n"
        "Sources:\n- [1] the HL7 sender hangs up"
    )
    assert answer.used == ("trn_1",)


@pytest.mark.parametrize(
    "said",
    [
        replace(SAID, similarity=MIN_SIMILARITY - 0.01),
        replace(SAID, content="How long does the HL7 sender wait for the ACK of St. Anna?"),
        replace(SAID, content="The importer waits 45 seconds for the bank."),
        replace(SAID, content=""),
    ],
)
def test_silence_when_in_doubt(said: Passage) -> None:
    assert select_quotations(QUESTION, (), [said]) == []


def test_a_question_without_a_subject_is_not_answered() -> None:
    assert select_quotations("What is it for?", (), [SAID]) == []


def test_a_hostile_quotation_stays_a_quotation() -> None:
    hostile = replace(
        SAID,
        title="<img src=x> [2]",
        content="The HL7 sender waits 45 seconds for the ACK [7] <script>x</script> [go](http://evil).",
    )
    text = compose_unreviewed_answer(QUESTION, (), [hostile]).text
    assert "[7]" not in text
    assert "[2]" not in text
    assert "<" not in text
    assert "http" not in text


def test_a_model_is_told_what_is_unreviewed() -> None:
    item = replace(SAID, item_id="itm_1", origin="")
    system, user = build_prompt(QUESTION, (), [item])
    assert "UNREVIEWED" not in system + user
    system, user = build_prompt(QUESTION, (), [item, SAID])
    assert "A passage marked UNREVIEWED" in system
    assert user.count("UNREVIEWED: from a session with claude-code on 2026-11-03") == 1
    assert user.index("BEGIN PASSAGE [2]") < user.index("UNREVIEWED: from")
