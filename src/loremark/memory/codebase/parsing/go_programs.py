"""Finds Go servers, routes, commands and jobs."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing import go_servers
from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.literals import plain, words
from loremark.memory.codebase.parsing.route_paths import METHODS, Spans, add, joined
from loremark.memory.codebase.parsing.syntax import child_at, text, walk

_MAY_DECLARE = re.compile(
    rb"Handle|ListenAndServe|\.(?:GET|POST|PUT|PATCH|DELETE|Get|Post|Put|Patch|Delete|Any|All|Method|Route|Group|Run|"
    rb"Start|Listen|Serve)\(|Command\{|App\{|AddFunc|AddJob|NewServer|\.Do\(|Mount\(|http\.Server\{|"
    rb"\.(?:Upgrade|UpgradeHTTP|NewMCPServer|NewServerConn|Register\w{1,80}Server|ListenTCP|ListenUnix|ListenAddr|"
    rb"NewConsumer|NewConsumerGroup|NewWorkerPool|NewScheduler|QueueSubscribe|Consume|ReceiveMessage|XReadGroup|MustAdd|"
    rb"Cron|Schedule)\(|(?:websocket|melody|service|worker)\.(?:New|Accept)\(|rpc\.|kafka\.New|river\.New|"
    rb"\.Add\(\x22|map\[\w{1,40}\][\w.]{1,60}[({]|ServerInterface\b|Server\{|http\.Method\w{3,7},"
)
_NOT_ENTERED = words(
    "import_declaration const_declaration type_declaration comment parameter_list binary_expression identifier "
    "interpreted_string_literal raw_string_literal selector_expression field_identifier type_identifier"
)
_UPPER = frozenset(method.upper() for method in METHODS) | {"Any", "ANY", "CONNECT", "TRACE"}
_TITLE = frozenset(method.title() for method in METHODS) | {"All"}
_TITLE_ROUTERS = ("chi", "fiber", "iris", "macaron", "web", "flamego", "pat", "martini", "bunrouter", "fuego")
_CLIENTS = frozenset(("http", "client", "resty", "req", "httpClient", "c.client", "url", "header"))
_COMMANDS = {"cobra.Command": "Use", "cli.Command": "Name", "cli.App": "Name", "ffcli.Command": "Name"}
_SERVERS = {
    "ListenAndServe": "HTTP server",
    "ListenAndServeTLS": "HTTP server",
    "Serve": "HTTP server",
    "Run": "Gin server",
    "Start": "Echo server",
    "Listen": "Fiber server",
    "NewServer": "gRPC server",
}


class _Reader:
    """Walks the calls of a file once."""

    def __init__(self, root: Node, into: Collector) -> None:
        self._into = into
        self._packages = frozenset(part for each in into.imports for part in each.target.split("/"))
        self._makes = go_servers.made_here(self._packages)
        self._prefixes: dict[str, str] = {}
        self._spans = Spans()
        self._methods: dict[int, list[str]] = {}
        self._calls: list[tuple[str, str, Node, list[Node]]] = []
        for node in walk(root, lambda node: node.type not in _NOT_ENTERED or node.type == "selector_expression"):
            if node.type == "call_expression" and len(self._calls) < 5_000:
                self._call(node)
            elif node.type == "composite_literal":
                self._literal(node)
            elif node.type in ("short_var_declaration", "assignment_statement"):
                self._variable(node)
            elif node.type == "var_declaration":
                go_servers.read_interface_assertion(node, into)

    def read(self) -> None:
        has_server = self._into.has_entry("server")
        for owner, name, call, given in self._calls:
            if name in _SERVERS and not has_server and self._is_server(owner, name):
                self._into.entry("server", self._title(owner, name), call)
                has_server = True
            elif name in ("AddFunc", "AddJob") and "cron" in self._packages:
                self._into.entry("job", f"cron {plain(given[0])}" if given and plain(given[0]) else "", call)
            elif schedule := go_servers.schedule_in(name, given):
                self._into.entry("job", f"cron {schedule}", call)
            elif service := go_servers.service_in(name, given):
                self._into.entry("route", f"gRPC {service}", call)
            elif made := self._makes.get(f"{owner}.{name}") or self._makes.get(name):
                self._into.entry_once(*made, call)
            else:
                self._route(owner, name, call, given)

    def _call(self, call: Node) -> None:
        function = call.child_by_field_name("function")
        if function is not None and function.type == "identifier":
            self._registering(call, text(function))
        if function is None or function.type != "selector_expression":
            return
        operand = function.child_by_field_name("operand")
        owner = text(operand) if operand is not None and operand.type != "call_expression" else ""
        name = text(function.child_by_field_name("field"))
        given = call.child_by_field_name("arguments")
        nodes = [each for each in given.named_children[:12] if each.type != "comment"] if given is not None else []
        self._calls.append((owner, name, call, nodes))
        if name == "Methods" and operand is not None and operand.type == "call_expression":
            self._methods[operand.start_byte] = [method for method in map(plain, nodes) if method]
        elif name in ("Route", "Group", "Mount") and nodes and plain(nodes[0]) and len(nodes) > 1:
            self._spans.add(nodes[-1], plain(nodes[0]) or "")

    def _registering(self, call: Node, name: str) -> None:
        """``register(http.MethodGet, "/path", handler)`` with the project's own function."""
        given = call.child_by_field_name("arguments")
        if given is not None and given.named_child_count > 2 and text(given, 13).startswith("(http.Method"):
            self._calls.append(("", name, call, [each for each in given.named_children[:4] if each.type != "comment"]))

    def _variable(self, node: Node) -> None:
        """``api := r.Group("/api")`` and ``s := r.PathPrefix("/x").Subrouter()``."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        value = child_at(right) if right is not None else None
        for _ in range(3):
            if value is None or value.type != "call_expression":
                return
            function = value.child_by_field_name("function")
            given = value.child_by_field_name("arguments")
            if function is None or function.type != "selector_expression":
                return
            owner = function.child_by_field_name("operand")
            if text(function.child_by_field_name("field")) in ("Group", "PathPrefix", "Party"):
                first = child_at(given) if given is not None else None
                outer = self._prefixes.get(text(owner), "")
                self._prefixes[text(left)] = joined(outer, plain(first) or "") if plain(first) else outer
                return
            value = owner

    def _literal(self, node: Node) -> None:
        made = text(node.child_by_field_name("type"))
        if made == "http.Server" and not self._into.has_entry("server"):
            self._into.entry("server", "HTTP server", node)
        elif made in self._makes:
            self._into.entry_once(*self._makes[made], node)
        go_servers.read_table(node, self._into)
        key = _COMMANDS.get(made)
        body = node.child_by_field_name("body")
        if key is None or body is None:
            return
        for element in body.named_children[:30]:
            name, value = child_at(element), child_at(element, 1)
            literal = child_at(value) if value is not None else None
            if element.type == "keyed_element" and text(name) == key and plain(literal):
                self._into.entry("cli", (plain(literal) or "").split(" ")[0], node)

    def _is_server(self, owner: str, name: str) -> bool:
        if name == "Run":
            return "gin" in self._packages and owner not in ("t", "b", "exec", "cmd")
        if name == "Start":
            return "echo" in self._packages and owner in ("e", "echo", "app", "server")
        if name == "Listen":
            return owner == "net" or "fiber" in self._packages
        if name == "NewServer":
            return owner == "grpc"
        return name != "Serve" or owner == "http"

    def _title(self, owner: str, name: str) -> str:
        return "network listener" if name == "Listen" and owner == "net" else _SERVERS[name]

    def _route(self, owner: str, name: str, call: Node, given: list[Node]) -> None:
        if name in ("Method", "MethodFunc", "Handle", "Add") and len(given) > 2 and plain(given[0]):
            method, path = plain(given[0]), plain(given[1])
        elif len(given) > 2 and text(given[0], 12).startswith("http.Method") and "Request" not in name:
            method, path = text(given[0]).removeprefix("http.Method").upper(), plain(given[1])
        elif name in ("HandleFunc", "Handle") and len(given) > 1:
            method, path = "", plain(given[0])
        elif name in _UPPER and len(given) > 1:
            method, path = ("" if name.lower() == "any" else name), plain(given[0])
        elif name in _TITLE and len(given) > 1 and not self._packages.isdisjoint(_TITLE_ROUTERS):
            method, path = ("" if name == "All" else name), plain(given[0])
        else:
            return
        if path is None or (owner in _CLIENTS and name not in ("HandleFunc", "Handle")):
            return
        verb, space, rest = path.partition(" ")
        if space and verb.isupper():
            method, path = verb, rest.strip()
        if ":" in path and not path.startswith("/") and "asynq" in self._packages:
            self._into.entry("job", path, call)
        elif path.startswith("/") or (not path and (owner in self._prefixes or self._spans.prefix(call))):
            methods = self._methods.get(call.start_byte) or [method or ""]
            add(self._into, methods, joined(self._spans.prefix(call), self._prefixes.get(owner, ""), path), call)


def read(root: Node, into: Collector) -> None:
    """Servers, routes, commands and jobs in source order."""
    if _MAY_DECLARE.search(root.text or b"") is not None:
        _Reader(root, into).read()
