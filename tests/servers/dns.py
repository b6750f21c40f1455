"""A real name server on loopback that answers as a test wants: at once, late, or never."""

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
    """Answers over UDP from its creation until ``stop``. A name that was not set does not exist."""

    def __init__(self) -> None:
        self._changed = threading.Lock()
        self._known: dict[str, tuple[str, ...]] = {}
        self._delays: dict[tuple[str, int], float | None] = {}
        self._asked: Counter[str] = Counter()
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
        """From now on the name has these addresses; none at all means that it does not exist."""
        with self._changed:
            self._known[name] = addresses

    def delay(self, name: str, seconds: float | None, *, family: int = 0) -> None:
        """Answer so much later, or never; for both kinds of address or only for IP version 4 or 6."""
        with self._changed:
            for kind, version in ((_A, 4), (_AAAA, 6)):
                if family in (0, version):
                    self._delays[name, kind] = seconds

    def asked(self, name: str) -> int:
        """How many times somebody has asked for addresses of this name; once for each kind is two."""
        with self._changed:
            return self._asked[name]

    def _serve(self) -> None:
        while True:
            query, sender = self._socket.recvfrom(4096)
            if not query:
                return
            name, kind, question = _read_question(query)
            with self._changed:
                self._asked[name] += 1
                delay = self._delays.get((name, kind), 0.0)
                answer = _answer(query[:2], question, kind, self._known.get(name, ()))
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


def _answer(number: bytes, question: bytes, kind: int, addresses: tuple[str, ...]) -> bytes:
    """Records with no time to live: nobody keeps them, nor that there are none."""
    flags = _IS_ANSWER | (0 if addresses else _NO_SUCH_NAME)
    packed = [ipaddress.ip_address(address).packed for address in addresses]
    fitting = [address for address in packed if len(address) == (4 if kind == _A else 16)]
    records = b"".join(struct.pack("!3HIH", 0xC00C, kind, 1, 0, len(address)) + address for address in fitting)
    nothing = b"" if fitting else struct.pack("!3HIH", 0xC00C, _SOA, 1, 0, 22) + bytes(22)
    return number + _HEADER.pack(0, flags, 1, len(fitting), bool(nothing), 0)[2:] + question + records + nothing
