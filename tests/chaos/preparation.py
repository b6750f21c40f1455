"""Settings for real processes that are started often: unlimited projects and little logging."""

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
    """Allow any number of projects and reduce logging."""
    plans = loremark.folder / "plans.toml"
    plans.write_text(_PLANS)
    loremark.settings |= {
        "LOREMARK_PLANS_FILE": str(plans),
        "LOREMARK_LOG_LEVEL": "warning",
    }
    return loremark
