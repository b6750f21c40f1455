"""How much a briefing may say: the surer that memory covers the task, the more."""

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
SURE = 0.42
"""The strength (``memory.recall.sessions``) from which it may be about the task. Higher values silence as many right
quotations as wrong ones: scores alone do not tell them apart (docs/research/recall.md)."""
UNSURE_TOKENS = 96
"""What may be said as long as that is not sure: a hint that costs the agent little if it is wrong."""

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


def budget_for(strength: float, *, has_items: bool, wanted: int) -> int:
    """The tokens to spend on what was said."""
    return wanted if has_items or strength >= SURE else min(wanted, UNSURE_TOKENS)
