"""Scores of trained weights in PyTorch, in full precision: what the packaged reader is compared with.

    python training/reader_reference.py bases/ reader/ tests/ports/reader_reference.json

Takes the pairs from the last file and writes the scores into it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from reader_tensors import read_tensors
from reader_train import STUDENT, Reader, open_base, predict, restore

_TOKENS = 224
"""What the packaged reader reads of a pair."""


def main() -> None:
    bases, weights, reference = map(Path, sys.argv[1:])
    pairs = json.loads(reference.read_text())
    model = open_trained(bases, weights)
    scores = predict(model, [(pair["first"], pair["second"]) for pair in pairs], tokens=_TOKENS)
    for pair, found in zip(pairs, scores, strict=True):
        pair["scores"] = [round(float(score), 4) for score in found]
    reference.write_text(json.dumps(pairs, ensure_ascii=False, indent=1) + "\n")


def open_trained(bases: Path, weights: Path) -> Reader:
    """Open the base model with trained weights in place of its own."""
    model = open_base(bases, STUDENT.base)
    restore(model, read_tensors(weights / "reader_words.npz") | read_tensors(weights / "reader_layers.npz"))
    return model


if __name__ == "__main__":
    main()
