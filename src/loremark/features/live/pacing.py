"""Notices that come faster than a page can look again are told together."""

from __future__ import annotations

_AGAIN_S = 0.25
"""So long after a notice the same one waits: events come in by the hundred, and one look shows them all."""


class Pacing:
    """What waits to be told on one stream, in order and each once. Nothing is lost: the last notice is told too."""

    def __init__(self) -> None:
        self._waiting: dict[str, None] = {}
        self._told: dict[str, float] = {}

    def add(self, payload: str) -> None:
        self._waiting[payload] = None

    def due(self, otherwise: float) -> float:
        """When what waits may be told; where nothing does, the other time."""
        if not self._waiting:
            return otherwise
        return min(otherwise, max(self._told.get(payload, -_AGAIN_S) for payload in self._waiting) + _AGAIN_S)

    def take(self, now: float) -> list[str]:
        """All that waits, once its time has come."""
        if not self._waiting or self.due(now + 1) > now:
            return []
        taken, self._waiting = list(self._waiting), {}
        self._told = {payload: at for payload, at in self._told.items() if at > now - _AGAIN_S}
        self._told.update(dict.fromkeys(taken, now))
        return taken
