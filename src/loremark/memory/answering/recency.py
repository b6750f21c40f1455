"""Which of two passages comes first where one takes back the other: the newer. Ids sort by the time they were made."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import cast

from loremark.memory.answering.records import Passage
from loremark.memory.items import Item
from loremark.memory.reading import READ_CHARS
from loremark.memory.reversals import takes_back
from loremark.wire.items import ItemType


def newest_first(places: Sequence[int], passages: Sequence[Passage]) -> tuple[int, ...]:
    """The places as they stand, but for those of two that exclude each other: the newer takes the better one."""
    ordered = list(places)
    for first, second in combinations(range(len(ordered)), 2):
        better, worse = passages[ordered[first]], passages[ordered[second]]
        if better.item_id < worse.item_id and takes_back(_item(better), _item(worse)):
            ordered[first], ordered[second] = ordered[second], ordered[first]
    return tuple(ordered)


def _item(passage: Passage) -> Item:
    return Item(
        passage.title,
        passage.content[:READ_CHARS],
        cast("ItemType", passage.type),
        passage.schema_key,
        passage.confidence,
        files=passage.files,
        id=passage.item_id,
    )
