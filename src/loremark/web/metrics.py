"""Prometheus metrics: requests by route and status, and their duration."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from loremark.base import clock

CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"

_BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_METHODS = frozenset(("GET", "POST", "PATCH", "PUT", "DELETE", "HEAD"))


class _Timing:
    """The latency histogram of one route."""

    __slots__ = ("counts", "sum_s")

    def __init__(self) -> None:
        self.counts = [0] * (len(_BOUNDS_S) + 1)
        self.sum_s = 0.0


class Metrics(Collector):
    """Counts in plain integers and converts them to Prometheus metrics only when scraped."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(self)
        self._requests: dict[tuple[str, str, int], int] = {}
        self._timings: dict[str, _Timing] = {}

    def observe(self, route: str, method: str, status: int, started: float) -> None:
        took_s = clock.monotonic() - started
        key = (route, method if method in _METHODS else "other", status)
        self._requests[key] = self._requests.get(key, 0) + 1
        timing = self._timings.get(route)
        if timing is None:
            timing = self._timings[route] = _Timing()
        timing.counts[bisect_left(_BOUNDS_S, took_s)] += 1
        timing.sum_s += took_s

    def collect(self) -> Iterator[CounterMetricFamily | HistogramMetricFamily]:
        requests = CounterMetricFamily("loremark_requests", "HTTP requests.", labels=("route", "method", "status"))
        for (route, method, status), count in self._requests.items():
            requests.add_metric((route, method, str(status)), count)
        yield requests
        seconds = HistogramMetricFamily(
            "loremark_request_seconds", "HTTP request duration in seconds.", labels=("route",)
        )
        bounds = [*map(str, _BOUNDS_S), "+Inf"]
        for route, timing in self._timings.items():
            seconds.add_metric((route,), list(zip(bounds, accumulate(timing.counts), strict=True)), timing.sum_s)
        yield seconds

    def text(self) -> bytes:
        return generate_latest(self.registry)
