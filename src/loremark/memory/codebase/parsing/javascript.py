"""Parses JavaScript and TypeScript modules: imports, definitions and exports."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing import (
    comments,
    javascript_jobs,
    javascript_models,
    javascript_pages,
    javascript_programs,
    javascript_routes,
    javascript_servers,
    javascript_tables,
)
from loremark.memory.codebase.parsing.collector import Collector, naming_style
from loremark.memory.codebase.parsing.javascript_calls import JavaScriptNodes, arguments, find, members, unwrapped
from loremark.memory.codebase.parsing.literals import plain, words
from loremark.memory.codebase.parsing.syntax import child_at, text

_MAX_STATEMENTS = 20_000
_FUNCTIONS = words("arrow_function function_expression function generator_function")
_DECLARATIONS = {
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "function_signature": "function",
    "class_declaration": "class",
    "abstract_class_declaration": "class",
    "class": "class",
    "interface_declaration": "type",
    "type_alias_declaration": "type",
    "enum_declaration": "type",
}
_MAY_CALL = re.compile(
    rb"require|import\(|\.(?:get|post|put|patch|delete|all|route|use|listen|command|define|model|init|schedule|process|"
    rb"createTable|mount|render|serve|register|on|basePath)\(|Schema|Table\(|createServer|createRoot|createApp|"
    rb"bootstrap|Worker\(|Cron|Factory|hydrate|new Vue|createFunction|defineCommand|mount\(|scheduleJob|serve\("
)
# Searched one by one, which is much faster than more alternatives in one expression.
_WORDS = tuple(
    word.encode()
    for word in words(
        "parentPort self.addEventListener DOMContentLoaded 'load' \"load\" setInterval( Server( createYoga process.on "
        "commander yargs parseArgs meow cac( Application.start Alpine.start document).ready InertiaApp angular.module "
        "consume( eachMessage Router({ router({ throng .method( .handle( .once( addMethod( addHandler( "
        "registerMethod( registerHandler( registerCommand( registerOperation( registerRpc( registerTool( "
        "registerMessageHandler( addMessageHandler( Job( workerpool expose( registerPromiseWorker"
    )
)


def read(root: Node, into: Collector) -> None:
    """Collects all facts of a module."""
    into.doc = comments.of_comments(comments.leading_comments(root, frozenset(("comment", "html_comment"))))
    exported: set[str] = set()
    classes: list[tuple[Node, list[Node]]] = []
    _outline(root, into, exported, classes)
    source = root.text or b""
    found = JavaScriptNodes(classes=classes)
    if _MAY_CALL.search(source) is not None or any(word in source for word in _WORDS):
        found = find(root, frozenset(), classes)
        _required(found, into)
    packages = frozenset(each.target for each in into.imports)
    found = JavaScriptNodes(found.calls, found.made, classes, packages)
    javascript_pages.read(root, exported, found, into)
    javascript_routes.read(found, into)
    javascript_programs.read(root, source, found, into)
    javascript_servers.read(source, found, into)
    javascript_jobs.read(source, found, into)
    javascript_tables.read(root, found, into)
    javascript_models.read(found, into)


def _outline(root: Node, into: Collector, exported: set[str], classes: list[tuple[Node, list[Node]]]) -> None:
    stack = [(child, False, list[Node]()) for child in reversed(root.named_children[:_MAX_STATEMENTS])]
    decorators: list[Node] = []
    for _ in range(_MAX_STATEMENTS):
        if not stack:
            return
        node, is_exported, given = stack.pop()
        kind = node.type
        if kind == "decorator":
            decorators.append(node)
            continue
        if kind == "import_statement":
            _import(node, into)
        elif kind == "export_statement":
            _export(node, into, exported)
            own = [child for child in node.named_children[:20] if child.type == "decorator"]
            inner = node.child_by_field_name("declaration") or node.child_by_field_name("value")
            if inner is not None:
                stack.append((inner, True, decorators + own))
        elif kind in _DECLARATIONS:
            _declared(node, into, exported if is_exported else set())
            if "class" in kind:
                own = [child for child in node.named_children[:20] if child.type == "decorator"]
                classes.append((node, decorators + given + own))
                _methods(node, into)
        elif kind in ("lexical_declaration", "variable_declaration"):
            _variables(node, is_exported, into, exported if is_exported else set())
        elif kind in ("ambient_declaration", "internal_module", "module", "statement_block"):
            inner = node.child_by_field_name("body") if "module" in kind else None
            children = [inner] if inner is not None else node.named_children
            stack.extend((child, is_exported, list[Node]()) for child in reversed(children))
        elif kind == "expression_statement":
            _expression(node, into, exported, stack)
        decorators = []


def _expression(node: Node, into: Collector, exported: set[str], stack: list[tuple[Node, bool, list[Node]]]) -> None:
    """``exports.name = …``, ``module.exports = …`` and namespaces."""
    inner = child_at(node)
    if inner is None:
        return
    if inner.type == "internal_module":
        stack.append((inner, False, []))
    elif inner.type == "assignment_expression":
        left = text(inner.child_by_field_name("left"))
        right = inner.child_by_field_name("right")
        if left.startswith(("exports.", "module.exports.")) and right is not None:
            name = left.rpartition(".")[2]
            exported.add(name)
            if right.type in _FUNCTIONS:
                into.symbol(name, "function", node)
        elif left == "module.exports":
            exported.add("default")
            if right is not None and right.type == "class":
                stack.append((right, True, []))


def _declared(node: Node, into: Collector, exported: set[str]) -> None:
    name = text(node.child_by_field_name("name"))
    kind = _DECLARATIONS[node.type]
    exported.add(name)
    if kind == "function":
        into.symbol(name, "function", node)
    elif kind == "class":
        into.symbol(name, "class", node)
    else:
        into.symbol(name, "type", node)


def _methods(node: Node, into: Collector) -> None:
    for member, _ in members(node):
        name = text(member.child_by_field_name("name") or member.child_by_field_name("property")).lstrip("#")
        value = member.child_by_field_name("value")
        is_method = member.type in ("method_definition", "abstract_method_signature")
        if (is_method and name != "constructor") or (value is not None and value.type in _FUNCTIONS):
            into.symbol(name, "method", member)


def _variables(node: Node, is_exported: bool, into: Collector, exported: set[str]) -> None:
    is_constant = text(node, 8).startswith("const")
    for declarator in node.named_children[:100]:
        target = declarator.child_by_field_name("name")
        if declarator.type != "variable_declarator" or target is None or target.type != "identifier":
            continue
        name = text(target)
        exported.add(name)
        value = unwrapped(declarator.child_by_field_name("value"))
        if value is not None and (value.type in _FUNCTIONS or _wraps_function(value)):
            into.symbol(name, "function", declarator)
        elif value is not None and value.type == "class":
            into.symbol(name, "class", declarator)
        elif is_constant and (is_exported or naming_style(name) == "upper"):
            into.symbol(name, "constant", declarator)


def _wraps_function(value: Node) -> bool:
    """``memo(() => …)``, ``forwardRef(function …)``."""
    return value.type == "call_expression" and any(each.type in _FUNCTIONS for each in arguments(value)[:2])


def _import(node: Node, into: Collector) -> None:
    source = node.child_by_field_name("source")
    names: list[str] = []
    for clause in node.named_children[:4]:
        if clause.type == "import_require_clause":
            source = clause.child_by_field_name("source")
        for part in clause.named_children[:4] if clause.type in ("import_clause", "import_require_clause") else ():
            if part.type == "identifier":
                names.append("default")
            elif part.type == "namespace_import":
                names.append("*")
            elif part.type == "named_imports":
                names.extend(text(each.child_by_field_name("name")) for each in part.named_children[:40])
    into.imported(plain(source) or "", node, tuple(name for name in names if name))


def _export(node: Node, into: Collector, exported: set[str]) -> None:
    source = node.child_by_field_name("source")
    names: list[str] = []
    for clause in node.named_children[:4]:
        if clause.type == "export_clause":
            for each in clause.named_children[:100]:
                names.append(text(each.child_by_field_name("name")))
                exported.add(text(each.child_by_field_name("alias")) or names[-1])
    if source is not None:
        into.imported(plain(source) or "", node, tuple(names) or ("*",))
    elif any(child.type == "default" for child in node.children[:4]):
        exported.add("default")


def _required(found: JavaScriptNodes, into: Collector) -> None:
    """``require()`` and ``import()``; names are those destructured in place."""
    for owner, name, call in found.calls:
        if owner or name not in ("require", "import"):
            continue
        target = plain(arguments(call)[0]) if arguments(call) else None
        if target and "${" not in target:
            holder = call.parent
            taken = holder.child_by_field_name("name") if holder is not None else None
            names: tuple[str, ...] = ()
            if taken is not None and taken.type == "object_pattern":
                names = tuple(text(each.child_by_field_name("key") or each) for each in taken.named_children[:40])
            into.imported(target, call, names)
