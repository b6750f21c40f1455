"""What Loremark remembers as notes of basic-memory: a file an item, which git and people can read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from loremark.exchange.notes import slug

Item = Mapping[str, Any]
"""An item as the interface or an export's line tells it."""


def notes(items: Iterable[Item]) -> Iterator[tuple[str, str]]:
    """Names and texts of files, in folders by schema key; the same items give the same files."""
    taken: set[str] = set()
    for item in sorted(items, key=lambda item: (item["schemaKey"], item["title"], item["content"])):
        # Only letters, digits and dashes: whatever a server tells, no name leads out of the folder.
        place = "/".join((*map(slug, item["schemaKey"].split("/")), slug(item["title"])))
        name, number = place, 2
        while name in taken:
            name, number = f"{place}-{number}", number + 1
        taken.add(name)
        yield f"{name}.md", _note(item, name)


def _note(item: Item, permalink: str) -> str:
    head = {
        "title": item["title"],
        "type": item["type"],
        "permalink": permalink,
        "schemaKey": item["schemaKey"],
        "status": item["status"],
        "confidence": f"{item['confidence']:.4g}",
        "tags": list(item["tags"]),
        "files": list(item["files"]),
    }
    lines = ["---", *(line for name, value in head.items() for line in _field(name, value)), "---", ""]
    lines += [f"# {_one_line(item['title'])}", "", item["content"].strip(), "", "## Observations"]
    tags = "".join(f" #{slug(tag)}" for tag in item["tags"])
    lines.append(f"- [{item['type']}] {_one_line(item['title'])}{tags}")
    return "\n".join(lines) + "\n"


def _field(name: str, value: str | list[str]) -> list[str]:
    if isinstance(value, list):
        return [f"{name}:", *(f'  - "{_quoted(each)}"' for each in value)] if value else []
    return [f'{name}: "{_quoted(value)}"']


def _quoted(text: str) -> str:
    """Inside double quotes of YAML; the simplest readers take the outer ones off and nothing else."""
    return _one_line(text).replace("\\", "/").replace('"', "'")


def _one_line(text: str) -> str:
    return " ".join(text.split())
