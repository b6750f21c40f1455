"""What a briefing selects, by how relevant each candidate is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loremark.memory.briefing.relevance import POSSIBLE, SURE, Candidate, relevance, select


def test_says_nothing_if_nothing_is_relevant() -> None:
    assert select([Candidate("a", POSSIBLE - 0.1), Candidate("b", -5.0)]).ids == ()
    assert select([]).ids == ()


def test_gives_one_hint_unless_something_is_surely_relevant() -> None:
    selected = select([Candidate("a", POSSIBLE + 0.1), Candidate("b", SURE - 0.1)])
    assert (selected.ids, selected.sure) == (("b",), False)


def test_gives_everything_possible_once_something_is_surely_relevant() -> None:
    selected = select([Candidate("a", POSSIBLE), Candidate("b", SURE), Candidate("c", POSSIBLE - 0.1)])
    assert (selected.ids, selected.sure) == (("b", "a"), True)


def test_a_later_session_comes_before_the_one_it_outdates_whatever_its_own_relevance() -> None:
    earlier, later = Candidate("earlier", SURE + 1, later_id="later"), Candidate("later", -2.0)
    assert select([earlier, later]).ids == ("later", "earlier")
    hinted = Candidate("earlier", POSSIBLE, later_id="later")
    assert select([hinted, later]).ids == ("later",)


def test_a_later_session_that_is_not_at_hand_is_left_out() -> None:
    assert select([Candidate("earlier", SURE, later_id="gone")]).ids == ("earlier",)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_relevance_grows_with_the_probability_and_the_score(matters: float, other: float, score: float) -> None:
    low, high = sorted((matters, other))
    assert relevance(low, score) <= relevance(high, score)
    assert relevance(matters, score) <= relevance(matters, score + 0.1)
