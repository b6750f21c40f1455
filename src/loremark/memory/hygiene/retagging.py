"""Proposes another type or schema key where the current one clearly does not fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from loremark.memory import item_classifier, schema_keys
from loremark.memory.extraction import schema_key_rules, sentence_splitter, type_rules
from loremark.memory.extraction.word_patterns import words_from
from loremark.memory.hygiene.proposals import Proposal, quote_title
from loremark.memory.items import Item
from loremark.wire.items import ItemType

CLEAR_STRENGTH = 4.0
CLEAR_MARGIN = 2.5
"""How far ahead of all others another type must be."""
_LITTLE = 0.8
"""The most that the words may say for the current type."""
_SEEN_SENTENCES = 8
_SAYS_NOTHING = words_from(
    "misc miscellaneous general other others unknown untitled uncategorized uncategorised none default temp tmp stuff "
    "things new test unsorted various items memory"
)
_AGREEING = 2


def propose(item: Item, vector: NDArray[np.float32] | None, others: Sequence[Item]) -> Proposal | None:
    """Propose another type or key. ``vector``: the item's, if the type model supports its embedding model."""
    new_type = _other_type(item, vector)
    kind = new_type or item.type
    new_key = _other_key(replace(item, type=kind), others)
    if new_type is None and new_key is None:
        return None
    reasons = []
    if new_type is not None:
        reasons.append(f"its type should be {new_type}, not {item.type}")
    if new_key is not None:
        reasons.append(f"its files belong under {new_key}, not {item.schema_key}")
    return Proposal(
        type="RETAG",
        item_ids=(item.id,),
        description=f"{quote_title(item)} is misfiled: {', and '.join(reasons)}.",
        confidence=0.8 if new_type is not None else 0.85,
        new_type=new_type,
        new_key=new_key,
    )


def _other_type(item: Item, vector: NDArray[np.float32] | None) -> ItemType | None:
    """A type that is stated explicitly, clear, not contradicted, and confirmed by the type model."""
    reasons = [sentence.text for sentence in sentence_splitter.split_sentences(item.content, _SEEN_SENTENCES)]
    found = type_rules.classify_type(item.title, reasons)
    if found.type == item.type or found.strength < CLEAR_STRENGTH or found.margin < CLEAR_MARGIN:
        return None
    for text in (item.title, *reasons):
        if type_rules.score_types(text)[item.type] > _LITTLE:
            return None
    if not any(type_rules.explicit_type(text) == found.type for text in (item.title, *reasons)):
        return None
    if vector is not None:
        asked = replace(item, type=found.type, type_margin=_LITTLE)
        if item_classifier.assign_type(asked, "session_save", vector).type != found.type:
            return None
    return found.type


def _other_key(item: Item, others: Sequence[Item]) -> str | None:
    """A key where the current one names no area, or all other items about the same files use another."""
    segments = [part for part in item.schema_key.split("/") if part != schema_keys.ROOT]
    if not schema_keys.is_valid(item.schema_key) or not segments or set(segments) <= _SAYS_NOTHING:
        made = schema_key_rules.infer_schema_key(item.type, item.files, "", "")
        says = set(made.split("/")[1:]) - _SAYS_NOTHING - {schema_keys.ROOT}
        # Without an area from its files, only the type is left, which says nothing new.
        is_of_files = made != schema_key_rules.infer_schema_key(item.type, (), "", "")
        return made if made != item.schema_key and says and is_of_files else None
    return _key_of_related_items(item, segments, others)


def _key_of_related_items(item: Item, segments: list[str], others: Sequence[Item]) -> str | None:
    """The key that all other items about one of its files have, if the current key is not mentioned in the item."""
    said = f"{item.title} {item.content} {' '.join(item.files)} {' '.join(item.tags)}".lower()
    if any(part.rstrip("s") in said for segment in segments for part in segment.split("-")):
        return None
    mine = set(item.files)
    found = Counter(other.schema_key for other in others if other.id != item.id and mine & set(other.files))
    if len(found) != 1:
        return None
    ((key, count),) = found.items()
    fits = any(part in said for part in key.split("/")[1:])
    return key if count >= _AGREEING and fits and not set(segments) & set(key.split("/")) else None
