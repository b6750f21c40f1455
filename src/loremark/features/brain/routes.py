"""/api/v2/brain."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import ClassVar

from msgspec import Struct

from loremark.base import clock, errors, limits
from loremark.features.brain.asked import Asked
from loremark.features.brain.moments import epoch_ms, show_moments
from loremark.features.brain.past import Pasts
from loremark.features.brain.plans import Plans
from loremark.features.brain.service import Brains, brain_of, look
from loremark.features.brain.tags import matches, tag_of
from loremark.features.projects.access import Right, get_project
from loremark.web.call import Call
from loremark.web.needs import KEY, LOGIN, needs
from loremark.web.paging import Page
from loremark.web.response import JSON, Response
from loremark.web.routes import Routes, TxMode
from loremark.wire.brain import (
    Brain,
    BrainFormat,
    BrainMoment,
    BrainPlan,
    FileList,
    MomentCursor,
    MomentsLimit,
    PastMoment,
    TokenBudget,
)
from loremark.wire.shapes import BranchName

routes = Routes("brain")

_ID_CHARS = 40
"""More than any identifier has; nothing longer is kept in mind."""
_MARKDOWN = b"text/markdown; charset=utf-8"
# A client may keep it, and asks each time whether it still holds.
_CACHING = (b"cache-control", b"private, no-cache")


class PlanQuery(Struct, frozen=True, kw_only=True, rename="camel"):
    refusals: ClassVar = {"tokenBudget": errors.TOKEN_BUDGET_RANGE}

    project_id: str
    token_budget: TokenBudget = limits.BRAIN_TOKENS_DEFAULT
    branch: BranchName | None = None

    @property
    def asked(self) -> Asked:
        """What is asked for, or the refusal of what is out of range."""
        if not limits.BRAIN_TOKENS_MIN <= self.token_budget <= limits.BRAIN_TOKENS_MAX:
            raise errors.TOKEN_BUDGET_RANGE()
        if self.branch is None and len(self.project_id) <= _ID_CHARS:
            return _plain(self.project_id, self.token_budget)
        return Asked(self.project_id, self.token_budget, self.branch)


class BrainQuery(PlanQuery, frozen=True, kw_only=True, rename="camel"):
    format: BrainFormat = "json"
    files: FileList | None = None

    @property
    def asked(self) -> Asked:
        asked = super().asked
        return asked if self.files is None else replace(asked, files=_paths(self.files))


class PastQuery(PlanQuery, frozen=True, kw_only=True, rename="camel"):
    at: PastMoment


class MomentsQuery(Page, frozen=True, kw_only=True, rename="camel"):
    """The cursor is where the oldest moment of the page before began."""

    project_id: str
    limit: MomentsLimit = limits.BRAIN_MOMENTS_PAGE_DEFAULT
    cursor: MomentCursor | None = None


@lru_cache(maxsize=2_000)
def _plain(project_id: str, budget: int) -> Asked:
    """Asked again and again, with its variant worked out."""
    return Asked(project_id, budget)


def _paths(given: str) -> tuple[str, ...]:
    paths = [path.strip() for path in given.split(",") if path.strip()]
    if len(paths) > limits.ITEM_FILES:
        raise errors.invalid(f"files must have at most {limits.ITEM_FILES} entries")
    return tuple(paths)


# Without a transaction: a brain that must be made takes others, while this request would hold one.
@routes.add(
    "GET",
    "/api/v2/brain",
    needs(KEY | LOGIN),
    name="get",
    tx=TxMode.NONE,
    also="text/markdown",
    repeats=True,
    errors=(errors.TOKEN_BUDGET_RANGE, errors.PROJECT_NOT_FOUND),
)
async def get_brain(call: Call, query: BrainQuery) -> Brain | Response:
    """Approved memory as one document within a budget of tokens; 304 while it is the one the caller knows."""
    asked = query.asked
    seen = await look(call.database, call.caller, asked)
    known = call.request.headers.get(b"if-none-match")
    if known is not None and seen.etag is not None and matches(known, tag_of(seen.etag, query.format)):
        return Response(304, headers=[(b"etag", tag_of(seen.etag, query.format)), _CACHING])
    brain = await call.use(Brains).get(call.caller.scope, asked, seen, call.request.wait_for_disconnect)
    tag = tag_of(brain.etag, query.format)
    headers = [(b"etag", tag), _CACHING]
    if known is not None and matches(known, tag):
        return Response(304, headers=headers)
    if query.format == "markdown":
        return Response(200, brain.markdown, _MARKDOWN, headers)
    return Response(200, brain.json, JSON, headers)


@routes.add(
    "GET",
    "/api/v2/brain/plan",
    needs(KEY | LOGIN),
    name="plan",
    tx=TxMode.NONE,
    errors=(errors.TOKEN_BUDGET_RANGE, errors.PROJECT_NOT_FOUND),
)
async def get_plan(call: Call, query: PlanQuery) -> BrainPlan:
    """Which memories enter the brain of a budget, in its order, and which fall out, the most wanted first."""
    asked = query.asked
    seen = await look(call.database, call.caller, asked)
    return await call.use(Plans).get(call.caller.scope, asked, seen.version, call.request.wait_for_disconnect)


@routes.add("GET", "/api/v2/brain/history", needs(KEY | LOGIN), name="history", errors=(errors.PROJECT_NOT_FOUND,))
async def list_moments(call: Call, query: MomentsQuery) -> list[BrainMoment]:
    """When approved memory changed, newest first. What was deleted for ever since is in no moment."""
    await get_project(call.tx, call.caller, query.project_id, Right.READ)
    return await show_moments(call, query.project_id, query)


@routes.add(
    "GET",
    "/api/v2/brain/past",
    needs(KEY | LOGIN),
    name="past",
    tx=TxMode.NONE,
    errors=(errors.TOKEN_BUDGET_RANGE, errors.PROJECT_NOT_FOUND),
)
async def get_past(call: Call, query: PastQuery) -> Brain:
    """The brain as it was at a moment. What was deleted for ever since is not in it: deletion is a promise."""
    asked = query.asked
    await look(call.database, call.caller, asked)
    at_ms = min(clock.now_ms(), epoch_ms(query.at))
    made = await call.use(Pasts).get(call.caller.scope, asked, at_ms, call.request.wait_for_disconnect)
    return brain_of(asked, made, at_ms)
