"""Narrative summaries: findings are facts, mere events are not."""

from __future__ import annotations

from loremark.memory.extraction.extract import extract
from loremark.memory.items import Item, RawEvent

STORY = """A long afternoon with the tide station. You showed me a chart that jumped at midnight and I was sure it was
the parser. It was not: readings are stored in harbour time while the chart draws in UTC. I wasted an hour on that.

You then asked who may correct a reading, and I had to call Ola. He came back with the rule: only the harbour master
may change a reading, and every change is kept in `reading_changes` with its reason. I built it that way and you liked
it. Gauges are polled every 90 seconds because the modem falls asleep after two minutes. The poller lives in
`src/gauges/poller.py`. We talked about lunch for a while, and tomorrow I'll look at the colours."""


def _facts(summary: str) -> tuple[Item, ...]:
    return extract(RawEvent("e1", "session_save", {"summary": summary.replace("\n", " ").replace("  ", "\n\n")})).items


def test_each_finding_is_a_separate_fact() -> None:
    found = _facts(STORY)
    contents = [item.content for item in found]
    assert sum("stored in harbour time" in text for text in contents) == 1
    rules = [item for item in found if "only the harbour master" in item.content]
    polled = [item for item in found if "every 90 seconds" in item.content]
    assert len(rules) == len(polled) == 1
    assert rules[0] is not polled[0]
    assert not any("lunch" in text or "wasted an hour" in text for text in contents)


def test_lead_ins_do_not_become_titles() -> None:
    rule = next(item for item in _facts(STORY) if "harbour master" in item.content)
    assert rule.title.startswith("Only the harbour master")
    assert all(quote.quote in STORY.replace("\n", " ").replace("  ", "\n\n") for quote in rule.evidence)


def test_locations_belong_to_the_previous_statement() -> None:
    polled = next(item for item in _facts(STORY) if "every 90 seconds" in item.content)
    assert polled.files == ("src/gauges/poller.py",)


def test_impersonal_notes_are_not_narratives() -> None:
    notes = (
        "Gauges are polled every 90 seconds because the modem falls asleep. The poller lives in src/gauges/poller.py. "
        "It gives up after three tries."
    )
    assert len(_facts(notes)) == 1
