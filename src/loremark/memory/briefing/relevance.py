"""What a briefing may contain: what matters for the task, and not what the agent reads anyway."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from loremark.base.phrases import phrase_hashes
from loremark.memory.items import Item
from loremark.memory.log_odds import log_odds

ITEM_SCORE = 0.42
"""The score from which an item may be about the task."""
DRAFT_CONFIDENCE = 0.7
"""The confidence from which a draft is served. The others say less than the session they come from."""
USED_BONUS = 0.05
"""What an item's score gains if every session that was given it used it; less if some did not."""
SESSION_SCORE = 0.30
"""The score from which something said may be about the task."""
SURE = 3.7
"""The relevance from which a briefing uses its budget. About 80% of the tasks that memory does not cover lie below, and
about 30% of the others (docs/research/recall.md)."""
POSSIBLE = 2.2
"""The relevance from which something is mentioned at all."""
HINT_TOKENS = 100
"""The budget of a briefing that is not sure to help."""
_SCORE_WEIGHT = 8.0
_ALREADY_SAID = 0.6
"""The share of an item's phrases in the agent's own instruction files from which it is left out."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item, session or commit. ``later_id``: the later session on the same subject."""

    id: str
    relevance: float
    later_id: str | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """What to tell, the most relevant first; ``sure``: it is worth the whole budget."""

    ids: tuple[str, ...]
    sure: bool


def is_served(item: Item) -> bool:
    """Whether briefings serve an item, unless another one replaced it."""
    if item.status == "draft":
        return item.confidence >= DRAFT_CONFIDENCE and "conflict" not in item.flags
    return item.status == "approved"


def select(candidates: Sequence[Candidate]) -> Selection:
    """Select what is relevant enough. A session that a later one outdates comes after it; a hint is a single one."""
    known = {one.id for one in candidates}
    ids: list[str] = []
    ranked = sorted(candidates, key=lambda one: -one.relevance)
    for one in ranked:
        if one.relevance >= POSSIBLE:
            ids += [name for name in (one.later_id, one.id) if name in known and name not in ids]
    sure = bool(ranked) and ranked[0].relevance >= SURE
    return Selection(tuple(ids if sure else ids[:1]), sure)


def is_known(text: str, known: Collection[int]) -> bool:
    """Whether the agent reads this anyway."""
    if not known:
        return False
    phrases = phrase_hashes(text)
    return bool(phrases) and sum(phrase in known for phrase in phrases) >= _ALREADY_SAID * len(phrases)


def with_usage(score: float, served: int, used: int) -> float:
    """An item's score with a bonus for being useful before, to order items by."""
    return score + (USED_BONUS * used / served if served else 0.0)


def relevance(matters: float, score: float) -> float:
    """How relevant something is for a task: the reader's probability as log odds, plus the weighted search score."""
    return log_odds(matters) + _SCORE_WEIGHT * score
