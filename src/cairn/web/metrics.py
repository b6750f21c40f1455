"""Figures for Prometheus: requests by route and status, and how long they took."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from cairn.base import clock

CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """A registry of its own, so that several apps in one process do not mix."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "cairn_requests", "Requests answered.", ("route", "method", "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "cairn_request_seconds", "Time to answer.", ("route",), registry=self.registry, buckets=_BUCKETS
        )
        self._counters: dict[tuple[str, str, int], Counter] = {}
        self._histograms: dict[str, Histogram] = {}

    def observe(self, route: str, method: str, status: int, started: float) -> None:
        known = method if method in ("GET", "POST", "PATCH", "PUT", "DELETE", "HEAD") else "other"
        key = (route, known, status)
        counter = self._counters.get(key)
        if counter is None:
            counter = self._counters[key] = self._requests.labels(route, known, str(status))
        counter.inc()
        histogram = self._histograms.get(route)
        if histogram is None:
            histogram = self._histograms[route] = self._seconds.labels(route)
        histogram.observe(clock.monotonic() - started)

    def text(self) -> bytes:
        return generate_latest(self.registry)
