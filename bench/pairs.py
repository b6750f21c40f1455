"""Fits the judgement of pairs (``loremark.memory.dedup``) on the labelled pairs of dev, and shows what it is worth.

The pairs come from several hands, told apart by the letter before their ids; every hand's pairs are judged by weights
fitted on those of the others. Then the weights fitted on all of them are written.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loremark.entry.evaluation import find_items
from loremark.features.items.records import item_text
from loremark.memory.dedup import COSINE_FLOOR, VETOES, canonical_key
from loremark.memory.evaluation.loading import Label, LabelledSet, load, parse
from loremark.memory.evaluation.scoring import labelled_pairs
from loremark.memory.items import Item
from loremark.memory.signs import have_little_in_common, signs_of
from loremark.ports.embeddings.embedder import open_embedder

Floats = NDArray[np.float64]

_HANDS = Path(__file__).parent / "sets" / "hands"
_WEIGHTS = Path(str(resources.files("loremark.memory"))) / "weights.py"
# A wrong merge destroys, a missed one only repeats.
_CONTRADICTION_COUNTS = 2.5
_SAME_TITLE_COUNTS = 0.05
_CUT_COUNTS = 0.1
_FOUND_COUNTS = 0.3
_LOOSENESS = 0.2
_SAME_FROM = 0.2
_CONTRADICTS_FROM = 0.3
_ROUNDS = 3_000
_TOO_SMALL = 0.02
_CUT_FROM = 20
_CUT_COSINE = 0.92


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split(", "))


# Which way a sign may count, whatever the pairs say: another value can only speak against one fact.
_FOR_SAME = _names(
    "order agrees, cosine, title told, covered, shared words, shared names, shared values, values agree, same change,"
    " same type, both set aside, same choice, shared files, save and commit, title number shared"
)
_AGAINST_BOTH = _names("other thing, other environment, subjects differ, parallel titles, other files")
_FOR_CONTRADICTION = _names(
    "limit lifted, only and all, words turned, title turned, denied outright, one word apart, order turned, other end,"
    " one goes back, turned back, opposite, short denial, other order, other value, other name, value replaced,"
    " value past, open and done, prefix, decisive, name gone, swapped, one replaced, replaced late, one tells an end,"
    " ends turned, other rhythm, other region, other default, other number,"
    " title numbers apart"
)
_AGAINST_SAME = (
    _AGAINST_BOTH
    | _FOR_CONTRADICTION
    | _names("one task, more replaced, replaced early, values apart, names apart, other parts, found and told")
)
_NEARNESS = _names("cosine, title told, covered, shared words, shared names")
_AGAINST_CONTRADICTION = _AGAINST_BOTH | _names("order agrees, two tasks, names apart, more replaced, replaced early")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two items, how near they are, what they are to each other, whose pair it is and how much it counts."""

    hand: str
    a: Item
    b: Item
    cosine: float
    label: Label
    counts: float = 1.0


@dataclass(frozen=True, slots=True)
class Sum:
    """A weighted sum of signs; ``standard`` are the weights as if every sign varied as much as another."""

    bias: float
    weights: Floats
    standard: Floats

    def of(self, rows: Floats) -> Floats:
        return rows @ self.weights + self.bias


@dataclass(frozen=True, slots=True)
class Judgement:
    """What decides: first whether it is the same, and if not, whether it contradicts."""

    same: Sum
    contradicts: Sum


def run() -> None:
    """Print the figures of each hand, then write the weights fitted on all of them."""
    pairs, found = asyncio.run(_pairs())
    print("judgement of pairs: each hand's by weights fitted on the others'")
    everything: list[tuple[Label, Label]] = []
    for hand in sorted({pair.hand for pair in pairs}):
        judgement = fit(*([pair for pair in some if pair.hand != hand] for some in (pairs, found)))
        held = [pair for pair in pairs if pair.hand == hand]
        judged = list(zip((pair.label for pair in held), judge_all(judgement, held), strict=True))
        everything += judged
        print(f"  {hand:5} {figures(judged)}")
    print(f"  {'all':5} {figures(everything)}")
    judgement = fit(pairs, found)
    print(f"  seen  {figures(list(zip((pair.label for pair in pairs), judge_all(judgement, pairs), strict=True)))}")
    _WEIGHTS.write_text(weights_module(judgement, sign_names(pairs)), encoding="utf-8")


async def _pairs() -> tuple[list[Pair], list[Pair]]:
    """The labelled pairs, and those of items found in the labelled events."""
    labelled = load("dev")
    told = [Pair(_hand(line.id), line.a.item, line.b.item, 0.0, line.label) for line in labelled.pairs]
    found = _found(labelled)
    for folder in sorted(_HANDS.iterdir()):
        found += _found(parse(folder.name, (folder / "events.jsonl").read_text(encoding="utf-8")), folder.name)
    texts = sorted({item_text(item) for pair in (*told, *found) for item in (pair.a, pair.b)})
    embedder = open_embedder("builtin")
    rows = dict(zip(texts, (await embedder.embed(texts)).vectors, strict=True))
    await embedder.close()

    def near(pair: Pair) -> Pair:
        return replace(pair, cosine=float(rows[item_text(pair.a)] @ rows[item_text(pair.b)]))

    found = [pair for pair in map(near, found) if pair.label != "different" or pair.cosine >= COSINE_FLOOR]
    return [near(pair) for pair in told], found


def _found(labelled: LabelledSet, hand: str = "") -> list[Pair]:
    """Every two items that extraction finds in events of one project, where it is known which facts they tell."""
    predictions = {event.id: find_items(event.raw) for event in labelled.events}
    return [
        Pair(hand or _hand(one.event.id), one.item, other.item, 0.0, label, _FOUND_COUNTS)
        for one, other, label in labelled_pairs(labelled.events, predictions)
    ]


def _hand(id: str) -> str:
    """The letter before the id, if there is one."""
    hand = id.partition("-")[0]
    return hand if len(hand) == 1 else "dev"


def fit(pairs: Sequence[Pair], found: Sequence[Pair]) -> Judgement:
    """On the pairs as they are and as they could have been told, and on what extraction finds."""
    shown = [*pairs, *found, *_with_same_title(pairs), *_cut_short(pairs)]
    rows, names = signs_in_rows(shown), sign_names(pairs)
    same = np.array([pair.label == "duplicate" for pair in shown])
    contradicts = np.array([pair.label == "contradiction" for pair in shown])
    counts = np.array([pair.counts for pair in shown])
    limits = _limits(names, _FOR_SAME, _AGAINST_SAME)
    first = _bounded(rows, same, counts * np.where(contradicts, _CONTRADICTION_COUNTS, 1.0), *limits)
    limits = _limits(names, _FOR_CONTRADICTION | _NEARNESS, _AGAINST_CONTRADICTION)
    return Judgement(first, _bounded(rows[~same], contradicts[~same], counts[~same], *limits))


def judge_all(judgement: Judgement, pairs: Sequence[Pair]) -> list[Label]:
    """As ``dedup.judge`` does it, with these weights."""
    rows, names = signs_in_rows(pairs), sign_names(pairs)
    vetoes = [names.index(name) for name in VETOES]
    same, contradicts = judgement.same.of(rows), judgement.contradicts.of(rows)
    return [
        "different"
        if pair.cosine < COSINE_FLOOR or have_little_in_common(pair.a, pair.b)
        else "duplicate"
        if same[at] >= _SAME_FROM and not rows[at, vetoes].any()
        else "contradiction"
        if contradicts[at] >= _CONTRADICTS_FROM
        else "different"
        for at, pair in enumerate(pairs)
    ]


def figures(judged: Sequence[tuple[Label, Label]]) -> str:
    """Precision and recall of duplicates and of contradictions, and the contradictions that would be merged away."""

    def rates(label: Label) -> tuple[float, float]:
        right = sum(wanted == given == label for wanted, given in judged)
        return (
            right / max(1, sum(given == label for _, given in judged)),
            right / max(1, sum(wanted == label for wanted, _ in judged)),
        )

    precision, recall = rates("duplicate")
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    lost = sum(pair == ("contradiction", "duplicate") for pair in judged)
    precise, found = rates("contradiction")
    return (
        f"{len(judged):4} pairs, duplicates P {precision:.3f} R {recall:.3f} F1 {f1:.3f},"
        f" contradictions called duplicates {lost}, contradictions P {precise:.3f} R {found:.3f}"
    )


def weights_module(judgement: Judgement, names: Sequence[str]) -> str:
    """The source of ``weights.py``; what hardly counts is left out."""

    def table(weights: Sum, shift: float) -> str:
        rows = [("", weights.bias - shift)]
        rows += [
            (name, weight)
            for name, weight, standard in zip(names, weights.weights, weights.standard, strict=True)
            if abs(standard) >= _TOO_SMALL
        ]
        return "".join(f'    "{name}": {weight:.3f},\n' for name, weight in rows)

    return f'''"""How much each sign of a pair counts: fitted with fixed directions, see docs/decisions/0014."""

# made by python -m bench pairs

from __future__ import annotations

from collections.abc import Mapping

# The row without a name is where the balance starts; above zero the claim holds.
SAME: Mapping[str, float] = {{
{table(judgement.same, _SAME_FROM)}}}
CONTRADICTS: Mapping[str, float] = {{
{table(judgement.contradicts, _CONTRADICTS_FROM)}}}


def weigh(signs: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The balance of all signs."""
    return weights[""] + sum(weight * signs[name] for name, weight in weights.items() if name)
'''


def sign_names(pairs: Sequence[Pair]) -> list[str]:
    return list(_signs(pairs[0]))


def signs_in_rows(pairs: Iterable[Pair]) -> Floats:
    return np.array([list(_signs(pair).values()) for pair in pairs])


def _signs(pair: Pair) -> dict[str, float]:
    first, second = sorted((pair.a, pair.b), key=canonical_key)
    return signs_of(first, second, pair.cosine)


def _with_same_title(pairs: Sequence[Pair]) -> list[Pair]:
    """Labelled duplicates never share a title and contradictions often do; left alone, the fit learns that."""
    return [
        replace(
            pair, b=replace(pair.b, title=pair.a.title), cosine=min(0.97, pair.cosine + 0.05), counts=_SAME_TITLE_COUNTS
        )
        for pair in pairs
        if pair.label == "duplicate"
    ]


def _cut_short(pairs: Sequence[Pair]) -> list[Pair]:
    """Each item beside itself without its last clause."""
    found = []
    for pair in pairs:
        for item in (pair.a, pair.b):
            ends = [end.start() for end in re.finditer(r"[;.,:] ", item.content) if end.start() >= _CUT_FROM]
            if ends:
                shorter = replace(item, content=f"{item.content[: ends[-1]]}.")
                found.append(Pair(pair.hand, item, shorter, _CUT_COSINE, "duplicate", _CUT_COUNTS))
    return found


def _limits(names: Sequence[str], upward: frozenset[str], downward: frozenset[str]) -> tuple[Floats, Floats]:
    least = np.array([0.0 if name in upward else -np.inf for name in names])
    most = np.array([0.0 if name in downward else np.inf for name in names])
    return least, most


def _bounded(rows: Floats, holds: NDArray[np.bool_], counts: Floats, least: Floats, most: Floats) -> Sum:
    """Logistic regression with a limit on each weight, by accelerated projected gradient; the bias is free."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    varies = spread > 1e-6
    scaled = np.where(varies, (rows - mean) / np.where(varies, spread, 1.0), 0.0)
    full = np.hstack([scaled, np.ones((len(rows), 1))])
    ridge = np.append(np.full(rows.shape[1], 1 / _LOOSENESS), 0.0)
    low, high = np.append(least, -np.inf), np.append(most, np.inf)
    step = 1 / (np.linalg.eigvalsh((full * counts[:, None]).T @ full)[-1] / 4 + ridge[0])
    weights = ahead = np.zeros(full.shape[1])
    momentum = 1.0
    for _ in range(_ROUNDS):
        likely = 1 / (1 + np.exp(-full @ ahead))
        slope = full.T @ (counts * (likely - holds)) + ridge * ahead
        following = np.clip(ahead - step * slope, low, high)
        grown = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = following + (momentum - 1) / grown * (following - weights)
        weights, momentum = following, grown
    plain = np.where(varies, weights[:-1] / np.where(varies, spread, 1.0), 0.0)
    return Sum(float(weights[-1] - plain @ mean), plain, weights[:-1])
