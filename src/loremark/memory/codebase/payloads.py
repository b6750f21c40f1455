"""Event payloads of a scan, made on the server or on a developer's machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from loremark.base import limits
from loremark.memory.codebase.records import FileFacts, Finding, Node

_TITLE_CHARS = 200
_CONTENT_CHARS = 2_000
_FINDING_FILES = 50
_MAX_FINDINGS = 100
_SYMBOLS_UP_TO = 1_000
_SYMBOLS_A_FILE = 5


def scan_payload(
    *,
    name: str,
    commit: str | None,
    files: Mapping[str, FileFacts],
    hashes: Mapping[str, str],
    deleted: Sequence[str],
    findings: Sequence[Finding],
) -> dict[str, Any]:
    """The payload of a ``scan_result``: findings and file hashes, which reveal stale memories."""
    languages: Counter[str] = Counter()
    for facts in files.values():
        if facts.language is not None:
            languages[facts.language] += facts.lines
    with_symbols = len(files) <= _SYMBOLS_UP_TO
    return {
        "root": ".",
        "name": name,
        "commitSha": commit,
        "languages": dict(languages.most_common()),
        "files": [_file(path, files[path], hashes.get(path), with_symbols) for path in sorted(files)],
        "deleted": list(deleted)[: limits.SCAN_FILES],
        "findings": [_finding(finding) for finding in findings[:_MAX_FINDINGS]],
    }


def _file(path: str, facts: FileFacts, hashed: str | None, with_symbols: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"path": path, "language": facts.language, "lines": facts.lines}
    if hashed is not None:
        row["hash"] = hashed
    if with_symbols and facts.symbols:
        row["symbols"] = [symbol.name for symbol in facts.symbols[:_SYMBOLS_A_FILE]]
    return row


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "layer": finding.layer,
        "title": finding.title[:_TITLE_CHARS],
        "content": finding.content[:_CONTENT_CHARS],
        "importance": finding.importance,
        "files": list(finding.files[:_FINDING_FILES]),
        "tags": list(finding.tags),
    }


def populate_nodes(nodes: Sequence[Node]) -> list[dict[str, Any]]:
    """The context tree in the format of the populate endpoint."""
    return [
        {
            "schemaKey": node.schema_key,
            "name": node.name[: limits.CONTEXT_NAME_CHARS],
            "description": node.description[: limits.DESCRIPTION_CHARS],
            "content": node.content[: limits.CONTENT_CHARS],
            "contextType": "reference",
            "tier": node.tier,
        }
        for node in nodes[: limits.POPULATE_NODES]
    ]
