"""Finds Go servers and consumers beyond the common routers, and handler tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.literals import plain, words
from loremark.memory.codebase.parsing.route_paths import joined
from loremark.memory.codebase.parsing.syntax import child_at, text
from loremark.memory.codebase.records import EntryKind

# The package (a part of its path), the function called, and what it creates.
_MADE: tuple[tuple[str, str, EntryKind, str], ...] = (
    (
        "websocket",
        "Upgrade websocket.Accept websocket.New websocket.Handler websocket.Server",
        "server",
        "WebSocket server",
    ),
    ("ws", "ws.UpgradeHTTP ws.Upgrade", "server", "WebSocket server"),
    ("melody", "melody.New", "server", "WebSocket server"),
    ("ssh", "ssh.NewServerConn ssh.ListenAndServe wish.NewServer ssh.Server", "server", "SSH server"),
    ("go-smtp", "smtp.NewServer", "server", "SMTP server"),
    ("dns", "dns.Server dns.ListenAndServe", "server", "DNS server"),
    ("rpc", "rpc.NewServer rpc.Register rpc.RegisterName rpc.ServeConn rpc.HandleHTTP", "server", "RPC server"),
    ("mcp-go", "server.NewMCPServer", "server", "MCP server"),
    ("mcp", "mcp.NewServer", "server", "MCP server"),
    ("fasthttp", "fasthttp.Server", "server", "HTTP server"),
    ("http3", "http3.Server", "server", "HTTP server"),
    ("quic-go", "quic.ListenAddr quic.Listen", "server", "QUIC server"),
    ("net", "net.ListenTCP net.ListenUnix", "server", "network listener"),
    ("tls", "tls.Listen", "server", "network listener"),
    ("aws-lambda-go", "lambda.Start lambda.StartWithOptions", "server", "Lambda function"),
    ("service", "service.New", "server", "system service"),
    ("svc", "svc.Run", "server", "Windows service"),
    ("asynq", "asynq.NewServer", "job", "asynq worker"),
    ("temporal", "worker.New", "job", "Temporal worker"),
    ("go.temporal.io", "worker.New", "job", "Temporal worker"),
    ("work", "work.NewWorkerPool", "job", "worker pool"),
    ("river", "river.NewClient", "job", "River worker"),
    ("gocron", "gocron.NewScheduler", "job", "gocron scheduler"),
    ("sarama", "sarama.NewConsumerGroup sarama.NewConsumer", "job", "Kafka consumer"),
    ("kafka-go", "kafka.NewReader", "job", "Kafka consumer"),
    ("kafka", "kafka.NewConsumer", "job", "Kafka consumer"),
    ("go-nsq", "nsq.NewConsumer", "job", "NSQ consumer"),
    ("nats.go", "QueueSubscribe", "job", "NATS consumer"),
    ("amqp", "Consume", "job", "AMQP consumer"),
    ("amqp091-go", "Consume", "job", "AMQP consumer"),
    ("sqs", "ReceiveMessage", "job", "SQS consumer"),
    ("redis", "XReadGroup", "job", "Redis consumer"),
)
_CRON_CALLS = words("Add MustAdd AddFunc AddJob Cron CronWithSeconds CronJob Schedule AddCron")
_CRON = re.compile(
    r"@(?:every \S{1,20}|hourly|daily|weekly|monthly|yearly|annually|midnight)|"
    r"(?:[\d*/,?-]{1,20} ){4,5}[\d*/,?A-Za-z-]{1,20}"
)
_GRPC = re.compile(r"Register(\w{1,80})Server")
_HANDLES = re.compile(r"handler|command|route|method|rpc|action|dispatch|endpoint|cmd", re.IGNORECASE)
_IS_FUNCTION = re.compile(r"^func\(|(?:Func|Handler|Fn|Command|Method)$")
_MIN_ROWS = 6
# ``h(r, "ping", api.Ping)``: the project's own function with a router, a path and a handler.
_ROW = re.compile(
    rb"^[ \t]{1,20}(\w{1,40})\((\w{1,40})(?:\.\w{1,20}\([\w.]{0,60}\))?, "
    rb"\x22([\w./:{}*-]{1,80})\x22, (?:\w{1,40}\.){1,3}\w{1,60}\)\r?$",
    re.MULTILINE,
)
_ROUTER = re.compile(r"\w{0,20}(?:Router|Mux|Engine|RouterGroup|Routes|Group|Echo)(?:\[\w{1,40}\])?")
_ROUTER_WORDS = words("r router mux rg routes")
_INTERFACES = words("ServerInterface StrictServerInterface")


def made_here(packages: frozenset[str]) -> dict[str, tuple[EntryKind, str]]:
    """The servers that calls or literals create, given the imported packages."""
    return {
        name: (kind, title) for package, names, kind, title in _MADE if package in packages for name in names.split()
    }


def schedule_in(name: str, given: list[Node]) -> str | None:
    """The cron expression passed to a call."""
    if name not in _CRON_CALLS:
        return None
    found = (plain(each) for each in given[:3])
    return next((each for each in found if each and _CRON.fullmatch(each)), None)


def service_in(name: str, given: list[Node]) -> str | None:
    """The gRPC service of ``pb.RegisterUsersServer(server, users)``."""
    match = _GRPC.fullmatch(name) if len(given) == 2 else None
    return match[1] if match else None


def read_table(literal: Node, into: Collector) -> None:
    """``var handlers = map[string]func(…){"add": add, …}``: one entry per name."""
    made, body = literal.child_by_field_name("type"), literal.child_by_field_name("body")
    if made is None or made.type != "map_type" or body is None or body.named_child_count < _MIN_ROWS:
        return
    value = text(made.child_by_field_name("value"))
    if not _IS_FUNCTION.search(value) or not _HANDLES.search(f"{value} {_holder(literal)}"):
        return
    for key, row in _rows(body):
        into.entry("route", key, row)


def _rows(body: Node) -> Iterator[tuple[str, Node]]:
    for row in body.named_children[:200]:
        first = child_at(row) if row.type == "keyed_element" else None
        literal = child_at(first) if first is not None else None
        if literal is not None:
            yield plain(literal) or text(literal), row


def _holder(literal: Node) -> str:
    """The name of the variable that a literal is assigned to."""
    above = literal.parent
    for _ in range(3):
        if above is None:
            return ""
        named = above.child_by_field_name("name") or above.child_by_field_name("left")
        if named is not None:
            return text(named)
        above = above.parent
    return ""


def read_interface_assertion(declaration: Node, into: Collector) -> None:
    """``var _ ServerInterface = (*Server)(nil)``: handlers of routes generated from an OpenAPI file."""
    for spec in declaration.named_children[:50]:
        made = text(spec.child_by_field_name("type")).rpartition(".")[2] if spec.type == "var_spec" else ""
        if made in _INTERFACES and text(spec.child_by_field_name("name")) == "_":
            into.entry("route", f"OpenAPI {made}", spec)


def read_rows(root: Node, into: Collector) -> None:
    """Routes registered by many similar calls of a local function or one that takes a router."""
    source = root.text or b""
    rows = [match for match in _ROW.finditer(source) if match[1] != b"append"] if b"http" in source else []
    if len(rows) < _MIN_ROWS:
        return
    helpers = {name for name in {match[1].decode() for match in rows} if _takes_router(root, name)}
    ours = [
        match for match in rows if match[1].decode() in helpers or (not helpers and match[2].decode() in _ROUTER_WORDS)
    ]
    if len(ours) < _MIN_ROWS:
        return
    for match in ours[:200]:
        at = root.start_byte + match.start(1)
        node = root.descendant_for_byte_range(at, at + 1)
        if node is not None:
            into.entry("route", joined(match[3].decode(errors="replace")), node)


def _takes_router(root: Node, name: str) -> bool:
    """Whether a function of this file takes a router as its first argument."""
    for node in root.named_children:
        if node.type == "function_declaration" and text(node.child_by_field_name("name")) == name:
            given = node.child_by_field_name("parameters")
            first = child_at(given) if given is not None else None
            kind = text(first.child_by_field_name("type")) if first is not None else ""
            return _ROUTER.fullmatch(kind.lstrip("*").rpartition(".")[2]) is not None
    return False
