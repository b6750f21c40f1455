"""A load generator that costs little itself: keep-alive sockets on one epoll loop, requests prepared beforehand.

It runs in a process of its own (``python -m bench.load``), speaks to loopback only, is bounded in count and
time, and prints one JSON line: requests, seconds, requests a second, percentiles in milliseconds, statuses.
"""

from __future__ import annotations

import argparse
import json
import select
import socket
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

_HEADERS_END = b"\r\n\r\n"


@dataclass
class _Connection:
    sock: socket.socket
    sent_at: float = 0.0
    buffer: bytearray = field(default_factory=bytearray)


def _response_length(buffer: bytearray) -> int | None:
    """Length of the first whole response in the buffer, or None while it is incomplete."""
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


def run(host: str, port: int, requests: list[bytes], *, connections: int, seconds: float) -> dict[str, object]:
    """Send the requests round robin over the connections, one in flight on each, until the time is over."""
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
            if now >= stop:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=3.0)
    options = parser.parse_args()
    requests = [line.encode("latin-1") for line in json.load(sys.stdin)]
    result = run("127.0.0.1", options.port, requests, connections=options.connections, seconds=options.seconds)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
