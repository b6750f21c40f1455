"""A circuit breaker: a server that fails and fails is left alone for a while."""

from __future__ import annotations

from collections.abc import Callable

from loremark.ports.llm.model import ModelFailed

FAILURES = 5
OPEN_S = 30.0


class Breaker:
    """Counts failed calls in a row; when open it lets nobody through, and after a while one, to see."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._failures = 0
        self._opened_at: float | None = None
        self._probing = False

    def admit(self) -> bool:
        """Raises, or tells whether this call is the one to see; it says afterwards how it went, with ``note``."""
        if self._opened_at is None:
            return False
        if self._probing or self._monotonic() - self._opened_at < OPEN_S:
            raise ModelFailed("unavailable", "the model server has failed repeatedly and is left alone for a while")
        self._probing = True
        return True

    def note(self, probe: bool, healthy: bool | None) -> None:
        """How an admitted call ended; None: we gave it up, which tells nothing about the server."""
        if probe:
            self._probing = False
        if healthy:
            self._failures, self._opened_at = 0, None
        elif healthy is False:
            self._failures += 1
            if self._failures >= FAILURES:
                self._opened_at = self._monotonic()
