"""Decides whether the type something was saved under holds against its words."""

from __future__ import annotations

from collections.abc import Mapping

from loremark.memory.extraction.sentence_openings import CHANGED
from loremark.memory.extraction.word_patterns import compile_phrases
from loremark.wire.items import ItemType

# How much stronger the words must be for another type to override the saved one. Descriptions may well be decisions,
# rules may describe a bug, and open work is described in the words of finished work.
_CLEARLY = 1.8
_NEVER = float("inf")
_OVERRULED_BY: dict[tuple[ItemType, ItemType], float] = {
    ("decision", "architecture"): _NEVER,
    ("decision", "convention"): _NEVER,
    ("decision", "implementation"): _NEVER,
    ("decision", "bug"): 3.5,
    ("convention", "architecture"): _NEVER,
    ("convention", "decision"): _NEVER,
    ("convention", "implementation"): _NEVER,
    ("convention", "bug"): 3.5,
    ("architecture", "implementation"): _NEVER,
    ("architecture", "convention"): _NEVER,
    ("architecture", "codemap"): 2.5,
    ("architecture", "decision"): 2.5,
    ("implementation", "convention"): 1.0,
    ("todo", "implementation"): _NEVER,
    ("codemap", "architecture"): _NEVER,
}
_DONE = compile_phrases("done|works|worked|was|were|has been|have been|now|fixed|added|implemented|shipped|finished")
_WISHED = compile_phrases("would be (?:welcome|nice|good|useful|great|better)|should be|still (?:missing|open)|not yet")


def category_holds(saved: ItemType, said: Mapping[ItemType, float], text: str) -> bool:
    """Whether no other type is clearly stronger. ``said``: the score of each type by the words."""
    if (saved == "convention" and CHANGED.search(text)) or (saved == "todo" and _DONE.search(text)):
        return False
    if saved == "implementation" and _WISHED.search(text):
        return False
    against = {kind: weight - said[saved] for kind, weight in said.items() if kind != saved}
    return all(weight < _OVERRULED_BY.get((saved, kind), _CLEARLY) for kind, weight in against.items())
