"""Finds JavaScript handler tables: message handlers, RPC methods, Nest modules."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.javascript_calls import (
    JavaScriptNodes,
    arguments,
    called,
    decorator,
    first_string,
    pairs,
    unwrapped,
)
from loremark.memory.codebase.parsing.literals import plain, words
from loremark.memory.codebase.parsing.route_paths import add, joined
from loremark.memory.codebase.parsing.syntax import child_at, text, walk
from loremark.memory.codebase.parsing.test_detection import is_test
from loremark.memory.codebase.parsing.text_search import around, in_code

_TABLES = re.compile(
    r"(?:(?:message|request|command|rpc|packet|operation|socket|server|api|method|job|task)_?)?"
    r"(?:handlers|commands|rpc_?methods|dispatchers|operations)",
    re.IGNORECASE,
)
_REGISTERING = words(
    "method addMethod registerMethod handle registerHandler addHandler registerOperation "
    "onRequest registerMessageHandler addMessageHandler registerRpc registerCommand"
)
_RUNNABLE = words(
    "arrow_function function_expression function identifier member_expression call_expression method_definition "
    "generator_function new_expression"
)
_FEWEST = 4
_MAX = 100
_FEWEST_CONTROLLERS = 4
_FEWEST_MOUNTED = 3
_MOUNTED = re.compile(r"(?i:rout(?:er|es|ers|e)|controller|endpoints?|api)(?:\(\))?")
_LISTS = frozenset(("array", "spread_element", "parenthesized_expression", "ternary_expression"))
_PROCEDURES = frozenset(("query", "mutation", "subscription"))
_TAG = re.compile(rb"<\w{0,30}Route\s")
_TAGS = words("jsx_opening_element jsx_self_closing_element")
_OBJECTS = frozenset(("object",))
_SHOWN_BY = words("element component Component render children lazy loadComponent loadChildren components resolver")
_PATH_KEY = re.compile(rb"\bpath:\s{0,40}[\x22'`]")
_REGISTERED_APP = re.compile(rb"\b(?:registerRootComponent|AppRegistry\.registerComponent)\(")
_APP_PACKAGES = ("expo", "react-native", "expo/build/launch/registerRootComponent")
_EXPO_LAYOUT = re.compile(r"(?:^|.*/)app/_layout\.[jt]sx?")
_FEWEST_ADDRESSES = 6
_FEWEST_TOLD = 8
_NO_TABLES = (".tsx", ".jsx", ".vue", ".svelte")


def read(root: Node, found: JavaScriptNodes, into: Collector) -> None:
    """Finds modules and mounted routers, then handlers registered by name."""
    if found.uses("@nestjs/common"):
        _modules(root, found, into)
    _mounted(found, into)
    _procedures(found, into)
    _of_meteor(found, into)
    if not is_test(into.path):
        _of_browser(root, found, into)
    if into.path.endswith(_NO_TABLES):
        return
    _registered(found, into)
    _written(root, into)


def _of_browser(root: Node, found: JavaScriptNodes, into: Collector) -> None:
    """The routes of a browser router, and the root of a mobile application."""
    source = root.text or b""
    tied = [*_tags(root)] if b"Route" in source and b"path=" in source else []
    if b"path:" in source and any(word.encode() in source for word in _SHOWN_BY):
        tied += _addresses(root)
    if len(tied) >= _FEWEST_ADDRESSES:
        for path, node in tied[:_MAX]:
            into.entry("page", path, node)
    if found.uses("expo-router") and _EXPO_LAYOUT.fullmatch(into.path):
        into.entry_once("main", "mobile app", root)
    if found.uses(*_APP_PACKAGES):
        for node, _ in in_code(_REGISTERED_APP, root):
            into.entry_once("main", "mobile app", node)


def _tags(root: Node) -> Iterator[tuple[str, Node]]:
    """``<Route path="/users" element={<Users />} />``."""
    for inside, _ in in_code(_TAG, root):
        tag = inside if inside.type in _TAGS else around(inside, _TAGS)
        given = (
            {text(child_at(each)): child_at(each, 1) for each in tag.named_children[1:20]} if tag is not None else {}
        )
        path = plain(given.get("path"))
        if tag is not None and path and (tag.type == "jsx_opening_element" or not _SHOWN_BY.isdisjoint(given)):
            yield joined(path), tag


def _addresses(root: Node) -> Iterator[tuple[str, Node]]:
    """``{ path: "/users", component: Users }``, whatever the router is called."""
    for inside, _ in in_code(_PATH_KEY, root):
        holder = around(inside, _OBJECTS)
        given = dict(pairs(holder))
        path = plain(given.get("path"))
        if holder is not None and path is not None and not _SHOWN_BY.isdisjoint(given):
            yield joined(path), holder


def _of_meteor(found: JavaScriptNodes, into: Collector) -> None:
    """``Meteor.methods({ … })`` and ``Meteor.publish("name", …)``: what clients can call and subscribe to."""
    for owner, name, call in found.calls:
        if owner == "Meteor" and name == "methods" and arguments(call):
            for key, value in list(pairs(arguments(call)[0]))[:_MAX]:
                into.entry("route", key, value)
        elif owner == "Meteor" and name == "publish" and first_string(call):
            into.entry("route", first_string(call) or "", call)


def _modules(root: Node, found: JavaScriptNodes, into: Collector) -> None:
    """``@Module({ controllers: [...] })``: where controllers are registered."""
    for _, decorators in found.classes:
        for each in decorators:
            name, call = decorator(each)
            given = arguments(call)[:1] if call is not None and name == "Module" else []
            options = _object(root, given[0]) if given else None
            controllers = _listed(dict(pairs(options)).get("controllers"))
            if len(controllers) >= _FEWEST_CONTROLLERS:
                for one in controllers[:_MAX]:
                    into.entry("route", text(one), one)


def _listed(array: Node | None) -> list[Node]:
    """The names in a list, including conditional ones: ``...(isWorker ? [] : [A, B])``."""
    if array is None:
        return []
    return [
        node
        for node in walk(array, lambda node: node.type in _LISTS)
        if node.type == "identifier" and node.parent is not None and node.parent.type == "array"
    ]


def _object(root: Node, given: Node) -> Node | None:
    """An object, or the object that a variable of this file holds."""
    if given.type != "identifier":
        return given
    name = text(given)
    for child in root.named_children[:2_000]:
        declaration = child.child_by_field_name("declaration") if child.type == "export_statement" else child
        for each in declaration.named_children[:20] if declaration is not None else ():
            if each.type == "variable_declarator" and text(each.child_by_field_name("name")) == name:
                return unwrapped(each.child_by_field_name("value"))
    return None


def _mounted(found: JavaScriptNodes, into: Collector) -> None:
    """``app.use("/users", usersRouter)``, if there are several."""
    mounted: list[tuple[str, Node]] = []
    for _, name, call in found.calls:
        given = arguments(call) if name == "use" else []
        path = plain(given[0]) if len(given) > 1 else None
        if path is not None and path.startswith("/") and _MOUNTED.search(text(given[-1]).rpartition("/")[2][-30:]):
            mounted.append((path, call))
    if len(mounted) >= _FEWEST_MOUNTED:
        for path, call in mounted:
            add(into, [], path, call)


def _procedures(found: JavaScriptNodes, into: Collector) -> None:
    """tRPC: ``router({ byId: procedure.query(…) })``."""
    is_known = any(package.startswith("@trpc/server") for package in found.packages)
    for _, name, call in found.calls:
        if name == "createTRPCRouter" or (name == "router" and is_known):
            for key, value in pairs(arguments(call)[0]) if arguments(call) else ():
                if value.type == "call_expression" and called(value)[1] in _PROCEDURES:
                    into.entry("route", f"{called(value)[1]} {key}", value)


def _registered(found: JavaScriptNodes, into: Collector) -> None:
    """``rpc.method("budget/load", load)``, if there are many; Electron's ``ipcMain.handle`` always."""
    by_owner: defaultdict[tuple[str, str], list[tuple[str, Node]]] = defaultdict(list)
    for owner, name, call in found.calls:
        is_desktop = (owner == "ipcMain" and name in ("handle", "on")) or (owner == "ipcRenderer" and name == "on")
        is_desktop = is_desktop or (name == "registerCommand" and found.uses("vscode"))
        if name not in _REGISTERING and not is_desktop:
            continue
        given = arguments(call)
        # The first argument may be the owner of the registration.
        key = first_string(call) or (plain(given[1]) if len(given) > 2 else None)
        if key and len(given) > 1 and given[-1].type in _RUNNABLE:
            by_owner[owner, name].append((key, call))
    for (owner, _), calls in by_owner.items():
        # A component listens only to the few messages it displays.
        fewest = _FEWEST_TOLD if owner == "ipcRenderer" else _FEWEST
        if len(calls) >= fewest or owner == "ipcMain":
            for key, call in calls[:_MAX]:
                into.entry("route", key, call)


def _written(root: Node, into: Collector) -> None:
    """``const handlers = { load: load, … }`` and ``handlers["load"] = …`` of this file."""
    set_one_by_one: defaultdict[str, list[tuple[str, Node]]] = defaultdict(list)
    for child in root.named_children[:2_000]:
        statement = (child.child_by_field_name("declaration") if child.type == "export_statement" else child) or child
        if statement.type in ("lexical_declaration", "variable_declaration"):
            for each in statement.named_children[:20]:
                _object_table(each, into)
        elif statement.type == "expression_statement":
            name, key = _set(child_at(statement))
            if name and key:
                set_one_by_one[name].append((key, statement))
    for entries in set_one_by_one.values():
        if len(entries) >= _FEWEST:
            for key, statement in entries[:_MAX]:
                into.entry("route", key, statement)


def _object_table(declarator: Node, into: Collector) -> None:
    if declarator.type != "variable_declarator" or not _TABLES.fullmatch(text(declarator.child_by_field_name("name"))):
        return
    table = unwrapped(declarator.child_by_field_name("value"))
    tied = [(key, value) for key, value in pairs(table) if value.type in _RUNNABLE]
    if table is not None and table.type == "object" and len(tied) >= _FEWEST:
        for key, value in tied[:_MAX]:
            into.entry("route", key, value)


def _set(node: Node | None) -> tuple[str, str]:
    """The table and the name of ``handlers["load"] = async function …``."""
    left = node.child_by_field_name("left") if node is not None and node.type == "assignment_expression" else None
    right = node.child_by_field_name("right") if node is not None else None
    if left is None or left.type != "subscript_expression" or right is None or right.type not in _RUNNABLE:
        return "", ""
    name = text(left.child_by_field_name("object"))
    return (name, plain(left.child_by_field_name("index")) or "") if _TABLES.fullmatch(name) else ("", "")
