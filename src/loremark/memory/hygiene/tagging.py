"""Types and schema keys that do not fit what an item says. In doubt they stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from loremark.memory import judgement, schema_keys
from loremark.memory.extraction import keys, sentences, typing_rules
from loremark.memory.extraction.words import word_set
from loremark.memory.hygiene.proposals import Proposal, named
from loremark.memory.items import Item
from loremark.wire.items import ItemType

CLEAR_STRENGTH = 4.0
CLEAR_MARGIN = 2.5
"""How much more the words must speak for another type than for any other."""
_LITTLE = 0.8
"""What the words may at most say for the type that an item has."""
_SEEN_SENTENCES = 8
_SAYS_NOTHING = word_set(
    "misc miscellaneous general other others unknown untitled uncategorized uncategorised none default temp tmp stuff "
    "things new test unsorted various items memory"
)
_AGREEING = 2


def propose(item: Item, vector: NDArray[np.float32] | None, others: Sequence[Item]) -> Proposal | None:
    """Another type or another key. ``vector``: the item's, where the house's judgement knows its embedder."""
    new_type = _other_type(item, vector)
    kind = new_type or item.type
    new_key = _other_key(replace(item, type=kind), others)
    if new_type is None and new_key is None:
        return None
    told = []
    if new_type is not None:
        told.append(f"its words are those of type {new_type}, not {item.type}")
    if new_key is not None:
        told.append(f"it belongs under {new_key}, not {item.schema_key}, by its files")
    return Proposal(
        type="RETAG",
        item_ids=(item.id,),
        description=f"{named(item)} is filed wrongly: {'; and '.join(told)}.",
        confidence=0.8 if new_type is not None else 0.85,
        new_type=new_type,
        new_key=new_key,
    )


def _other_type(item: Item, vector: NDArray[np.float32] | None) -> ItemType | None:
    """A type stated in so many words, found clearly, not spoken against, and confirmed by the judgement of vectors."""
    told = [sentence.text for sentence in sentences.split(item.content, _SEEN_SENTENCES)]
    found = typing_rules.verdict(item.title, told)
    if found.type == item.type or found.strength < CLEAR_STRENGTH or found.margin < CLEAR_MARGIN:
        return None
    for text in (item.title, *told):
        if typing_rules.weigh(text)[item.type] > _LITTLE:
            return None
    if not any(typing_rules.outright_type(text) == found.type for text in (item.title, *told)):
        return None
    if vector is not None:
        asked = replace(item, type=found.type, type_margin=_LITTLE)
        if judgement.typed(asked, "session_save", vector).type != found.type:
            return None
    return found.type


def _other_key(item: Item, others: Sequence[Item]) -> str | None:
    """A key where the given one names no place, or all others about the same files stand elsewhere."""
    segments = [part for part in item.schema_key.split("/") if part != schema_keys.ROOT]
    if not schema_keys.is_valid(item.schema_key) or not segments or set(segments) <= _SAYS_NOTHING:
        made = keys.key_for(item.type, item.files, "", "")
        says = set(made.split("/")[1:]) - _SAYS_NOTHING - {schema_keys.ROOT}
        # Without an area that its files name, only the type is left to go by, and that says nothing new.
        is_of_files = made != keys.key_for(item.type, (), "", "")
        return made if made != item.schema_key and says and is_of_files else None
    return _of_the_others(item, segments, others)


def _of_the_others(item: Item, segments: list[str], others: Sequence[Item]) -> str | None:
    """The key that all others about one of its files have, where its own is named nowhere in it."""
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
