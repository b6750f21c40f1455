"""Parses Rust modules: uses and definitions."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing import comments, rust_models, rust_programs
from loremark.memory.codebase.parsing.collector import MAX_FACTS_PER_KIND, Collector
from loremark.memory.codebase.parsing.literals import words
from loremark.memory.codebase.parsing.rust_items import Item
from loremark.memory.codebase.parsing.syntax import text
from loremark.memory.codebase.parsing.test_detection import is_test

_TYPES = words("struct_item enum_item trait_item type_item union_item")
_MAIN = re.compile(r"(?:^|/)src/(?:main\.rs|bin/[^/]{1,100}(?:\.rs|/main\.rs))$")
# ``#[tokio::main]``, ``#[actix_web::main]``, and the entry point of bare-metal programs.
_RUNTIME = re.compile(r"#\[(?:\w{1,40}::)?(?:main|entry)\b")
_SAMPLES = re.compile(r"(?:^|/)(?:examples?|samples?|benches|docs?|book)/")
_MAX_ITEMS = 20_000
_PARTS = re.compile(r"[{},]|[^{},]{1,300}")


def read(root: Node, into: Collector) -> None:
    """Collects all facts of a file, leaving out inline tests."""
    into.doc = _doc(root)
    items: list[Item] = []
    tests: list[Node] = []
    attributes: list[str] = []
    stack = list(reversed(root.named_children[:_MAX_ITEMS]))
    for _ in range(_MAX_ITEMS):
        if not stack:
            break
        node = stack.pop()
        kind = node.type
        if kind == "attribute_item":
            attributes.append(text(node, 2_000))
            continue
        if kind in ("line_comment", "block_comment"):
            continue
        if not any("cfg(test)" in attribute for attribute in attributes):
            items.append(Item(node, tuple(attributes)))
            stack.extend(reversed(_item(node, into)))
            if kind == "function_item" and _is_main(node, attributes, into.path):
                into.entry("main", "main", node)
        else:
            tests.append(node)
        attributes = []
    rust_programs.read(root, items, tests, into)
    rust_models.read(items, into)


def _doc(root: Node) -> str:
    found = comments.leading_comments(root, frozenset(("line_comment", "block_comment")))
    return comments.of_comments(node for node in found if text(node, 4).startswith(("//!", "/*!")))


def _is_main(node: Node, attributes: list[str], path: str) -> bool:
    """Cargo's default locations, a ``main.rs`` elsewhere, or a main with a runtime attribute anywhere."""
    if text(node.child_by_field_name("name")) != "main":
        return False
    if _MAIN.search(path) is not None:
        return True
    is_in_place = path.rpartition("/")[2] == "main.rs" or any(_RUNTIME.match(each) for each in attributes)
    is_top = node.parent is not None and node.parent.type == "source_file"
    return is_top and is_in_place and not is_test(path) and _SAMPLES.search(path) is None


def _item(node: Node, into: Collector) -> list[Node]:
    """Adds an item; returns the nested items to visit."""
    kind = node.type
    name = text(node.child_by_field_name("name"))
    if kind == "function_item":
        into.symbol(name, "function", node)
    elif kind in _TYPES:
        into.symbol(name, "type", node)
    elif kind in ("const_item", "static_item"):
        into.symbol(name, "constant", node)
    elif kind == "macro_definition":
        into.symbol(name, "function", node)
    elif kind == "use_declaration":
        _use(node, into)
    elif kind == "extern_crate_declaration":
        into.imported(name, node)
    elif kind == "impl_item":
        body = node.child_by_field_name("body")
        for member in body.named_children if body is not None else ():
            if member.type == "function_item":
                into.symbol(text(member.child_by_field_name("name")), "method", member)
    elif kind == "mod_item":
        body = node.child_by_field_name("body")
        if body is None:
            # A separate file below this one.
            into.imported(f"self::{name}", node)
        else:
            return body.named_children
    return []


def _use(node: Node, into: Collector) -> None:
    """``a::{b, c::{d, e}}`` imports from ``a`` and from ``a::c``."""
    written = "".join(text(node.child_by_field_name("argument"), 4_000).split("\n"))
    taken: dict[str, list[str]] = {}
    prefixes = [""]
    waiting = ""
    for part in _PARTS.findall(written)[: MAX_FACTS_PER_KIND * 4]:
        if part == "{":
            prefixes.append(prefixes[-1] + waiting)
            waiting = ""
        elif part in ("}", ","):
            _taken(prefixes[-1], waiting, taken)
            waiting = ""
            if part == "}" and len(prefixes) > 1:
                prefixes.pop()
        else:
            waiting = part.strip().partition(" as ")[0].strip()
    _taken(prefixes[-1], waiting, taken)
    for module, names in taken.items():
        into.imported(module, node, tuple(names))


def _taken(prefix: str, path: str, taken: dict[str, list[str]]) -> None:
    if path:
        module, _, name = f"{prefix}{path}".rpartition("::")
        if module:
            taken.setdefault(module[:300], []).append(name[:120])
        else:
            taken.setdefault(name[:300], [])
