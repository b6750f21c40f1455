"""The judgement of pairs (``loremark.memory.dedup``) on pairs that nothing was fitted on: 1,295 of seven hands.

They were written to be told apart by what they mean and not by how they are worded; in the last five an item often
stands twice, once beside what repeats it and once beside what contradicts it. Who fits on them takes this away.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from bench.pairs import figures
from loremark.features.items.records import item_text
from loremark.memory import dedup
from loremark.memory.evaluation.loading import Label, LabelledSet, parse
from loremark.memory.evaluation.scoring import LABEL_OF_VERDICT
from loremark.ports.embeddings.embedder import open_embedder

_PAIRS = Path(__file__).parent / "sets" / "unseen_pairs.jsonl"


def run() -> None:
    """Print the figures of each hand and of all."""
    labelled = parse("unseen", "", _PAIRS.read_text(encoding="utf-8"))
    judged = asyncio.run(_judged(labelled))
    print("judgement of pairs, as it is shipped, on hands it has not seen")
    for hand in sorted({hand for hand, _ in judged}):
        print(f"  {hand:5} {figures([pair for whose, pair in judged if whose == hand])}")
    print(f"  {'all':5} {figures([pair for _, pair in judged])}")


async def _judged(labelled: LabelledSet) -> list[tuple[str, tuple[Label, Label]]]:
    """Of each pair its hand, what it is and what it is judged to be."""
    sides = [(line.a.item, line.b.item) for line in labelled.pairs]
    embedder = open_embedder("builtin")
    try:
        rows = (await embedder.embed([item_text(item) for pair in sides for item in pair])).vectors
    finally:
        await embedder.close()
    return [
        (line.id[0], (line.label, LABEL_OF_VERDICT[dedup.judge(one, other, float(rows[2 * at] @ rows[2 * at + 1]))]))
        for at, (line, (one, other)) in enumerate(zip(labelled.pairs, sides, strict=True))
    ]
