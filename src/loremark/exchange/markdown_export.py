"""Export items as basic-memory notes, one Markdown file per item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from loremark.exchange.notes import slug

Item = Mapping[str, Any]
"""An item as returned by the API or in an export."""


def note_files(items: Iterable[Item]) -> Iterator[tuple[str, str]]:
    """Yield file names and texts, in folders by schema key. The same items always give the same files."""
    taken: set[str] = set()
    for item in sorted(items, key=lambda item: (item["schemaKey"], item["title"], item["content"])):
        # Slugs only contain letters, digits and dashes, so no name can leave the folder.
        path = "/".join((*map(slug, item["schemaKey"].split("/")), slug(item["title"])))
        name, number = path, 2
        while name in taken:
            name, number = f"{path}-{number}", number + 1
        taken.add(name)
        yield f"{name}.md", _note(item, name)


def _note(item: Item, permalink: str) -> str:
    fields = {
        "title": item["title"],
        "type": item["type"],
        "permalink": permalink,
        "schemaKey": item["schemaKey"],
        "status": item["status"],
        "confidence": f"{item['confidence']:.4g}",
        "tags": list(item["tags"]),
        "files": list(item["files"]),
    }
    lines = ["---", *(line for name, value in fields.items() for line in _field(name, value)), "---", ""]
    lines += [f"# {_one_line(item['title'])}", "", item["content"].strip(), "", "## Observations"]
    tags = "".join(f" #{slug(tag)}" for tag in item["tags"])
    lines.append(f"- [{item['type']}] {_one_line(item['title'])}{tags}")
    return "\n".join(lines) + "\n"


def _field(name: str, value: str | list[str]) -> list[str]:
    if isinstance(value, list):
        return [f"{name}:", *(f'  - "{_quoted(each)}"' for each in value)] if value else []
    return [f'{name}: "{_quoted(value)}"']


def _quoted(text: str) -> str:
    """Make a text safe inside YAML double quotes, even for readers that don't unescape."""
    return _one_line(text).replace("\\", "/").replace('"', "'")


def _one_line(text: str) -> str:
    return " ".join(text.split())
