"""Finds Java servers, background work and routes registered by calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.java_annotations import annotated, modifiers
from loremark.memory.codebase.parsing.literals import words
from loremark.memory.codebase.parsing.route_paths import add, joined
from loremark.memory.codebase.parsing.syntax import text, walk
from loremark.memory.codebase.parsing.text_search import around, in_code

_CLASSES = words("class_declaration record_declaration enum_declaration")
_GIVING = words("object_creation_expression method_invocation")
# The required import, what creates the server, and its name.
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
# A ServerSocket alone may just probe for a free port.
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
# Initial delay, interval and unit, because pool wrappers have arbitrary names.
_REPEATS = re.compile(rb"\.\s{0,20}schedule\w{0,60}\s{0,9}\(")
_UNIT = re.compile(r"(?:TimeUnit\s{0,9}\.\s{0,9}|ChronoUnit\s{0,9}\.\s{0,9})?[A-Z]{4,12}S|\w{0,40}[tT]imeUnit|unit")
_REPEAT_ARGUMENTS = 4
_COMMANDS = words("Command ConfiguredCommand EnvironmentCommand ServerCommand CheckCommand")
_COMMAND_PACKAGES = re.compile(r"io\.dropwizard\.(?:core\.)?cli\.|net\.sourceforge\.argparse4j\.inf\.")
_COMMAND_NAME = re.compile(rb"\bsuper\s{0,9}\(\s{0,99}\"([\w:.-]{1,80})\"")
_MANAGES = re.compile(rb"\blifecycle\(\)\s{0,99}\.\s{0,9}manage\s{0,9}\(")
_CONNECTED = re.compile(
    r"(?:Text|Binary|Abstract)?WebSocketHandler|WebSocketConnect(?:ion)?Listener|(?:Jetty)?WebSocketCreator"
)
_CALLERS = re.compile(r"okhttp3\.|(?:^|\.)client\.")
_HANDLER_TABLE = re.compile(
    rb"\b\w{0,20}Map\s{0,9}<[^<>;(){}]{1,99},\s{0,9}\w{0,60}(?:Request|Cmd|Command|Message|Msg|Rpc|Packet)Handler(?:<[^;(){}]{0,99}>)?\s{0,9}>\s{1,9}\w{1,80}\s{0,9}[=;]"
)
_FILLS = re.compile(
    rb"\.\s{0,9}put(?:IfAbsent)?\s{0,9}\(|\bgetBeansOfType\s{0,9}\(|\btoMap\s{0,9}\(|\bMap\s{0,9}\.\s{0,9}of(?:Entries)?\s{0,9}\("
)
_RUNS = re.compile(rb"\bnew\s{1,9}Thread\s{0,9}\(|\bstartVirtualThread\s{0,9}\(|\.\s{0,20}(?:execute|submit)\s{0,9}\(")
# Loops until a flag is cleared, not until some work is done.
_ENDLESS = re.compile(
    rb"\bwhile\s{0,9}\(\s{0,9}(?:true|!?\s{0,9}[\w.]{1,80}|!?\s{0,9}(?:Thread\.currentThread\(\)\.|this\.)?isInterrupted\(\)|"
    rb"!?\s{0,9}\w{1,60}\.get\(\)|!?\s{0,9}is(?:Running|Stopped|Alive|Active)\(\))\s{0,9}\)|\bfor\s{0,9}\(\s{0,9};\s{0,9};\s{0,9}\)"
)
_MAX_BODY = 40_000
_RUNNING = frozenset(("Thread", "Runnable"))
_LIFE_CYCLES = words(
    "InitializingBean SmartLifecycle Lifecycle SmartInitializingSingleton ServletContextListener LifecycleListener"
)
_STARTS = re.compile(rb"\b(\w{1,80})\s{0,9}\.\s{0,9}start(?:All|Async|Up)?\s{0,9}\(")
_NO_STARTS = re.compile(
    rb"watch|timer|span|sample|matcher|m$|stage|process|pb$|tracer|metric|transaction", re.IGNORECASE
)
# Their timers only keep something alive that was started elsewhere.
_NO_WORKERS = re.compile(
    r"Cache|Config|Settings|DataSource|Metric|Statistic|Client|RateLimit|"
    r"(?:Connection|Connector|Session|Channel|Limiter|Pool|Factory|Utils?|Reporter|Listener|Handler|Context|Transport|"
    r"Stats|Locator|Repository|Store|Queue|Resource|Executor|Template|Processor)$"
)
_FIELDS = words("field_declaration block constructor_body")
_METHODS = words("method_declaration constructor_declaration class_declaration")
# Timers set up once at startup; others belong to a request or a connection.
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
    if b"Handler" in source and b"Map<" in source and _FILLS.search(source):
        _read_handler_tables(root, into)


def _read_handler_tables(root: Node, into: Collector) -> None:
    """A class with a field that maps request types to handlers."""
    for node, _ in in_code(_HANDLER_TABLE, root):
        field, holder = around(node, _FIELDS), around(node, _CLASSES)
        name = text(holder.child_by_field_name("name")) if holder is not None else ""
        if field is not None and field.type == "field_declaration" and "Client" not in name:
            into.entry_once("route", name, node)


def _server(name: str, found: Iterator[tuple[Node, re.Match[bytes]]], into: Collector) -> None:
    """One per file: the first that is created."""
    node = next((node for node, _ in found), None)
    if node is not None and not into.has_entry("server"):
        into.entry("server", name, node)


def _read_background(root: Node, source: bytes, targets: list[str], into: Collector) -> None:
    """One job per class, however many threads it has. An abstract class counts only if it sets up several."""
    known_jobs = {entry.name for entry in into.entries if entry.kind == "job"}
    places: list[Node] = []
    if b".schedule" in source and any(target.startswith(_TICKERS) for target in targets):
        places += [node for node, _ in in_code(_TICKS, root) if _is_at_start(node)]
    if (b"while" in source or b"for (;;" in source) and _RUNS.search(source):
        places += [node for node, _ in in_code(_RUNS, root) if _is_given_a_loop(node)]
    together: list[Node] = []
    if b".schedule" in source and b"TimeUnit" in source:
        repeated = _repeated(root)
        together = [calls[0] for calls in repeated if len(calls) > 1]
        places += [calls[0] for calls in repeated if _is_at_start(calls[0])]
    for node in [*places, *together]:
        holder = around(node, _CLASSES)
        name = text(holder.child_by_field_name("name")) if holder is not None else ""
        if holder is None or ("abstract" in modifiers(holder) and node not in together):
            continue
        if (
            name not in known_jobs
            and not _NO_WORKERS.search(name)
            and not any(each.name == name for each in into.entries)
        ):
            known_jobs.add(name)
            into.entry("job", name, node)


def _repeated(root: Node) -> list[list[Node]]:
    """Calls that schedule something repeatedly, by enclosing method."""
    methods: dict[int, list[Node]] = {}
    for node, _ in in_code(_REPEATS, root):
        call = node if node.type == "method_invocation" else around(node, _GIVING)
        given = call.child_by_field_name("arguments") if call is not None else None
        arguments = given.named_children if given is not None else []
        method = around(node, _METHODS)
        if method is None or call is None or len(arguments) != _REPEAT_ARGUMENTS:
            continue
        name = call.child_by_field_name("name")
        if name is not None and _UNIT.fullmatch(text(arguments[-1])):
            methods.setdefault(method.start_byte, []).append(name)
    return list(methods.values())


def _is_at_start(node: Node) -> bool:
    method = around(node, _METHODS)
    if node.parent is None or node.parent.type != "method_invocation" or method is None:
        return False
    is_marked = not _AT_START_MARKS.isdisjoint(annotated(method))
    is_named_so = _AT_START.match(text(method.child_by_field_name("name"))) is not None
    return method.type == "method_declaration" and (is_marked or is_named_so)


def _is_given_a_loop(node: Node) -> bool:
    """Whether the code of a thread runs until it is stopped."""
    call = node if node.type in _GIVING else around(node, _GIVING)
    given = call.child_by_field_name("arguments") if call is not None else None
    return given is not None and _ENDLESS.search((given.text or b"")[:_MAX_BODY]) is not None


def read_class(node: Node, name: str, given: dict[str, Node], bases: list[str], into: Collector) -> None:
    """Classifies a class by what it extends and implements."""
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
    if "abstract" not in modifiers(node):
        _read_command(node, name, plain, into)
        if any(map(_CONNECTED.fullmatch, plain)) and not any(_CALLERS.search(each.target) for each in into.imports):
            into.entry("route", f"WS {name}", node)
    if "abstract" in modifiers(node) or plain.isdisjoint(_RUNNING | _LIFE_CYCLES):
        return
    body = (node.text or b"")[:_MAX_BODY]
    is_loop = not _RUNNING.isdisjoint(plain) and _ENDLESS.search(body) and not _NO_WORKERS.search(name)
    is_bootstrap = not _LIFE_CYCLES.isdisjoint(plain) and any(
        not _NO_STARTS.search(each) for each in _STARTS.findall(body)
    )
    if is_loop or is_bootstrap:
        into.entry("job", name, node)


def _read_command(node: Node, name: str, plain: set[str], into: Collector) -> None:
    """A Dropwizard command, or a subclass of a command that declares its own arguments."""
    is_command = not plain.isdisjoint(_COMMANDS) or any(base.endswith("Command") for base in plain)
    if not is_command or not any(_COMMAND_PACKAGES.match(each.target) for each in into.imports):
        return
    body = (node.text or b"")[:_MAX_BODY]
    said = _COMMAND_NAME.search(body)
    if "ServerCommand" in plain:
        # A separate service; what it manages runs as long as the service does.
        into.entry("job" if _MANAGES.search(body) else "server", name, node)
    else:
        into.entry("cli", said[1].decode() if said else name, node)


def bases_of(node: Node) -> list[str]:
    """What a class extends and implements, as written."""
    above = node.child_by_field_name("superclass")
    found = [text(above).removeprefix("extends").strip()] if above is not None else []
    interfaces = node.child_by_field_name("interfaces")
    for listed in interfaces.named_children[:1] if interfaces is not None else ():
        found += [text(each) for each in listed.named_children[:20]]
    return found


def dispatched(member: Node, variable: str) -> list[str]:
    """The string cases a method switches on: ``switch (name) { case "save": … }``."""
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
