"""Search."""

from __future__ import annotations

from loremark.client.call import Call, path
from loremark.wire.search import SearchResults


def search(
    project_id: str,
    text: str,
    *,
    limit: int | None = None,
    type: str | None = None,
    files: str | None = None,
    min_similarity: float | None = None,
    status: str | None = None,
    branch: str | None = None,
    explain: bool | None = None,
    within: str | None = None,
) -> Call[SearchResults]:
    """``within``: "items" (the default), "sessions" for what was said in sessions and commits, or "all"."""
    url = path(
        "/api/v2/search",
        projectId=project_id,
        q=text,
        limit=limit,
        type=type,
        files=files,
        minSimilarity=min_similarity,
        status=status,
        branch=branch,
        explain=explain,
        **{"in": within},
    )
    return Call(method="GET", path=url, response_type=SearchResults)
