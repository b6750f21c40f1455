"""Parses a model's answer and drops every claim that the event does not support."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from loremark.memory import schema_keys
from loremark.memory.extraction import confidence, salience, titles
from loremark.memory.extraction.facts import (
    MAX_CONTENT_CHARS,
    MAX_FILES,
    MAX_ITEMS,
    MAX_QUOTES,
    cut_quote,
    drop_duplicates,
    event_context,
)
from loremark.memory.extraction.payloads import as_list, as_text, event_texts, first_text, truncate_event
from loremark.memory.extraction.schema_key_rules import infer_schema_key, parse_schema_key
from loremark.memory.extraction.type_rules import TYPES, type_for_category
from loremark.memory.items import TIER_OF_TYPE, Item, Quote, RawEvent
from loremark.memory.paths import find_paths, parse_diff, parse_file_field
from loremark.wire.items import ItemType

_ANSWER_CHARS = 400_000
_STARTS = 50
_MAX_ENTRIES = 400
_QUOTE_LEAST_CHARS = 10
_QUOTE_WORDS = 80
_NUMBER = re.compile(r"\d+(?:[.,:]\d+){0,6}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_LIST_MARK = re.compile(r"^[ \t]{0,20}\d{1,2}[.)][ \t]", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_WORD = re.compile(r"\S+")
_DECODER = json.JSONDecoder()


class MalformedAnswer(ValueError):
    """The answer contains no usable JSON."""


@dataclass(frozen=True)
class Answer:
    """The items that passed every check, each with its event, and how many did not."""

    items: tuple[tuple[str, Item], ...]
    dropped_unsupported: int
    dropped_invalid: int


class UnsupportedError(ValueError):
    """A claim that its event does not support."""


class _Spaced:
    """A text with whitespace collapsed, and a mapping back to the original."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.starts: list[int] = []
        self.places: list[int] = []
        words = []
        place = 0
        for found in _WORD.finditer(source):
            self.starts.append(found.start())
            self.places.append(place)
            words.append(found.group())
            place += len(found.group()) + 1
        self.text = " ".join(words)

    def find(self, words: str) -> str | None:
        place = self.text.find(words)
        return None if place < 0 else self.source[self._origin(place) : self._origin(place + len(words) - 1) + 1]

    def _origin(self, place: int) -> int:
        word = bisect_right(self.places, place) - 1
        return self.starts[word] + place - self.places[word]


class _Evidence:
    """The texts, numbers and paths of one event, for checking claims."""

    def __init__(self, event: RawEvent) -> None:
        self.event = event
        self.texts = event_texts(event)
        self.spaced: list[_Spaced] | None = None
        self.origin = event_context(event.id, truncate_event(event).payload)
        self.numbers = frozenset(number for words in self.texts for number in _numbers(words))
        self.paths = frozenset(self._paths())

    def _paths(self) -> Iterable[str]:
        for words in self.texts:
            yield from find_paths(words, self.origin.roots)
            if len(words) < 300 and (named := parse_file_field(words, self.origin.roots)) is not None:
                yield named
            if "--- " in words:
                yield from (file.path for file in parse_diff(words))

    def quote(self, claimed: str) -> str | None:
        """The event's own text for a quote that differs at most in whitespace."""
        words = claimed.split()[:_QUOTE_WORDS]
        if sum(map(len, words)) < _QUOTE_LEAST_CHARS:
            return None
        if self.spaced is None:
            self.spaced = [_Spaced(text) for text in self.texts]
        found = next((own for text in self.spaced if (own := text.find(" ".join(words))) is not None), None)
        return cut_quote(found) if found is not None else None

    def holds_path(self, path: str) -> bool:
        return path in self.paths or any(known.endswith("/" + path) for known in self.paths)


def parse_answer(answer: str, events: Sequence[RawEvent]) -> Answer:
    """Return the items of an answer; raises MalformedAnswer if it contains no usable JSON."""
    evidence = {event.id: _Evidence(event) for event in events}
    kept: dict[str, list[Item]] = {event_id: [] for event_id in evidence}
    unsupported = invalid = 0
    for entry in _entries_of(answer)[:_MAX_ENTRIES]:
        known = _evidence_for(entry, evidence)
        if known is None:
            invalid += 1
            continue
        try:
            item = _item_of(entry, known)
        except UnsupportedError:
            unsupported += 1
            continue
        if item is None or len(kept[known.event.id]) >= MAX_ITEMS:
            invalid += 1
        else:
            kept[known.event.id].append(item)
    items = tuple((event_id, item) for event_id, found in kept.items() for item in drop_duplicates(found))
    return Answer(items, unsupported, invalid)


def _evidence_for(entry: Any, evidence: dict[str, _Evidence]) -> _Evidence | None:
    if not isinstance(entry, dict):
        return None
    named = first_text(entry, "eventId", "event_id", "event")
    if not named and len(evidence) == 1:
        return next(iter(evidence.values()))
    return evidence.get(named)


def _item_of(entry: dict[str, Any], evidence: _Evidence) -> Item | None:
    """Return the item, or None if the entry is not one; raises UnsupportedError if the event does not support it."""
    title = titles.headline(first_text(entry, "title"))
    content = _CONTROL.sub(" ", first_text(entry, "content")).strip()[:MAX_CONTENT_CHARS]
    kind = _type_of(as_text(entry.get("type")))
    if not title or not content or kind is None:
        return None
    claimed = [quote for quote in as_list(entry.get("quotes") or entry.get("quote")) if isinstance(quote, str)]
    found = (evidence.quote(_CONTROL.sub(" ", quote)) for quote in claimed[:10])
    quotes = tuple(dict.fromkeys(quote for quote in found if quote))[:MAX_QUOTES]
    if not quotes:
        raise UnsupportedError
    _check_claims(f"{title}\n{content}", evidence)
    named = (parse_file_field(path, evidence.origin.roots) for path in as_list(entry.get("files"))[: 2 * MAX_FILES])
    files = tuple(dict.fromkeys(path for path in named if path is not None and evidence.holds_path(path)))[:MAX_FILES]
    tags = (schema_keys.slug(tag) for tag in as_list(entry.get("tags")) if isinstance(tag, str) and tag.strip())
    return Item(
        title=title,
        content=content,
        type=kind,
        schema_key=parse_schema_key(entry.get("schemaKey")) or infer_schema_key(kind, files, "", f"{title}. {content}"),
        confidence=min(
            confidence.MODEL_ITEM, confidence.parse_confidence(entry.get("confidence"), confidence.MODEL_ITEM)
        ),
        files=files,
        tags=tuple(dict.fromkeys(tags))[:5],
        evidence=tuple(Quote(evidence.event.id, quote) for quote in quotes),
        branch=evidence.origin.branch,
        tier=TIER_OF_TYPE[kind],
    )


def _check_claims(claim: str, evidence: _Evidence) -> None:
    """Models tend to invent numbers, versions and paths: each must be in the event."""
    if salience.targets_model(claim):
        raise UnsupportedError
    for number in _numbers(_LIST_MARK.sub("", claim)):
        if number not in evidence.numbers:
            raise UnsupportedError
    for path in find_paths(claim, evidence.origin.roots):
        if not evidence.holds_path(path):
            raise UnsupportedError


def _numbers(words: str) -> Iterable[str]:
    return (found.rstrip(".,:") for found in _NUMBER.findall(_THOUSANDS.sub("", words)))


def _type_of(name: str) -> ItemType | None:
    name = name.strip().lower()
    known = next((kind for kind in TYPES if kind == name), None)
    if known is not None or not name:
        return known
    named = type_for_category(name)
    return named[0] if named is not None else None


def _entries_of(answer: str) -> list[Any]:
    """Find the list of items anywhere in the answer; of a truncated answer, the complete entries."""
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
    listed = re.search(r'"items"\s{0,20}:\s{0,20}\[', answer)
    if listed is not None:
        cut_off = _whole_entries(answer, listed.end())
        if cut_off:
            return cut_off
    if bare is None:
        raise MalformedAnswer("the answer contains no JSON with items")
    return bare


def _whole_entries(answer: str, start: int) -> list[Any]:
    found: list[Any] = []
    gap = re.compile(r"[\s,]*")
    while (place := gap.match(answer, start)) is not None and len(found) < _MAX_ENTRIES:
        try:
            value, start = _DECODER.raw_decode(answer, place.end())
        except (ValueError, RecursionError):
            break
        found.append(value)
    return found
