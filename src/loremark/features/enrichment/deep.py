"""Deep enrichment: what a digest only names, read from the repository itself."""

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

_COMMITS_AN_EVENT = 50
_FILES_AN_EVENT = 20
_FILE_BYTES = 64 * 1024
_DIFF_BYTES = 32 * 1024


class DeepReader:
    """Reads the diffs and files of commits. A repository that cannot be read is no reason to stop: it is noted."""

    def __init__(self, repositories: Repositories, sealer: Sealer) -> None:
        self._repositories = repositories
        self._sealer = sealer

    async def read(self, project: Row, events: Sequence[RawEvent], progress: Progress) -> list[RawEvent]:
        """The events, digests among them with the diffs and contents they lack."""
        return [
            await self._read(project, event, progress) if event.event == "git_digest" else event for event in events
        ]

    async def _read(self, project: Row, event: RawEvent, progress: Progress) -> RawEvent:
        commits = event.payload.get("commits")
        if not isinstance(commits, list):
            return event
        named = [commit for commit in commits if isinstance(commit, dict) and isinstance(commit.get("sha"), str)]
        lacking = [commit["sha"] for commit in named if not commit.get("diff")][:_COMMITS_AN_EVENT]
        if not lacking:
            return event
        url, sealed = project["repo_url"], project["repo_token_sealed"]
        token = self._sealer.open(sealed, token_context(project["id"])) if sealed else None
        try:
            details = await self._repositories.commits(url, token, lacking, max_diff_bytes=_DIFF_BYTES)
            contents = await self._contents(url, token, details)
        except RepositoryFailed as failure:
            progress.warn(f"The repository could not be read: {failure}")
            return event
        by_sha = {detail.sha: detail for detail in details}
        deeper = [_with_detail(commit, by_sha, contents) for commit in commits]
        return dataclasses.replace(event, payload={**event.payload, "commits": deeper})

    async def _contents(
        self, url: str, token: str | None, details: Sequence[CommitDetail]
    ) -> dict[tuple[str, str], str]:
        """The files of the commits as they were after them, by commit and path."""
        wanted = [
            (detail.sha, changed.path) for detail in details for changed in detail.files if changed.status != "deleted"
        ]
        contents: dict[tuple[str, str], str] = {}
        for sha, path in wanted[:_FILES_AN_EVENT]:
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
