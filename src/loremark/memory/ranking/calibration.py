"""Maps cosines to similarities by embedding model: 0.50 is where missed answers and false matches balance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Calibration:
    """A cosine of ``none`` or less maps to 0, ``even`` to 0.50, ``whole`` or more to 1, linear in between."""

    none: float
    even: float
    whole: float

    def similarity(self, cosine: float) -> float:
        if cosine < self.even:
            return max(0.0, 0.5 * (cosine - self.none) / (self.even - self.none))
        return min(1.0, 0.5 + 0.5 * (cosine - self.even) / (self.whole - self.even))


# On asks-dev: a fifth of the right items lie below 0.24, and for a fifth of the questions from another project the
# nearest item lies above.
DEFAULT = Calibration(none=0.0, even=0.24, whole=0.72)
# Likewise for all-MiniLM-L6-v2, with a quarter each.
FALLBACK = Calibration(none=0.0, even=0.30, whole=0.80)
CALIBRATIONS: Mapping[str, Calibration] = {
    "loremark-30m-q8": DEFAULT,
    "loremark-30m": DEFAULT,
}


def get_calibration(embedder: str) -> Calibration:
    """The calibration of an embedding model, or the fallback for one that was never measured."""
    return CALIBRATIONS.get(embedder, FALLBACK)
