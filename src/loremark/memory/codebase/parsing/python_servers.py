"""Finds Python servers beyond web frameworks: sockets, plain HTTP, WebSocket, RPC, bots."""

from __future__ import annotations

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.literals import plain, words
from loremark.memory.codebase.parsing.python_calls import (
    PythonNodes,
    arguments,
    decorators,
    defined,
    first_string,
    receiver,
)
from loremark.memory.codebase.parsing.python_jobs import bases
from loremark.memory.codebase.parsing.syntax import text

_SOCKETS = ("socketserver", "SocketServer")
_HTTP = ("http", "BaseHTTPServer")
_MADE = {
    "start_server": (("asyncio",), "TCP server"),
    "start_unix_server": (("asyncio",), "Unix socket server"),
    "TCPServer": (_SOCKETS, "TCP server"),
    "ThreadingTCPServer": (_SOCKETS, "TCP server"),
    "ForkingTCPServer": (_SOCKETS, "TCP server"),
    "UDPServer": (_SOCKETS, "UDP server"),
    "ThreadingUDPServer": (_SOCKETS, "UDP server"),
    "UnixStreamServer": (_SOCKETS, "Unix socket server"),
    "ThreadingUnixStreamServer": (_SOCKETS, "Unix socket server"),
    "HTTPServer": ((*_HTTP, "tornado"), "HTTP server"),
    "ThreadingHTTPServer": (_HTTP, "HTTP server"),
    "make_server": (("wsgiref", "werkzeug"), "WSGI server"),
    "run_simple": (("werkzeug",), "WSGI server"),
    "WSGIServer": (("gevent", "cheroot", "wsgiref"), "WSGI server"),
    "StreamServer": (("gevent",), "TCP server"),
    "quickstart": (("cherrypy",), "CherryPy app"),
    "run_app": (("aiohttp",), "aiohttp app"),
    "AppRunner": (("aiohttp",), "aiohttp app"),
    "SimpleXMLRPCServer": (("xmlrpc", "SimpleXMLRPCServer"), "XML-RPC server"),
    "DocXMLRPCServer": (("xmlrpc", "DocXMLRPCServer"), "XML-RPC server"),
    "TThreadedServer": (("thrift",), "Thrift server"),
    "TSimpleServer": (("thrift",), "Thrift server"),
    "TThreadPoolServer": (("thrift",), "Thrift server"),
    "TNonblockingServer": (("thrift",), "Thrift server"),
    "TForkingServer": (("thrift",), "Thrift server"),
    "FastMCP": (("mcp", "fastmcp"), "MCP server"),
    "AsyncServer": (("socketio",), "Socket.IO server"),
    "SocketIO": (("flask_socketio",), "Socket.IO server"),
    "WebsocketServer": (("websocket_server",), "WebSocket server"),
    "listenTCP": (("twisted",), "TCP server"),
    "listenSSL": (("twisted",), "TLS server"),
    "listenUDP": (("twisted",), "UDP server"),
    "listenUNIX": (("twisted",), "Unix socket server"),
    "TCP4ServerEndpoint": (("twisted",), "TCP server"),
    "TCP6ServerEndpoint": (("twisted",), "TCP server"),
    "SSL4ServerEndpoint": (("twisted",), "TLS server"),
    "serverFromString": (("twisted",), "TCP server"),
    "Controller": (("aiosmtpd",), "SMTP server"),
    "FTPServer": (("pyftpdlib",), "FTP server"),
    "ThreadedFTPServer": (("pyftpdlib",), "FTP server"),
    "DNSServer": (("dnslib",), "DNS server"),
    "run_polling": (("telegram",), "Telegram bot"),
    "start_polling": (("telegram", "aiogram"), "Telegram bot"),
    "infinity_polling": (("telebot",), "Telegram bot"),
}
_SERVER = {"mcp": "MCP server", "socketio": "Socket.IO server", "uvicorn": "uvicorn"}
_SERVE = {"websockets": "WebSocket server", "waitress": "waitress", "hypercorn": "hypercorn"}
_BASES = {
    "TCPServer": _SOCKETS,
    "UDPServer": _SOCKETS,
    "ThreadingTCPServer": _SOCKETS,
    "HTTPServer": _HTTP,
    "ThreadingHTTPServer": _HTTP,
    "BaseHTTPRequestHandler": _HTTP,
    "SimpleHTTPRequestHandler": _HTTP,
    "BaseRequestHandler": _SOCKETS,
    "StreamRequestHandler": _SOCKETS,
    "ServerFactory": ("twisted",),
    "SMTPServer": ("smtpd",),
    "ServerInterface": ("paramiko",),
    "SSHServer": ("asyncssh",),
    "BaseApplication": ("gunicorn",),
}
# FUSE file systems and system services, whose methods are called by the library.
_FUSE = ("llfuse", "pyfuse3", "fuse", "mfusepy", "refuse")
_BASES |= {
    "Operations": _FUSE,
    "Fuse": _FUSE,
    "ServiceFramework": ("win32serviceutil",),
    "Service": ("rpyc",),
    "Daemon": ("daemon", "daemonize", "daemons"),
}
_CONSUMERS = words(
    "WebsocketConsumer AsyncWebsocketConsumer JsonWebsocketConsumer AsyncJsonWebsocketConsumer SyncConsumer "
    "AsyncConsumer AsyncHttpConsumer"
)
_TOOLS = words("tool resource prompt call_tool")


def read(classes: list[Node], found: PythonNodes, into: Collector) -> None:
    """Finds the first server of a file, then its named handlers."""
    if not into.has_entry("server"):
        title, node = _made(found) or _derived(classes, found) or _by_hand(found) or ("", None)
        if node is not None:
            into.entry("server", title, node)
    _launched(found, into)
    _answers(classes, found, into)


def _made(found: PythonNodes) -> tuple[str, Node] | None:
    for name, call in found.calls:
        packages, title = _MADE.get(name, ((), ""))
        if title and found.uses(*packages):
            return title, call
        title = _made_by_other(name, call, found)
        if title:
            return title, call
    return None


def _made_by_other(name: str, call: Node, found: PythonNodes) -> str:
    """Names that mean a server depending on their receiver or arguments."""
    on = receiver(call)
    if name in ("create_server", "create_unix_server") and found.uses("asyncio", "uvloop", "asyncssh"):
        is_server = on in ("loop", "_loop", "asyncssh") or on.endswith("_loop()") or "get_event_loop" in on
        return "SSH server" if on == "asyncssh" else "TCP server" if is_server else ""
    if name == "create_datagram_endpoint" and "local_addr" in arguments(call)[1]:
        return "UDP server"
    if name == "Server":
        package = next((each for each in _SERVER if each in found.packages), "")
        return _SERVER.get(package, "") if on in ("", "server", "lowlevel", package) else ""
    if name == "serve":
        package = next((each for each in _SERVE if each in found.packages), "")
        return _SERVE.get(package, "") if on in ("", "server", package) else ""
    if name == "server" and on == "wsgi" and found.uses("eventlet"):
        return "WSGI server"
    if name == "run" and on in ("bot", "client") and found.uses("discord", "nextcord", "disnake"):
        return "Discord bot"
    if name == "bind" and found.uses("zmq") and (first_string(call) or "").startswith(("tcp://", "ipc://")):
        return "ZeroMQ server"
    return ""


def _derived(classes: list[Node], found: PythonNodes) -> tuple[str, Node] | None:
    for node in classes:
        for base in bases(node):
            if base in _BASES and found.uses(*_BASES[base]):
                return text(node.child_by_field_name("name")), node
            if base == "Application" and found.uses("tornado"):
                return "tornado app", node
    return None


def _by_hand(found: PythonNodes) -> tuple[str, Node] | None:
    """A socket that is bound and listens; one that is only bound probes for a free port."""
    if not found.uses("socket"):
        return None
    bound = {receiver(call) for name, call in found.calls if name == "bind"}
    for name, call in found.calls:
        if name == "listen" and receiver(call) and receiver(call) in bound:
            return "socket server", call
    return None


def _launched(found: PythonNodes, into: Collector) -> None:
    """The main of traitlets programs, and of programs that stop on a signal."""
    calls = [call for name, call in found.calls if _is_launch(name, call)]
    if calls and not any(entry.kind in ("main", "cli") for entry in into.entries):
        into.entry("main", "main", calls[0])


def _is_launch(name: str, call: Node) -> bool:
    """``App.launch_instance()``, ``loop.add_signal_handler(signal.SIGTERM, …)``."""
    if name == "launch_instance":
        return bool(receiver(call))
    if name in ("add_signal_handler", "signal"):
        # Tools and jobs handle only SIGINT, to clean up.
        first = arguments(call)[0][:1]
        return bool(first) and text(first[0]).endswith("SIGTERM")
    return False


def _answers(classes: list[Node], found: PythonNodes, into: Collector) -> None:
    """Django Channels consumers, Socket.IO messages, MCP tools, XML-RPC functions."""
    if found.uses("channels"):
        for node in classes:
            if not _CONSUMERS.isdisjoint(bases(node)):
                into.entry("route", f"WS {text(node.child_by_field_name('name'))}", node)
    is_socket = found.uses("socketio", "flask_socketio")
    is_mcp = found.uses("mcp", "fastmcp")
    for decorated in found.decorated if is_socket or is_mcp else ():
        function, _ = defined(decorated)
        for owner, name, call, node in decorators(decorated):
            if is_socket and name in ("on", "event") and owner in ("sio", "socketio", "server", "io"):
                into.entry("route", f"WS {(first_string(call) if call is not None else None) or function}", node)
            elif is_mcp and name in _TOOLS and owner:
                named = arguments(call)[1] if call is not None else {}
                into.entry("route", f"{name} {plain(named.get('name')) or function}", node)
    if found.uses("xmlrpc", "SimpleXMLRPCServer"):
        for name, call in found.calls:
            plainly, _ = arguments(call)
            if name == "register_function" and plainly:
                into.entry("route", (plain(plainly[1]) if len(plainly) > 1 else None) or text(plainly[0]), call)
