"""Apply one change to the text of a JSON file, or revert it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from loremark.agents import jsonc, jsonc_edit
from loremark.agents.changes import Element, Member, UndoInfo
from loremark.agents.errors import EditError
from loremark.agents.jsonc import Item, JsonError, Node

_OUR_COMMAND = re.compile(r"(?:^|[\s/\\\"'])loremark(?:\.exe)?[\"']*\s+hook(?:\s|$)")
_COMMAND_FIELDS = ("command", "bash", "powershell")


def parse_object(text: str) -> Node:
    try:
        root = jsonc.parse(text)
    except JsonError as error:
        raise EditError(f"it is not valid JSON ({error})") from None
    if root.kind != "object":
        raise EditError("it is not a JSON object")
    return root


def apply(text: str, change: Member | Element) -> tuple[str, UndoInfo]:
    """Return the text with the change, and how to undo it."""
    if jsonc.is_blank(text):
        newline = jsonc_edit.newline_style(text)
        lead = text if not text or text.endswith("\n") else text + newline
        made, undo = apply(f"{lead}{{}}{newline}", change)
        undo.blank = text
        return made, undo
    root = parse_object(text)
    parents = change.path[:-1] if isinstance(change, Member) else change.path
    container, depth = _descend(root, parents, "object" if isinstance(change, Member) else "array")
    if depth < len(parents):
        return _insert_nested(text, container, change, parents, depth)
    if isinstance(change, Member):
        return _apply_member(text, container, change)
    return _apply_element(text, container, change)


def _descend(root: Node, path: tuple[str, ...], last: str) -> tuple[Node, int]:
    """Return the deepest existing container on the path, and its depth."""
    node = root
    for depth, key in enumerate(path):
        found = node.find(key)
        if found is None:
            return node, depth
        kind = last if depth == len(path) - 1 else "object"
        if found.value.kind != kind:
            raise EditError(f"its {'.'.join(path[: depth + 1])!r} value is not an {kind}")
        node = found.value
    return node, len(path)


def _insert_nested(
    text: str, container: Node, change: Member | Element, parents: tuple[str, ...], depth: int
) -> tuple[str, UndoInfo]:
    value: Any = {change.path[-1]: change.value} if isinstance(change, Member) else [change.value]
    for key in reversed(parents[depth + 1 :]):
        value = {key: value}
    undo = UndoInfo(created=[list(parents[:end]) for end in range(depth + 1, len(parents) + 1)])
    if not container.items:
        undo.interiors = [(list(parents[:depth]), jsonc_edit.interior(text, container))]
    return jsonc_edit.insert(text, container, value, parents[depth]), undo


def _apply_member(text: str, container: Node, change: Member) -> tuple[str, UndoInfo]:
    key = change.path[-1]
    found = container.find(key)
    if found is None:
        undo = UndoInfo()
        if not container.items:
            undo.interiors = [(list(change.path[:-1]), jsonc_edit.interior(text, container))]
        return jsonc_edit.insert(text, container, change.value, key), undo
    if change.only_if_absent or found.value.plain() == change.value:
        return text, UndoInfo(previous=text[found.value.start : found.value.end] if change.only_if_absent else None)
    before = text[found.value.start : found.value.end]
    return jsonc_edit.replace(text, found.value, change.value), UndoInfo(previous=before)


def _apply_element(text: str, array: Node, change: Element) -> tuple[str, UndoInfo]:
    ours = _ours(array)
    if not ours:
        undo = UndoInfo()
        if not array.items:
            undo.interiors = [(list(change.path), jsonc_edit.interior(text, array))]
        return jsonc_edit.insert(text, array, change.value), undo
    holder, kept = ours[0]
    value = change.value if holder is array else _inner(change.value)
    for other, item in reversed(ours[1:]):  # from the end, so earlier positions stay valid
        text = jsonc_edit.remove(text, other, item)
    if kept.value.plain() != value:
        text = jsonc_edit.replace(text, kept.value, value)
    return text, UndoInfo()


def _inner(value: Any) -> Any:
    hooks = value.get("hooks") if isinstance(value, dict) else None
    return hooks[0] if isinstance(hooks, list) and hooks else value


def _ours(array: Node) -> list[tuple[Node, Item]]:
    """Find our hooks in the array. In a group with other hooks, only ours counts, not the group."""
    found: list[tuple[Node, Item]] = []
    for item in array.items:
        if is_our_hook(item.value.plain()):
            found.append((array, item))
            continue
        group = item.value.find("hooks") if item.value.kind == "object" else None
        if group is None or group.value.kind != "array":
            continue
        inner = [hook for hook in group.value.items if is_our_hook(hook.value.plain())]
        if inner and len(inner) == len(group.value.items):
            found.append((array, item))
        else:
            found.extend((group.value, hook) for hook in inner)
    return found


def is_our_hook(value: Any) -> bool:
    """Return whether a hook entry runs ``loremark hook``, at any install path."""
    if not isinstance(value, dict):
        return False
    commands = (value.get(name) for name in _COMMAND_FIELDS)
    return any(isinstance(command, str) and _OUR_COMMAND.search(command) for command in commands)


def _is_our_server(value: Any, expected: Any) -> bool:
    """Return whether a server entry is ours, at any install path."""
    if value == expected:
        return True
    if not isinstance(value, dict):
        return False
    command, rest = value.get("command"), value.get("args")
    words = command if isinstance(command, list) else [command, *(rest if isinstance(rest, list) else [])]
    return (
        len(words) > 1 and words[1] == "mcp" and re.split(r"[/\\\\]", str(words[0]))[-1] in ("loremark", "loremark.exe")
    )


def revert(text: str, change: Member | Element, undo: UndoInfo | None) -> str:
    """Remove our change and restore any value that it replaced."""
    root = parse_object(text)
    path = change.path[:-1] if isinstance(change, Member) else change.path
    try:
        container, depth = _descend(root, path, "object" if isinstance(change, Member) else "array")
    except EditError:
        return text  # the structure was changed: nothing of ours is left
    if depth < len(path):
        return text
    if isinstance(change, Element):
        for holder, item in reversed(_ours(container)):
            text = jsonc_edit.remove(text, holder, item)
        return text
    found = container.find(change.path[-1])
    if found is None or (change.only_if_absent and (undo is None or undo.previous is not None)):
        return text
    if undo is None and not _is_our_server(found.value.plain(), change.value):
        return text
    if undo is not None and undo.previous is not None:
        return jsonc_edit.restore(text, found.value, undo.previous)
    return jsonc_edit.remove(text, container, found)


def tidy(text: str, created: Iterable[list[str]], interiors: Iterable[tuple[list[str], str]]) -> str:
    """Remove empty containers that we created, and restore the whitespace of others."""
    raw = {tuple(path): inside for path, inside in interiors}
    made = {tuple(path) for path in created}
    for path in sorted(made | set(raw), key=len, reverse=True):
        parent, item, node = _at(parse_object(text), path)
        if node is None or node.items:
            continue
        inside = jsonc_edit.interior(text, node)
        if path in made and parent is not None and item is not None and not inside.strip():
            text = jsonc_edit.remove(text, parent, item)
        elif path in raw and "".join(inside.split()) == "".join(raw[path].split()):
            text = jsonc_edit.set_interior(text, node, raw[path])
    return text


def _at(root: Node, path: tuple[str, ...]) -> tuple[Node | None, Item | None, Node | None]:
    parent, item, node = None, None, root
    for key in path:
        found = node.find(key) if node.kind == "object" else None
        if found is None:
            return None, None, None
        parent, item, node = node, found, found.value
    return parent, item, node
