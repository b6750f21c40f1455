"""The interface of readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class ReaderFailed(Exception):
    """The reader's model is missing or does not run. The message is one line."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How two texts relate, as probabilities.

    ``answers``: the second answers the question in the first. ``matters``: it should be known for the task in the
    first. ``same``, ``replaces``, ``different``: two statements say the same, cannot both hold, or both hold.
    """

    answers: float
    matters: float
    same: float
    replaces: float
    different: float


class Reader(Protocol):
    """Reads pairs of texts. A pair's reading does not depend on the other pairs."""

    name: str

    async def read(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        """Raises ``ReaderFailed``."""

    def prepare(self) -> None:
        """Load the model in the background, because the first pair is about to be read."""

    async def close(self) -> None:
        """Close after finishing the current computation."""
