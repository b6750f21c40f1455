"""What a cosine is worth, by embedder: 0.50 is where as many right answers are missed as wrong ones are let through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Calibration:
    """A cosine of ``none`` or less is worth 0, of ``even`` 0.50, of ``whole`` or more 1; straight lines between."""

    none: float
    even: float
    whole: float

    def similarity(self, cosine: float) -> float:
        if cosine < self.even:
            return max(0.0, 0.5 * (cosine - self.none) / (self.even - self.none))
        return min(1.0, 0.5 + 0.5 * (cosine - self.even) / (self.whole - self.even))


# On the questions of ``sets/asks-dev``: a fifth of the right items lie below 0.24, and so high comes the nearest item
# for a fifth of the questions that belong to another project.
DEFAULT = Calibration(none=0.0, even=0.24, whole=0.72)
# In the same way with all-MiniLM-L6-v2: a quarter each.
USUAL = Calibration(none=0.0, even=0.30, whole=0.80)
CALIBRATIONS: Mapping[str, Calibration] = {
    "granite-30m-q8": DEFAULT,
    "granite-30m": DEFAULT,
}


def calibration_of(embedder: str) -> Calibration:
    """Of an embedder's name; the usual one for one that was never measured."""
    return CALIBRATIONS.get(embedder, USUAL)
