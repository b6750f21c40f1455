"""The evaluation's arithmetic, on examples small enough to count by hand."""

from __future__ import annotations

import json

import pytest

from loremark.memory.evaluation.labeled_sets import EventLine, Gold, LabeledSet, PairLine, PairSide
from loremark.memory.evaluation.report import Report, list_errors, measure
from loremark.memory.evaluation.scoring import (
    PairsScore,
    Verdict,
    content_words,
    match,
    score_dedup,
    score_extraction,
    score_pairs,
)
from loremark.memory.items import Item, Quote
from loremark.wire.items import ItemType


def _item(content: str, type: ItemType = "bug", *files: str, quote: str = "") -> Item:
    evidence = (Quote("e", quote),) if quote else ()
    return Item("", content, type, "root", 0.9, files=files, evidence=evidence)


def _gold(fact: str, anchor: str, type: ItemType = "bug", *files: str, contradicts: tuple[str, ...] = ()) -> Gold:
    return Gold(fact=fact, type=type, files=files, anchor=anchor, contradicts=contradicts)


def _event(id: str, *gold: Gold, secret: str | None = None, project: str = "p") -> EventLine:
    return EventLine(id=id, project=project, event="session_save", payload={}, gold=gold, secret=secret)


def test_stop_words_do_not_count() -> None:
    assert content_words("The cache_ttl is NOT 5 min, it was 10.") == {"cache", "ttl", "5", "min", "10"}


def test_half_of_the_anchors_words_make_a_match() -> None:
    gold = [_gold("f", "pool holds dead connections")]
    assert match([_item("the pool was dead")], gold) == [(0, 0)]
    assert match([_item("the pool is fine")], gold) == []
    assert match([_item("Fixed", quote="dead connections in the pool")], gold) == [(0, 0)]


def test_matches_are_one_to_one_and_the_best_come_first() -> None:
    gold = [
        _gold("cache", "cache entries expire after ten minutes"),
        _gold("queue", "queue entries expire after a day"),
    ]
    both = _item("cache entries expire after ten minutes and queue entries expire after a day")
    cache, queue = _item("cache entries expire after ten minutes"), _item("queue entries expire after a day")
    assert match([both], gold) == [(0, 0)]
    assert match([queue, cache], gold) == [(0, 1), (1, 0)]
    assert match([both, cache], gold) == [(0, 1), (1, 0)]
    assert match([cache, cache], gold[:1]) == [(0, 0)]


def test_optional_gold_takes_leftovers_and_changes_no_figure() -> None:
    wanted = _gold("a", "index lookup merge")
    optional = Gold(fact="o", type="codemap", files=("x.rs",), anchor="index lookup merge", optional=True)
    event = _event("e", optional, wanted)
    assert match([_item("index lookup merge")], event.gold) == [(0, 1)]
    none = score_extraction([event], {"e": [_item("index lookup merge")]})
    both = score_extraction([event], {"e": [_item("index lookup merge"), _item("lookup index", "todo")]})
    assert (none.matched, none.wanted, none.junk_items) == (both.matched, both.wanted, both.junk_items) == (1, 1, 0)
    assert both.type_accuracy == 1
    assert _event("s", optional).is_junk


def test_extraction_scores() -> None:
    events = [
        _event("one", _gold("f1", "alpha beta", "bug", "x\\a.go", "b.go"), _gold("f2", "gamma delta", "todo")),
        _event("two", Gold(fact="f3", type="decision", files=(), anchor="epsilon zeta", also=("convention",))),
        _event("junk"),
        _event("quiet"),
        _event("key", _gold("f4", "rotate keys"), secret="s3cr3t"),
    ]
    predictions = {
        "one": [_item("alpha beta", "implementation", "./x/a.go", "c.go"), _item("nothing of it")],
        "two": [_item("epsilon zeta", "convention")],
        "junk": [_item("hello")],
        "key": [_item("rotate keys", quote="rotate keys, now s3cr3t!")],
    }
    score = score_extraction(events, predictions)
    assert (score.matched, score.wanted, score.predicted) == (3, 4, 5)
    assert score.type_accuracy == pytest.approx(2 / 3)
    assert (score.files.right, score.files.given, score.files.wanted) == (1, 2, 2)
    assert score.junk_rate == pytest.approx(2 / 5)
    assert (score.junk_events, score.junk_events_yielding, score.leaked_secrets) == (2, 1, 1)
    lines = list(list_errors(events, predictions))
    assert [line.split(":")[0] for line in lines] == [
        "one missed f2",
        "one type of f1",
        "one files of f1",
        "one junk bug",
        "junk junk bug",
    ]


def test_no_predictions_score_zero() -> None:
    score = score_extraction([_event("e", _gold("f", "alpha"))], {})
    assert (score.type_accuracy, score.gold_recall, score.junk_rate) == (0, 0, 0)
    assert not Report("own", score).met


def test_dedup_counts_pairs_of_one_project_and_merged_contradictions() -> None:
    alpha, beta = _gold("alpha", "alpha value"), _gold("beta", "beta value", contradicts=("alpha",))
    events = [
        _event("e1", alpha),
        _event("e2", alpha),
        _event("e3", alpha, beta),
        _event("e4", _gold("other", "alpha value"), project="q"),
    ]
    alpha_item = _item("alpha value")
    predictions = {
        "e1": [alpha_item],
        "e2": [alpha_item, _item("noise")],
        "e3": [alpha_item, _item("beta value")],
        "e4": [alpha_item],
    }
    unmerged = score_dedup(events, predictions, [])
    assert (unmerged.pairs.right, unmerged.pairs.given, unmerged.pairs.wanted) == (0, 0, 3)
    good = score_dedup(events, predictions, [[("e1", 0), ("e2", 0), ("e3", 0)], [("e3", 1)]])
    assert good.pairs.f1 == 1
    assert good.contradictions_merged == 0
    bad = score_dedup(events, predictions, [[("e1", 0), ("e2", 0), ("e2", 1), ("e3", 1), ("e4", 0)]])
    assert (bad.pairs.right, bad.pairs.given, bad.pairs.wanted) == (1, 3, 3)
    assert bad.contradictions_merged == 2


def test_an_item_with_two_facts_duplicates_either() -> None:
    both = _item("uploads over 512 MB get 413, and writes need a token")
    size, token, other = (
        _item("uploads over 512 MB get 413"),
        _item("writes need a token"),
        _item("uploads over 2 GB get 413"),
    )
    events = [
        _event("e1", _gold("size", "uploads over 512 MB get 413"), _gold("token", "writes need a token")),
        _event("e2", _gold("token", "writes need a token")),
        _event("e3", _gold("size", "uploads over 512 MB get 413")),
        _event("e4", _gold("more", "uploads over 2 GB get 413", contradicts=("size",))),
    ]
    predictions = {"e1": [both], "e2": [token], "e3": [size], "e4": [other]}
    with_token = score_dedup(events, predictions, [[("e1", 0), ("e2", 0)]])
    assert (with_token.pairs.right, with_token.pairs.given, with_token.pairs.wanted) == (1, 1, 2)
    with_size = score_dedup(events, predictions, [[("e1", 0), ("e3", 0)]])
    assert with_size.pairs.right == 1
    merged = score_dedup(events, predictions, [[("e1", 0), ("e4", 0)]])
    assert (merged.pairs.right, merged.contradictions_merged) == (0, 1)


def _pair(id: str, label: str, content: str) -> PairLine:
    side = PairSide(title=id, content=content, type="bug", files=(), schema_key="root")
    return PairLine(id=id, a=side, b=side, label=label)  # type: ignore[arg-type]


PAIRS = (
    _pair("1", "duplicate", "same"),
    _pair("2", "duplicate", "different"),
    _pair("3", "contradiction", "contradicts"),
    _pair("4", "contradiction", "same"),
    _pair("5", "different", "contradicts"),
    _pair("6", "different", "different"),
)


def _judge(a: Item, b: Item, cosine: float) -> Verdict:
    assert cosine == 0.75
    return a.content  # type: ignore[return-value]


def test_pairs_are_counted_by_label_and_prediction() -> None:
    score = score_pairs(PAIRS, _judge, lambda a, b: 0.75)
    duplicates = score.of("duplicate")
    assert (duplicates.precision, duplicates.recall, duplicates.f1) == (0.5, 0.5, 0.5)
    assert (score.drift.precision, score.drift.recall) == (0.5, 0.5)
    assert score.contradictions_called_duplicates == 1
    assert PairsScore({}).drift.f1 == 1


def test_the_report_shows_thresholds_and_misses() -> None:
    labeled = LabeledSet("own", (_event("e", _gold("f", "alpha beta", "bug", "a.go")),), PAIRS, ())
    report = measure(
        labeled,
        lambda event: [_item("alpha beta", "bug", "a.go")],
        lambda events, predictions: [],
        _judge,
        lambda a, b: 0.75,
    )
    assert not report.met
    parsed = json.loads(report.to_json())
    by_name = {(figure["part"], figure["name"]): figure for figure in parsed["figures"]}
    assert by_name["extraction", "type accuracy"] == {
        "part": "extraction",
        "name": "type accuracy",
        "value": 1.0,
        "at_least": 0.85,
        "at_most": None,
        "met": True,
    }
    assert by_name["extraction", "file F1"]["at_least"] == 0.95
    assert by_name["extraction", "junk rate"]["at_most"] == 0.05
    assert by_name["pairs", "duplicate F1"]["at_least"] == 0.9
    assert by_name["pairs", "contradictions called duplicates"]["at_most"] == 0
    assert by_name["pairs", "contradictions called duplicates"]["met"] is False
    assert parsed["confusion"]["contradiction"] == {"duplicate": 1, "contradiction": 1, "different": 0}
    lines = report.to_table().splitlines()
    assert lines[0].split() == ["part", "figure", "own", "threshold"]
    row = next(line for line in lines if "contradictions called" in line)
    assert row.split()[-4:] == ["1", "≤", "0", "MISSED"]
    starts = {line.index(mark) for line in lines for mark in ("≥", "≤") if mark in line}
    assert len(starts) == 1
