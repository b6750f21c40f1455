"""Decisions as MADR files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loremark.exchange.headings import sections
from loremark.exchange.markdown import Item
from loremark.exchange.notes import slug

_STATUS = {"approved": "accepted", "draft": "proposed", "deprecated": "deprecated"}


def records(items: Iterable[Item]) -> Iterator[tuple[str, str]]:
    """Names and texts, oldest first as their order tells; the same items give the same files."""
    decisions = [item for item in items if item["type"] == "decision"]
    for number, item in enumerate(sorted(decisions, key=_order), start=1):
        yield f"{number:04d}-{slug(item['title'])}.md", _record(item)


def _order(item: Item) -> tuple[str, str, str]:
    made = item.get("createdAt") or f"{item.get('createdAtMs', 0):015d}"
    return str(made), item["title"], item["content"]


def _record(item: Item) -> str:
    title = " ".join(item["title"].split())
    lines = ["---", f"status: {_STATUS[item['status']]}", "---", "", f"# {title}", ""]
    content = item["content"].strip()
    known = {part.title.lower() for part in sections(content)}
    if any(head.startswith("decision") for head in known):  # it was such a record once
        return "\n".join([*lines, content, ""])
    quotes = [" ".join(quote["quote"].split()) for quote in item["evidence"]]
    lines += ["## Context and Problem Statement", "", *(f"> {quote}" for quote in quotes[:5] or ["Not told."]), ""]
    lines += ["## Decision Outcome", "", content, ""]
    if item["files"]:
        lines += ["## More Information", "", *(f"* `{path}`" for path in item["files"]), ""]
    return "\n".join(lines)
