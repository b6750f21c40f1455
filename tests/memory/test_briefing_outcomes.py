"""What came of a briefing's entries: used, said again by the person, or nothing that can be seen."""

from __future__ import annotations

from loremark.memory.briefing.outcomes import (
    REPEATED_SIMILARITY,
    LaterTurn,
    ServedEntry,
    decide_outcome,
    later_prompts,
    stronger,
)
from loremark.memory.briefing.relevance import USED_BONUS, with_usage
from loremark.memory.recall.turns import Message

RULE = ServedEntry(
    ("itm_1",), "The HL7 sender waits 45 seconds for the acknowledgement of St. Anna.", frozenset(("hl7/outbound.py",))
)


def turn(
    prompt: str, answer: str = "", *, files: tuple[str, ...] = (), commands: tuple[str, ...] = (), first: bool = False
) -> LaterTurn:
    said = (Message("user", prompt), Message("assistant", answer))
    return LaterTurn(tuple(message for message in said if message.text), files, commands, first)


def test_an_entry_is_used_when_its_file_is_touched_or_its_id_is_cited() -> None:
    assert decide_outcome(RULE, [turn("go on", "Done.", files=("hl7/outbound.py",))], {}) == "used"
    assert decide_outcome(RULE, [turn("go on", "As itm_1 says.")], {}) == "used"
    assert decide_outcome(RULE, [turn("go on", "Done.", commands=("loremark items get itm_1",))], {}) == "used"
    assert decide_outcome(RULE, [turn("go on", "Done.", files=("hl7/inbound.py",))], {}) == ""


def test_an_entry_is_used_when_the_answers_say_what_only_it_says() -> None:
    answer = "The sender now waits 45 seconds until the acknowledgement of St. Anna is there."
    assert decide_outcome(RULE, [turn("write the exporter", answer, first=True)], {}) == "used"
    asked = "write the HL7 sender: wait 45 seconds for the acknowledgement of St. Anna"
    assert decide_outcome(RULE, [turn(asked, answer, first=True)], {}) == ""


def test_a_prompt_that_says_it_again_is_a_correction_and_wins_over_use() -> None:
    first = turn("write the sender", "Done, in hl7/outbound.py.", files=("hl7/outbound.py",), first=True)
    again = turn("The HL7 sender must wait 45 seconds for the acknowledgement of St. Anna!")
    assert decide_outcome(RULE, [first, again], {}) == "corrected"
    assert decide_outcome(RULE, [first, turn("run all the tests")], {}) == "used"


def test_a_prompt_with_the_same_meaning_is_a_correction_unless_it_is_short() -> None:
    first = turn("write the sender", "Done.", first=True)
    asked, short = "hang up much later, as agreed with the hospital", "go on"
    near = dict.fromkeys((asked, short), REPEATED_SIMILARITY)
    assert decide_outcome(RULE, [first, turn(asked)], near) == "corrected"
    assert decide_outcome(RULE, [first, turn(asked)], {asked: REPEATED_SIMILARITY - 0.01}) == ""
    assert decide_outcome(RULE, [first, turn(short)], near) == ""


def test_the_prompt_that_a_briefing_is_for_corrects_nothing() -> None:
    opening = "The HL7 sender must wait 45 seconds for the acknowledgement of St. Anna!"
    split = [turn(opening[:20], first=True), turn(opening, "Done.", first=True), turn("and then?", first=True)]
    assert list(later_prompts(split)) == ["and then?"]
    assert decide_outcome(RULE, split, {}) == ""


def test_outcomes_only_get_stronger() -> None:
    assert stronger("used", "") == "used"
    assert stronger("corrected", "used") == "corrected"
    assert stronger("", "") == ""


def test_items_that_were_used_before_gain_a_little() -> None:
    assert with_usage(0.5, served=0, used=0) == 0.5
    assert with_usage(0.5, served=4, used=0) == 0.5
    assert with_usage(0.5, served=4, used=1) < with_usage(0.5, served=4, used=4) == 0.5 + USED_BONUS
