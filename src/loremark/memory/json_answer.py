"""Finds the list of items in a model's answer, also one with text around it or one that was cut off."""

from __future__ import annotations

import json
import re
from typing import Any

_ANSWER_CHARS = 400_000
_STARTS = 50
MAX_ENTRIES = 400
_DECODER = json.JSONDecoder()
_LIST = re.compile(r'"items"\s{0,20}:\s{0,20}\[')
_BETWEEN = re.compile(r"[\s,]*")


class MalformedAnswer(ValueError):
    """The answer contains no usable JSON."""


def find_entries(answer: str) -> list[Any]:
    """Return the items of an answer; of a truncated one, the complete entries. Raises MalformedAnswer."""
    answer = answer[:_ANSWER_CHARS]
    starts = [found.start() for found in re.finditer(r"[\[{]", answer)][:_STARTS]
    bare: list[Any] | None = None
    for start in starts:
        try:
            value, _ = _DECODER.raw_decode(answer, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and isinstance(value.get("items"), list):
            return list(value["items"])
        if bare is None and isinstance(value, dict) and "title" in value:
            bare = [value]
        if bare is None and isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
            bare = value
    listed = _LIST.search(answer)
    if listed is not None:
        complete = _complete_entries(answer, listed.end())
        if complete:
            return complete
    if bare is None:
        raise MalformedAnswer("the answer contains no JSON with items")
    return bare


def _complete_entries(answer: str, start: int) -> list[Any]:
    found: list[Any] = []
    while (place := _BETWEEN.match(answer, start)) is not None and len(found) < MAX_ENTRIES:
        try:
            value, start = _DECODER.raw_decode(answer, place.end())
        except (ValueError, RecursionError):
            break
        found.append(value)
    return found
