"""Scores pair classification (``loremark.memory.dedup``) on 1,295 held-out pairs by seven annotators.

They differ in meaning rather than wording; in the last five sets an item often occurs twice, with a duplicate and with
a contradiction. Never fit on them.
"""

from __future__ import annotations

import asyncio

from bench.fit_pair_weights import figures
from loremark.features.items.records import item_text
from loremark.memory import dedup
from loremark.memory.evaluation.labeled_sets import CHECKOUT_SETS, Label, LabeledSet, parse
from loremark.memory.evaluation.scoring import VERDICT_LABELS
from loremark.ports.embeddings.embedder import open_embedder

_PAIRS = CHECKOUT_SETS / "held_out_pairs.jsonl"


def run() -> None:
    """Print the scores of each annotator and of all."""
    labeled = parse("held-out", "", _PAIRS.read_text(encoding="utf-8"))
    predictions = asyncio.run(_predictions(labeled))
    print("pairs: shipped weights on held-out annotators")
    for annotator in sorted({annotator for annotator, _ in predictions}):
        pairs = [pair for of, pair in predictions if of == annotator]
        print(f"  {annotator:5} {figures(pairs)}")
    print(f"  {'all':5} {figures([pair for _, pair in predictions])}")


async def _predictions(labeled: LabeledSet) -> list[tuple[str, tuple[Label, Label]]]:
    """The annotator, label and predicted label of each pair."""
    sides = [(line.a.item, line.b.item) for line in labeled.pairs]
    embedder = open_embedder("builtin")
    try:
        rows = (await embedder.embed([item_text(item) for pair in sides for item in pair])).vectors
    finally:
        await embedder.close()
    return [
        (
            line.id[0],
            (line.label, VERDICT_LABELS[dedup.classify_pair(one, other, float(rows[2 * at] @ rows[2 * at + 1]))]),
        )
        for at, (line, (one, other)) in enumerate(zip(labeled.pairs, sides, strict=True))
    ]
