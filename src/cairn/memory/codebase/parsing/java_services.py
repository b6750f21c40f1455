"""Servers that Java code opens, work that goes on in the background, and tables of routes that are calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from cairn.memory.codebase.parsing.collecting import Collector
from cairn.memory.codebase.parsing.finding import around, in_code
from cairn.memory.codebase.parsing.java_annotations import annotated, modifiers
from cairn.memory.codebase.parsing.literals import words
from cairn.memory.codebase.parsing.routing import add, joined
from cairn.memory.codebase.parsing.syntax import text, walk

_CLASSES = words("class_declaration record_declaration enum_declaration")
_GIVING = words("object_creation_expression method_invocation")
# What must be imported, what makes the server then, what it is called.
_SERVERS = (
    ("io.netty.bootstrap.", rb"\bnew\s{1,9}ServerBootstrap\s{0,9}\(", "Netty server"),
    ("com.sun.net.httpserver.", rb"\bHttps?Server\s{0,9}\.\s{0,9}create\s{0,9}\(", "HTTP server"),
    ("org.eclipse.jetty.", rb"\bnew\s{1,9}Server\s{0,9}\(", "Jetty server"),
    ("io.undertow.", rb"\bUndertow\s{0,9}\.\s{0,9}builder\b", "Undertow server"),
    ("org.apache.catalina.startup.", rb"\bnew\s{1,9}Tomcat\s{0,9}\(", "Tomcat server"),
    ("reactor.netty.http.server.", rb"\bHttpServer\s{0,9}\.\s{0,9}create\s{0,9}\(", "HTTP server"),
    ("reactor.netty.tcp.", rb"\bTcpServer\s{0,9}\.\s{0,9}create\s{0,9}\(", "TCP server"),
    ("com.linecorp.armeria.server.", rb"\bServer\s{0,9}\.\s{0,9}builder\s{0,9}\(", "Armeria server"),
    ("io.vertx.", rb"\bcreateHttpServer\s{0,9}\(", "Vert.x HTTP server"),
    ("io.vertx.", rb"\bcreateNetServer\s{0,9}\(", "Vert.x TCP server"),
    ("io.javalin.", rb"\bJavalin\s{0,9}\.\s{0,9}create\s{0,9}\(", "Javalin server"),
    ("io.helidon.", rb"\bWebServer\s{0,9}\.\s{0,9}(?:builder|create)\s{0,9}\(", "Helidon server"),
    ("io.grpc.", rb"\b(?:Netty)?ServerBuilder\s{0,9}\.\s{0,9}for(?:Port|Address)\b", "gRPC server"),
    ("io.grpc.", rb"\bnewServerBuilderForPort\b", "gRPC server"),
    ("org.apache.thrift.server.", rb"\bnew\s{1,9}T\w{0,30}Server\s{0,9}\(", "Thrift server"),
    ("org.eclipse.californium.", rb"\bnew\s{1,9}CoapServer\s{0,9}\(", "CoAP server"),
    ("org.java_websocket.server.", rb"\bextends\s{1,9}WebSocketServer\b", "WebSocket server"),
    ("io.modelcontextprotocol.server.", rb"\bMcpServer\s{0,9}\.\s{0,9}a?sync\b", "MCP server"),
    ("java.rmi.registry.", rb"\bLocateRegistry\s{0,9}\.\s{0,9}createRegistry\b", "RMI server"),
)
_SERVER_CALLS = tuple((package, re.compile(call), name) for package, call, name in _SERVERS)
_SERVER_PACKAGES = tuple({package for package, _, _ in _SERVERS})
# A ServerSocket alone may only look for a free port.
_SOCKET = re.compile(rb"\bnew\s{1,9}ServerSocket\s{0,9}\(|\b(?:Asynchronous)?ServerSocketChannel\s{0,9}\.\s{0,9}open\b")
_GRPC_BASE = re.compile(r"(\w{1,80})Grpc\.\w{1,80}ImplBase\b")
_FUNCTIONAL = re.compile(r"org\.springframework\.web\.(?:reactive\.function\.server|servlet\.function)\.(?!client)")
_FUNCTIONAL_ROUTE = re.compile(rb"\b(GET|POST|PUT|PATCH|DELETE|HEAD)\s{0,9}\(\s{0,99}\"([^\"\n]{0,200})\"")
_SOCKET_ROUTE = re.compile(
    rb"\.\s{0,20}add(?:Handler|Endpoint)\s{0,9}\([^\"()\n;]{0,99}(?:\(\))?[^\"()\n;]{0,9}\"([^\"\n]{1,200})\""
)

_TICKS = re.compile(rb"\bschedule(?:AtFixedRate|WithFixedDelay|Job)\s{0,9}\(")
_TICKERS = ("java.util.concurrent.", "java.util.Timer", "java.util.*", "org.springframework.scheduling.", "org.quartz.")
_JOB_BASES = {
    "org.quartz.": words("Job InterruptableJob StatefulJob QuartzJobBean"),
    "javax.jms.": words("MessageListener"),
}
_JOB_BASES["org.springframework.scheduling.quartz."] = _JOB_BASES["org.quartz."]
_JOB_BASES["jakarta.jms."] = _JOB_BASES["javax.jms."]
_RUNS = re.compile(rb"\bnew\s{1,9}Thread\s{0,9}\(|\bstartVirtualThread\s{0,9}\(|\.\s{0,20}(?:execute|submit)\s{0,9}\(")
# Loops until a flag falls: nothing that ends when its work is done.
_ENDLESS = re.compile(
    rb"\bwhile\s{0,9}\(\s{0,9}(?:true|!?\s{0,9}[\w.]{1,80}|!?\s{0,9}(?:Thread\.currentThread\(\)\.|this\.)?isInterrupted\(\)|"
    rb"!?\s{0,9}\w{1,60}\.get\(\)|!?\s{0,9}is(?:Running|Stopped|Alive|Active)\(\))\s{0,9}\)|\bfor\s{0,9}\(\s{0,9};\s{0,9};\s{0,9}\)"
)
_MOST_BODY = 40_000
_RUNNING = frozenset(("Thread", "Runnable"))
_LIFE_CYCLES = words(
    "InitializingBean SmartLifecycle Lifecycle SmartInitializingSingleton ServletContextListener LifecycleListener"
)
_STARTS = re.compile(rb"\b(\w{1,80})\s{0,9}\.\s{0,9}start(?:All|Async|Up)?\s{0,9}\(")
_NO_STARTS = re.compile(
    rb"watch|timer|span|sample|matcher|m$|stage|process|pb$|tracer|metric|transaction", re.IGNORECASE
)
# Their tickers keep a thing alive that somebody else began.
_NO_WORKERS = re.compile(
    r"Cache|Config|Settings|Metric|Statistic|Client|RateLimit|"
    r"(?:Connection|Connector|Session|Channel|Limiter|Pool|Factory|Utils?|Reporter|Listener|Handler|Context|Transport|"
    r"Stats|Locator|Repository|Store|Queue|Resource|Executor|Template|Processor)$"
)
_METHODS = words("method_declaration constructor_declaration class_declaration")
# A ticker that a program sets up once when it begins; others come and go with a request or a connection.
_AT_START = re.compile(
    r"init|start|run$|afterPropertiesSet|setUp|main$|launch|contextInitialized|on\w{0,40}(?:Start|Ready)"
)
_AT_START_MARKS = words("PostConstruct EventListener Bean")


def read_services(root: Node, into: Collector) -> None:
    targets = [each.target for each in into.imports]
    source = root.text or b""
    may_serve = any(target.startswith(_SERVER_PACKAGES) for target in targets)
    for package, call, name in _SERVER_CALLS if may_serve else ():
        if any(target.startswith(package) for target in targets):
            _server(name, in_code(call, root), into)
    if b"ServerSocket" in source and re.search(rb"\.\s{0,20}accept\s{0,9}\(", source):
        _server("TCP server", in_code(_SOCKET, root), into)
    if b"RouterFunction" in source and any(_FUNCTIONAL.match(target) for target in targets):
        for node, match in in_code(_FUNCTIONAL_ROUTE, root):
            add(into, [match[1].decode()], joined(match[2].decode(errors="replace")), node)
    if b"WebSocketHandlerRegistry" in source or b"StompEndpointRegistry" in source:
        for node, match in in_code(_SOCKET_ROUTE, root):
            add(into, ["WS"], joined(match[1].decode(errors="replace")), node)
    _read_background(root, source, targets, into)


def _server(name: str, found: Iterator[tuple[Node, re.Match[bytes]]], into: Collector) -> None:
    """One a file: the first that is made there."""
    node = next((node for node, _ in found), None)
    if node is not None and not into.tells("server"):
        into.entry("server", name, node)


def _read_background(root: Node, source: bytes, targets: list[str], into: Collector) -> None:
    """One job a class, however many threads it has."""
    told = {entry.name for entry in into.entries if entry.kind == "job"}
    places: list[Node] = []
    if b".schedule" in source and any(target.startswith(_TICKERS) for target in targets):
        places += [node for node, _ in in_code(_TICKS, root) if _is_at_start(node)]
    if (b"while" in source or b"for (;;" in source) and _RUNS.search(source):
        places += [node for node, _ in in_code(_RUNS, root) if _is_given_a_loop(node)]
    for node in places:
        holder = around(node, _CLASSES)
        name = text(holder.child_by_field_name("name")) if holder is not None else ""
        if holder is None or "abstract" in modifiers(holder):
            continue
        if name not in told and not _NO_WORKERS.search(name) and not any(each.name == name for each in into.entries):
            told.add(name)
            into.entry("job", name, node)


def _is_at_start(node: Node) -> bool:
    method = around(node, _METHODS)
    if node.parent is None or node.parent.type != "method_invocation" or method is None:
        return False
    is_marked = not _AT_START_MARKS.isdisjoint(annotated(method))
    is_named_so = _AT_START.match(text(method.child_by_field_name("name"))) is not None
    return method.type == "method_declaration" and (is_marked or is_named_so)


def _is_given_a_loop(node: Node) -> bool:
    """Whether what a thread is given to run goes on until it is told to stop."""
    call = node if node.type in _GIVING else around(node, _GIVING)
    given = call.child_by_field_name("arguments") if call is not None else None
    return given is not None and _ENDLESS.search((given.text or b"")[:_MOST_BODY]) is not None


def read_class(node: Node, name: str, given: dict[str, Node], bases: list[str], into: Collector) -> None:
    """What a class is by what it extends and implements."""
    served = next((match for match in map(_GRPC_BASE.search, bases) if match), None)
    if served is not None:
        into.entry("route", f"gRPC {served.group(1)}", node)
    elif "DubboService" in given:
        into.entry("route", f"RPC {name}", node)
    plain = {base.partition("<")[0].rpartition(".")[2].strip() for base in bases}
    for package, kinds in _JOB_BASES.items():
        if not kinds.isdisjoint(plain) and any(each.target.startswith(package) for each in into.imports):
            into.entry("job", name, node)
            return
    if "abstract" in modifiers(node) or plain.isdisjoint(_RUNNING | _LIFE_CYCLES):
        return
    body = (node.text or b"")[:_MOST_BODY]
    is_loop = not _RUNNING.isdisjoint(plain) and _ENDLESS.search(body) and not _NO_WORKERS.search(name)
    is_bootstrap = not _LIFE_CYCLES.isdisjoint(plain) and any(
        not _NO_STARTS.search(each) for each in _STARTS.findall(body)
    )
    if is_loop or is_bootstrap:
        into.entry("job", name, node)


def bases_of(node: Node) -> list[str]:
    """What a class extends and implements, as it is written."""
    above = node.child_by_field_name("superclass")
    found = [text(above).removeprefix("extends").strip()] if above is not None else []
    interfaces = node.child_by_field_name("interfaces")
    for listed in interfaces.named_children[:1] if interfaces is not None else ():
        found += [text(each) for each in listed.named_children[:20]]
    return found


def dispatched(member: Node, variable: str) -> list[str]:
    """The words that a method tells apart when it is given one: ``switch (name) { case "save": … }``."""
    opening = re.search(rb"\bswitch\s{0,9}\(\s{0,9}" + re.escape(variable.encode()) + rb"\s{0,9}\)", member.text or b"")
    if opening is None:
        return []
    at = member.start_byte + opening.start()
    node = member.descendant_for_byte_range(at, at + 1)
    switch = node.parent if node is not None else None
    found = []
    for label in walk(switch, lambda each: each.type != "block") if switch is not None else ():
        if label.type == "switch_label":
            found += [text(each).strip('"') for each in label.named_children[:9] if each.type == "string_literal"]
    return found
