"""A cheap load generator: keep-alive sockets on one epoll loop, with prepared requests.

It runs in its own process (``python -m bench.load``), talks to loopback only, is bounded in count and time, and prints
one JSON line: requests, seconds, requests per second, percentiles in milliseconds, statuses.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import select
import socket
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

_HEADERS_END = b"\r\n\r\n"
BASELINE_SECRET = "minimal"
"""The secret that requests to the baseline app are signed with."""


@dataclass
class _Connection:
    sock: socket.socket
    sent_at: float = 0.0
    buffer: bytearray = field(default_factory=bytearray)


def _response_length(buffer: bytearray) -> int | None:
    """Length of the first complete response in the buffer, or None while it is incomplete."""
    end = buffer.find(_HEADERS_END)
    if end < 0:
        return None
    head = bytes(buffer[:end]).lower()
    at = head.find(b"content-length:")
    body = 0
    if at >= 0:
        stop = head.find(b"\r\n", at)
        body = int(head[at + 15 : stop if stop >= 0 else len(head)])
    total = end + 4 + body
    return total if len(buffer) >= total else None


def run(
    host: str, port: int, requests: list[bytes], *, connections: int, seconds: float, once: bool = False
) -> dict[str, object]:
    """Send the requests over the connections, one in flight on each, until the time is up.

    Round robin; with ``once``, each request is sent once and the run may end early.
    """
    poll = select.epoll()
    by_fd: dict[int, _Connection] = {}
    turn = 0
    for _ in range(connections):
        sock = socket.create_connection((host, port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        by_fd[sock.fileno()] = _Connection(sock)
        poll.register(sock.fileno(), select.EPOLLIN)
    latencies: list[float] = []
    statuses: Counter[int] = Counter()
    start = time.perf_counter()
    stop = start + seconds
    for connection in by_fd.values():
        connection.sent_at = time.perf_counter()
        connection.sock.sendall(requests[turn % len(requests)])
        turn += 1
    in_flight = len(by_fd)
    most = turn + (len(requests) - turn if once else 10**9)
    while in_flight:
        for fd, _ in poll.poll(5.0):
            connection = by_fd[fd]
            chunk = connection.sock.recv(262_144)
            if not chunk:
                raise ConnectionError("the server closed a connection under load")
            connection.buffer += chunk
            length = _response_length(connection.buffer)
            if length is None:
                continue
            now = time.perf_counter()
            statuses[int(connection.buffer[9:12])] += 1
            latencies.append(now - connection.sent_at)
            del connection.buffer[:length]
            if now >= stop or turn >= most:
                in_flight -= 1
                continue
            connection.sent_at = now
            connection.sock.sendall(requests[turn % len(requests)])
            turn += 1
        if time.perf_counter() > stop + 10:
            raise TimeoutError("the server stopped answering under load")
    took = time.perf_counter() - start
    for connection in by_fd.values():
        connection.sock.close()
    latencies.sort()
    return {
        "requests": len(latencies),
        "seconds": took,
        "rps": len(latencies) / took,
        "p50_ms": 1000 * latencies[len(latencies) // 2],
        "p99_ms": 1000 * latencies[int(len(latencies) * 0.99)],
        "statuses": dict(statuses),
    }


_WORDS = "the agent changed a function and wrote down why it had to be so for those who come after".split()  # noqa: SIM905


def signed_events(*, project: str, secret: str, count: int, seed: str, size: int = 1500) -> list[bytes]:
    """Signed ingest requests, all different, each with a body of about this size."""
    stamp = str(int(time.time()))
    text = " ".join(_WORDS[at % len(_WORDS)] for at in range(size // 5))[: size - 160]
    requests = []
    for at in range(count):
        payload = {"summary": f"{seed}-{at}", "changes": [{"category": "decision", "title": "why", "content": text}]}
        body = json.dumps({"event": "session_save", "payload": payload}).encode()
        digest = hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        head = (
            f"POST /api/v2/ingest HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"X-Service-Project: {project}\r\nX-Service-Timestamp: {stamp}\r\nX-Service-Signature: sha256={digest}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        requests.append(head.encode() + body)
    return requests


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=3.0)
    options = parser.parse_args()
    given = json.load(sys.stdin)
    if isinstance(given, dict):
        requests, once = signed_events(**given), True
    else:
        requests, once = [line.encode("latin-1") for line in given], False
    result = run(
        "127.0.0.1", options.port, requests, connections=options.connections, seconds=options.seconds, once=once
    )
    print(json.dumps(result))


if __name__ == "__main__":
    main()
