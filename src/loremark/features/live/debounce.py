"""Debouncing of live events, so that bursts of changes cause one refresh."""

from __future__ import annotations

_INTERVAL_S = 0.25
"""Minimum time between two identical events."""


class Debouncer:
    """Pending events of one stream, in order and without duplicates. The last event is always sent."""

    def __init__(self) -> None:
        self._pending: dict[str, None] = {}
        self._sent_at: dict[str, float] = {}

    def add(self, payload: str) -> None:
        self._pending[payload] = None

    def due(self, otherwise: float) -> float:
        """When pending events may be sent; ``otherwise`` if there are none."""
        if not self._pending:
            return otherwise
        return min(otherwise, max(self._sent_at.get(payload, -_INTERVAL_S) for payload in self._pending) + _INTERVAL_S)

    def take(self, now: float) -> list[str]:
        """Return and clear the pending events if they are due."""
        if not self._pending or self.due(now + 1) > now:
            return []
        taken, self._pending = list(self._pending), {}
        self._sent_at = {payload: at for payload, at in self._sent_at.items() if at > now - _INTERVAL_S}
        self._sent_at.update(dict.fromkeys(taken, now))
        return taken
