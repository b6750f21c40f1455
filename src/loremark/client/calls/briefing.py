"""Briefings."""

from __future__ import annotations

from collections.abc import Sequence

from loremark.client.call import Call, body
from loremark.wire.briefing import Briefing


def create_briefing(
    project_id: str,
    *,
    prompt: str = "",
    files: Sequence[str] = (),
    branch: str | None = None,
    token_budget: int | None = None,
) -> Call[Briefing]:
    """Without a session, nothing is recorded, so the call is safe to repeat."""
    given = body(projectId=project_id, prompt=prompt, files=list(files), branch=branch, tokenBudget=token_budget)
    return Call(method="POST", path="/api/v2/briefing", response_type=Briefing, body=given, idempotent=True)
