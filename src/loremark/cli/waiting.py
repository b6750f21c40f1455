"""Drafts that wait for a person's word: told of where nothing approved was found, so that nothing seems lost."""

from __future__ import annotations

from typing import Any

from loremark.cli import page
from loremark.client.call import ApiError
from loremark.client.calls.overview import get_health
from loremark.client.calls.search import search
from loremark.client.client import Client

_MOST = 50


def matching(client: Client, project_id: str, text: str, **filters: Any) -> str:
    """What to say of the drafts that such a search would find; empty where it finds none, or cannot be done."""
    try:
        found = client.send(search(project_id, text, status="draft", limit=_MOST, **filters)).results
    except ApiError:
        return ""
    many = f"more than {_MOST - 1} drafts" if len(found) >= _MOST else page.counted(len(found), "draft")
    return f"{many} {'matches' if len(found) == 1 else 'match'}: loremark review" if found else ""


def counting(client: Client, project_id: str) -> str:
    """What to say of all drafts of a project; empty where there are none, or nobody can tell."""
    try:
        return told(client.send(get_health(project_id)).review.drafts)
    except ApiError:
        return ""


def told(drafts: int) -> str:
    """That so many wait, and where; empty for none."""
    return (
        f"{page.counted(drafts, 'draft')} {'waits' if drafts == 1 else 'wait'} for you: loremark review"
        if drafts
        else ""
    )
