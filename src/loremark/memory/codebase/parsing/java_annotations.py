"""Reads Java annotations and their arguments."""

from __future__ import annotations

from tree_sitter import Node

from loremark.memory.codebase.parsing.literals import last_part, plain
from loremark.memory.codebase.parsing.syntax import child_at, text


def _holder(node: Node) -> Node | None:
    first = child_at(node)
    return first if first is not None and first.type == "modifiers" else None


def annotated(node: Node) -> dict[str, Node]:
    """Annotations by simple name."""
    holder = _holder(node)
    return {
        last_part(text(child.child_by_field_name("name"))): child
        for child in (holder.named_children[:40] if holder is not None else ())
        if child.type in ("annotation", "marker_annotation")
    }


def modifiers(node: Node) -> set[str]:
    """Modifiers such as ``public`` and ``static``."""
    holder = _holder(node)
    return {child.type for child in holder.children[:40] if not child.is_named} if holder is not None else set()


def values(annotation: Node | None, *keys: str) -> list[Node]:
    """The arguments for these keys, with lists flattened; a value without a key matches any."""
    given = annotation.child_by_field_name("arguments") if annotation is not None else None
    found: list[Node] = []
    for child in given.named_children[:20] if given is not None else ():
        value: Node | None = child
        if child.type == "element_value_pair":
            value = child.child_by_field_name("value") if text(child.child_by_field_name("key")) in keys else None
        elif "value" not in keys:
            value = None
        if value is not None:
            is_list = value.type == "element_value_array_initializer"
            found.extend(value.named_children[:20] if is_list else [value])
    return found


def strings(annotation: Node | None, *keys: str) -> list[str]:
    return [value for value in map(plain, values(annotation, *keys)) if value is not None]
