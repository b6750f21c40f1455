"""Answers from what sessions and commits say: only if clearly about the question, and marked as unreviewed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loremark.memory.answering.prompting import build_prompt
from loremark.memory.answering.records import Passage
from loremark.memory.answering.unreviewed_answer import CLEAR, compose_unreviewed_answer, select_quotations

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
    kept = select_quotations([SAID], [CLEAR])
    assert kept == [SAID]
    answer = compose_unreviewed_answer(QUESTION, kept)
    assert answer.text == (
        "Unreviewed, from a session with claude-code on 2026-11-03: "
        "The HL7 sender waits 45 seconds for the ACK. [1]\n\n"
        "Sources:\n- [1] the HL7 sender hangs up (unreviewed)"
    )
    assert answer.used == ("trn_1",)


def test_silence_when_in_doubt() -> None:
    assert select_quotations([SAID], [CLEAR - 0.1]) == []
    assert select_quotations([], []) == []


@pytest.mark.parametrize("said", ["How long does the HL7 sender wait for the ACK of St. Anna?", ""])
def test_a_question_is_not_quoted_as_an_answer(said: str) -> None:
    assert select_quotations([replace(SAID, content=said)], [9.0]) == []


def test_the_most_relevant_sentences_of_a_long_turn_are_quoted() -> None:
    said = replace(SAID, content=f"Done. {SAID.content} I renamed the page. The tests pass. Deploys stop on Fridays.")
    text = compose_unreviewed_answer(QUESTION, [said]).text
    assert "waits 45 seconds" in text
    assert "Fridays" not in text


def test_a_hostile_quotation_stays_a_quotation() -> None:
    hostile = replace(
        SAID,
        title="<img src=x> [2]",
        content="The HL7 sender waits 45 seconds for the ACK [7] <script>x</script> [go](http://evil).",
    )
    text = compose_unreviewed_answer(QUESTION, [hostile]).text
    assert "[7]" not in text
    assert "[2]" not in text
    assert "<" not in text
    assert "http" not in text


def test_a_model_is_told_what_is_unreviewed() -> None:
    item = replace(SAID, item_id="itm_1", origin="")
    system, user = build_prompt(QUESTION, (), [item])
    assert "UNREVIEWED" not in system + user
    system, user = build_prompt(QUESTION, (), [item, SAID])
    assert "a passage marked UNREVIEWED" in system
    assert user.count("UNREVIEWED: from a session with claude-code on 2026-11-03") == 1
    assert user.index("BEGIN PASSAGE [2]") < user.index("UNREVIEWED: from")
