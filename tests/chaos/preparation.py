"""A house for real processes that are started often: room for many projects, and a short log."""

from __future__ import annotations

from tests.support.processes import Loremark

_PLANS = """
[plan.team]
ai_tokens = 1
projects = 1000000000
sessions = 1
events = 1
enrichments = 1
storage_bytes = 1
price_cents = 0
"""


def prepare(loremark: Loremark) -> Loremark:
    """Let it have any number of projects, and log little."""
    plans = loremark.folder / "plans.toml"
    plans.write_text(_PLANS)
    loremark.settings |= {
        "LOREMARK_PLANS_FILE": str(plans),
        "LOREMARK_LOG_LEVEL": "warning",
    }
    return loremark
