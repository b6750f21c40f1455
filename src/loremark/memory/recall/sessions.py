"""Which sessions and commits matter for a goal, and which later session speaks about the same subject."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.ranking import Filters, Question, rank
from loremark.memory.ranking.signals import cosine_similarities
from loremark.memory.recall.turns import Kind

_COMPARED = 4
"""Turns of a session, the best ones, that are compared with later sessions."""
_HITS = 200
"""Turns whose score is known, so that the turns of a session can be compared with each other."""
SAME_SUBJECT = 0.53
"""The cosine from which two turns speak about the same subject. Pairs of an early and a later session on one subject:
.38 to .77, half of them above; the nearest other session of a project: .37 to .51 (docs/research/recall.md)."""


SAME_GOAL = 0.48
"""The same between two sessions that both match the goal, which is a hint by itself: all 14 pairs of the development
scenarios lie above, and one in ten of the others."""
_NEAR_BEST = 0.6
"""The share of the best score from which another session is worth its tokens: where one stands out, it is the one."""


@dataclass(slots=True)
class FoundSession:
    """A session, or a single commit, with the scores of its turns, best first.

    ``later_id``: the later session on the same subject, if there is one.
    """

    id: str
    kind: Kind
    score: float
    scores: dict[str, float] = field(default_factory=dict)
    last_said_at_ms: int = 0
    later_id: str | None = None

    @property
    def best_turn_id(self) -> str | None:
        """The turn that matches best."""
        return max(self.scores, key=lambda turn_id: self.scores[turn_id], default=None)


def find_sessions(corpus: Corpus, question: Question, limit: int) -> Sequence[FoundSession]:
    """The sessions and commits that match best, each with its later session."""
    ranked = _ranked(corpus, question)
    found: dict[str, FoundSession] = {}
    for session in ranked[:limit]:
        if session.score < _NEAR_BEST * ranked[0].score:
            break
        later = _later(corpus, session, {other.id: other for other in ranked})
        if later is not None:
            session.later_id = later.id
            found.setdefault(later.id, later)
        found.setdefault(session.id, session)
    chosen = sorted(found.values(), key=_is_outdated)[:limit]
    _mark_outdated(corpus, chosen)
    return sorted(chosen, key=_is_outdated)


def with_reverts(found: Sequence[FoundSession], undone: Mapping[str, str]) -> Sequence[FoundSession]:
    """Put the commit that reverted a found one before it. ``undone``: reverted commits, each with its revert."""
    told: dict[str, FoundSession] = {}
    for one in found:
        revert_id = undone.get(one.id)
        if revert_id is not None:
            known = next((other for other in found if other.id == revert_id), None)
            one.later_id = revert_id
            told.setdefault(revert_id, known or FoundSession(revert_id, "commit", one.score, {revert_id: one.score}))
        told.setdefault(one.id, one)
    return list(told.values())


def _is_outdated(session: FoundSession) -> bool:
    return session.later_id is not None


def _ranked(corpus: Corpus, question: Question) -> list[FoundSession]:
    kinds = {code: name for name, code in corpus.codes.items()}
    layout = corpus.layout
    found: dict[str, FoundSession] = {}
    for hit in rank(corpus, question, Filters(), _HITS):
        row = corpus.find_row(hit.item_id)
        assert row is not None
        at = int(layout.place[row])
        is_commit = kinds[int(layout.columns["type"][at])] == "commit"
        session_id = hit.item_id if is_commit else corpus.session_id(row)
        session = found.setdefault(
            session_id, FoundSession(session_id, "commit" if is_commit else "session", hit.score)
        )
        session.scores[hit.item_id] = hit.score
        session.last_said_at_ms = max(session.last_said_at_ms, int(layout.columns["created"][at]))
    return list(found.values())


def _mark_outdated(corpus: Corpus, found: Sequence[FoundSession]) -> None:
    """Mark each session or commit whose subject a later one among them speaks about too."""
    vectors = {
        session.id: np.stack(
            [corpus.vector(row) for turn_id in session.scores if (row := corpus.find_row(turn_id)) is not None]
        )
        for session in found
    }
    for earlier in found:
        for later in found:
            if (
                earlier.last_said_at_ms < later.last_said_at_ms
                and float(np.max(vectors[earlier.id] @ vectors[later.id].T)) >= SAME_GOAL
            ):
                earlier.later_id = later.id


def _later(corpus: Corpus, session: FoundSession, known: Mapping[str, FoundSession]) -> FoundSession | None:
    """The most similar later session on the same subject, if there is one."""
    if session.kind != "session":
        return None
    rows = [corpus.find_row(turn_id) for turn_id in islice(session.scores, _COMPARED)]
    each = [cosine_similarities(corpus, corpus.vector(row)) for row in rows if row is not None]
    cosines = np.max(each, axis=0)
    near = np.flatnonzero((cosines >= SAME_SUBJECT) & (corpus.layout.columns["created"] > session.last_said_at_ms))
    best: FoundSession | None = None
    for at in sorted(near.tolist(), key=lambda at: -float(cosines[at])):
        row = int(corpus.layout.order[at])
        other_id = corpus.session_id(row)
        if other_id and other_id != session.id:
            best = known.get(other_id) or FoundSession(other_id, "session", session.score)
            best.scores.setdefault(corpus.item_id(row), float(cosines[at]) * session.score)
            break
    return best
