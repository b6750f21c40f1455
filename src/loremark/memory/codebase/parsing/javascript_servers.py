"""Finds JavaScript servers: HTTP frameworks, sockets and their messages, RPC."""

from __future__ import annotations

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.javascript_calls import (
    JavaScriptNodes,
    arguments,
    decorator,
    first_string,
    members,
    pairs,
)
from loremark.memory.codebase.parsing.literals import plain, words
from loremark.memory.codebase.parsing.syntax import text

_FRAMEWORKS = {
    "express": "Express",
    "fastify": "Fastify",
    "koa": "Koa",
    "hono": "Hono",
    "@hono/node-server": "Hono",
    "@hapi/hapi": "hapi",
    "restify": "Restify",
    "polka": "Polka",
    "@nestjs/core": "NestJS",
    "elysia": "Elysia",
    "apollo-server": "Apollo",
    "@apollo/server": "Apollo",
    "socket.io": "Socket.IO",
    "ws": "WebSocket",
}
_NETWORK = words("http https http2 net tls node:http node:https node:http2 node:net node:tls")
_WEB = words("http https http2 node:http node:https node:http2")
_LISTENERS = words("app server httpServer fastify http api httpsServer")
_MADE = {
    "WebSocketServer": (("ws",), "WebSocket server"),
    "SocketIOServer": (("socket.io",), "Socket.IO server"),
    "ApolloServer": (
        ("apollo-server", "apollo-server-express", "apollo-server-koa", "@apollo/server"),
        "Apollo server",
    ),
    "createYoga": (("graphql-yoga",), "GraphQL server"),
    "createHTTPServer": (("@trpc/server/adapters/standalone",), "tRPC server"),
    "bindAsync": (("@grpc/grpc-js", "grpc"), "gRPC server"),
    "createSocket": (("dgram", "node:dgram"), "UDP server"),
    "SMTPServer": (("smtp-server",), "SMTP server"),
    "Aedes": (("aedes",), "MQTT broker"),
    "Hocuspocus": (("@hocuspocus/server",), "Hocuspocus server"),
    "configure": (("@hocuspocus/server",), "Hocuspocus server"),
    "createMicroservice": (("@nestjs/core",), "NestJS server"),
    "createApplicationContext": (("@nestjs/core",), "NestJS application"),
}
_SERVER = {
    "socket.io": "Socket.IO server",
    "ws": "WebSocket server",
    "@grpc/grpc-js": "gRPC server",
    "@hocuspocus/server": "Hocuspocus server",
}
_MCP = "@modelcontextprotocol/"
_APPS = {"express": "Express app", "Koa": "Koa app"}
_FEWEST_PARTS = 2
_SOCKET_OWNERS = words("io wss sockets nsp namespace wsServer webSocketServer websocketServer socketServer")
_SOCKETS = words("socket conn connection ws")
_OF_ITSELF = words(
    "connect connection disconnect disconnecting error close data end message open ping pong timeout drain "
    "connect_error reconnect upgrade packet finish readable lookup ready pipe secureConnect"
)
_FEWEST_MESSAGES = 3
_CLIENTS = ("socket.io-client", "socket.io-client/dist/socket.io")
_PATTERNS = words("SubscribeMessage MessagePattern EventPattern GrpcMethod GrpcStreamMethod")


def read(source: bytes, found: JavaScriptNodes, into: Collector) -> None:
    """Finds one server per file (preferring the one that listens), then socket messages."""
    title, node = _listening(found) or _made(found) or ("", None)
    if node is None and not into.has_entry("route"):
        title, node = _application(found) or ("", None)
    if node is not None:
        into.entry("server", title, node)
    if not found.uses(*_CLIENTS):
        _messages(source, found, into)
    if any(package.startswith(_MCP) for package in found.packages):
        _tools(found, into)
    if found.uses("@nestjs/websockets", "@nestjs/microservices"):
        _gateways(found, into)


def _listening(found: JavaScriptNodes) -> tuple[str, Node] | None:
    framework = next((title for package, title in _FRAMEWORKS.items() if package in found.packages), "")
    for owner, name, call in found.calls:
        is_listening = name == "listen" and (framework or (owner in _LISTENERS and arguments(call)))
        is_network = name in ("createServer", "createSecureServer") and not found.packages.isdisjoint(_NETWORK)
        is_runtime = name == "serve" and (owner in ("Bun", "Deno") or found.uses("@hono/node-server"))
        is_nest = name == "create" and owner == "NestFactory"
        if is_listening or is_network or is_runtime or is_nest:
            is_plain = is_network and found.packages.isdisjoint(_WEB)
            return f"{framework or ('TCP' if is_plain else 'HTTP')} server", call
    return None


def _made(found: JavaScriptNodes) -> tuple[str, Node] | None:
    for owner, name, call in found.calls:
        packages, title = _MADE.get(name, ((), ""))
        if title and found.uses(*packages) and _is_for_serving(owner, name, found):
            return title, call
        if call.type == "new_expression" and name in ("Server", "McpServer"):
            title = _titled(name, found)
            if title:
                return title, call
    return None


def _is_for_serving(owner: str, name: str, found: JavaScriptNodes) -> bool:
    """A datagram socket is a server if it is bound; ``configure`` alone is too common."""
    if name == "createSocket":
        return any(other == "bind" for _, other, _ in found.calls)
    return name != "configure" or owner in ("Server", "Hocuspocus")


def _titled(name: str, found: JavaScriptNodes) -> str:
    if any(package.startswith(_MCP) for package in found.packages):
        return "MCP server"
    package = next((each for each in _SERVER if each in found.packages), "")
    return _SERVER.get(package, "") if name == "Server" else ""


def _application(found: JavaScriptNodes) -> tuple[str, Node] | None:
    """``const app = express()`` that is configured here but listens elsewhere."""
    for variable, (name, call) in found.made.items():
        if name not in _APPS or not any(each.rpartition("/")[2] == name.lower() for each in found.packages):
            continue
        if sum(owner == variable and method == "use" for owner, method, _ in found.calls) >= _FEWEST_PARTS:
            return _APPS[name], call
    return None


def _messages(source: bytes, found: JavaScriptNodes, into: Collector) -> None:
    """WebSocket input: new connections, named messages, a switch over message types."""
    is_server = False
    for owner, name, call in found.calls:
        is_new = name == "on" and first_string(call) == "connection"
        if is_new and (owner in _SOCKET_OWNERS or (found.uses("socket.io", "ws") and _is_namespace(owner, call))):
            is_server = True
            into.entry("route", "WS connection", call)
    named = [
        (event, call)
        for owner, name, call in found.calls
        if name == "on" and owner in ("socket", "client") and (event := first_string(call)) and event not in _OF_ITSELF
    ]
    if is_server or (len(named) >= _FEWEST_MESSAGES and _are_given_their_socket(named)):
        for event, call in named:
            into.entry("route", f"WS {event}", call)
    calls = found.calls if b"switch" in source else []
    cases = [each for each in map(_case, calls) if each is not None]
    if len(cases) >= _FEWEST_MESSAGES:
        for event, call in cases:
            into.entry("route", f"WS {event}", call)


def _is_namespace(owner: str, call: Node) -> bool:
    return owner in ("server", "wss", "this") or ".of(" in text(call)


def _are_given_their_socket(named: list[tuple[str, Node]]) -> bool:
    """Server handlers get each client's socket as a parameter; a browser has a single one."""
    at = named[0][1].parent
    for _ in range(40):
        if at is None:
            return False
        given = at.child_by_field_name("parameters") or at.child_by_field_name("parameter")
        if given is not None and any(word in ("socket", "client") for word in _parameters(given)):
            return True
        at = at.parent
    return False


def _parameters(given: Node) -> list[str]:
    each = given.named_children[:8] if given.type == "formal_parameters" else [given]
    return [text(child).partition(":")[0].strip() for child in each]


def _case(each: tuple[str, str, Node]) -> tuple[str, Node] | None:
    """``case "JOIN": await handleJoin(socket, message)``."""
    _, _, call = each
    first = arguments(call)[:1]
    if not first or first[0].type != "identifier" or text(first[0]) not in _SOCKETS:
        return None
    at = call.parent
    for _ in range(4):
        if at is None or at.type == "switch_case":
            break
        at = at.parent
    if at is None or at.type != "switch_case":
        return None
    event = plain(at.child_by_field_name("value"))
    return (event, call) if event else None


def _tools(found: JavaScriptNodes, into: Collector) -> None:
    for _, name, call in found.calls:
        if name in ("registerTool", "tool", "registerResource", "registerPrompt") and len(arguments(call)) > 1:
            into.entry("route", f"tool {first_string(call)}" if first_string(call) else "", call)


def _gateways(found: JavaScriptNodes, into: Collector) -> None:
    """Nest: a class that handles sockets or broker messages."""
    for node, decorators in found.classes:
        if any(decorator(each)[0] == "WebSocketGateway" for each in decorators):
            into.entry("server", text(node.child_by_field_name("name")), node)
        for member, own in members(node):
            for each in own:
                name, call = decorator(each)
                if name in _PATTERNS:
                    into.entry("route", f"WS {_pattern(call) or text(member.child_by_field_name('name'))}", member)


def _pattern(call: Node | None) -> str | None:
    given = arguments(call)[:1] if call is not None else []
    return (plain(given[0]) or plain(dict(pairs(given[0])).get("cmd"))) if given else None
