"""Finds C and C++ entry points: unusual main functions, servers, worker threads, command tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import MAX_FACTS_PER_KIND, Collector
from loremark.memory.codebase.parsing.literals import words
from loremark.memory.codebase.parsing.syntax import child_at, text

_OTHER_MAIN = re.compile(r"(?:\w{1,60}_main|main_\w{1,60}|[A-Za-z]\w{0,60}Main)")
_ARGUMENTS = re.compile(
    r"\(\s{0,9}int(?:\s{1,9}\w{1,40})?\s{0,9},\s{0,9}(?:const\s{1,9})?(?:char|wchar_t)\s{0,9}(?:const\s{0,9})?"
    r"(?:\*\s{0,9}(?:const\s{0,9})?\*\s{0,9}\w{0,40}|\*\s{0,9}(?:const\s{0,9})?\w{0,40}\s{0,9}\[\s{0,9}\])"
)
# Library functions that create a server, by kind of server.
_MAKERS = {
    "HTTP server": "evhttp_new evhttp_bind_socket evhttp_bind_socket_with_handle MHD_start_daemon mg_http_listen "
    "mg_start soup_server_new ulfius_start_framework httpd_start onion_new",
    "network listener": "evconnlistener_new evconnlistener_new_bind uv_listen g_socket_service_new "
    "g_threaded_socket_service_new",
    "WebSocket server": "lws_create_context",
    "FastCGI server": "FCGI_Accept FCGX_Accept FCGX_Accept_r",
    "RPC server": "svc_run RpcServerListen",
    "SSH server": "ssh_bind_listen",
    "D-Bus service": "g_bus_own_name sd_bus_request_name",
    "FUSE file system": "fuse_main fuse_session_loop fuse_session_loop_mt",
    "Windows service": "StartServiceCtrlDispatcher StartServiceCtrlDispatcherA StartServiceCtrlDispatcherW",
}
_TITLE_OF = {name: title for title, names in _MAKERS.items() for name in names.split()}
_SOCKETS = words("bind listen accept accept4 connect")
_CALLED = re.compile(
    rf"(?<![\w.>])({'|'.join(sorted((*_TITLE_OF, *_SOCKETS), key=len, reverse=True))})[ \t]{{0,2}}\(".encode()
)
# A plain substring search comes first: it is cheap, and most files contain none of them.
_MAY_SERVE = tuple(name.encode() for name in ("listen(", "listen (", *_TITLE_OF))
# Classes that must be instantiated; a mere reference does not count.
_CLASSES = {
    "gRPC server": r"grpc::ServerBuilder",
    "HTTP server": r"httplib::(?:SSL)?Server|crow::(?:SimpleApp|App<[^<>\n]{0,80}>)|Http::Endpoint|uWS::(?:SSL)?App"
    r"|QHttpServer|(?:Poco::)?Net::HTTPServer|http_listener|proxygen::HTTPServer",
    "WebSocket server": r"websocketpp::server<[^<>\n]{0,80}>|QWebSocketServer|ix::WebSocketServer",
    "network listener": r"tcp::acceptor|QTcpServer|(?:Poco::)?Net::TCPServer",
    "Thrift server": r"T(?:Simple|Threaded|ThreadPool|Nonblocking)Server",
}
_MADE = re.compile(
    "|".join(
        rf"(?P<c{at}>(?<!\w)(?:{classes}))(?:[ \t]{{1,4}}\w|\s{{0,2}}[({{]|>?\()"
        for at, classes in enumerate(_CLASSES.values())
    ).encode()
)
_MAY_MAKE = (
    *(b"grpc::Server", b"httplib::", b"crow::", b"Http::Endpoint", b"uWS::", b"QHttpServer", b"HTTPServer"),
    *(b"http_listener", b"websocketpp::", b"WebSocketServer", b"tcp::acceptor", b"QTcpServer", b"TCPServer"),
    *(b"TSimpleServer", b"TThreadedServer", b"TThreadPoolServer", b"TNonblockingServer"),
)
_NO_CODE = words(
    "comment string_literal string_content system_lib_string preproc_include raw_string_literal preproc_arg"
)
_MAY_THREAD = (b"pthread_create", b"thrd_create", b"uv_thread_create", b"CreateThread", b"_beginthread")
_STARTED = re.compile(
    rb"(?<!\w)(?:pthread_create|thrd_create|uv_thread_create|CreateThread|_beginthread(?:ex)?)[ \t]{0,2}\("
)
_FOR_EVER = re.compile(
    r"\bwhile\s{0,2}\(\s{0,2}(?:1|true|TRUE)\s{0,2}\)|\bfor\s{0,2}\(\s{0,2};\s{0,2};\s{0,2}\)"
    r"|\b(?:event_base_loop|event_base_dispatch|uv_run)\s{0,2}\("
)
_WAITS = re.compile(
    r"\b(?:pthread_cond_(?:timed)?wait|cnd_(?:timed)?wait|uv_cond_wait|sem_wait|u?sleep|nanosleep|poll|epoll_wait|kevent|"
    r"select|Sleep|WaitForSingleObject|WaitForMultipleObjects|event_base_loop|event_base_dispatch|uv_run)\s{0,2}\("
)
_MAX_BODY = 60_000
_MIN_ROWS = 6
_HANDLER = re.compile(
    r"(?:cmd|command|builtin|do|handle|on|rpc|process|exec)_\w{1,80}|\w{1,80}_(?:cmd|command|main|handler)"
)
_ROWS = words("initializer_list initializer_pair")
# Tables of formats, layouts or tests have the same shape.
_OF_HANDLERS = re.compile(
    r"(?:commands?|cmds?|handlers?|methods?|rpcs?|routes?|dispatch|dispatchers?|builtins?|actions?|endpoints?|verbs?|requests?|"
    r"messages?|msgs?|applets|subcommands?)(?![a-z])",
    re.IGNORECASE,
)


def is_other_main(node: Node, name: str) -> bool:
    """``int x_main(int argc, char** argv)``: called by a platform's main or a multi-call binary."""
    if _OTHER_MAIN.fullmatch(name) is None or text(node.child_by_field_name("type")) != "int":
        return False
    head = text(node, 400).partition("{")[0]
    return not head.startswith("static") and _ARGUMENTS.search(head) is not None


def read(root: Node, functions: list[tuple[str, Node]], declarations: list[Node], into: Collector) -> None:
    """Servers, threads and tables of a file that is neither a header nor a test."""
    source = root.text or b""
    title, at = _server(root, source)
    if at is not None:
        into.entry("server", title, at)
    if any(mark in source for mark in _MAY_THREAD):
        _threads(root, source, functions, into)
    names = {name for name, _ in functions}
    for declaration in declarations:
        declarator = declaration.child_by_field_name("declarator")
        if declarator is not None and declarator.type == "init_declarator":
            _table(declarator, names, into)


def _server(root: Node, source: bytes) -> tuple[str, Node | None]:
    """A library's server, else a socket on which the file itself listens and accepts connections."""
    calls: dict[str, Node] = {}
    if any(mark in source for mark in _MAY_SERVE):
        for match in _CALLED.finditer(source):
            name = match[1].decode()
            at = root.start_byte + match.start(1)
            node = root.descendant_for_byte_range(at, at + 1)
            if name not in calls and node is not None and _is_called(node):
                calls[name] = node
    if any(mark in source for mark in _MAY_MAKE):
        for match in _MADE.finditer(source):
            at = root.start_byte + match.start()
            node = root.descendant_for_byte_range(at, at + 1)
            if node is not None and node.type not in _NO_CODE:
                title = list(_CLASSES)[int((match.lastgroup or "c0")[1:])]
                return title, node
    if "lws_create_context" in calls and b"NO_LISTEN" in source:
        del calls["lws_create_context"]  # a client
    for name, title in _TITLE_OF.items():
        if name in calls:
            return title, calls[name]
    # Together with ``connect``, they are socket wrappers or a local socket pair.
    if {"bind", "listen"} <= calls.keys() and calls.keys() & {"accept", "accept4"} and "connect" not in calls:
        return "network listener", calls["listen"]
    return "", None


def _is_called(node: Node) -> bool:
    """Whether it is a function call, not a definition or method."""
    above = node.parent
    if above is not None and above.type == "qualified_identifier" and text(above).startswith("::"):
        node, above = above, above.parent
    return above is not None and above.type == "call_expression" and above.child_by_field_name("function") == node


def _threads(root: Node, source: bytes, functions: list[tuple[str, Node]], into: Collector) -> None:
    """Threads whose function, in the same file, waits for work forever."""
    started: set[str] = set()
    for match in _STARTED.finditer(source):
        at = root.start_byte + match.start()
        node = root.descendant_for_byte_range(at, at + 1)
        call = node.parent if node is not None and _is_called(node) else None
        given = call.child_by_field_name("arguments") if call is not None else None
        started.update(text(each).lstrip("&") for each in (given.named_children[:8] if given is not None else ()))
    for name, node in functions:
        body = text(node.child_by_field_name("body"), _MAX_BODY) if name in started else ""
        if body and _FOR_EVER.search(body) and _WAITS.search(body):
            into.entry("job", name, node)


def _table(declaration: Node, functions: set[str], into: Collector) -> None:
    """``{{"add", cmd_add}, …}``: names mapped to functions."""
    best: list[tuple[str, str, Node]] = []
    if _OF_HANDLERS.search(text(declaration.child_by_field_name("declarator"))) is None:
        return
    for rows in _lists(declaration):
        if len(rows) >= _MIN_ROWS:
            found = [row for row in (_row(each, functions) for each in rows) if row is not None]
            if len(found) > len(best) and 4 * len(found) >= 3 * len(rows):
                best = found
    if len(best) >= _MIN_ROWS and 4 * len({function for _, function, _ in best}) >= 3 * len(best):
        for key, _, node in best:
            into.entry("route", key, node)


def _lists(declaration: Node) -> Iterator[list[Node]]:
    """The rows of a variable's initializer lists, a few levels deep."""
    level = [declaration.child_by_field_name("value")]
    for _ in range(4):
        below: list[Node | None] = []
        for node in level:
            if node is None:
                continue
            if node.type == "compound_literal_expression":
                below.append(node.child_by_field_name("value"))
            elif node.type == "initializer_list":
                rows = [each for each in node.named_children[: 2 * MAX_FACTS_PER_KIND] if each.type in _ROWS]
                yield rows
                below.extend(rows[:1] if len(rows) < _MIN_ROWS else ())
        level = below


def _row(node: Node, functions: set[str]) -> tuple[str, str, Node] | None:
    """The key and the function of one row; None if there is no function."""
    if node.type == "initializer_pair":
        designator, value = node.child_by_field_name("designator"), node.child_by_field_name("value")
        name = text(value).lstrip("&")
        is_of_array = designator is not None and designator.type == "subscript_designator"
        return (text(designator).strip("[]"), name, node) if is_of_array and name in functions else None
    key, function = "", ""
    for each in _values(node):
        if each.type == "call_expression":
            given = each.child_by_field_name("arguments")
            each = (child_at(given) if given is not None else None) or each
        if each.type == "string_literal":
            key = key or text(each).strip('"')
        elif each.type in ("identifier", "qualified_identifier", "pointer_expression", "field_expression"):
            name = text(each).lstrip("&")
            if not function and (name in functions or _is_named_after(name, key)):
                function = name
            else:
                key = key or name
        elif each.type == "lambda_expression" and key:
            function = function or f"{each.start_byte}"
    return (key, function, node) if key and function else None


def _values(row: Node) -> Iterator[Node]:
    """The values of a row, including nested ones (``{key, {function, flag}}``)."""
    for each in row.named_children[:12]:
        value = each.child_by_field_name("value") if each.type == "initializer_pair" else each
        if value is not None and value.type == "initializer_list":
            first = child_at(value)
            if first is not None:
                yield first
        elif value is not None:
            yield value


def _is_named_after(name: str, key: str) -> bool:
    """Whether it is a handler from another file, named after its command."""
    return len(key) > 1 and key.replace("-", "_").lower() in name.lower() and _HANDLER.fullmatch(name) is not None
