"""Error cases of hygiene."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from loremark.base import clock, ids, limits
from loremark.web.routes import Route
from tests.contract.cast import Ask, Cast
from tests.contract.error_cases import ErrorCase, ErrorCases
from tests.contract.examples_hygiene import apply_of, make_untidy, plan_of

HYGIENE = ErrorCases()


def _either(project: str, plan: dict[str, Any]) -> dict[str, Any]:
    """A body that works for both apply and undo."""
    return {**apply_of(project, plan), "planId": plan["planId"]}


@HYGIENE.of(404, "Plan not found")
async def _no_plan(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """Unknown, of another project, and expired."""
    for route in routes:
        project, other = await make_untidy(cast, "private"), await make_untidy(cast, "private")
        plan = await plan_of(cast, project)
        for plan_id in (ids.new("hyg"), ids.new("itm"), "nothing", "%"):
            body = {**apply_of(project, plan), "plan": {"planId": plan_id}, "planId": plan_id}
            yield ErrorCase(route, await cast.send(cast["owner"], route, Ask(json=body)))
        yield ErrorCase(route, await cast.send(cast["owner"], route, Ask(json=_either(other, plan))))
        late_ms = clock.now_ms() + limits.HYGIENE_PLAN_VALID_MS + 1_000
        with clock.use(lambda: late_ms):  # noqa: B023
            yield ErrorCase(route, await cast.send(cast["owner"], route, Ask(json=_either(project, plan))))


@HYGIENE.of(400, "apply without plan or selectedActionIds")
async def _nothing_selected(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        project = await cast.project()
        body = apply_of(project, await plan_of(cast, project))
        for name, field in (("plan", "plan"), ("selectedActionIds", "selectedActionIds")):
            without = {key: value for key, value in body.items() if key != name}
            yield ErrorCase(route, await cast.send(cast["owner"], route, Ask(json=without)), field)
            yield ErrorCase(route, await cast.send(cast["owner"], route, Ask(json={**body, name: None})), field)
        empty = {**body, "plan": {}}
        yield ErrorCase(route, await cast.send(cast["owner"], route, Ask(json=empty)), "plan")
