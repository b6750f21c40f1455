"""Whether the type that something was filed under stands against its words."""

from __future__ import annotations

from collections.abc import Mapping

from loremark.memory.extraction.openings import CHANGED
from loremark.memory.extraction.words import phrases
from loremark.wire.items import ItemType

# How far the words must speak for another type to overrule the one that was named. How things are may well have been
# decided, or be a rule, for a fault that is told as well; and what is to be done is told in the words of what was.
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
_DONE = phrases("done|works|worked|was|were|has been|have been|now|fixed|added|implemented|shipped|finished")
_WISHED = phrases("would be (?:welcome|nice|good|useful|great|better)|should be|still (?:missing|open)|not yet")


def stands(filed: ItemType, said: Mapping[ItemType, float], told: str) -> bool:
    """Whether nothing speaks clearly against the type that somebody named. ``said``: what the words say for each."""
    if (filed == "convention" and CHANGED.search(told)) or (filed == "todo" and _DONE.search(told)):
        return False
    if filed == "implementation" and _WISHED.search(told):
        return False
    against = {kind: weight - said[filed] for kind, weight in said.items() if kind != filed}
    return all(weight < _OVERRULED_BY.get((filed, kind), _CLEARLY) for kind, weight in against.items())
