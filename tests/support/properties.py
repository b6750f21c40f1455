"""How many examples a property test tries: few in ``make test``, all of them in ``make nightly``."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from tests.support.selection import NIGHTLY

_CI_SHARE = 5

settings.register_profile(
    "loremark",
    deadline=None,  # the machine may be busy
    print_blob=True,
    max_examples=100 if NIGHTLY else 20,
    derandomize=not NIGHTLY,
    suppress_health_check=[HealthCheck.too_slow],
)


def load_profile() -> None:
    settings.load_profile("loremark")


def examples(count: int) -> int:
    """The number of examples to try; the nightly run tries ``count``."""
    return count if NIGHTLY else max(10, count // _CI_SHARE)
