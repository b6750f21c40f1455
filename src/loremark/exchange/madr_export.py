"""Export decisions as MADR files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loremark.exchange.headings import sections
from loremark.exchange.markdown_export import Item
from loremark.exchange.notes import slug

_STATUS = {"approved": "accepted", "draft": "proposed", "deprecated": "deprecated"}


def decision_files(items: Iterable[Item]) -> Iterator[tuple[str, str]]:
    """Yield file names and texts, numbered oldest first. The same items always give the same files."""
    decisions = [item for item in items if item["type"] == "decision"]
    for number, item in enumerate(sorted(decisions, key=_order), start=1):
        yield f"{number:04d}-{slug(item['title'])}.md", _record(item)


def _order(item: Item) -> tuple[str, str, str]:
    created = item.get("createdAt") or f"{item.get('createdAtMs', 0):015d}"
    return str(created), item["title"], item["content"]


def _record(item: Item) -> str:
    title = " ".join(item["title"].split())
    lines = ["---", f"status: {_STATUS[item['status']]}", "---", "", f"# {title}", ""]
    content = item["content"].strip()
    titles = {part.title.lower() for part in sections(content)}
    if any(each.startswith("decision") for each in titles):  # it was imported from a decision record
        return "\n".join([*lines, content, ""])
    quotes = [" ".join(quote["quote"].split()) for quote in item["evidence"]]
    lines += ["## Context and Problem Statement", "", *(f"> {quote}" for quote in quotes[:5] or ["Not recorded."]), ""]
    lines += ["## Decision Outcome", "", content, ""]
    if item["files"]:
        lines += ["## More Information", "", *(f"* `{path}`" for path in item["files"]), ""]
    return "\n".join(lines)
