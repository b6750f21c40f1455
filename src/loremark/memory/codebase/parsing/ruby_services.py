"""Finds Ruby servers, schedulers, workers, threads and programs."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing import route_paths, syntax
from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.literals import stem, words
from loremark.memory.codebase.parsing.ruby_calls import arguments_of, method_of, word_of
from loremark.memory.codebase.parsing.text_search import around, in_code, name_around

_SCOPES = words("class module")
_CALL = frozenset(("call",))
_SERVERS = re.compile(
    rb"\b(?:(?P<tcp>TCPServer\.(?:new|open)|Socket\.tcp_server_loop|(?:EM|EventMachine)(?:\.|::)start_server|"
    rb"(?:OpenSSL::SSL::)?SSLServer\.new|GServer\.new)"
    rb"|(?P<unix>UNIXServer\.(?:new|open))"
    rb"|(?P<websocket>(?:EM|EventMachine)::WebSocket\.(?:run|start)|Faye::RackAdapter\.new)"
    rb"|(?P<http>WEBrick::HTTPServer\.new|Puma::(?:Server|Launcher)\.new|Thin::Server\.(?:new|start)|"
    rb"Rack(?:up)?::(?:Handler::\w{1,40}\.run|Server\.start)|Async::HTTP::Server\.(?:new|for)|Falcon::Server\.new)"
    rb"|(?P<grpc>GRPC::RpcServer\.new)|(?P<drb>DRb\.start_service)|(?P<mcp>(?:Fast)?M[Cc][Pp]::Server\.new))"
)
_SERVER_SIGNS = (b"Server", b"_server", b"WebSocket", b"RackAdapter", b"Launcher", b"Handler::", b"start_service")
_SERVER_NAMES = {
    "tcp": "TCP server",
    "unix": "socket server",
    "websocket": "WebSocket server",
    "http": "HTTP server",
    "grpc": "gRPC server",
    "drb": "DRb server",
    "mcp": "MCP server",
}
_WORKERS = re.compile(
    rb"\b(?:(?P<delayed>Delayed::(?:Command|Worker)\.new)|(?P<rufus>Rufus::Scheduler\.(?:new|singleton|start_new)|"
    rb"Rufus::Scheduler\.s\b)|(?P<cron>Sidekiq::Cron::Job\.(?:create|new|load_from_\w{1,20})|good_job\.cron\s{0,9}=)"
    rb"|(?P<consumer>Shoryuken::Launcher\.new|Sneakers::Runner\.new|Resque::(?:Worker|Scheduler)\.(?:new|run)))"
)
_WORKER_SIGNS = (b"Delayed::", b"Scheduler", b"Cron", b"good_job", b"Shoryuken", b"Sneakers", b"Resque")
_WORKER_NAMES = {"delayed": "delayed_job", "rufus": "scheduler", "cron": "cron", "consumer": "worker"}
_TIMED = re.compile(rb"(?P<who>@?\w{0,40}[sS]cheduler|\bs)\.(?P<how>cron|every|interval)\b")
_CLOCKWORK = re.compile(rb"\bevery[ (]")
_THREADS = re.compile(rb"\b(?:Thread\.(?:new|start|fork)|fork)\b")
_ENDLESS = re.compile(
    rb"\A.{0,400}?(?:\bloop (?:do\b|\{)|\b(?:while|until) (?:true\b|false\b|@\w{1,60}\s{0,9}$))",
    re.DOTALL | re.MULTILINE,
)
_SUBSCRIBED = re.compile(rb"\bsubscribe\b[^\n]{0,200}\bblock: true\b|\.each_message\b")
# Their threads only keep something alive that was started elsewhere.
_HOUSEKEEPERS = re.compile(r"(?:pool|cache|client|connection|adapter)$")
_BROKERS = (b"Bunny", b"Kafka", b"Rdkafka")
# "conn.get('/path') { |req| … }" of a client looks the same; the receiver decides.
_SERVED = re.compile(
    rb"(?:\b|@)(?:\w{0,40}_)?(?:serv|server|srv|router|app)\.(?P<verb>get|post|put|patch|delete|head)\b"
    rb"|\.(?P<mounted>mount_proc)\b"
)
_SERVED_SIGNS = (b"erv.", b"erver.", b"srv.", b"outer.", b"app.", b".mount_proc")
_PROGRAM_FOLDERS = words("bin exe script scripts")
_STARTED = words("run start run! start! daemonize perform work listen call")
_WORKING = re.compile(r"(?:Runner|Worker|Scheduler|Daemon|Consumer|Listener|Poller|Watcher|Command|Supervisor)$")
_SERVING = re.compile(r"Server$")
_CONSTANT = re.compile(r"(?:\w+::)*+(\w+)")
_GRPC_BASE = re.compile(r"(?:\w+::)*?(\w+)::Service")
_CONSUMERS = re.compile(r"(?:Karafka::BaseConsumer|ApplicationConsumer|Racecar::Consumer)")


def read_services(root: Node, into: Collector) -> None:
    source = root.text or b""
    for node, match in in_code(_SERVERS, root) if any(sign in source for sign in _SERVER_SIGNS) else ():
        if match.lastgroup and not into.has_entry("server"):
            into.entry("server", _SERVER_NAMES[match.lastgroup], node)
    for node, match in in_code(_WORKERS, root) if any(sign in source for sign in _WORKER_SIGNS) else ():
        into.entry_once("job", name_around(node, _SCOPES, _WORKER_NAMES[match.lastgroup or "consumer"]), node)
    if b"ufus" in source:
        _read_times(root, into)
    if any(sign in source for sign in _SERVED_SIGNS):
        _read_served(root, into)
    if b"Clockwork" in source:
        for node, _ in in_code(_CLOCKWORK, root):
            _read_clock(node, into)
    if (b"Thread." in source or b"fork" in source) and not _HOUSEKEEPERS.search(stem(into.path)):
        for node, _ in in_code(_THREADS, root):
            _read_thread(node, into)
    if any(sign in source for sign in _BROKERS):
        for node, _ in in_code(_SUBSCRIBED, root):
            into.entry_once("job", name_around(node, _SCOPES, stem(into.path)), node)
    if into.path.rpartition("/")[0].rpartition("/")[2] in _PROGRAM_FOLDERS:
        _read_program(root, into)


def _read_times(root: Node, into: Collector) -> None:
    """``scheduler.cron "0 5 * * *" do``; jobs given as a variable are named after their class."""
    for node, match in in_code(_TIMED, root):
        call = around(node, _CALL)
        arguments = arguments_of(call) if call is not None else []
        if call is None or call.child_by_field_name("block") is None or not arguments:
            continue
        how = match["how"].decode()
        is_said = arguments[0].type in ("string", "integer")
        into.entry_once("job", f"{how} {word_of(arguments[0])}" if is_said else name_around(node, _SCOPES, how), node)


def _read_served(root: Node, into: Collector) -> None:
    """``server.get('/path') { |request| … }`` and ``server.mount_proc('/path') do``."""
    for node, match in in_code(_SERVED, root):
        call = around(node, _CALL)
        arguments = arguments_of(call) if call is not None else []
        if call is None or call.child_by_field_name("block") is None or len(arguments) != 1:
            continue
        path = word_of(arguments[0]) if arguments[0].type == "string" else ""
        if path.startswith("/"):
            route_paths.add(into, [(match["verb"] or b"").decode()], path, node)


def _read_clock(node: Node, into: Collector) -> None:
    call = node if node.type == "call" else around(node, _CALL)
    arguments = arguments_of(call) if call is not None and method_of(call) == "every" else []
    if len(arguments) > 1 and arguments[1].type == "string":
        into.entry_once("job", word_of(arguments[1]), arguments[1])


def _read_thread(node: Node, into: Collector) -> None:
    """A thread or process that loops until it is stopped; others do one thing and finish."""
    call = around(node, _CALL) if node.type != "call" else node
    block = call.child_by_field_name("block") if call is not None else None
    if block is not None and _ENDLESS.search((block.text or b"")[:4000]):
        into.entry_once("job", name_around(node, _SCOPES, stem(into.path)), node)


def _read_program(root: Node, into: Collector) -> None:
    """``AgentRunner.new(…).run`` at the end of a program; the class it starts determines the kind."""
    made: dict[str, str] = {}
    for node in root.named_children[:400]:
        left = node.child_by_field_name("left") if node.type == "assignment" else None
        if left is not None:
            made[syntax.text(left)] = _made_class(node.child_by_field_name("right"))
        receiver = node.child_by_field_name("receiver") if method_of(node) in _STARTED else None
        if receiver is None:
            continue
        name = made.get(syntax.text(receiver)) or _made_class(receiver) or _constant(receiver)
        if _WORKING.search(name) and not into.has_entry("job"):
            into.entry("job", stem(into.path), node)
        elif _SERVING.search(name) and not into.has_entry("server"):
            into.entry("server", name, node)


def _made_class(node: Node | None) -> str:
    """``Runner`` of ``Jobs::Runner.new(…)``."""
    return _constant(node.child_by_field_name("receiver")) if node is not None and method_of(node) == "new" else ""


def _constant(node: Node | None) -> str:
    is_one = node is not None and node.type in ("constant", "scope_resolution")
    found = _CONSTANT.fullmatch(syntax.text(node)) if is_one else None
    return found.group(1) if found else ""


def read_class(node: Node, name: str, base: str, into: Collector) -> None:
    """Classifies a class by its base class."""
    served = _GRPC_BASE.fullmatch(base)
    if served is not None and any("services_pb" in each.target or each.target == "grpc" for each in into.imports):
        into.entry("route", f"gRPC {served.group(1)}", node)
    elif base == "ApplicationCable::Channel" or (base == "ActionCable::Channel::Base" and name[:11] != "Application"):
        into.entry("route", f"WS {name}", node)
    elif base == "ActionMailbox::Base":
        into.entry("route", name, node)
    elif base in ("Win32::Daemon", "Daemon") and any(each.target == "win32/daemon" for each in into.imports):
        into.entry("server", name, node)
    elif _CONSUMERS.fullmatch(base) and not name.startswith("Application"):
        into.entry("job", name, node)
