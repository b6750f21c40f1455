"""Parses Go files: imports and definitions."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing import comments, go_jobs, go_models, go_programs, go_servers
from loremark.memory.codebase.parsing.collector import MAX_FACTS_PER_KIND, Collector
from loremark.memory.codebase.parsing.literals import plain
from loremark.memory.codebase.parsing.syntax import child_at, text, walk
from loremark.memory.codebase.parsing.test_detection import is_test
from loremark.memory.codebase.records import Import

_MAJOR = re.compile(r"v\d{1,3}")
_MAX_TAKEN = 40


def read(root: Node, into: Collector) -> None:
    """Collects all facts of a file."""
    into.doc = comments.of_comments(comments.leading_comments(root, frozenset(("comment",))))
    package = ""
    structs: list[Node] = []
    methods: list[Node] = []
    for node in root.named_children:
        kind = node.type
        if kind == "package_clause":
            package = text(child_at(node))
        elif kind == "import_declaration":
            _imports(node, into)
        elif kind == "function_declaration":
            name = text(node.child_by_field_name("name"))
            into.symbol(name, "function", node)
            # A package's ``Main`` is for programs built on top of it.
            if (name == "main" and package == "main") or (name == "Main" and not is_test(into.path)):
                into.entry("main", name, node)
        elif kind == "method_declaration":
            methods.append(node)
            into.symbol(text(node.child_by_field_name("name")), "method", node)
        elif kind == "type_declaration":
            for spec in node.named_children[:200]:
                into.symbol(text(spec.child_by_field_name("name")), "type", spec)
                structs.append(spec)
        elif kind == "const_declaration":
            for spec in node.named_children[:400]:
                name = text(spec.child_by_field_name("name"))
                if spec.type == "const_spec" and name != "_":
                    into.symbol(name, "constant", spec)
    if package == "main":
        _used(root, into)
    go_programs.read(root, into)
    if not is_test(into.path):
        go_servers.read_rows(root, into)
        go_jobs.read(root, into)
    go_models.read(structs, methods, into)


def _used(root: Node, into: Collector) -> None:
    """The names a program uses from its imports, which show what it calls into."""
    taken: dict[str, dict[str, None]] = {}
    named: dict[str, str] = {}
    for node in walk(root):
        if node.type == "import_spec" and len(named) < MAX_FACTS_PER_KIND:
            named[plain(node.child_by_field_name("path")) or ""] = text(node.child_by_field_name("name"))
        elif node.type == "selector_expression" and len(taken) < MAX_FACTS_PER_KIND:
            operand, name = node.child_by_field_name("operand"), text(node.child_by_field_name("field"))
            if operand is not None and operand.type == "identifier" and name[:1].isupper():
                taken.setdefault(text(operand), {})[name] = None
    for place, found in enumerate(into.imports):
        parts = [part for part in found.target.split("/") if not _MAJOR.fullmatch(part)]
        names = taken.get(named.get(found.target) or (parts[-1] if parts else ""), {})
        into.imports[place] = Import(found.target, found.line, tuple(names)[:_MAX_TAKEN])


def _imports(node: Node, into: Collector) -> None:
    for child in node.named_children[:4]:
        specs = child.named_children if child.type == "import_spec_list" else [child]
        for spec in specs:
            if spec.type == "import_spec":
                into.imported(plain(spec.child_by_field_name("path")) or "", spec)
