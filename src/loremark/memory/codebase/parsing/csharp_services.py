"""Finds C# servers, background services and class-based routes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from loremark.memory.codebase.parsing import route_paths, syntax
from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.literals import stem, words
from loremark.memory.codebase.parsing.text_search import around, in_code, name_around

_CLASSES = words("class_declaration record_declaration struct_declaration")
_METHODS = frozenset(("method_declaration",))
_CALLS = frozenset(("invocation_expression",))
_SERVERS = re.compile(
    rb"\bnew\s{1,9}(?P<made>TcpListener|HttpListener|WebSocketServer|NamedPipeServerStream|ServerBootstrap)\s{0,9}\("
    rb"|\b(?P<mcp>AddMcpServer)\s{0,9}\("
)
_SERVER_NAMES = {
    b"TcpListener": "TCP server",
    b"HttpListener": "HTTP server",
    b"WebSocketServer": "WebSocket server",
    b"NamedPipeServerStream": "pipe server",
    b"ServerBootstrap": "DotNetty server",
    b"AddMcpServer": "MCP server",
}
# A listener alone may just probe for a free port.
_ACCEPTS = re.compile(
    rb"\.\s{0,20}(?:Accept\w{0,20}|BeginAccept\w{0,20}|GetContext\w{0,5}|BeginGetContext|WaitForConnection\w{0,5}|Bind\w{0,5}|Start)"
    rb"\s{0,9}\("
)
_LISTENS = re.compile(rb"\.\s{0,20}(?P<listen>Listen)\s{0,9}\(\s{0,9}\w{0,40}\s{0,9}\)")
_CONSUMERS = re.compile(
    rb"\bnew\s{1,9}(?:Async)?EventingBasicConsumer\s{0,9}\(|\bnew\s{1,9}ConsumerBuilder\s{0,9}<|\bCreate(?:Session)?Processor\s{0,9}\("
    rb"|\bnew\s{1,9}(?:PeriodicTimer|EventProcessorClient)\s{0,9}\(|\bTaskCreationOptions\s{0,9}\.\s{0,9}LongRunning\b"
)
_CONSUMER_SIGNS = (b"BasicConsumer", b"ConsumerBuilder", b"Processor", b"PeriodicTimer", b"LongRunning")
_QUARTZ = re.compile(rb"\b(?:ScheduleJob|AddJob)\s{0,9}<\s{0,9}(?P<kind>[\w.]{2,100})\s{0,9}>")
_TIMER = re.compile(rb"\bnew\s{1,9}(?:System\.(?:Threading|Timers)\.)?Timer\s{0,9}\(")
_TIMED = re.compile(r"(?:Scheduler|ScheduleManager|Worker|Thread|TaskRunner|TaskManager|JobRunner|Poller|Daemon)$")
_HOSTED = re.compile(
    rb"\bAddHostedService\s{0,9}<\s{0,9}(?P<kind>[\w.]{1,100})|\bAdd(?:Singleton|Transient)\s{0,9}<\s{0,9}IHostedService\s{0,9}"
    rb"(?:,\s{0,9}(?P<named>[\w.]{1,100})|>\s{0,9}\((?P<given>[^;\n]{1,200}))"
)
_MIN_HOSTED = 2
_PATTERN_ROUTES = re.compile(
    rb"\b(?P<call>MapControllerRoute|MapAreaControllerRoute|MapDynamicControllerRoute|MapRoute|MapAreaRoute|MapHttpRoute)\b"
)
_PATTERN_NAMES = words("pattern url template routeTemplate")
# The position of the pattern argument; otherwise it is the second, after the route name.
_PATTERN_PLACES = {"MapDynamicControllerRoute": 0, "MapAreaControllerRoute": 2, "MapAreaRoute": 2}
_STRING = re.compile(r'([@$]{0,2})"([^"\n]{0,200})"$')
_SERVED = re.compile(r"(?:^|\.)(\w{1,80})\.\1Base$")
_FUNCTIONS = frozenset(("Function", "FunctionName"))
_TRIGGER = re.compile(rb"\[\s{0,9}(\w{1,40})Trigger\b(?:\s{0,9}\(([^\]\n]{0,300}))?")
_HTTP_VERB = re.compile(rb"\"(get|post|put|patch|delete|head)\"", re.IGNORECASE)
_ROUTE_OPTION = re.compile(rb"\bRoute\s{0,9}=\s{0,9}\"([^\"\n]{0,200})\"")


def read_services(root: Node, into: Collector) -> None:
    source = root.text or b""
    may_listen = b"Listener" in source or b"Server" in source or b".Listen(" in source
    if may_listen and (_ACCEPTS.search(source) or b"AddMcpServer" in source):
        _read_servers(root, source, into)
    if any(sign in source for sign in _CONSUMER_SIGNS):
        _read_workers(in_code(_CONSUMERS, root), into)
    if b"Timer(" in source:
        _read_workers(in_code(_TIMER, root), into, _TIMED)
    if b"HostedService" in source:
        _read_hosted(root, into)
    if b"Quartz" in source:
        for node, match in in_code(_QUARTZ, root):
            into.entry("job", match["kind"].decode().rpartition(".")[2], node)
    if b"Route" in source:
        for node, _ in in_code(_PATTERN_ROUTES, root):
            _read_pattern(node, into)


def _read_servers(root: Node, source: bytes, into: Collector) -> None:
    found = [(node, match["made"] or match["mcp"]) for node, match in in_code(_SERVERS, root)]
    if not found and b"System.Net.Sockets" in source:
        found = [(node, b"TcpListener") for node, _ in in_code(_LISTENS, root)]
    if found and not into.has_entry("server"):
        into.entry("server", _SERVER_NAMES[found[0][1]], found[0][0])


def _read_workers(
    found: Iterator[tuple[Node, re.Match[bytes]]], into: Collector, needed: re.Pattern[str] | None = None
) -> None:
    """One job per class, unless the class is already listed."""
    for node, _ in found:
        if _is_made_for_others(node):
            continue
        name = name_around(node, _CLASSES, stem(into.path))
        is_told = into.has_entry("job", name)
        if not is_told and (needed is None or needed.search(name)):
            into.entry("job", name, node)


def _read_hosted(root: Node, into: Collector) -> None:
    """The place where several background services are registered; a single one is found by itself."""
    found: dict[bytes, Node] = {}
    for node, match in in_code(_HOSTED, root):
        found.setdefault(match["kind"] or match["named"] or match["given"], node)
    if len(found) >= _MIN_HOSTED:
        first = next(iter(found.values()))
        into.entry_once("job", name_around(first, _CLASSES, stem(into.path)), first)


def _is_made_for_others(node: Node) -> bool:
    """Whether it is a declaration, or a method that returns a service for others to run."""
    method = around(node, _METHODS)
    is_declared = node.parent is not None and node.parent.type == "method_declaration"
    return is_declared or (method is not None and syntax.text(method.child_by_field_name("name")).startswith("Create"))


def _read_pattern(node: Node, into: Collector) -> None:
    """``MapControllerRoute("name", "{controller}/{action}")``."""
    call = around(node, _CALLS)
    given = call.child_by_field_name("arguments") if call is not None else None
    arguments = given.named_children[:9] if given is not None else []
    place = _PATTERN_PLACES.get(syntax.text(node), 1)
    for index, argument in enumerate(arguments):
        label = argument.child_by_field_name("name")
        is_pattern = syntax.text(label) in _PATTERN_NAMES if label is not None else index == place
        string = _STRING.match(syntax.text(argument.named_children[-1], 300)) if is_pattern else None
        if string is not None:
            path = string[2].replace("{{", "{").replace("}}", "}") if "$" in string[1] else string[2]
            route_paths.add(into, [], route_paths.joined(path), node)


def read_class(node: Node, name: str, bases: list[str], into: Collector) -> None:
    """Classifies a class by its base class."""
    if "DynamicRouteValueTransformer" in bases:
        into.entry("route", name, node)
    elif "Hub" in bases and not name.endswith("Base") and any("SignalR" in each.target for each in into.imports):
        into.entry("route", f"HUB {name}", node)
    elif "ServiceBase" in bases and any(each.target == "System.ServiceProcess" for each in into.imports):
        into.entry("server", name, node)
    clause = next((child for child in node.named_children if child.type == "base_list"), None)
    for child in clause.named_children[:3] if clause is not None else ():
        served = _SERVED.search(syntax.text(child))
        if served is not None:
            into.entry("route", f"gRPC {served.group(1)}", node)


def read_function(member: Node, attribute: str, value: str | None, into: Collector) -> None:
    """An Azure function, triggered by a request, timer or message."""
    if attribute not in _FUNCTIONS:
        return
    parameters = member.child_by_field_name("parameters")
    trigger = _TRIGGER.search(parameters.text or b"") if parameters is not None else None
    name = value or syntax.text(member.child_by_field_name("name"))
    if trigger is not None and trigger[1] == b"Http":
        path = _ROUTE_OPTION.search(trigger[2] or b"")
        verbs = [verb.decode() for verb in _HTTP_VERB.findall(trigger[2] or b"")]
        route_paths.add(into, verbs, route_paths.joined("api", path[1].decode() if path else name), member)
    elif trigger is not None:
        into.entry("job", name, member)
