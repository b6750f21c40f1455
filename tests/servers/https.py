"""A real HTTPS receiver in threads of this process, with certificates created for the run."""

from __future__ import annotations

import datetime
import ipaddress
import json
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NAMES = ("localhost", "hooks.example.com")
ADDRESSES = ("127.0.0.1", "::1")
_MAX_WAIT_S = 30.0
_TIMEOUT_S = 60.0
"""Generous, because the machine may be slow."""


class Authority:
    """A private certificate authority, and the certificate it issued for the receiver's names."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.ca_file = folder / "ca.pem"
        self._chain = folder / "receiver.pem"
        ca_key, leaf_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        ca_name = _name("Loremark test authority")
        root = (
            _certificate(ca_name, ca_name, ca_key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(ca_key, hashes.SHA256())
        )
        hosts: list[x509.GeneralName] = [x509.DNSName(name) for name in NAMES]
        hosts += [x509.IPAddress(ipaddress.ip_address(address)) for address in ADDRESSES]
        leaf = (
            _certificate(_name("receiver"), ca_name, leaf_key)
            .add_extension(x509.SubjectAlternativeName(hosts), critical=False)
            .sign(ca_key, hashes.SHA256())
        )
        pem = serialization.Encoding.PEM
        key = leaf_key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        self.ca_file.write_bytes(root.public_bytes(pem))
        self._chain.write_bytes(key + leaf.public_bytes(pem))

    def server_context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._chain)
        return context


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _certificate(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
    )


@dataclass(frozen=True)
class Reply:
    """A response of the receiver; with a gate, it is held back until the gate opens."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    gate: threading.Event | None = None


@dataclass(frozen=True)
class Request:
    """A request as received; header names are in lower case."""

    path: str
    headers: dict[str, str]
    body: bytes
    server_name: str | None

    @cached_property
    def json(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.body)
        return content


class Receiver:
    """Listens on a loopback port until ``stop``; can be used as a context manager."""

    def __init__(self, authority: Authority, address: str = "127.0.0.1", port: int = 0) -> None:
        self._requests: list[Request] = []
        self._replies: dict[str, list[Reply]] = {}
        self._default_replies: dict[str, Reply] = {}
        self._connections = 0
        self._changed = threading.Condition()
        self._server_names = threading.local()
        self._gates: list[threading.Event] = []
        self._context = authority.server_context()
        self._context.sni_callback = self._record_server_name
        self._server = _Server(self, address, port)
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def __enter__(self) -> Receiver:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        for gate in self._gates:
            gate.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"https://{host}:{self.port}{path}"

    @property
    def connections(self) -> int:
        """The number of connections so far, including those without a request."""
        with self._changed:
            return self._connections

    def requests(self, path: str | None = None) -> list[Request]:
        """All requests so far, or those to one path, oldest first."""
        with self._changed:
            return [request for request in self._requests if path in (None, request.path)]

    def answer(self, path: str, *replies: Reply) -> None:
        """Queue replies for the next requests to a path."""
        with self._changed:
            self._replies.setdefault(path, []).extend(replies)
            self._keep_gates(replies)

    def always(self, path: str, reply: Reply) -> None:
        """Set the reply for a path when none is queued."""
        with self._changed:
            self._default_replies[path] = reply
            self._keep_gates((reply,))

    def wait_for(self, count: int, path: str | None = None, timeout: float = _TIMEOUT_S) -> list[Request]:
        """Block until this many requests have arrived; async tests use ``asyncio.to_thread``."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.requests(path)) >= count, timeout):
                raise TimeoutError(f"got {len(self.requests(path))} requests to {path} within {timeout} s, not {count}")
            return self.requests(path)

    def _keep_gates(self, replies: tuple[Reply, ...]) -> None:
        self._gates += [reply.gate for reply in replies if reply.gate is not None]

    def _record_server_name(self, tls: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
        self._server_names.latest = name

    def _secure(self, connection: socket.socket) -> tuple[ssl.SSLSocket, str | None]:
        with self._changed:
            self._connections += 1
        self._server_names.latest = None
        connection.settimeout(_MAX_WAIT_S)
        secured = self._context.wrap_socket(connection, server_side=True)
        return secured, self._server_names.latest

    def _take(self, request: Request) -> Reply:
        with self._changed:
            self._requests.append(request)
            queued = self._replies.get(request.path)
            reply = queued.pop(0) if queued else self._default_replies.get(request.path, Reply())
            self._changed.notify_all()
        return reply


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, receiver: Receiver, address: str, port: int) -> None:
        self.receiver = receiver
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, port), _Handler)

    def finish_request(self, request: Any, client_address: Any) -> None:
        secured, server_name = self.receiver._secure(request)
        with secured:
            _handler_for(server_name)(secured, client_address, self)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect."""


def _handler_for(server_name: str | None) -> Callable[..., BaseHTTPRequestHandler]:
    return type("Handler", (_Handler,), {"server_name": server_name})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_name: str | None = None
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.receiver._take(Request(self.path, headers, body, self.server_name))
        if reply.gate is not None:
            reply.gate.wait(_MAX_WAIT_S)
        self.send_response(reply.status)
        for name, value in {"Content-Length": str(len(reply.body)), "Connection": "close", **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)
        self.close_connection = True

    do_GET = do_POST

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""
