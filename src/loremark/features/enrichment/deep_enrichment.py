"""Deep enrichment: adds diffs and file contents from the repository to git digests."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from loremark.base.crypto import Sealer
from loremark.features.enrichment.records import Progress
from loremark.features.projects.repository import token_context
from loremark.memory.items import RawEvent
from loremark.ports.git.repository import CommitDetail, Repositories, RepositoryFailed
from loremark.storage.database import Row

_COMMITS_PER_EVENT = 50
_FILES_PER_EVENT = 20
_FILE_BYTES = 64 * 1024
_DIFF_BYTES = 32 * 1024


class DeepReader:
    """Reads diffs and files of commits. If the repository cannot be read, enrichment continues with a warning."""

    def __init__(self, repositories: Repositories, sealer: Sealer) -> None:
        self._repositories = repositories
        self._sealer = sealer

    async def read(self, project: Row, events: Sequence[RawEvent], progress: Progress) -> list[RawEvent]:
        """Return the events, with missing diffs and file contents added to git digests."""
        return [
            await self._read(project, event, progress) if event.event == "git_digest" else event for event in events
        ]

    async def _read(self, project: Row, event: RawEvent, progress: Progress) -> RawEvent:
        commits = event.payload.get("commits")
        if not isinstance(commits, list):
            return event
        named = [commit for commit in commits if isinstance(commit, dict) and isinstance(commit.get("sha"), str)]
        missing = [commit["sha"] for commit in named if not commit.get("diff")][:_COMMITS_PER_EVENT]
        if not missing:
            return event
        url, sealed = project["repo_url"], project["repo_token_sealed"]
        token = self._sealer.open(sealed, token_context(project["id"])) if sealed else None
        try:
            details = await self._repositories.commits(url, token, missing, max_diff_bytes=_DIFF_BYTES)
            contents = await self._contents(url, token, details)
        except RepositoryFailed as failure:
            progress.warn(str(failure))
            return event
        by_sha = {detail.sha: detail for detail in details}
        detailed = [_with_detail(commit, by_sha, contents) for commit in commits]
        return dataclasses.replace(event, payload={**event.payload, "commits": detailed})

    async def _contents(
        self, url: str, token: str | None, details: Sequence[CommitDetail]
    ) -> dict[tuple[str, str], str]:
        """Return file contents after each commit, by commit and path."""
        wanted = [
            (detail.sha, changed.path) for detail in details for changed in detail.files if changed.status != "deleted"
        ]
        contents: dict[tuple[str, str], str] = {}
        for sha, path in wanted[:_FILES_PER_EVENT]:
            content = await self._repositories.read_file(url, token, sha, path, max_bytes=_FILE_BYTES)
            if content is not None:
                contents[sha, path] = content.decode(errors="replace")
        return contents


def _with_detail(commit: Any, details: dict[str, CommitDetail], contents: dict[tuple[str, str], str]) -> Any:
    sha = commit.get("sha") if isinstance(commit, dict) else None
    detail = details.get(sha) if isinstance(sha, str) else None
    if detail is None:
        return commit
    files = [
        {
            "path": changed.path,
            "status": changed.status,
            "oldPath": changed.old_path,
            "blobSha": changed.blob,
            "content": contents.get((detail.sha, changed.path)),
        }
        for changed in detail.files
    ]
    return {**commit, "message": commit.get("message") or detail.message, "diff": detail.diff, "files": files}
