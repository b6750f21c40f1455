"""Hygiene plans."""

from __future__ import annotations

from loremark.client.call import Call, body
from loremark.wire.hygiene import HygieneApplied, HygienePlan


def analyze(project_id: str, mode: str = "quick") -> Call[HygienePlan]:
    sent = body(projectId=project_id, action="analyze", mode=mode)
    return Call(method="POST", path="/api/v2/hygiene", response_type=HygienePlan, body=sent)


def apply(project_id: str, plan_id: str, action_ids: list[str]) -> Call[HygieneApplied]:
    """Apply actions of a plan. Applying an action twice has no effect."""
    sent = body(projectId=project_id, action="apply", plan={"planId": plan_id}, selectedActionIds=action_ids)
    return Call(method="POST", path="/api/v2/hygiene", response_type=HygieneApplied, body=sent, idempotent=True)
