"""The labeled sets: every line is valid, there are enough of each kind, and test is not a copy of dev."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

import pytest

from loremark.memory.evaluation.labeled_sets import (
    CHECKOUT_SETS,
    EventKind,
    InvalidLineError,
    LabeledSet,
    MissingSetsError,
    Split,
    load,
    parse,
    texts,
)
from loremark.memory.evaluation.report import measure
from loremark.memory.evaluation.scoring import Predictions, Ref
from loremark.memory.items import Item, RawEvent
from loremark.wire.items import ItemType

SPLITS: tuple[Split, ...] = get_args(Split)
SHARED_GRAMS = 0.1
PAGE = Path(__file__).parents[2] / "docs" / "evaluation.md"
_WORD = re.compile(r"\w+")


def _grams(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return {tuple(words[at : at + 5]) for at in range(len(words) - 4)}


def _prose(labeled: LabeledSet) -> list[str]:
    """Texts with sentences; two projects may well share names, paths and commit numbers."""
    return [text for event in labeled.events for text in texts(event.payload) if " " in text.strip()]


def _sides(labeled: LabeledSet) -> list[str]:
    return [f"{side.title}\n{side.content}" for pair in labeled.pairs for side in (pair.a, pair.b)]


@pytest.mark.parametrize("split", SPLITS)
def test_there_is_enough_of_everything(split: Split) -> None:
    labeled = load(split)
    kinds = Counter(event.event for event in labeled.events)
    types = Counter(gold.type for event in labeled.events for gold in event.gold)
    facts = Counter(gold.fact for event in labeled.events for gold in event.gold)
    labels = Counter(pair.label for pair in labeled.pairs)
    assert len(labeled.events) >= 90
    assert len({event.project for event in labeled.events}) >= 8
    assert all(kinds[kind] >= 5 for kind in get_args(EventKind)), kinds
    assert all(types[kind] >= 9 for kind in get_args(ItemType)), types
    assert sum(event.is_junk for event in labeled.events) >= 20
    assert sum(count > 1 for count in facts.values()) >= 15
    assert sum(bool(gold.contradicts) for event in labeled.events for gold in event.gold) >= 10
    assert sum(event.secret is not None for event in labeled.events) >= 3
    assert labels["duplicate"] >= 30
    assert labels["contradiction"] >= 20
    assert labels["different"] >= 20
    assert len(labeled.questions) >= 40


def test_missing_sets_are_reported_with_the_options_to_pass(tmp_path: Path) -> None:
    with pytest.raises(MissingSetsError, match=r"events\.jsonl does not exist.*--sets.*--set "):
        load("test", tmp_path)


@pytest.mark.parametrize("split", SPLITS)
def test_alternative_types_are_rare(split: Split) -> None:
    gold = [gold for event in load(split).events for gold in event.gold]
    assert sum(bool(one.also) for one in gold) <= 0.25 * len(gold)


def test_dev_and_test_share_nothing() -> None:
    dev, test = load("dev"), load("test")
    assert {event.project for event in dev.events}.isdisjoint(event.project for event in test.events)
    assert set(_prose(dev)).isdisjoint(_prose(test))
    anchors = {gold.anchor.lower() for event in dev.events for gold in event.gold}
    assert anchors.isdisjoint(gold.anchor.lower() for event in test.events for gold in event.gold)
    assert set(_sides(dev)).isdisjoint(_sides(test))
    assert {one.question.lower() for one in dev.questions}.isdisjoint(one.question.lower() for one in test.questions)


def test_no_text_of_test_is_a_near_copy_of_dev() -> None:
    dev, test = load("dev"), load("test")
    for ours, theirs in ((_prose(dev), _prose(test)), (_sides(dev), _sides(test))):
        known = set().union(*(_grams(text) for text in ours))
        near = sum(len(_grams(text) & known) > SHARED_GRAMS * len(_grams(text)) for text in theirs)
        assert near == 0, "the texts are not printed, since this output is read while tuning"


def test_the_test_split_is_unchanged() -> None:
    folder = CHECKOUT_SETS / "test"
    kinds = ("events", "pairs", "questions")
    digest = hashlib.sha256(b"".join(folder.joinpath(f"{kind}.jsonl").read_bytes() for kind in kinds)).hexdigest()
    assert digest in PAGE.read_text(encoding="utf-8"), "only fix wrong labels, then record the new hash and the reason"


def _oracle(labeled: LabeledSet) -> dict[str, list[Item]]:
    return {
        event.id: [
            Item(title="Noted", content=gold.anchor, type=gold.type, schema_key="root", confidence=1, files=gold.files)
            for gold in event.gold
        ]
        for event in labeled.events
    }


@pytest.mark.parametrize("split", SPLITS)
def test_predicting_the_gold_gives_perfect_figures(split: Split) -> None:
    labeled = load(split)
    gold_items = _oracle(labeled)

    def extract(event: RawEvent) -> list[Item]:
        return gold_items[event.id]

    def cluster(events: Iterable[Any], predictions: Predictions) -> Iterable[list[Ref]]:
        refs: dict[str, list[Ref]] = defaultdict(list)
        for event in events:
            for at, gold in enumerate(event.gold):
                refs[gold.fact].append((event.id, at))
        assert set(predictions) == {event.id for event in events}
        return refs.values()

    report = measure(labeled, extract, cluster)
    assert report.met
    assert report.extraction.gold_recall == 1
    assert report.extraction.type_accuracy == 1
    assert report.extraction.files.f1 == 1
    assert report.extraction.junk_rate == 0
    assert report.dedup is not None
    assert report.dedup.pairs.f1 == 1
    assert report.dedup.pairs.wanted >= 15


EVENT = {
    "id": "e1",
    "project": "p",
    "event": "session_save",
    "payload": {"summary": "Caches live for 5 minutes", "files": ["a/cache.py"], "changes": []},
    "gold": [{"fact": "f1", "type": "implementation", "files": ["a/cache.py"], "anchor": "live for 5 minutes"}],
}
GOLD: dict[str, Any] = EVENT["gold"][0]  # type: ignore[index]


def test_a_custom_set_can_be_parsed() -> None:
    questions = json.dumps({"question": "how long are caches kept?", "facts": ["f1"]})
    labeled = parse("own", json.dumps(EVENT) + "\n\n", "", questions)
    assert labeled.events[0].raw == RawEvent("e1", "session_save", labeled.events[0].payload)
    assert labeled.questions[0].facts == ("f1",)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"gold": [{**GOLD, "anchor": "live for 6 minutes"}]}, "anchor"),
        ({"gold": [{**GOLD, "anchor": " "}]}, "anchor"),
        ({"gold": [{**GOLD, "files": ["b/other.py"]}]}, "b/other.py"),
        ({"gold": [{**GOLD, "files": [3]}]}, "line 1"),
        ({"gold": [{**GOLD, "type": "idea"}]}, "line 1"),
        ({"gold": [{**GOLD, "contradicts": ["f9"]}]}, "f9"),
        ({"gold": [GOLD, GOLD]}, "duplicate"),
        ({"secret": "not there"}, "secret"),
        ({"golden": []}, "line 1"),
    ],
)
def test_an_invalid_line_is_rejected(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidLineError, match=message):
        parse("own", json.dumps({**EVENT, **changed}))


def test_ids_are_unique_and_questions_name_facts_that_exist() -> None:
    line = json.dumps(EVENT)
    with pytest.raises(InvalidLineError, match="duplicate"):
        parse("own", f"{line}\n{line}")
    with pytest.raises(InvalidLineError, match="f2"):
        parse("own", line, "", json.dumps({"question": "?", "facts": ["f2"]}))
