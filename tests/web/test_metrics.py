"""Metrics: every response is counted once, under labels that clients cannot multiply."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from loremark.base import clock
from loremark.storage.database import Database
from loremark.web.authentication import ANYONE
from loremark.web.call import Call
from loremark.web.metrics import Metrics
from loremark.web.routes import Routes
from loremark.wire.shapes import Shape
from tests.web.kit import client_for, make_app

pytestmark = pytest.mark.anyio


class Note(Shape):
    text: str


routes = Routes("small")


@routes.add("GET", "/notes/{noteId}", ANYONE, name="note")
async def note(call: Call, note_id: str) -> Note:
    """A note; the one named ``broken`` raises."""
    if note_id == "broken":
        raise RuntimeError
    return Note(text=note_id)


Samples = dict[tuple[str, frozenset[str]], float]


def _samples(metrics: Metrics) -> Samples:
    """Every sample by name and label values."""
    families = text_string_to_metric_families(metrics.text().decode())
    return {
        (sample.name, frozenset(sample.labels.values())): sample.value
        for family in families
        for sample in family.samples
    }


def _requests(samples: Samples, *labels: str) -> float:
    return samples["loremark_requests_total", frozenset(labels)]


async def test_responses_are_counted_by_route_method_and_status(sqlite: Database) -> None:
    metrics = Metrics()
    async with client_for(make_app(routes, sqlite, metrics=metrics)) as http:
        for path in ("/notes/1", "/notes/2", "/notes/broken", "/nothing", f"/{'x' * 50}"):
            await http.get(path)
        await http.head("/notes/1")
        for method in ("FOO", "BAR", "POST"):
            await http.request(method, "/notes/1")
    samples = _samples(metrics)
    assert _requests(samples, "small.note", "GET", "200") == 2
    assert _requests(samples, "small.note", "GET", "500") == 1
    assert _requests(samples, "small.note", "HEAD", "200") == 1
    assert _requests(samples, "unknown", "GET", "404") == 2
    assert _requests(samples, "unknown", "other", "405") == 2
    assert _requests(samples, "unknown", "POST", "405") == 1
    assert samples["loremark_request_seconds_count", frozenset(("small.note",))] == 4


async def test_durations_fall_into_cumulative_buckets() -> None:
    metrics = Metrics()
    now = clock.monotonic()
    for seconds in (0.0, 0.004, 0.2, 5.0, 60.0):
        metrics.observe("small.note", "GET", 200, now - seconds)
    samples = _samples(metrics)
    buckets = [value for name, value in samples.items() if name[0] == "loremark_request_seconds_bucket"]
    assert buckets == sorted(buckets)
    assert buckets[-1] == samples["loremark_request_seconds_count", frozenset(("small.note",))] == 5
    assert 65.2 < samples["loremark_request_seconds_sum", frozenset(("small.note",))] < 66
    assert samples["loremark_request_seconds_bucket", frozenset(("small.note", "10.0"))] == 4


async def test_metrics_of_two_apps_are_separate() -> None:
    one, two = Metrics(), Metrics()
    one.observe("small.note", "GET", 200, clock.monotonic())
    assert len(_samples(one)) > 0
    assert _samples(two) == {}
