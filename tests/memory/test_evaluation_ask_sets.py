"""The Ask sets: every line is valid, there are enough of each kind, and the test split is unchanged."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import pytest

from loremark.memory.evaluation.ask_sets import AskKind, foreign_questions, load_ask_set, parse_ask_set, score_ask_set
from loremark.memory.evaluation.labeled_sets import CHECKOUT_SETS, InvalidLineError, Split

SPLITS: tuple[Split, ...] = get_args(Split)
PAGE = Path(__file__).parents[2] / "docs" / "evaluation.md"
ITEM: dict[str, Any] = {
    "project": "p",
    "key": "p.cache",
    "type": "implementation",
    "title": "Cache",
    "content": "Caches live for 5 minutes.",
    "schemaKey": "root/cache",
    "files": ["a/cache.py"],
    "confidence": 0.9,
    "session": "s1",
}
LINE: dict[str, Any] = {"project": "p", "question": "how long?", "answers": ["p.cache"], "kind": "fact"}
OPEN: dict[str, Any] = {"project": "p", "question": "who pays?", "answers": [], "kind": "uncovered"}


def _parse(item: dict[str, Any], *lines: dict[str, Any]) -> Any:
    return parse_ask_set("own", json.dumps(item), "\n".join(map(json.dumps, lines)))


@pytest.mark.parametrize("split", SPLITS)
def test_there_is_enough_of_everything(split: Split) -> None:
    asks = load_ask_set(split)
    kinds = Counter(line.kind for line in asks.questions)
    assert len({item.project for item in asks.memory}) >= 2
    assert sum(bool(line.answers) for line in asks.questions) >= 60
    assert kinds["uncovered"] >= 20
    assert all(kinds[kind] >= 5 for kind in get_args(AskKind)), kinds
    assert sum(bool(line.earlier) for line in asks.questions) >= 5


def test_the_splits_share_no_project() -> None:
    dev, test = load_ask_set("dev"), load_ask_set("test")
    assert {item.project for item in dev.memory}.isdisjoint(item.project for item in test.memory)
    assert {item.content for item in dev.memory}.isdisjoint(item.content for item in test.memory)


def test_the_closed_set_is_unchanged() -> None:
    folder = CHECKOUT_SETS / "asks-test"
    parts = (folder.joinpath(f"{part}.jsonl").read_bytes() for part in ("memory", "questions"))
    digest = hashlib.sha256(b"".join(parts)).hexdigest()
    assert digest in PAGE.read_text(encoding="utf-8"), "only fix wrong labels, then record the new hash and the reason"


@pytest.mark.parametrize(
    ("item", "line", "message"),
    [
        ({}, {"answers": ["p.other"]}, "p.other"),
        ({}, {"answers": ["p.cache", "p.cache"]}, "p.cache"),
        ({}, {"project": "q", "answers": []}, "uncovered"),
        ({}, {"project": "q", "answers": [], "kind": "uncovered"}, "has no memory"),
        ({}, {"kind": "uncovered"}, "uncovered"),
        ({}, {"kind": "riddle"}, "questions, line 1"),
        ({}, {"extra": 1}, "questions, line 1"),
        ({"content": " "}, {}, "no content"),
        ({"type": "idea"}, {}, "memory, line 1"),
    ],
)
def test_an_invalid_line_is_rejected(item: dict[str, Any], line: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidLineError, match=message):
        _parse({**ITEM, **item}, {**LINE, **line})


def test_duplicates_are_rejected() -> None:
    with pytest.raises(InvalidLineError, match="duplicate"):
        _parse(ITEM, LINE, LINE)
    with pytest.raises(InvalidLineError, match="duplicate"):
        parse_ask_set("own", f"{json.dumps(ITEM)}\n{json.dumps(ITEM)}", json.dumps(LINE))


def test_the_score_counts_right_wrong_and_missing_citations() -> None:
    other = {**ITEM, "key": "p.other"}
    again = {**LINE, "question": "how long again?"}
    silent = {**OPEN, "question": "who knows?"}
    asks = parse_ask_set(
        "own", f"{json.dumps(ITEM)}\n{json.dumps(other)}", "\n".join(map(json.dumps, (LINE, again, OPEN, silent)))
    )
    citations = {"how long?": ["p.cache", "p.other"], "how long again?": [], "who pays?": ["p.other"], "who knows?": []}
    score = score_ask_set(asks, lambda line: citations[line.question])
    assert (score.covered, score.cited, score.uncovered, score.silent) == (2, 1, 2, 1)
    assert (score.mean_cited, score.precision) == (2.0, 0.5)
    assert score.figures["rightCited"] == 0.5
    assert "nothing cited 1 (0.500)" in score.to_table()
    assert "MISSED" in score.to_table()


def test_covered_questions_are_also_asked_of_another_project() -> None:
    other = {**ITEM, "project": "q", "key": "q.cache"}
    there = {**LINE, "project": "q", "question": "how long there?", "answers": ["q.cache"]}
    asks = parse_ask_set(
        "own", f"{json.dumps(ITEM)}\n{json.dumps(other)}", "\n".join(map(json.dumps, (LINE, there, OPEN)))
    )
    foreign = {(line.project, line.question, line.answers, line.kind) for line in foreign_questions(asks)}
    assert foreign == {("q", "how long?", (), "uncovered"), ("p", "how long there?", (), "uncovered")}
    score = score_ask_set(asks, lambda line: ["q.cache"] if line.project == "q" else [])
    assert (score.covered, score.cited, score.uncovered, score.silent) == (2, 1, 1, 1)
    assert (score.foreign, score.foreign_silent) == (2, 1)
    assert score.figures["foreignSilentShare"] == 0.5
    assert "2 about another project  nothing cited 1 (0.500)" in score.to_table()


def test_a_perfect_engine_has_perfect_figures() -> None:
    score = score_ask_set(load_ask_set("dev"), lambda line: line.answers[:1])
    assert score.cited_share == score.silent_share == score.mean_cited == score.precision == 1.0
    assert score.foreign == score.covered == score.foreign_silent > 0
