"""Parses Python modules: imports and definitions."""

from __future__ import annotations

from tree_sitter import Node

from loremark.memory.codebase.parsing import (
    comments,
    python_commands,
    python_jobs,
    python_models,
    python_servers,
    python_tables,
    python_web,
)
from loremark.memory.codebase.parsing.collector import MAX_FACTS_PER_KIND, Collector, naming_style
from loremark.memory.codebase.parsing.literals import stem, words
from loremark.memory.codebase.parsing.python_calls import PythonNodes, find
from loremark.memory.codebase.parsing.syntax import child_at, text

_BLOCKS = words("if_statement try_statement with_statement else_clause elif_clause except_clause finally_clause block")
_TYPES = frozenset(("Protocol", "TypedDict", "NamedTuple", "Enum", "StrEnum", "IntEnum", "Flag"))
_MAX_STATEMENTS = 20_000


def read(root: Node, into: Collector) -> None:
    """Collects all facts of a module."""
    into.doc = _doc(root)
    found = find(root)
    for statement in found.imports:
        _import(statement, into)
    classes = _outline(root, into)
    if into.path.endswith("__main__.py") and all(entry.kind != "main" for entry in into.entries):
        into.entry("main", "main", root)
    packages = frozenset(each.target.partition(".")[0] for each in into.imports)
    seen = PythonNodes(found.imports, found.decorated, found.calls, found.assigned, found.tables, packages)
    python_web.read(seen, into)
    python_commands.read(seen, into)
    python_servers.read(classes, seen, into)
    python_jobs.read(root, classes, seen, into)
    python_tables.read(classes, seen, into)
    python_models.read(classes, seen, into)
    if not into.entries and text(root, 2) == "#!" and b"sys.argv" in (root.text or b""):
        into.entry("cli", stem(into.path), root)


def _doc(root: Node) -> str:
    for index in range(min(root.named_child_count, 12)):
        child = child_at(root, index)
        if child is None or child.type == "comment":
            continue
        if child.type == "expression_statement" and child.named_child_count == 1:
            only = child_at(child)
            if only is not None and only.type == "string":
                return comments.first_sentence(text(only, 2_000).lstrip("rRuU").strip("\"'"))
        break
    return comments.of_comments(comments.leading_comments(root, frozenset(("comment",))))


def _import(statement: Node, into: Collector) -> None:
    names = statement.children_by_field_name("name")
    if statement.type == "import_statement":
        for each in names[:MAX_FACTS_PER_KIND]:
            into.imported(text(_unaliased(each)), statement)
        return
    module = text(statement.child_by_field_name("module_name"))
    taken = tuple(text(_unaliased(each)) for each in names[:MAX_FACTS_PER_KIND])
    is_all = any(child.type == "wildcard_import" for child in statement.named_children[-1:])
    into.imported(module, statement, ("*",) if is_all else taken)


def _unaliased(node: Node) -> Node | None:
    return node.child_by_field_name("name") if node.type == "aliased_import" else node


def _outline(root: Node, into: Collector) -> list[Node]:
    """Adds the definitions of the module and its classes; returns the classes for further analysis."""
    classes: list[Node] = []
    stack = list(reversed(root.named_children[:_MAX_STATEMENTS]))
    for _ in range(_MAX_STATEMENTS):
        if not stack:
            break
        node = stack.pop()
        if node.type == "decorated_definition":
            node = node.child_by_field_name("definition") or node
        if node.type == "function_definition":
            name = text(node.child_by_field_name("name"))
            into.symbol(name, "function", node)
            if name == "lambda_handler" or (name == "handler" and _takes_event(node)):
                into.entry("main", name, node)
        elif node.type == "class_definition":
            classes.append(node)
            _class(node, into)
        elif node.type == "expression_statement":
            _constant(node, into)
        elif node.type == "type_alias_statement":
            into.symbol(text(node.child_by_field_name("left")), "type", node)
        elif node.type == "if_statement" and _is_main(node):
            into.entry("main", "main", node)
        elif node.type in _BLOCKS:
            stack.extend(reversed(node.named_children))
    return classes


def _takes_event(function: Node) -> bool:
    """``def handler(event, context)``: called by a cloud provider for each event."""
    given = function.child_by_field_name("parameters")
    names = [text(child).partition(":")[0] for child in given.named_children[:4]] if given is not None else []
    return names == ["event", "context"]


def _is_main(node: Node) -> bool:
    condition = text(node.child_by_field_name("condition"))
    return "__name__" in condition and "__main__" in condition


def _class(node: Node, into: Collector) -> None:
    bases = text(node.child_by_field_name("superclasses"))
    is_type = any(part.strip("() ").rpartition(".")[2].partition("[")[0] in _TYPES for part in bases.split(","))
    into.symbol(text(node.child_by_field_name("name")), "type" if is_type else "class", node)
    body = node.child_by_field_name("body")
    for child in body.named_children if body is not None else ():
        member = child.child_by_field_name("definition") if child.type == "decorated_definition" else child
        if member is not None and member.type == "function_definition":
            name = text(member.child_by_field_name("name"))
            if not (name.startswith("__") and name.endswith("__")):
                into.symbol(name, "method", member)


def _constant(statement: Node, into: Collector) -> None:
    assignment = child_at(statement)
    if assignment is None or assignment.type != "assignment":
        return
    left = assignment.child_by_field_name("left")
    if left is None or left.type != "identifier":
        return
    name = text(left)
    kind = text(assignment.child_by_field_name("type"), 20)
    if kind.endswith("TypeAlias"):
        into.symbol(name, "type", left)
    elif naming_style(name) == "upper" or kind.startswith(("Final", "typing.Final")):
        into.symbol(name, "constant", left)
