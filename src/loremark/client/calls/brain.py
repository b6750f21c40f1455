"""The assembled project memory."""

from __future__ import annotations

from loremark.client.call import Call, path
from loremark.wire.brain import Brain


def get_brain(
    project_id: str, token_budget: int | None = None, branch: str | None = None, files: str | None = None
) -> Call[Brain]:
    """``files``: comma-separated paths to rank memories about these files first."""
    url = path("/api/v2/brain", projectId=project_id, tokenBudget=token_budget, branch=branch, files=files)
    return Call(method="GET", path=url, response_type=Brain)
