"""Compares the confidence of extracted items with the share of them that annotators kept.

Runs the pipeline over the events of dev and of every annotator; the closed test set is left out. An item counts as kept
if it matches a labeled fact, optional ones included.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from loremark.entry.evaluation import find_items, judge_items
from loremark.memory.evaluation.labeled_sets import CHECKOUT_SETS, EventLine, parse
from loremark.memory.evaluation.scoring import match
from loremark.memory.extraction import salience
from loremark.ports.embeddings.embedder import open_embedder

_SOURCES = {
    "session_save": "session",
    "git_digest": "commit",
    "context_update": "document",
    "memory_operation": "operation",
    "scan_result": "scan",
}
Row = tuple[str, str]


def run() -> None:
    """Print predicted and observed shares by source and confidence, and by bin."""
    kept: dict[Row, list[bool]] = defaultdict(list)
    predicted: dict[Row, list[float]] = defaultdict(list)
    for folder in _folders():
        events = parse(folder.name, (folder / "events.jsonl").read_text(encoding="utf-8")).events
        for source, confidence, text, is_kept in asyncio.run(_judge(events)):
            rows = [(source, f"{confidence:.2f}"), ("all", f"{int(confidence * 5) / 5:.1f}+")]
            rows += [(source, f"{confidence:.2f} with a reason")] if salience.has_reason(text) else []
            rows += [(source, f"{confidence:.2f} hedged")] if salience.is_hedged(text) else []
            for row in rows:
                kept[row].append(is_kept)
                predicted[row].append(confidence)
    print("source     confidence          items  predicted  kept")
    for row in sorted(kept):
        count = len(kept[row])
        print(
            f"{row[0]:<10} {row[1]:<18} {count:>6} {sum(predicted[row]) / count:>10.2f} {sum(kept[row]) / count:>5.2f}"
        )


def _folders() -> Iterator[Path]:
    yield CHECKOUT_SETS / "dev"
    for group in ("annotators", "held_out"):
        yield from sorted(path for path in (CHECKOUT_SETS / group).iterdir() if (path / "events.jsonl").is_file())


async def _judge(events: tuple[EventLine, ...]) -> list[tuple[str, float, str, bool]]:
    embedder = open_embedder("builtin")
    try:
        judged = await judge_items(embedder, events, {event.id: find_items(event.raw) for event in events})
    finally:
        await embedder.close()
    found = []
    for event in events:
        items = judged[event.id]
        matched = {index for index, _ in match(items, event.gold)}
        found += [
            (_SOURCES[event.event], item.confidence, f"{item.title}. {item.content}", index in matched)
            for index, item in enumerate(items)
        ]
    return found
