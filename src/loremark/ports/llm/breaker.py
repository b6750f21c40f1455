"""A circuit breaker for failing model servers."""

from __future__ import annotations

from collections.abc import Callable

from loremark.ports.llm.model import ModelFailed

FAILURES = 5
OPEN_S = 30.0


class Breaker:
    """Opens after consecutive failures; after a pause it lets one probe through."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._failures = 0
        self._last_failure = ""
        self._opened_at: float | None = None
        self._probing = False

    def admit(self) -> bool:
        """Raise if open, else return whether this call is the probe. Report its outcome with ``note``."""
        if self._opened_at is None:
            return False
        if self._probing or self._monotonic() - self._opened_at < OPEN_S:
            raise ModelFailed(
                "unavailable",
                f"the model server failed repeatedly, so calls are paused for up to {OPEN_S:g} s; "
                f"the last failure: {self._last_failure}",
            )
        self._probing = True
        return True

    def note(self, probe: bool, healthy: bool | None, failure: str = "") -> None:
        """Record the outcome of an admitted call. None: cancelled, which says nothing about the server."""
        if probe:
            self._probing = False
        if healthy:
            self._failures, self._opened_at = 0, None
        elif healthy is False:
            self._failures += 1
            self._last_failure = failure
            if self._failures >= FAILURES:
                self._opened_at = self._monotonic()
