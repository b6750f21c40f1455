"""A minimal, size-limited XML parser for manifests, without entities or document types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

_MAX_CHARS = 2_000_000
_MAX_DEPTH = 40
_MAX_ELEMENTS = 40_000
_REFUSED = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_TOKEN = re.compile(
    r"<!--(?:[^-]|-(?!->))*+(?:-->)?+|<!\[CDATA\[((?:[^\]]|\](?!\]>))*+)(?:\]\]>)?+|<\?[^>]*+>?+"
    r"|<(/?)([A-Za-z_][\w:.-]{0,120})((?:[^<>\"'/]|/(?!>)|\"[^\"<]*+\"|'[^'<]*+')*+)(/?)>"
)
_ATTRIBUTE = re.compile(r"([A-Za-z_][\w:.-]{0,80})\s{0,8}=\s{0,8}(?:\"([^\"]{0,1000})\"|'([^']{0,1000})')")


@dataclass(slots=True)
class Element:
    """An element with its children and text."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element] = field(default_factory=list)
    text: str = ""
    line: int = 1

    def all(self, tag: str) -> Iterator[Element]:
        """The children with this name."""
        return (child for child in self.children if child.tag == tag)

    def within(self, *tags: str) -> Iterator[Element]:
        """The elements at a path of names."""
        level = [self]
        for tag in tags:
            level = [child for element in level for child in element.all(tag)]
        return iter(level)

    def word(self, *tags: str) -> str:
        """The text of the first element at a path of names; empty if there is none."""
        found = next(self.within(*tags), None)
        return found.text.strip() if found is not None else ""


def xml_of(content: str) -> Element:
    """The root element; empty if the document is rejected or invalid."""
    empty = Element("")
    if len(content) > _MAX_CHARS or _REFUSED.search(content):
        return empty
    open_elements = [empty]
    too_deep = at = line = count = 0
    for found in _TOKEN.finditer(content):
        _say(open_elements[-1], content[at : found.start()])
        line += content.count("\n", at, found.start())
        cdata, closing, tag, attributes, is_empty = found.groups()
        line_here, line = line + 1, line + content.count("\n", found.start(), found.end())
        at = found.end()
        if cdata is not None:
            _say(open_elements[-1], cdata)
        elif tag and closing:
            if too_deep:
                too_deep -= 1
            elif len(open_elements) > 1:
                open_elements.pop()
        elif tag:
            count += 1
            if count > _MAX_ELEMENTS:
                break
            if len(open_elements) > _MAX_DEPTH:
                too_deep += not is_empty
                continue
            element = Element(tag.rpartition(":")[2], _attributes(attributes), line=line_here)
            open_elements[-1].children.append(element)
            if not is_empty:
                open_elements.append(element)
    return empty.children[0] if empty.children else empty


def _say(element: Element, text: str) -> None:
    if len(element.text) < 1_000 and text.strip():
        element.text += unescape(text[:1_000])


def _attributes(text: str) -> dict[str, str]:
    found = _ATTRIBUTE.findall(text[:4_000]) if text else []
    return {name.rpartition(":")[2]: unescape(double or single) for name, double, single in found[:40]}
