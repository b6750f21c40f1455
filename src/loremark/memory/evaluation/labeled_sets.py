"""Loads labeled sets and validates every line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from loremark.memory.items import TIER_OF_TYPE, Item, RawEvent
from loremark.wire.items import ItemType

Split = Literal["dev", "test"]
Label = Literal["duplicate", "contradiction", "different"]
EventKind = Literal["session_save", "git_digest", "scan_result", "context_update", "memory_operation"]
_Line = TypeVar("_Line", bound=msgspec.Struct)


CHECKOUT_SETS = Path(__file__).parents[4] / "evals"
"""The labeled sets of a source checkout. The installed package does not contain them."""


class MissingSetsError(ValueError):
    """The folder with the labeled sets does not exist."""


class InvalidLineError(ValueError):
    """A line of a set that is inconsistent."""


class Gold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An item that an event should yield. ``optional``: counts neither for nor against."""

    fact: str
    type: ItemType
    files: tuple[str, ...]
    anchor: str
    also: tuple[ItemType, ...] = ()
    contradicts: tuple[str, ...] = ()
    optional: bool = False


class EventLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A captured event and its gold items; without gold it is junk."""

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
    """One item of a pair."""

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
    """Two items of one project, older first, and their relation."""

    id: str
    a: PairSide
    b: PairSide
    label: Label


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A developer's question and the facts that answer it."""

    question: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabeledSet:
    """A complete set. The events of a project are in chronological order."""

    split: str
    events: tuple[EventLine, ...]
    pairs: tuple[PairLine, ...]
    questions: tuple[Question, ...]


def load(split: Split, sets: Path = CHECKOUT_SETS) -> LabeledSet:
    """Load and validate a split. Use ``test`` for measuring only, never for tuning."""
    events, pairs, questions = read_files(sets / split, "events.jsonl", "pairs.jsonl", "questions.jsonl")
    return parse(split, events, pairs, questions)


def read_files(folder: Path, *names: str) -> list[str]:
    """Read the files of a set; raises MissingSetsError if one does not exist."""
    for name in names:
        if not (folder / name).is_file():
            raise MissingSetsError(
                f"{folder / name} does not exist. The labeled sets are not part of the installed package: pass --sets"
                " with the evals/ folder of a source checkout, or --set with your own set."
            )
    return [(folder / name).read_text(encoding="utf-8") for name in names]


def parse(split: str, events: str, pairs: str = "", questions: str = "") -> LabeledSet:
    """Parse a set from the text of its files; raises InvalidLineError at the first invalid line."""
    labeled = LabeledSet(
        split=split,
        events=tuple(read_lines("events", events, EventLine)),
        pairs=tuple(read_lines("pairs", pairs, PairLine)),
        questions=tuple(read_lines("questions", questions, Question)),
    )
    _check(labeled)
    return labeled


def texts(value: object) -> Iterator[str]:
    """Yield every string inside a payload, without keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


def read_lines(name: str, text: str, kind: type[_Line]) -> Iterator[_Line]:
    """Decode each line; errors name the line."""
    # Not splitlines(): JSON strings may contain other line separators.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield msgspec.json.decode(line, type=kind)
        except (msgspec.ValidationError, msgspec.DecodeError) as fault:
            raise InvalidLineError(f"{name}, line {number}: {fault}") from fault


def _check(labeled: LabeledSet) -> None:
    _unique("event", (event.id for event in labeled.events))
    _unique("pair", (pair.id for pair in labeled.pairs))
    _unique("question", (question.question for question in labeled.questions))
    project_of_fact: dict[str, str] = {}
    for event in labeled.events:
        _check_event(event)
        for gold in event.gold:
            if project_of_fact.setdefault(gold.fact, event.project) != event.project:
                raise InvalidLineError(f"{event.id}: fact {gold.fact} already belongs to another project")
    for event in labeled.events:
        for gold in event.gold:
            for other in gold.contradicts:
                if project_of_fact.get(other) != event.project or other == gold.fact:
                    raise InvalidLineError(f"{event.id}: {gold.fact} contradicts {other}, which is not in this project")
    for question in labeled.questions:
        unknown = [fact for fact in question.facts if fact not in project_of_fact]
        if unknown or not question.facts:
            raise InvalidLineError(f"{question.question!r}: unknown facts {unknown}")


def _check_event(event: EventLine) -> None:
    found = list(texts(event.payload))
    _unique(f"{event.id}: fact", (gold.fact for gold in event.gold))
    for gold in event.gold:
        if not gold.anchor.strip() or not any(gold.anchor in text for text in found):
            raise InvalidLineError(f"{event.id}: the anchor of {gold.fact} is not in the payload")
        if gold.type in gold.also:
            raise InvalidLineError(f"{event.id}: {gold.fact} lists its own type as an alternative")
        _unique(f"{event.id}: file of {gold.fact}", gold.files)
        for file in gold.files:
            if not any(file in text for text in found):
                raise InvalidLineError(f"{event.id}: {file} of {gold.fact} is not in the payload")
    if event.secret is not None and not any(event.secret in text for text in found):
        raise InvalidLineError(f"{event.id}: the secret is not in the payload")


def _unique(what: str, values: Iterable[str]) -> None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise InvalidLineError(f"{what} {value!r} is a duplicate")
        seen.add(value)
