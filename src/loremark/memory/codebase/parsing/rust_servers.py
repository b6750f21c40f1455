"""Finds Rust servers and background work beyond common web frameworks."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.literals import plain
from loremark.memory.codebase.parsing.rust_items import Item
from loremark.memory.codebase.parsing.syntax import text, walk
from loremark.memory.codebase.parsing.test_detection import is_test
from loremark.memory.codebase.parsing.text_search import around, in_code
from loremark.memory.codebase.records import EntryKind

Call = tuple[str, Node, list[Node]]

MAY_SERVE = re.compile(
    rb"\brmcp\b|Listener::bind|accept_(?:hdr_)?async|on_upgrade|\binterval(?:_at)?\(|thread::Builder|Scheduler::new|tower_lsp|"
    rb"lsp_server|jsonrpsee|register_(?:async_)?method|tarpc|tiny_http|rouille|salvo|tide::|axum_server|quinn|lambda_|"
    rb"basic_consume|rdkafka|apalis|generate_handler!|mobile_entry_point|serve_connection|zbus|gotham|Iron::new|"
    rb"tonic::|define_windows_service!|service_dispatcher::start|\.recv\(\)"
)
# The crate, the suffix of the callee, and what it creates.
_MADE: tuple[tuple[str, str, EntryKind, str], ...] = (
    ("rmcp", ".serve rmcp::serve_server serve_server", "server", "MCP server"),
    ("rmcp", "StreamableHttpService::new SseServer::serve", "server", "MCP server"),
    ("tokio_tungstenite", "accept_async accept_hdr_async", "server", "WebSocket server"),
    ("tungstenite", "accept accept_hdr tungstenite::accept", "server", "WebSocket server"),
    ("axum", ".on_upgrade", "server", "WebSocket server"),
    ("warp", ".on_upgrade", "server", "WebSocket server"),
    ("tower_lsp", "LspService::new LspService::build tower_lsp::LspService::new", "server", "language server"),
    ("lsp_server", "Connection::stdio Connection::listen", "server", "language server"),
    ("jsonrpsee", "ServerBuilder::default Server::builder ServerBuilder::new", "server", "JSON-RPC server"),
    ("tarpc", "BaseChannel::with_defaults server::BaseChannel::with_defaults", "server", "RPC server"),
    ("tiny_http", "Server::http Server::https tiny_http::Server::http", "server", "HTTP server"),
    ("rouille", "start_server rouille::start_server", "server", "HTTP server"),
    ("salvo", "Server::new", "server", "Salvo server"),
    ("tide", "tide::new tide::with_state", "server", "tide server"),
    ("axum_server", "axum_server::bind axum_server::bind_rustls axum_server::from_tcp", "server", "Axum server"),
    ("hyper", ".serve_connection .serve_connection_with_upgrades", "server", "HTTP server"),
    ("hyper_util", ".serve_connection .serve_connection_with_upgrades", "server", "HTTP server"),
    ("quinn", "Endpoint::server quinn::Endpoint::server", "server", "QUIC server"),
    ("gotham", "gotham::start", "server", "HTTP server"),
    ("iron", "Iron::new", "server", "HTTP server"),
    ("lambda_runtime", "lambda_runtime::run run", "server", "Lambda function"),
    ("lambda_http", "lambda_http::run run", "server", "Lambda function"),
    ("zbus", ".serve_at", "server", "D-Bus service"),
    ("lapin", ".basic_consume", "job", "AMQP consumer"),
    ("rdkafka", "StreamConsumer::from_config BaseConsumer::from_config", "job", "Kafka consumer"),
    ("apalis", "WorkerBuilder::new", "job", "apalis worker"),
    ("job_scheduler_ng", "JobScheduler::new", "job", "job scheduler"),
    ("job_scheduler", "JobScheduler::new", "job", "job scheduler"),
    ("tokio_cron_scheduler", "JobScheduler::new", "job", "job scheduler"),
    ("windows_service", "service_dispatcher::start", "server", "Windows service"),
    ("clokwerk", "Scheduler::new AsyncScheduler::new Scheduler::with_tz", "job", "job scheduler"),
)
_LISTENERS = re.compile(r"(?:\w{1,30}::){0,6}(?:Tcp|Unix)Listener::bind")
_TAKES = (".accept", ".incoming")
_METHODS = (".register_method", ".register_async_method", ".register_subscription")
_INTERVAL = re.compile(r"(?:(?:tokio::)?time::)?interval(?:_at)?")
# Intervals for one connection or screen are not jobs.
_BEATS = re.compile(
    r"ping|heart_?beat|keep_?alive|progress|render|frame|draw|spinner|debounce|retry|millis|conn|stream|redraw",
    re.IGNORECASE,
)
_SHORT = re.compile(r"from_secs(?:_f(?:32|64))?\((?:\d|[12]\d)(?:\.\d{0,4})?\)")
_SPAWNS = re.compile(r"(?:std::)?thread::Builder::new")
# Names of files with background work; channels elsewhere usually belong to one screen or connection.
_OF_JOBS = re.compile(
    r"(?:^|.*/)\w{0,40}(?:jobs?|workers?|background|daemon|scheduler|tasks)(?:_\w{1,40})?(?:/mod)?\.rs"
)
_ASYNC_TRAIT = re.compile(rb"#\[(?:tonic::)?async_trait\b")
_ANSWERS = re.compile(rb"\bResult<\s{0,40}(?:tonic::)?Response<|,\s{0,40}(?:tonic::)?Status\s{0,40},?\s{0,40}>")
_LOOPS = frozenset(("loop_expression", "while_expression"))
_MODULES = frozenset(("mod_item",))
_BETWEEN = ("attribute_item", "line_comment", "block_comment")
_MAX_BETWEEN = 20
_PATH = re.compile(r"\w{1,80}(?:::\w{1,80}){0,6}")
_MAX_CLIMBED = 40


def read(root: Node, calls: list[Call], into: Collector) -> None:
    """Finds servers and jobs from the calls of a file, tests excluded."""
    crates = {each.target.split("::")[0] for each in into.imports}
    makes = {
        name: (kind, title)
        for crate, names, kind, title in _MADE
        if crate in crates or f"{crate}::".encode() in (root.text or b"")
        for name in names.split()
    }
    takes = any(name in _TAKES for name, _, _ in calls)
    may_take = _OF_JOBS.fullmatch(into.path) is not None and not is_test(into.path)
    if not _is_mcp_server(root.text or b""):
        makes.pop(".serve", None)
    for name, call, given in calls:
        if name in makes:
            into.entry_once(*makes[name], call)
        elif takes and _LISTENERS.fullmatch(name):
            into.entry_once("server", "network listener", call)
        elif name in _METHODS and "jsonrpsee" in crates and given and plain(given[0]):
            into.entry("route", plain(given[0]) or "", call)
        elif name == ".invoke_handler" and given:
            _commands(given[0], into)
        elif given and _INTERVAL.fullmatch(name):
            _interval(call, given[-1], into)
        elif _SPAWNS.fullmatch(name):
            _thread(call, into)
        elif name == ".recv" and not given and may_take:
            _taking(call, into)
    is_grpc = "tonic" in crates or b"tonic::" in (root.text or b"")
    if is_grpc and not is_test(into.path) and not into.path.endswith("/tests.rs"):
        _services(root, into)


def _services(root: Node, into: Collector) -> None:
    """``#[tonic::async_trait] impl Users for Api``: the methods of a gRPC service."""
    for mark, _ in in_code(_ASYNC_TRAIT, root):
        attribute = mark if mark.type == "attribute_item" else mark.parent
        made = attribute.next_named_sibling if attribute is not None else None
        for _ in range(_MAX_BETWEEN):
            if made is None or made.type not in _BETWEEN:
                break
            made = made.next_named_sibling
        if made is not None and made.type == "impl_item" and not _is_in_tests(made):
            _service(made, into)


def _service(made: Node, into: Collector) -> None:
    """Every method must return a ``Response`` or a ``Status``, because other traits are asynchronous too."""
    trait, body = made.child_by_field_name("trait"), made.child_by_field_name("body")
    methods = [each for each in body.named_children if each.type == "function_item"] if body is not None else []
    if trait is None or not methods or not all(map(_is_answer, methods)):
        return
    for each in methods:
        into.entry("route", f"gRPC {text(each.child_by_field_name('name'))}", each)


def _is_answer(method: Node) -> bool:
    returned = method.child_by_field_name("return_type")
    written = (returned.text or b"") if returned is not None else b""
    return b"Response" in written and _ANSWERS.search(written) is not None


def _is_in_tests(node: Node) -> bool:
    module = around(node, _MODULES)
    return module is not None and text(module.child_by_field_name("name")).startswith("test")


def _taking(call: Node, into: Collector) -> None:
    """``loop { match jobs.recv() { … } }`` and ``while let Ok(job) = jobs.recv()``, in a file about jobs."""
    holder = around(call, _LOOPS | {"function_item"})
    function = _function_around(call) if holder is not None and holder.type in _LOOPS else None
    name = text(function.child_by_field_name("name")) if function is not None else ""
    if function is not None and not into.has_entry("job") and not _BEATS.search(name):
        into.entry("job", name, function)


def _is_mcp_server(source: bytes) -> bool:
    """Clients use ``serve`` too, as a transport to a server they have started."""
    return b"ServerHandler" in source or b"stdio()" in source or b"RoleServer" in source


def _commands(macro: Node, into: Collector) -> None:
    """Tauri: ``generate_handler![files::open, close]``, the functions that the page can call."""
    if macro.type == "macro_invocation" and "generate_handler" in text(macro.child_by_field_name("macro")):
        for path in _PATH.findall(text(macro, 8_000).partition("!")[2])[:200]:
            into.entry("route", path.rpartition("::")[2], macro)


def _interval(call: Node, period: Node, into: Collector) -> None:
    """A background loop: the function that creates the interval."""
    written = text(period)
    function = _function_around(call)
    name = text(function.child_by_field_name("name")) if function is not None else ""
    body = function.child_by_field_name("body") if function is not None else None
    if function is None or body is None or _SHORT.search(written) or _BEATS.search(f"{name} {written}"):
        return
    has_loop = any(each.type in _LOOPS for each in walk(body))
    if has_loop and b".tick()" in (body.text or b"") and not into.has_entry("server"):
        into.entry_once("job", name, function)


def _function_around(node: Node) -> Node | None:
    at: Node | None = node
    for _ in range(_MAX_CLIMBED):
        if at is None or at.type == "function_item":
            return at
        at = at.parent
    return None


def _thread(call: Node, into: Collector) -> None:
    """``thread::Builder::new().name("cleaner".into()).spawn(move || loop { … })``: a thread that keeps running."""
    name, at = "", call
    for _ in range(6):
        method, above = at.parent, at.parent.parent if at.parent is not None else None
        if method is None or above is None or method.type != "field_expression" or above.type != "call_expression":
            return
        field, given = text(method.child_by_field_name("field")), above.child_by_field_name("arguments")
        if field == "name" and given is not None:
            name = next((plain(each) or "" for each in walk(given) if each.type == "string_literal"), "")
        elif field == "spawn" and given is not None:
            if name and "{" not in name and any(each.type == "loop_expression" for each in walk(given)):
                into.entry_once("job", name, call)
            return
        at = above


def read_attributes(item: Item, into: Collector) -> None:
    """The function with Tauri's mobile entry point attribute is the main function on every platform."""
    if any("mobile_entry_point" in each for each in item.attributes) and "examples/" not in into.path:
        into.entry("main", text(item.node.child_by_field_name("name")), item.node)
