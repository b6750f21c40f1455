"""/api/v2/brain."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import ClassVar

from msgspec import Struct

from loremark.base import clock, errors, limits
from loremark.features.brain.etags import format_etag, matches_etag
from loremark.features.brain.moments import list_moment_page
from loremark.features.brain.past_brain import PastBrains
from loremark.features.brain.plans import BrainPlanner
from loremark.features.brain.request import BrainRequest
from loremark.features.brain.service import BrainCache, get_current, to_brain
from loremark.features.projects.access import Access, get_project
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.paging import Page
from loremark.web.response import JSON, Response
from loremark.web.routes import Routes, TxMode
from loremark.wire.brain import (
    Brain,
    BrainFormat,
    BrainHistoryEntry,
    BrainPlan,
    FileList,
    HistoryCursor,
    HistoryLimit,
    TokenBudget,
)
from loremark.wire.shapes import BranchName, Time

routes = Routes("brain")

_ID_CHARS = 40
"""Longer ids are not cached; no valid id is this long."""
_MARKDOWN = b"text/markdown; charset=utf-8"
# Clients may cache the response but must revalidate it.
_CACHING = (b"cache-control", b"private, no-cache")


class PlanQuery(Struct, frozen=True, kw_only=True, rename="camel"):
    refusals: ClassVar = {"tokenBudget": errors.TOKEN_BUDGET_RANGE}

    project_id: str
    token_budget: TokenBudget = limits.BRAIN_TOKENS_DEFAULT
    branch: BranchName | None = None

    @property
    def request(self) -> BrainRequest:
        """The brain to assemble. Raises if the budget is out of range."""
        if not limits.BRAIN_TOKENS_MIN <= self.token_budget <= limits.BRAIN_TOKENS_MAX:
            raise errors.TOKEN_BUDGET_RANGE()
        if self.branch is None and len(self.project_id) <= _ID_CHARS:
            return _plain(self.project_id, self.token_budget)
        return BrainRequest(self.project_id, self.token_budget, self.branch)


class BrainQuery(PlanQuery, frozen=True, kw_only=True, rename="camel"):
    format: BrainFormat = "json"
    files: FileList | None = None

    @property
    def request(self) -> BrainRequest:
        request = super().request
        return request if self.files is None else replace(request, files=_paths(self.files))


class PastQuery(PlanQuery, frozen=True, kw_only=True, rename="camel"):
    at: Time


class MomentsQuery(Page, frozen=True, kw_only=True, rename="camel"):
    """The cursor is the start of the oldest moment on the previous page."""

    project_id: str
    limit: HistoryLimit = limits.BRAIN_MOMENTS_PAGE_DEFAULT
    cursor: HistoryCursor | None = None


@lru_cache(maxsize=2_000)
def _plain(project_id: str, budget: int) -> BrainRequest:
    """Cache common requests, because computing the variant takes time."""
    return BrainRequest(project_id, budget)


def _paths(given: str) -> tuple[str, ...]:
    paths = [path.strip() for path in given.split(",") if path.strip()]
    if len(paths) > limits.ITEM_FILES:
        raise errors.invalid(f"files must have at most {limits.ITEM_FILES} entries")
    return tuple(paths)


# No transaction: assembling a brain opens its own, and this request would hold another connection meanwhile.
@routes.add(
    "GET",
    "/api/v2/brain",
    needs(KEY | LOGIN, "read"),
    name="get",
    tx=TxMode.NONE,
    alternate_type="text/markdown",
    cacheable=True,
    errors=(errors.TOKEN_BUDGET_RANGE, errors.PROJECT_NOT_FOUND),
)
async def get_brain(call: Call, query: BrainQuery) -> Brain | Response:
    """Get approved memory as one document within a token budget. Returns 304 if the ETag matches."""
    request = query.request
    current = await get_current(call.database, call.caller, request)
    known = call.request.headers.get(b"if-none-match")
    if known is not None and current.etag is not None and matches_etag(known, format_etag(current.etag, query.format)):
        return Response(304, headers=[(b"etag", format_etag(current.etag, query.format)), _CACHING])
    brain = await call.use(BrainCache).get(call.caller.scope, request, current, call.request.wait_for_disconnect)
    tag = format_etag(brain.etag, query.format)
    headers = [(b"etag", tag), _CACHING]
    if known is not None and matches_etag(known, tag):
        return Response(304, headers=headers)
    if query.format == "markdown":
        return Response(200, brain.markdown, _MARKDOWN, headers)
    return Response(200, brain.json, JSON, headers)


@routes.add(
    "GET",
    "/api/v2/brain/plan",
    needs(KEY | LOGIN, "read"),
    name="plan",
    tx=TxMode.NONE,
    errors=(errors.TOKEN_BUDGET_RANGE, errors.PROJECT_NOT_FOUND),
)
async def get_plan(call: Call, query: PlanQuery) -> BrainPlan:
    """Show which items a budget includes, in document order, and which it leaves out, highest priority first."""
    request = query.request
    current = await get_current(call.database, call.caller, request)
    return await call.use(BrainPlanner).get(
        call.caller.scope, request, current.version, call.request.wait_for_disconnect
    )


@routes.add(
    "GET", "/api/v2/brain/history", needs(KEY | LOGIN, "read"), name="history", errors=(errors.PROJECT_NOT_FOUND,)
)
async def list_moments(call: Call, query: MomentsQuery) -> list[BrainHistoryEntry]:
    """List changes to approved memory, newest first. Permanently deleted items are not included."""
    await get_project(call.tx, call.caller, query.project_id, Access.READ)
    return await list_moment_page(call, query.project_id, query)


@routes.add(
    "GET",
    "/api/v2/brain/snapshot",
    needs(KEY | LOGIN, "read"),
    name="snapshot",
    tx=TxMode.NONE,
    errors=(errors.TOKEN_BUDGET_RANGE, errors.PROJECT_NOT_FOUND),
)
async def get_past(call: Call, query: PastQuery) -> Brain:
    """Get the brain as it was at a point in time, without items that were permanently deleted since."""
    request = query.request
    await get_current(call.database, call.caller, request)
    at_ms = min(clock.now_ms(), clock.epoch_ms(query.at))
    assembled = await call.use(PastBrains).get(call.caller.scope, request, at_ms, call.request.wait_for_disconnect)
    return to_brain(request, assembled, at_ms)
