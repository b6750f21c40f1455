"""What a briefing may contain: what is near enough to the task, and not what the agent reads anyway."""

from __future__ import annotations

from collections.abc import Collection

from loremark.base.phrases import phrase_hashes

ITEM_SCORE = 0.42
"""The score from which an item is about the task."""
DRAFT_CONFIDENCE = 0.7
"""The confidence from which a draft is served. The others say less than the session they come from."""
USED_BONUS = 0.05
"""What an item's score gains if every session that was given it used it; less if some did not."""
SESSION_SCORE = 0.30
"""The score from which something said is worth quoting at all."""
_ALREADY_SAID = 0.6
"""The share of an item's phrases in the agent's own instruction files from which it is left out."""


def is_known(text: str, known: Collection[int]) -> bool:
    """Whether the agent reads this anyway."""
    if not known:
        return False
    phrases = phrase_hashes(text)
    return bool(phrases) and sum(phrase in known for phrase in phrases) >= _ALREADY_SAID * len(phrases)


def with_usage(score: float, served: int, used: int) -> float:
    """An item's score with a bonus for being useful before, to order items by."""
    return score + (USED_BONUS * used / served if served else 0.0)
