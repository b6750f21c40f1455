"""Servers and background work in Rust beyond the usual web frameworks."""

from __future__ import annotations

import re

from tree_sitter import Node

from cairn.memory.codebase.parsing.collecting import Collector
from cairn.memory.codebase.parsing.literals import plain
from cairn.memory.codebase.parsing.rust_items import Item
from cairn.memory.codebase.parsing.syntax import text, walk
from cairn.memory.codebase.records import EntryKind

Call = tuple[str, Node, list[Node]]

MAY_SERVE = re.compile(
    rb"\brmcp\b|Listener::bind|accept_(?:hdr_)?async|on_upgrade|\binterval(?:_at)?\(|thread::Builder|Scheduler::new|tower_lsp|"
    rb"lsp_server|jsonrpsee|register_(?:async_)?method|tarpc|tiny_http|rouille|salvo|tide::|axum_server|quinn|lambda_|"
    rb"basic_consume|rdkafka|apalis|generate_handler!|mobile_entry_point|serve_connection|zbus|gotham|Iron::new"
)
# The crate, the end of what is called, and what that makes.
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
    ("clokwerk", "Scheduler::new AsyncScheduler::new Scheduler::with_tz", "job", "job scheduler"),
)
_LISTENERS = re.compile(r"(?:\w{1,30}::){0,6}(?:Tcp|Unix)Listener::bind")
_TAKES = (".accept", ".incoming")
_METHODS = (".register_method", ".register_async_method", ".register_subscription")
_INTERVAL = re.compile(r"(?:(?:tokio::)?time::)?interval(?:_at)?")
# What beats for one connection or one screen is no job of the service.
_BEATS = re.compile(
    r"ping|heart_?beat|keep_?alive|progress|render|frame|draw|spinner|debounce|retry|millis|conn|stream|redraw",
    re.IGNORECASE,
)
_SHORT = re.compile(r"from_secs(?:_f(?:32|64))?\((?:\d|[12]\d)(?:\.\d{0,4})?\)")
_SPAWNS = re.compile(r"(?:std::)?thread::Builder::new")
_PATH = re.compile(r"\w{1,80}(?:::\w{1,80}){0,6}")
_MOST_CLIMBED = 40


def read(root: Node, calls: list[Call], into: Collector) -> None:
    """What the calls of a file make; calls of its tests are not among them."""
    crates = {each.target.split("::")[0] for each in into.imports}
    makes = {
        name: (kind, title)
        for crate, names, kind, title in _MADE
        if crate in crates or f"{crate}::".encode() in (root.text or b"")
        for name in names.split()
    }
    takes = any(name in _TAKES for name, _, _ in calls)
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


def _is_mcp_server(source: bytes) -> bool:
    """Clients serve too: a transport to the server that they have started."""
    return b"ServerHandler" in source or b"stdio()" in source or b"RoleServer" in source


def _commands(macro: Node, into: Collector) -> None:
    """Tauri: ``generate_handler![files::open, close]``, the functions that the page may call."""
    if macro.type == "macro_invocation" and "generate_handler" in text(macro.child_by_field_name("macro")):
        for path in _PATH.findall(text(macro, 8_000).partition("!")[2])[:200]:
            into.entry("route", path.rpartition("::")[2], macro)


def _interval(call: Node, period: Node, into: Collector) -> None:
    """A loop of the background: the function in which the interval is made."""
    written = text(period)
    function = _function_around(call)
    name = text(function.child_by_field_name("name")) if function is not None else ""
    body = function.child_by_field_name("body") if function is not None else None
    if function is None or body is None or _SHORT.search(written) or _BEATS.search(f"{name} {written}"):
        return
    has_loop = any(each.type in ("loop_expression", "while_expression") for each in walk(body))
    if has_loop and b".tick()" in (body.text or b"") and not into.tells("server"):
        into.entry_once("job", name, function)


def _function_around(node: Node) -> Node | None:
    at: Node | None = node
    for _ in range(_MOST_CLIMBED):
        if at is None or at.type == "function_item":
            return at
        at = at.parent
    return None


def _thread(call: Node, into: Collector) -> None:
    """``thread::Builder::new().name("cleaner".into()).spawn(move || loop { … })``: a thread that goes on."""
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
    """Tauri begins with the function that is marked for phones, on every system."""
    if any("mobile_entry_point" in each for each in item.attributes) and "examples/" not in into.path:
        into.entry("main", text(item.node.child_by_field_name("name")), item.node)
