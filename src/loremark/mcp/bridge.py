"""``loremark mcp``: a thin bridge between an agent's stdio and the server's /mcp.

Standard library only, so that it starts at once. Where the server cannot be reached or does not let us in, lists are
told as they were told last (``kept``) and each tool says what is wrong until it is mended. Where nothing was kept yet,
the same MCP server runs in this process for that.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import BinaryIO, NamedTuple

from loremark.base import clock, profile
from loremark.hook import link
from loremark.mcp.message import Message
from loremark.mcp.relay import NotServed, Relay

_MOST_LINE = 8 * 1024 * 1024
_AT_ONCE = 64
_LAST_S = 10.0
_AWAY_S = 5.0
_LOOKS_EVERY_S = 15.0
_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600


class Place(NamedTuple):
    """Where the memory is, and who we are there."""

    url: str
    key: str
    project: str
    secret: str

    @property
    def is_known(self) -> bool:
        return bool(self.url and self.key)


def find_place() -> Place:
    """From the environment first, then from what ``loremark login`` and ``loremark init`` have written."""
    project = _project()
    person = profile.load()
    if person is None:
        return Place("", "", project, "")
    return Place(person.url, person.key, project, person.secrets.get(project, ""))


def main(arguments: list[str]) -> int:
    """Speak MCP on stdin and stdout until stdin ends."""
    if arguments:
        sys.stderr.write("usage: loremark mcp   (speaks the Model Context Protocol on stdin and stdout)\n")
        return 0 if arguments[0] in ("-h", "--help") else 2
    try:
        return _speak(sys.stdin.buffer)
    except KeyboardInterrupt:
        return 130


def _speak(lines: BinaryIO) -> int:
    first = _first_line(lines)
    if first is None:
        return 0
    bridge = Bridge(find_place(), sys.stdout.buffer)
    if not bridge.begin(first):
        from loremark.mcp.local import serve

        return serve(first)
    bridge.run(lines)
    return 0


class Bridge:
    """Lines from the agent become requests, each in a thread of its own; answers become lines."""

    def __init__(self, place: Place, out: BinaryIO) -> None:
        self._out = out
        self._writing = threading.Lock()
        self._relay = Relay(place.url, place.key, place.project, self.write)
        self._place = place
        self._turns = threading.Semaphore(_AT_ONCE)
        self._away_until = 0.0
        self._may_wait = True  # an earlier bridge may have kept something
        self._looks_from = 0.0
        self._threads: set[threading.Thread] = set()

    def begin(self, line: bytes) -> bool:
        """The first message; False when the server does not take it, so that somebody else must answer."""
        if not self._place.is_known:
            return False
        message = _parse(line)
        if message is None:
            self._refuse(line)
            return True
        try:
            self._relay.send(message, first=True)
        except NotServed as refusal:
            self._note_absence(refusal)
            return self._relay.can_begin_without(message) and self._relay.answer_kept(message)
        self._send_kept()
        return True

    def run(self, lines: BinaryIO) -> None:
        while line := lines.readline(_MOST_LINE):
            if len(line) >= _MOST_LINE:
                self._refuse(line)
                return
            if line.strip():
                self._take(line)
        last = clock.monotonic() + _LAST_S
        for thread in list(self._threads):  # the agent has gone, but may still read what it asked for
            thread.join(max(0.0, last - clock.monotonic()))
        self._relay.close()

    def write(self, message: Message) -> None:
        """One message as one line. When nobody reads any more, there is nothing left to do."""
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
        try:
            with self._writing:
                self._out.write(line)
                self._out.flush()
        except (BrokenPipeError, ValueError):
            os._exit(0)

    def _take(self, line: bytes) -> None:
        message = _parse(line)
        if message is None:
            self._refuse(line)
        elif message.get("method") == "notifications/cancelled" and self._relay.cancel(message):
            pass
        elif "id" not in message or message.get("method") == "initialize":
            self._send(message)  # what follows may depend on it
        else:
            self._turns.acquire()
            thread = threading.Thread(target=self._send_in_turn, args=(message,), daemon=True)
            if message.get("method") != "subscriptions/listen":
                self._threads.add(thread)
            thread.start()

    def _send_in_turn(self, message: Message) -> None:
        try:
            self._send(message)
        finally:
            self._turns.release()
            self._threads.discard(threading.current_thread())

    def _send(self, message: Message) -> None:
        if clock.monotonic() < self._away_until and self._relay.answer_kept(message):
            return None
        try:
            self._relay.send(message)
        except NotServed as refusal:
            self._note_absence(refusal)
            place = find_place()
            if refusal.status in (0, 401) and (place.url, place.key) != (self._place.url, self._place.key):
                self._place = place  # somebody has signed in again meanwhile, or elsewhere
                self._relay.move(place.url, place.key, place.project)
                try:
                    self._relay.send(message)
                    return self._send_kept()
                except NotServed as again:
                    refusal = again
            if not self._relay.answer_kept(message):
                self._relay.fail(message, self._kept_or_told(message, refusal))
            return None
        self._send_kept()
        return None

    def _kept_or_told(self, message: Message, refusal: NotServed) -> str:
        """What is wrong; what was to be saved is kept meanwhile, where that can be."""
        from loremark.mcp import keeping

        place = self._place
        if not keeping.keep(message, refusal.status, place.url, place.project, self._relay.client):
            return str(refusal)
        self._may_wait, self._looks_from = True, 0.0
        return keeping.KEPT

    def _send_kept(self) -> None:
        """The server answers: what was kept while it did not goes to it, in the background."""
        if self._may_wait and clock.monotonic() >= self._looks_from:
            self._looks_from = clock.monotonic() + _LOOKS_EVERY_S
            threading.Thread(target=self._look_for_kept, daemon=True).start()

    def _look_for_kept(self) -> None:
        from loremark.mcp import keeping

        self._may_wait = not keeping.send_kept()

    def _note_absence(self, refusal: NotServed) -> None:
        """What was kept is told at once for a while: finding out that nobody is there can take seconds each time."""
        if refusal.status == 0:
            self._away_until = clock.monotonic() + _AWAY_S

    def _refuse(self, line: bytes) -> None:
        is_json = _is_json(line)
        code, text = (_INVALID_REQUEST, "Invalid request") if is_json else (_PARSE_ERROR, "Parse error")
        self.write({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": text}})


def _first_line(lines: BinaryIO) -> bytes | None:
    while line := lines.readline(_MOST_LINE):
        if line.strip():
            return line
    return None


def _parse(line: bytes) -> Message | None:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    # An id is a text or a number; nothing else can be told apart from others.
    is_message = isinstance(message, dict) and not isinstance(message.get("id"), list | dict | bool)
    return message if is_message else None


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _project() -> str:
    """The project of this folder; empty where it has none, then the only project there is will do."""
    try:
        folder = os.getcwd()
        found, why = link.look(folder)
        if found is None and why == link.UNKNOWN_PLACE:
            link.remember_place(folder)
            found = link.find_link(folder)
    except OSError:
        return ""
    return found.project if found is not None else ""
