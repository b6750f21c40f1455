"""Hints that drafts are waiting for review, shown when nothing approved matches."""

from __future__ import annotations

from typing import Any

from loremark.cli import output
from loremark.client.call import ApiError
from loremark.client.calls.overview import get_health
from loremark.client.calls.search import search
from loremark.client.client import Client

_MAX_DRAFTS = 50


def matching_drafts_hint(client: Client, project_id: str, text: str, **filters: Any) -> str:
    """Hint about drafts that match a search; empty if there are none or the search fails."""
    try:
        found = client.send(search(project_id, text, status="draft", limit=_MAX_DRAFTS, **filters)).results
    except ApiError:
        return ""
    count = f"at least {_MAX_DRAFTS} drafts" if len(found) >= _MAX_DRAFTS else output.pluralize(len(found), "draft")
    return f"{count} {'matches' if len(found) == 1 else 'match'}; run: loremark review" if found else ""


def all_drafts_hint(client: Client, project_id: str) -> str:
    """Hint about all drafts of a project; empty if there are none or the request fails."""
    try:
        return drafts_hint(client.send(get_health(project_id)).review.drafts)
    except ApiError:
        return ""


def drafts_hint(drafts: int) -> str:
    """Hint that this many drafts need review; empty for zero."""
    return f"{output.pluralize(drafts, 'draft')} to review; run: loremark review" if drafts else ""
