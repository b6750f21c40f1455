"""A real DNS server on loopback whose answers tests control: immediate, delayed, or none."""

from __future__ import annotations

import ipaddress
import socket
import struct
import threading
from collections import Counter
from typing import Self

_A, _SOA, _AAAA = 1, 6, 28
_HEADER = struct.Struct("!6H")
_IS_ANSWER, _NO_SUCH_NAME = 0x8180, 3


class NameServer:
    """Answers over UDP until ``stop``. Names that were not set do not exist."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._addresses: dict[str, tuple[str, ...]] = {}
        self._delays: dict[tuple[str, int], float | None] = {}
        self._query_counts: Counter[str] = Counter()
        self._timers: list[threading.Timer] = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._socket.sendto(b"", self._socket.getsockname())
        self._thread.join()
        self._socket.close()

    def set(self, name: str, *addresses: str) -> None:
        """Set a name's addresses; without any, the name does not exist."""
        with self._lock:
            self._addresses[name] = addresses

    def delay(self, name: str, seconds: float | None, *, family: int = 0) -> None:
        """Delay answers, or never answer if None, for both address families or only IP version 4 or 6."""
        with self._lock:
            for kind, version in ((_A, 4), (_AAAA, 6)):
                if family in (0, version):
                    self._delays[name, kind] = seconds

    def query_count(self, name: str) -> int:
        """The number of address queries for this name; one lookup of both families is two queries."""
        with self._lock:
            return self._query_counts[name]

    def _serve(self) -> None:
        while True:
            query, sender = self._socket.recvfrom(4096)
            if not query:
                return
            name, kind, question = _read_question(query)
            with self._lock:
                self._query_counts[name] += 1
                delay = self._delays.get((name, kind), 0.0)
                answer = _answer(query[:2], question, kind, self._addresses.get(name, ()))
            if delay:
                timer = threading.Timer(delay, self._send, (answer, sender))
                self._timers.append(timer)
                timer.start()
            elif delay is not None:
                self._send(answer, sender)

    def _send(self, answer: bytes, receiver: tuple[str, int]) -> None:
        self._socket.sendto(answer, receiver)


def _read_question(query: bytes) -> tuple[str, int, bytes]:
    labels, at = [], _HEADER.size
    while query[at]:
        labels.append(query[at + 1 : at + 1 + query[at]].decode().lower())
        at += 1 + query[at]
    [kind] = struct.unpack_from("!H", query, at + 1)
    return ".".join(labels), kind, query[_HEADER.size : at + 5]


def _answer(query_id: bytes, question: bytes, kind: int, addresses: tuple[str, ...]) -> bytes:
    """Build a response with a TTL of zero, so that neither addresses nor their absence is cached."""
    flags = _IS_ANSWER | (0 if addresses else _NO_SUCH_NAME)
    packed = [ipaddress.ip_address(address).packed for address in addresses]
    matching = [address for address in packed if len(address) == (4 if kind == _A else 16)]
    records = b"".join(struct.pack("!3HIH", 0xC00C, kind, 1, 0, len(address)) + address for address in matching)
    soa = b"" if matching else struct.pack("!3HIH", 0xC00C, _SOA, 1, 0, 22) + bytes(22)
    return query_id + _HEADER.pack(0, flags, 1, len(matching), bool(soa), 0)[2:] + question + records + soa
