"""Read the decision records a commit adds or changes: documents that say what was decided, and what no longer is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from loremark.base.redaction.redactor import redact
from loremark.hook import git
from loremark.hook.gitcommit import Change
from loremark.hook.gitrepository import Repository

MOST_RECORDS = 20
"""Records read for one event."""
_BYTES = 32_768
_RECORD = re.compile(r"(?:^|/)(?:adrs?|decisions|decision[-_]records)/[^/]+\.(?:md|markdown)$", re.IGNORECASE)


def changed_records(repository: Repository, sha: str, change: Change) -> Iterator[dict[str, Any]]:
    """Yield each record as it is after the commit, redacted. Deleted ones say nothing."""
    for file in change.files:
        path = file if isinstance(file, str) else file["path"] if file["status"] != "deleted" else ""
        if not _RECORD.search(path):
            continue
        found = git.run(["cat-file", "blob", f"{sha}:{path}"], gitdir=repository.gitdir, max_bytes=_BYTES)
        if found.code == 0 and not found.is_cut and found.out.strip():
            content = redact(found.out.decode(errors="replace"))[0]
            yield {"path": redact(path)[0], "commit": sha, "content": content}
