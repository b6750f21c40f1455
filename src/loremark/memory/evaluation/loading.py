"""The labelled sets: read from the package, and every line checked before it is believed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal, TypeVar

import msgspec

from loremark.memory.items import TIER_OF_TYPE, Item, RawEvent
from loremark.wire.items import ItemType

Split = Literal["dev", "test"]
Label = Literal["duplicate", "contradiction", "different"]
EventKind = Literal["session_save", "git_digest", "scan_result", "context_update", "memory_operation"]
_Line = TypeVar("_Line", bound=msgspec.Struct)


class FaultyLineError(ValueError):
    """A line of a set that says something that is not so."""


class Gold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One item that an event should yield. ``optional``: welcome, but nobody misses it."""

    fact: str
    type: ItemType
    files: tuple[str, ...]
    anchor: str
    also: tuple[ItemType, ...] = ()
    contradicts: tuple[str, ...] = ()
    optional: bool = False


class EventLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One captured event and what it is worth; no gold means that it is junk."""

    id: str
    project: str
    event: EventKind
    payload: dict[str, Any]
    gold: tuple[Gold, ...]
    secret: str | None = None

    @property
    def raw(self) -> RawEvent:
        return RawEvent(id=self.id, event=self.event, payload=self.payload)

    @property
    def is_junk(self) -> bool:
        return not any(not gold.optional for gold in self.gold)


class PairSide(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """One item of a pair, as memory holds it."""

    title: str
    content: str
    type: ItemType
    files: tuple[str, ...]
    schema_key: str

    @property
    def item(self) -> Item:
        return Item(
            title=self.title,
            content=self.content,
            type=self.type,
            schema_key=self.schema_key,
            confidence=0.9,
            files=self.files,
            tier=TIER_OF_TYPE[self.type],
        )


class PairLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two items of one project, the older first, and what they are to each other."""

    id: str
    a: PairSide
    b: PairSide
    label: Label


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a developer asks, and the facts that answer it."""

    question: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """All that one split holds; within a project the events stand in the order of time."""

    split: str
    events: tuple[EventLine, ...]
    pairs: tuple[PairLine, ...]
    questions: tuple[Question, ...]


def load(split: Split) -> LabelledSet:
    """The set of that name, checked. ``test`` is for measuring only: nobody tunes on it."""
    folder = resources.files("loremark.memory.evaluation").joinpath("sets", split)
    events, pairs, questions = (
        folder.joinpath(f"{kind}.jsonl").read_text(encoding="utf-8") for kind in ("events", "pairs", "questions")
    )
    return parse(split, events, pairs, questions)


def parse(split: str, events: str, pairs: str = "", questions: str = "") -> LabelledSet:
    """A set from the text of its files, such as a user's own; raises FaultyLineError at the first false line."""
    labelled = LabelledSet(
        split=split,
        events=tuple(read_lines("events", events, EventLine)),
        pairs=tuple(read_lines("pairs", pairs, PairLine)),
        questions=tuple(read_lines("questions", questions, Question)),
    )
    _check(labelled)
    return labelled


def texts(value: object) -> Iterator[str]:
    """Every string inside a payload, keys apart."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


def read_lines(name: str, text: str, kind: type[_Line]) -> Iterator[_Line]:
    """Each line as this kind; one that is not says which it is."""
    # Not splitlines(): a text may hold line separators of its own that JSON leaves as they are.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield msgspec.json.decode(line, type=kind)
        except (msgspec.ValidationError, msgspec.DecodeError) as fault:
            raise FaultyLineError(f"{name}, line {number}: {fault}") from fault


def _check(labelled: LabelledSet) -> None:
    _unique("event", (event.id for event in labelled.events))
    _unique("pair", (pair.id for pair in labelled.pairs))
    _unique("question", (question.question for question in labelled.questions))
    project_of_fact: dict[str, str] = {}
    for event in labelled.events:
        _check_event(event)
        for gold in event.gold:
            if project_of_fact.setdefault(gold.fact, event.project) != event.project:
                raise FaultyLineError(f"{event.id}: {gold.fact} is a fact of another project")
    for event in labelled.events:
        for gold in event.gold:
            for other in gold.contradicts:
                if project_of_fact.get(other) != event.project or other == gold.fact:
                    raise FaultyLineError(f"{event.id}: {gold.fact} contradicts {other}, which this project lacks")
    for question in labelled.questions:
        unknown = [fact for fact in question.facts if fact not in project_of_fact]
        if unknown or not question.facts:
            raise FaultyLineError(f"{question.question!r}: unknown facts {unknown}")


def _check_event(event: EventLine) -> None:
    found = list(texts(event.payload))
    _unique(f"{event.id}: fact", (gold.fact for gold in event.gold))
    for gold in event.gold:
        if not gold.anchor.strip() or not any(gold.anchor in text for text in found):
            raise FaultyLineError(f"{event.id}: the anchor of {gold.fact} is not in the payload")
        if gold.type in gold.also:
            raise FaultyLineError(f"{event.id}: {gold.fact} names its type twice")
        _unique(f"{event.id}: file of {gold.fact}", gold.files)
        for file in gold.files:
            if not any(file in text for text in found):
                raise FaultyLineError(f"{event.id}: {file} of {gold.fact} is not in the payload")
    if event.secret is not None and not any(event.secret in text for text in found):
        raise FaultyLineError(f"{event.id}: its secret is not in the payload")


def _unique(what: str, values: Iterable[str]) -> None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise FaultyLineError(f"{what} {value!r} stands there twice")
        seen.add(value)
