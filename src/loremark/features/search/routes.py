"""GET /api/v2/search."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, field

from loremark.base import clock, errors, limits
from loremark.features.projects.access import Access, get_project
from loremark.features.recall.service import Recall, TurnHit
from loremark.features.search.service import Finder, SearchHit
from loremark.memory.ranking.ranking import Filters
from loremark.memory.recall.excerpts import best_sentences
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.routes import Routes, TxMode
from loremark.wire.items import ItemType
from loremark.wire.search import ScoreComponent, SearchResult, SearchResults, TurnResult
from loremark.wire.shapes import VISIBLE_TEXT

routes = Routes("search")

_EXCERPT_CHARS = 600

SearchText = Annotated[str, Meta(min_length=1, max_length=limits.QUESTION_MAX_CHARS, pattern=VISIBLE_TEXT)]


class SearchQuery(Struct, frozen=True, rename="camel"):
    project_id: str
    q: SearchText
    limit: Annotated[int, Meta(ge=1, le=limits.SEARCH_RESULTS)] = 10
    type: ItemType | None = None
    files: Annotated[str, Meta(max_length=limits.SEARCH_FILES_CHARS)] = ""
    min_similarity: Annotated[float, Meta(ge=0, le=1)] = 0.5
    status: Literal["approved", "draft"] = "approved"
    within: Literal["items", "sessions", "all"] = field(default="items", name="in")
    branch: str | None = None
    explain: bool = False

    @property
    def filters(self) -> Filters:
        paths = tuple(path for path in self.files.split(",") if path)
        if len(paths) > limits.ITEM_FILES:
            raise errors.invalid(f"files must have at most {limits.ITEM_FILES} entries")
        return Filters(status=self.status, type=self.type, files=paths, branch=self.branch)


@routes.add(
    "GET", "/api/v2/search", needs(KEY | LOGIN, "read"), name="run", tx=TxMode.NONE, errors=(errors.PROJECT_NOT_FOUND,)
)
async def search(call: Call, query: SearchQuery) -> SearchResults:
    """Search approved items or drafts, best match first; ``in`` adds sessions and commits, or searches only them."""
    started = clock.monotonic()
    filters = query.filters
    async with call.database.read() as tx:
        await get_project(tx, call.caller, query.project_id, Access.READ)
    results = await _items(call, query, filters) if query.within != "sessions" else []
    turns = await _turns(call, query, filters) if query.within != "items" else UNSET
    took_ms = round((clock.monotonic() - started) * 1000, 3)
    return SearchResults(results=results, query=query.q, took_ms=took_ms, turns=turns)


async def _items(call: Call, query: SearchQuery, filters: Filters) -> list[SearchResult]:
    found = await call.use(Finder).find(
        call.caller.scope,
        query.project_id,
        query.q,
        limit=query.limit,
        filters=filters,
        min_similarity=query.min_similarity,
        explain=query.explain,
    )
    return [_shape(item, explain=query.explain) for item in found.sources]


async def _turns(call: Call, query: SearchQuery, filters: Filters) -> list[TurnResult]:
    found = await call.use(Recall).find(
        call.caller.scope,
        query.project_id,
        query.q,
        limit=query.limit,
        files=filters.files,
        min_similarity=query.min_similarity,
    )
    return [_turn_shape(hit, query.q) for hit in found]


def _turn_shape(hit: TurnHit, question: str) -> TurnResult:
    turn = hit.turn
    return TurnResult(
        turn_id=turn.id,
        kind=turn.kind,
        session_id=turn.session_id,
        event_id=turn.event_id,
        excerpt=best_sentences(turn.messages, question, _EXCERPT_CHARS),
        agent=turn.agent,
        branch=turn.branch,
        commit_sha=turn.commit_sha,
        said_at=clock.iso(turn.said_at_ms),
        files=list(turn.files),
        similarity=round(hit.similarity, 4),
        score=round(hit.score, 6),
    )


def _shape(item: SearchHit, *, explain: bool) -> SearchResult:
    explanation = [
        ScoreComponent(signal=reason.signal, description=reason.text, score=round(reason.points, 4))
        for reason in item.reasons
    ]
    return SearchResult(
        item_id=item.item_id,
        type=item.type,
        title=item.title,
        facts=item.content,
        schema_key=item.schema_key,
        similarity=round(item.similarity, 4),
        confidence=item.confidence,
        files=list(item.files),
        used=False,
        session_id=UNSET if item.reviewed or item.session_id is None else item.session_id,
        reviewed=UNSET if item.reviewed else False,
        score=round(item.score, 6),
        explanation=explanation if explain else UNSET,
    )
