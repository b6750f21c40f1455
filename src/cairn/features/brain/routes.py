"""/api/v2/brain."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from cairn.base import errors, limits
from cairn.features.brain.asked import Asked
from cairn.features.brain.service import Brains, look
from cairn.features.brain.tags import matches, tag_of
from cairn.web.call import Call
from cairn.web.needs import KEY, LOGIN, needs
from cairn.web.response import JSON, Response
from cairn.web.routes import Routes, TxMode
from cairn.wire.brain import Brain, BrainFormat, BranchName, FileList, TokenBudget

routes = Routes("brain")

_ID_CHARS = 40
"""More than any identifier has; nothing longer is kept in mind."""
_MARKDOWN = b"text/markdown; charset=utf-8"
# A client may keep it, and asks each time whether it still holds.
_CACHING = (b"cache-control", b"private, no-cache")


class BrainQuery(Struct, frozen=True, rename="camel"):
    project_id: str
    token_budget: TokenBudget = limits.BRAIN_TOKENS_DEFAULT
    format: BrainFormat = "json"
    branch: BranchName | None = None
    files: FileList | None = None

    @property
    def asked(self) -> Asked:
        """What is asked for, or the refusal of what is out of range."""
        if not limits.BRAIN_TOKENS_MIN <= self.token_budget <= limits.BRAIN_TOKENS_MAX:
            raise errors.TOKEN_BUDGET_RANGE()
        if self.branch is None and self.files is None and len(self.project_id) <= _ID_CHARS:
            return _plain(self.project_id, self.token_budget)
        return Asked(self.project_id, self.token_budget, self.branch, _paths(self.files or ""))


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
