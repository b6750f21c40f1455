"""Collects the Python syntax nodes that may declare something, in one walk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from loremark.memory.codebase.parsing.literals import is_string, plain, words
from loremark.memory.codebase.parsing.syntax import child_at, text, walk

_MAX = 3_000
_NOT_ENTERED = words(
    "string comment identifier parameters dotted_name integer float true false none type binary_operator "
    "comparison_operator import_statement import_from_statement subscript lambda boolean_operator return_statement "
    "raise_statement assert_statement delete_statement global_statement pass_statement"
)
_CALLS = words(
    "path re_path url add_url_rule add_api_route add_api_websocket_route add_route add_routes add_websocket_route "
    "Route WebSocketRoute Mount include_router register_blueprint blueprint mount register add_get add_post add_put "
    "add_patch add_delete add_head add_view include add_typer add_parser add_subparsers ArgumentParser add_job "
    "add_command Fire docopt add_resource get post put patch delete view route run run_app serve_forever "
    "HTTPServer ThreadingHTTPServer server get_wsgi_application get_asgi_application get_default_application "
    "create_table add_column CreateModel AddField rename_table Application schedule add_periodic_task "
    # Calls that open a server or run repeatedly: see python_servers and python_jobs.
    "start_server start_unix_server create_server create_unix_server create_datagram_endpoint TCPServer "
    "ThreadingTCPServer ForkingTCPServer UDPServer ThreadingUDPServer UnixStreamServer ThreadingUnixStreamServer "
    "make_server run_simple WSGIServer ThreadedWSGIServer StreamServer serve quickstart AppRunner TCPSite UnixSite "
    "SimpleXMLRPCServer DocXMLRPCServer register_function TThreadedServer TSimpleServer TThreadPoolServer "
    "TNonblockingServer TForkingServer FastMCP Server AsyncServer SocketIO WebsocketServer listenTCP listenSSL "
    "listenUDP listenUNIX TCP4ServerEndpoint TCP6ServerEndpoint SSL4ServerEndpoint serverFromString Controller "
    "FTPServer ThreadedFTPServer DNSServer bind listen bind_sockets run_polling start_polling infinity_polling "
    "launch_instance Celery Worker SimpleWorker do cron PeriodicCallback LoopingCall KafkaConsumer AIOKafkaConsumer "
    "Consumer basic_consume loop_forever Observer DAG Thread Process create_task ensure_future OptionParser getopt "
    "add_signal_handler signal"
)
_MAY_DECLARE = re.compile(
    rb"^[ \t]*@|^[ \t]+(?:import|from) |_route|[Rr]oute\(|Mount\(|path\(|url|\.register|parser|add_|Flask|FastAPI|"
    rb"Starlette|Sanic|Bottle|Quart|Litestar|App|_application|HTTPServer|\bop\.|migrations\.|Fire\(|docopt|\.run\(|"
    rb"grpc|Blueprint|Router|Table\(",
    re.MULTILINE,
)
# Searched one by one, which is much faster than more alternatives in one expression.
_WORDS = tuple(
    word.encode()
    for word in words(
        "Server( server( .listen .bind( serve( run_simple( _polling( FastMCP( SocketIO( launch_instance( Celery( "
        "Worker( every( PeriodicCallback( LoopingCall( Consumer( "
        "_consume( loop_forever( Observer( DAG( Thread( Process( "
        "create_task( ensure_future( OptionParser( getopt( ommands COMMANDS andlers HANDLERS ispatch DISPATCH "
        "beat_schedule BEAT_SCHEDULE jobs JOBS SIGTERM"
    )
)
# A function often returns the server it creates; other return values are ignored.
_MAY_RETURN_ONE = re.compile(rb"return (?:await )?[\w.]{0,80}(?:_server|Server|launch_instance)\(")
_FEWEST_IN_TABLE = 4


@dataclass(frozen=True, slots=True)
class PythonNodes:
    """Relevant nodes in source order."""

    imports: list[Node]
    decorated: list[Node]
    calls: list[tuple[str, Node]]
    """Calls by the last part of the callee, for names that may declare something."""
    assigned: list[tuple[str, str, Node]]
    """Variables with the last part of the callee that creates them, and the call."""
    tables: list[tuple[str, Node]]
    """Variables with the longer lists or dictionaries assigned to them."""
    packages: frozenset[str] = frozenset()
    """The top-level names of imported modules."""

    def uses(self, *packages: str) -> bool:
        return not self.packages.isdisjoint(packages)


def find(root: Node) -> PythonNodes:
    """Collects all nodes in one walk."""
    found = PythonNodes([], [], [], [], [])
    source = root.text or b""
    if _MAY_DECLARE.search(source) is None and not any(word in source for word in _WORDS):
        found.imports.extend(
            node for node in walk(root, _enter_blocks) if node.type in ("import_statement", "import_from_statement")
        )
        return found
    closed = _NOT_ENTERED if _MAY_RETURN_ONE.search(source) is None else _NOT_ENTERED - {"return_statement"}
    for node in walk(root, lambda node: node.type not in closed):
        kind = node.type
        if kind in ("import_statement", "import_from_statement"):
            found.imports.append(node)
        elif kind == "decorated_definition":
            found.decorated.append(node)
        elif kind == "call" and len(found.calls) < _MAX:
            name = called(node)
            if name in _CALLS or name.endswith(("OptionParser", "_resource")):
                found.calls.append((name, node))
        elif kind == "assignment" and len(found.assigned) < _MAX:
            _assigned(node, found)
    return found


def _assigned(node: Node, found: PythonNodes) -> None:
    right = node.child_by_field_name("right")
    if right is None or right.type not in ("call", "list", "dictionary"):
        return
    variable = text(node.child_by_field_name("left")).rpartition(".")[2]
    if right.type == "call":
        found.assigned.append((variable, called(right), right))
    elif len(found.tables) < _MAX and (
        right.named_child_count >= _FEWEST_IN_TABLE or variable.lower().endswith(("schedule", "jobs"))
    ):
        found.tables.append((variable, right))


def _enter_blocks(node: Node) -> bool:
    return node.type in ("module", "if_statement", "try_statement", "block", "except_clause", "else_clause")


def called(call: Node) -> str:
    """``get`` of ``app.router.get(...)``."""
    function = call.child_by_field_name("function")
    if function is None:
        return ""
    if function.type == "attribute":
        return text(function.child_by_field_name("attribute"))
    return text(function) if function.type == "identifier" else ""


def receiver(call: Node) -> str:
    """``router`` of ``app.router.get(...)``; empty for a plain function."""
    function = call.child_by_field_name("function")
    if function is None or function.type != "attribute":
        return ""
    return text(function.child_by_field_name("object")).rpartition(".")[2]


def arguments(call: Node) -> tuple[list[Node], dict[str, Node]]:
    """Positional and keyword arguments."""
    plainly: list[Node] = []
    named: dict[str, Node] = {}
    given = call.child_by_field_name("arguments")
    for child in given.named_children[:60] if given is not None else ():
        if child.type == "keyword_argument":
            value = child.child_by_field_name("value")
            if value is not None:
                named[text(child.child_by_field_name("name"))] = value
        elif child.type != "comment":
            plainly.append(child)
    return plainly, named


def first_string(call: Node, *names: str) -> str | None:
    """The first argument, or one of these keywords, if it is a literal."""
    plainly, named = arguments(call)
    for name in names:
        if name in named:
            return plain(named[name])
    return plain(plainly[0]) if plainly else None


def strings(node: Node | None) -> list[str]:
    """The string of a literal, or the strings of a list, tuple or set."""
    if node is None:
        return []
    nodes = [node] if is_string(node) else node.named_children[:20]
    return [value for value in map(plain, nodes) if value]


def decorators(decorated: Node) -> Iterator[tuple[str, str, Node | None, Node]]:
    """For each decorator: receiver, name, call (if any) and node."""
    for child in decorated.named_children:
        if child.type != "decorator":
            continue
        inner = child_at(child)
        if inner is None:
            continue
        call = inner if inner.type == "call" else None
        dotted = text(inner.child_by_field_name("function") if call is not None else inner)
        owner, _, name = dotted.rpartition(".")
        yield owner.rpartition(".")[2], name, call, child


def defined(decorated: Node) -> tuple[str, Node]:
    """The name and definition of the decorated object."""
    definition = decorated.child_by_field_name("definition") or decorated
    return text(definition.child_by_field_name("name")), definition
