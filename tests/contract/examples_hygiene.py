"""Valid hygiene requests on a project with every kind of finding."""

from __future__ import annotations

from typing import Any

from loremark.memory.evaluation.hygiene_sets import make_value
from tests.contract.cast import Actor, Ask, Cast, Example
from tests.contract.examples_memory import make_item

HYGIENE: dict[str, Example] = {}

UNTIDY: tuple[dict[str, Any], ...] = (
    {"title": "Fix bug", "content": "Sessions were lost after a restart because they were kept in memory."},
    {"title": "Wrap errors with the operation's name", "content": "Errors are wrapped with the operation's name."},
    {"title": "Wrap errors with the operation's name", "content": "Errors are wrapped with the operation's name."},
    {"title": "Archive bucket", "content": f"The archive job writes with {make_value('aws_key', 'example')}."},
    {"title": "asdf", "content": "test", "confidence": 0.5},
)


async def make_untidy(cast: Cast, visibility: str) -> str:
    """Create a project with something to clean up."""
    project = await cast.project(visibility)
    for fields in UNTIDY:
        await make_item(cast, project, files=(), tags=(), branch=None, **fields)
    return project


async def plan_of(cast: Cast, project: str) -> dict[str, Any]:
    answer = await cast.owner.post("/api/v2/hygiene", {"projectId": project, "action": "analyze"})
    assert answer.status_code == 200, answer.text
    plan: dict[str, Any] = answer.json()
    return plan


def apply_of(project: str, plan: dict[str, Any], *more: str) -> dict[str, Any]:
    selected = [*(action["id"] for action in plan["actions"]), *more]
    return {"projectId": project, "action": "apply", "plan": plan, "selectedActionIds": selected}


def _keep(visibility: str) -> None:
    async def look(cast: Cast, actor: Actor) -> Ask:
        project = await make_untidy(cast, visibility)
        body = {"projectId": project, "action": "analyze", "mode": "weekly"}
        return Ask(json=body, target=project, project=project)

    async def do(cast: Cast, actor: Actor) -> Ask:
        project = await make_untidy(cast, visibility)
        body = apply_of(project, await plan_of(cast, project), "act_of_no_plan")
        return Ask(json=body, target=project, project=project)

    async def show(cast: Cast, actor: Actor) -> Ask:
        project = await make_untidy(cast, visibility)
        await plan_of(cast, project)
        return Ask(query=f"?projectId={project}", target=project, project=project)

    async def undo(cast: Cast, actor: Actor) -> Ask:
        project = await make_untidy(cast, visibility)
        plan = await plan_of(cast, project)
        done = await cast.owner.post("/api/v2/hygiene", apply_of(project, plan))
        assert done.status_code == 200, done.text
        body = {"projectId": project, "planId": plan["planId"], "actionIds": [plan["actions"][0]["id"], "act_unknown"]}
        return Ask(json=body, target=project, project=project)

    ending = "" if visibility == "private" else " (public)"
    HYGIENE[f"hygiene.run{ending}"] = look
    HYGIENE[f"hygiene.run (apply){ending}"] = do
    HYGIENE[f"hygiene.plans{ending}"] = show
    HYGIENE[f"hygiene.undo{ending}"] = undo


_keep("private")
_keep("public")
