"""One change to a JSON file: applied to its text, or taken back from it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from loremark.agents import jsonc, jsonc_edit
from loremark.agents.changes import Element, Member, Trace
from loremark.agents.jsonc import Item, Node, NotJson
from loremark.agents.refusal import Refused

_OUR_COMMAND = re.compile(r"(?:^|[\s/\\\"'])loremark(?:\.exe)?[\"']*\s+hook(?:\s|$)")
_COMMAND_FIELDS = ("command", "bash", "powershell")


def root_of(text: str) -> Node:
    try:
        root = jsonc.parse(text)
    except NotJson as error:
        raise Refused(f"it is not valid JSON ({error})") from None
    if root.kind != "object":
        raise Refused("it does not hold a JSON object")
    return root


def apply(text: str, change: Member | Element) -> tuple[str, Trace]:
    """The text with the change, and what is needed to take it back."""
    if jsonc.is_blank(text):
        newline = jsonc_edit.newline_of(text)
        lead = text if not text or text.endswith("\n") else text + newline
        made, trace = apply(f"{lead}{{}}{newline}", change)
        trace.blank = text
        return made, trace
    root = root_of(text)
    wanted = change.path[:-1] if isinstance(change, Member) else change.path
    container, depth = _descend(root, wanted, "object" if isinstance(change, Member) else "array")
    if depth < len(wanted):
        return _insert_nested(text, container, change, wanted, depth)
    if isinstance(change, Member):
        return _apply_member(text, container, change)
    return _apply_element(text, container, change)


def _descend(root: Node, path: tuple[str, ...], last: str) -> tuple[Node, int]:
    """The deepest container of the path that is there, and how deep it lies."""
    node = root
    for depth, key in enumerate(path):
        found = node.find(key)
        if found is None:
            return node, depth
        kind = last if depth == len(path) - 1 else "object"
        if found.value.kind != kind:
            raise Refused(f"{'.'.join(path[: depth + 1])!r} in it is not what it should be (an {kind})")
        node = found.value
    return node, len(path)


def _insert_nested(
    text: str, container: Node, change: Member | Element, wanted: tuple[str, ...], depth: int
) -> tuple[str, Trace]:
    value: Any = {change.path[-1]: change.value} if isinstance(change, Member) else [change.value]
    for key in reversed(wanted[depth + 1 :]):
        value = {key: value}
    trace = Trace(created=[list(wanted[:end]) for end in range(depth + 1, len(wanted) + 1)])
    if not container.items:
        trace.interiors = [(list(wanted[:depth]), jsonc_edit.interior(text, container))]
    return jsonc_edit.insert(text, container, value, wanted[depth]), trace


def _apply_member(text: str, container: Node, change: Member) -> tuple[str, Trace]:
    key = change.path[-1]
    found = container.find(key)
    if found is None:
        trace = Trace()
        if not container.items:
            trace.interiors = [(list(change.path[:-1]), jsonc_edit.interior(text, container))]
        return jsonc_edit.insert(text, container, change.value, key), trace
    if change.only_if_absent or found.value.plain() == change.value:
        return text, Trace(previous=text[found.value.start : found.value.end] if change.only_if_absent else None)
    before = text[found.value.start : found.value.end]
    return jsonc_edit.replace(text, found.value, change.value), Trace(previous=before)


def _apply_element(text: str, array: Node, change: Element) -> tuple[str, Trace]:
    ours = _ours(array)
    if not ours:
        trace = Trace()
        if not array.items:
            trace.interiors = [(list(change.path), jsonc_edit.interior(text, array))]
        return jsonc_edit.insert(text, array, change.value), trace
    holder, kept = ours[0]
    value = change.value if holder is array else _inner(change.value)
    for other, item in reversed(ours[1:]):  # from the end, so that the places before stay right
        text = jsonc_edit.remove(text, other, item)
    if kept.value.plain() != value:
        text = jsonc_edit.replace(text, kept.value, value)
    return text, Trace()


def _inner(value: Any) -> Any:
    hooks = value.get("hooks") if isinstance(value, dict) else None
    return hooks[0] if isinstance(hooks, list) and hooks else value


def _ours(array: Node) -> list[tuple[Node, Item]]:
    """Our hooks in the array; where somebody put one into a group of theirs, the hook and not the group."""
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
    """Whether a hook entry runs ``loremark hook``, from wherever it is installed."""
    if not isinstance(value, dict):
        return False
    told = (value.get(name) for name in _COMMAND_FIELDS)
    return any(isinstance(command, str) and _OUR_COMMAND.search(command) for command in told)


def _is_our_server(value: Any, wanted: Any) -> bool:
    """Whether an entry among the servers is one we write, from wherever ``loremark`` is installed."""
    if value == wanted:
        return True
    if not isinstance(value, dict):
        return False
    command, rest = value.get("command"), value.get("args")
    words = command if isinstance(command, list) else [command, *(rest if isinstance(rest, list) else [])]
    return (
        len(words) > 1 and words[1] == "mcp" and re.split(r"[/\\\\]", str(words[0]))[-1] in ("loremark", "loremark.exe")
    )


def revert(text: str, change: Member | Element, trace: Trace | None) -> str:
    """The text without what is ours; what we replaced comes back."""
    root = root_of(text)
    path = change.path[:-1] if isinstance(change, Member) else change.path
    try:
        container, depth = _descend(root, path, "object" if isinstance(change, Member) else "array")
    except Refused:
        return text  # somebody made something else of it: nothing of ours is in there
    if depth < len(path):
        return text
    if isinstance(change, Element):
        for holder, item in reversed(_ours(container)):
            text = jsonc_edit.remove(text, holder, item)
        return text
    found = container.find(change.path[-1])
    if found is None or (change.only_if_absent and (trace is None or trace.previous is not None)):
        return text
    if trace is None and not _is_our_server(found.value.plain(), change.value):
        return text
    if trace is not None and trace.previous is not None:
        return jsonc_edit.restore(text, found.value, trace.previous)
    return jsonc_edit.remove(text, container, found)


def tidy(text: str, created: Iterable[list[str]], interiors: Iterable[tuple[list[str], str]]) -> str:
    """Without the containers we made and that hold nothing now; emptied ones look as they did."""
    raw = {tuple(path): inside for path, inside in interiors}
    made = {tuple(path) for path in created}
    for path in sorted(made | set(raw), key=len, reverse=True):
        parent, item, node = _at(root_of(text), path)
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
