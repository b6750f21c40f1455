"""Parses C and C++: declarations, definitions and main functions."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing import c_programs, route_paths, syntax
from loremark.memory.codebase.parsing.collector import MAX_FACTS_PER_KIND, Collector
from loremark.memory.codebase.parsing.literals import words
from loremark.memory.codebase.parsing.opening_comment import opening_sentence
from loremark.memory.codebase.parsing.test_detection import is_test
from loremark.memory.codebase.records import SymbolKind

_TYPES: dict[str, SymbolKind] = {
    "struct_specifier": "class",
    "class_specifier": "class",
    "union_specifier": "type",
    "enum_specifier": "type",
    "alias_declaration": "type",
    "concept_definition": "type",
}
_CONTAINERS = words(
    "translation_unit preproc_if preproc_ifdef preproc_elif preproc_else preproc_elifdef namespace_definition "
    "declaration_list linkage_specification template_declaration export_declaration"
)
# A macro that the parser cannot read may break the rest of the file.
_BROKEN = "ERROR"
_MAINS = words("main wmain WinMain wWinMain _tmain _tWinMain")
_DECLARATORS = words(
    "pointer_declarator reference_declarator parenthesized_declarator array_declarator function_declarator "
    "attributed_declarator init_declarator"
)
_DEFINITION = re.compile(
    rb"^[A-Za-z_][\w \t*]{0,160}?[ \t*](\w{1,100})[ \t]{0,4}\([^;{}()]{0,400}\)[ \t\r\n]{0,8}\{", re.MULTILINE
)
_NO_NAMES = words("if for while switch return else do sizeof")
_ROUTE = re.compile(
    rb"\b(?:CROW_ROUTE\s{0,9}\(\s{0,9}[\w.>-]{1,60}\s{0,9},|ADD_METHOD_TO\s{0,9}\(\s{0,9}[\w:]{1,120}\s{0,9},"
    rb"|Routes::(?P<verb>Get|Post|Put|Delete|Patch)\s{0,9}\(\s{0,9}[\w.>-]{1,60}\s{0,9},"
    rb'|svr\.(?P<call>Get|Post|Put|Delete|Patch)\s{0,9}\()\s{0,20}"(?P<path>[^"\\\n]{1,200})"'
)


def read(root: Node, into: Collector) -> None:
    is_header = into.path.rpartition(".")[2].startswith(("h", "H"))
    into.doc = opening_sentence(root)
    is_of_test = is_test(into.path)
    functions: list[tuple[str, Node]] = []
    tables: list[Node] = []
    for node in syntax.walk(root, lambda node: node.type in _CONTAINERS or node.type == _BROKEN):
        if node.type == "preproc_include":
            into.imported(syntax.text(node.child_by_field_name("path")).strip('<>" '), node)
        elif node.type == "preproc_def":
            if node.child_by_field_name("value") is not None:
                into.symbol(syntax.text(node.child_by_field_name("name")), "constant", node)
        elif node.type == "preproc_function_def":
            into.symbol(syntax.text(node.child_by_field_name("name")), "constant", node)
        elif node.type == "function_definition":
            name = _read_function(node, into, is_header)
            functions.append((name, node))
        elif node.type == "type_definition":
            _read_typedef(node, into)
        elif node.type == "declaration":
            _read_declaration(node, into, is_header)
            tables.append(node)
        elif node.type in _TYPES:
            _read_type(node, into)
    if root.has_error:
        _read_broken(root, into, is_header)
    if not is_of_test:
        _read_routes(root, into)
        if not is_header:
            _read_other_mains(functions, into)
            c_programs.read(root, functions, tables, into)


def _read_function(node: Node, into: Collector, is_header: bool) -> str:
    """Adds a definition; returns its name unless it is a method."""
    name, is_method = _function_name(node.child_by_field_name("declarator"))
    if node.child_by_field_name("type") is None and name.isupper():
        return ""  # a macro used like a definition
    into.symbol(name, "method" if is_method else "function", node)
    if name in _MAINS and not is_method and not is_header and not _is_left_out(node):
        into.entry("main", name, node)
    return "" if is_method else name


def _read_other_mains(functions: list[tuple[str, Node]], into: Collector) -> None:
    """If the file also has a main, that one calls the others."""
    if not into.has_entry("main"):
        for name, node in functions:
            if c_programs.is_other_main(node, name) and not _is_left_out(node):
                into.entry("main", name, node)


def _function_name(declarator: Node | None) -> tuple[str, bool]:
    """The function name of a declarator and whether it belongs to a class; empty for variables."""
    is_function = False
    for _ in range(16):
        if declarator is None or declarator.type not in _DECLARATORS:
            break
        inner = declarator.child_by_field_name("declarator")
        if declarator.type == "function_declarator":
            is_function = inner is not None and inner.type != "parenthesized_declarator"
        elif inner is None and declarator.named_child_count:
            inner = syntax.child_at(declarator, declarator.named_child_count - 1)
        declarator = inner
    if declarator is None or not is_function:
        return "", False
    name = syntax.text(declarator)
    return name.rpartition("::")[2].strip(), declarator.type == "qualified_identifier"


def _read_broken(root: Node, into: Collector, is_header: bool) -> None:
    """Definitions that the parser missed because of conditional braces or macros."""
    known = {symbol.name for symbol in into.symbols}
    for _, match in zip(range(2 * MAX_FACTS_PER_KIND), _DEFINITION.finditer(root.text or b""), strict=False):
        name = match[1].decode()
        at = root.start_byte + match.start(1)
        node = root.descendant_for_byte_range(at, at + 1)
        if node is None or "identifier" not in node.type or name in known or name.isupper() or name in _NO_NAMES:
            continue
        known.add(name)
        into.symbol(name, "function", node)
        if name in _MAINS and not is_header and not _is_left_out(node):
            into.entry("main", name, node)


def _is_left_out(node: Node) -> bool:
    """Whether it is only compiled for a test of its file, or never (``#ifdef SDS_TEST``, ``#if 0``)."""
    below, above = node, node.parent
    for _ in range(12):
        if above is None:
            return False
        if above.type.startswith("preproc_if") and below.type != "preproc_else":
            condition = syntax.text(above.child_by_field_name("name") or above.child_by_field_name("condition"))
            is_of_tests = "TEST" in condition.upper() and not condition.startswith("!")
            if (is_of_tests and syntax.text(above.child(0)) != "#ifndef") or condition == "0":
                return True
        below, above = above, above.parent
    return False


def _read_typedef(node: Node, into: Collector) -> None:
    inner = node.child_by_field_name("type")
    tag = _read_type(inner, into) if inner is not None and inner.type in _TYPES else ""
    for declarator in node.children_by_field_name("declarator")[:20]:
        for part in syntax.walk(declarator, lambda part: part.type in _DECLARATORS):
            if part.type == "type_identifier":
                if syntax.text(part) != tag:
                    into.symbol(syntax.text(part), "type", part)
                break


def _read_declaration(node: Node, into: Collector, is_header: bool) -> None:
    inner = node.child_by_field_name("type")
    if inner is not None and inner.type in _TYPES:
        _read_type(inner, into)
    declarator = node.child_by_field_name("declarator")
    if declarator is None:
        return
    name, is_method = _function_name(declarator)
    if name:
        if is_header:
            into.symbol(name, "method" if is_method else "function", node)
    elif declarator.type == "init_declarator" and any(
        child.type == "type_qualifier" and child.text in (b"const", b"constexpr") for child in node.named_children
    ):
        part = declarator.child_by_field_name("declarator")
        into.symbol(syntax.text(part) if part is not None and part.type == "identifier" else "", "constant", node)


def _read_type(node: Node, into: Collector) -> str:
    """A type defined here, with its methods; forward declarations do not count."""
    body = node.child_by_field_name("body")
    if body is None and node.type not in ("alias_declaration", "concept_definition"):
        return ""
    name = syntax.text(node.child_by_field_name("name")).rpartition("::")[2]
    into.symbol(name, _TYPES[node.type], node)
    if body is not None and node.type != "enum_specifier":
        for member in body.named_children[: 2 * MAX_FACTS_PER_KIND]:
            if member.type in ("field_declaration", "declaration", "function_definition"):
                method, _ = _function_name(member.child_by_field_name("declarator"))
                into.symbol(method if method.lstrip("~") != name else "", "method", member)
                inner = member.child_by_field_name("type")
                if inner is not None and inner.type in _TYPES and inner.child_by_field_name("name") is not None:
                    into.symbol(*_nested(inner), inner)
            elif member.type in _TYPES:
                into.symbol(*_nested(member), member)
    return name


def _nested(node: Node) -> tuple[str, SymbolKind]:
    has_body = node.child_by_field_name("body") is not None or node.type == "alias_declaration"
    return syntax.text(node.child_by_field_name("name")) if has_body else "", _TYPES[node.type]


def _read_routes(root: Node, into: Collector) -> None:
    for match in _ROUTE.finditer(root.text or b""):
        at = root.start_byte + match.start("path")
        node = root.descendant_for_byte_range(at, at + 1)
        if node is not None and node.type.startswith("string"):
            verb = (match["verb"] or match["call"] or b"").decode()
            route_paths.add(into, [verb], match["path"].decode(errors="replace"), node)
