"""Which sessions a briefing quotes: later ones on the same subject lead, and the earlier ones are marked."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.entry import Entry, pack_terms
from loremark.memory.ranking.ranking import Question
from loremark.memory.recall.sessions import SAME_GOAL, SAME_SUBJECT, find_sessions

_DAY_MS = 86_400_000
_UNRELATED = 0.2


def _corpus(angles: Mapping[str, float]) -> Corpus:
    """One turn per session, a day apart, each at an angle from the goal's direction."""
    entries = [
        Entry(f"trn_{day}", "approved", "session", "", name, None, day * _DAY_MS, 1.0, pack_terms("", name, "", (), ()))
        for day, name in enumerate(angles, 1)
    ]
    rows = [(math.cos(angle), math.sin(angle), 0.0, 0.0) for angle in angles.values()]
    return Corpus.build(entries, np.array(rows, dtype=np.float32))


def _found(angles: Mapping[str, float], limit: int = 3) -> list[tuple[str, bool]]:
    goal = np.array((1.0, 0.0, 0.0, 0.0), dtype=np.float32)
    return [(one.id, one.later_id is not None) for one in find_sessions(_corpus(angles), Question("goal", goal), limit)]


@pytest.mark.parametrize("cosine", [SAME_GOAL + 0.02, SAME_SUBJECT + 0.05])
def test_of_two_sessions_on_one_subject_the_later_leads(cosine: float) -> None:
    apart = math.acos(cosine)
    assert _found({"earlier": -apart / 3, "later": 2 * apart / 3}) == [("later", False), ("earlier", True)]


def test_sessions_on_different_subjects_stand_side_by_side() -> None:
    apart = math.acos(_UNRELATED)
    assert sorted(_found({"earlier": -apart / 2, "later": apart / 2})) == [("earlier", False), ("later", False)]


def test_a_later_session_on_the_subject_is_found_although_the_goal_does_not_match_it() -> None:
    near, far = math.acos(0.9), math.acos(0.9) + math.acos(SAME_SUBJECT + 0.05)
    assert _found({"earlier": near, "later": far}, limit=1) == [("later", False)]
    assert _found({"earlier": near, "later": far}) == [("later", False), ("earlier", True)]
