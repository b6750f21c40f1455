"""Servers and consumers in Go beyond the usual routers, and tables that tie names to handlers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from cairn.memory.codebase.parsing.collecting import Collector
from cairn.memory.codebase.parsing.literals import plain, words
from cairn.memory.codebase.parsing.syntax import child_at, text
from cairn.memory.codebase.records import EntryKind

# The package (a part of its path), what is called of it, and what that makes.
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
_LEAST_ROWS = 6
_INTERFACES = words("ServerInterface StrictServerInterface")


def made_here(packages: frozenset[str]) -> dict[str, tuple[EntryKind, str]]:
    """What a call or a literal makes in a file that imports these packages."""
    return {
        name: (kind, title) for package, names, kind, title in _MADE if package in packages for name in names.split()
    }


def schedule_in(name: str, given: list[Node]) -> str | None:
    """The cron expression that a call registers something with."""
    if name not in _CRON_CALLS:
        return None
    found = (plain(each) for each in given[:3])
    return next((each for each in found if each and _CRON.fullmatch(each)), None)


def service_in(name: str, given: list[Node]) -> str | None:
    """``pb.RegisterUsersServer(server, users)`` is the service of gRPC that is served here."""
    match = _GRPC.fullmatch(name) if len(given) == 2 else None
    return match[1] if match else None


def read_table(literal: Node, into: Collector) -> None:
    """``var handlers = map[string]func(…){"add": add, …}``: each name is a way in."""
    made, body = literal.child_by_field_name("type"), literal.child_by_field_name("body")
    if made is None or made.type != "map_type" or body is None or body.named_child_count < _LEAST_ROWS:
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
    """The name of the variable that a literal is given to."""
    above = literal.parent
    for _ in range(3):
        if above is None:
            return ""
        named = above.child_by_field_name("name") or above.child_by_field_name("left")
        if named is not None:
            return text(named)
        above = above.parent
    return ""


def read_promise(declaration: Node, into: Collector) -> None:
    """``var _ ServerInterface = (*Server)(nil)``: the handlers of routes that are generated from an OpenAPI file."""
    for spec in declaration.named_children[:50]:
        made = text(spec.child_by_field_name("type")).rpartition(".")[2] if spec.type == "var_spec" else ""
        if made in _INTERFACES and text(spec.child_by_field_name("name")) == "_":
            into.entry("route", f"OpenAPI {made}", spec)
