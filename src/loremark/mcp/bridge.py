"""``loremark mcp``: a thin bridge between an agent's stdio and the server's /mcp endpoint.

Standard library only, so it starts fast. While the server is unreachable or rejects our key, lists come from the
``response_cache`` and tool calls return an error that says what to do. If nothing is cached yet, the MCP server runs in
this process instead.
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
from loremark.mcp.relay import Relay, RelayError

_MAX_LINE = 8 * 1024 * 1024
_MAX_REQUESTS = 64
_SHUTDOWN_S = 10.0
_OFFLINE_S = 5.0
_CHECK_EVERY_S = 15.0
_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600


class Connection(NamedTuple):
    """The server, key and project to use."""

    url: str
    key: str
    project: str

    @property
    def is_configured(self) -> bool:
        return bool(self.url and self.key)


def load_connection() -> Connection:
    """Load the connection from the environment, or from the files of ``loremark login`` and ``loremark init``."""
    project = _project()
    saved_profile = profile.load()
    if saved_profile is None:
        return Connection("", "", project)
    return Connection(saved_profile.url, saved_profile.agent_key(project), project)


def main(arguments: list[str]) -> int:
    """Serve MCP on stdin and stdout until stdin is closed."""
    if arguments:
        sys.stderr.write("usage: loremark mcp   (serves the Model Context Protocol on stdin and stdout)\n")
        return 0 if arguments[0] in ("-h", "--help") else 2
    try:
        return _serve(sys.stdin.buffer)
    except KeyboardInterrupt:
        return 130


def _serve(lines: BinaryIO) -> int:
    first = _first_line(lines)
    if first is None:
        return 0
    bridge = Bridge(load_connection(), sys.stdout.buffer)
    if not bridge.start(first):
        from loremark.mcp.local import serve

        return serve(first)
    bridge.run(lines)
    return 0


class Bridge:
    """Forwards each line from the agent as a request in its own thread, and writes responses as lines."""

    def __init__(self, connection: Connection, out: BinaryIO) -> None:
        self._out = out
        self._writing = threading.Lock()
        self._relay = Relay(connection.url, connection.key, connection.project, self.write)
        self._connection = connection
        self._slots = threading.Semaphore(_MAX_REQUESTS)
        self._offline_until = 0.0
        self._has_queued = True  # an earlier bridge may have queued saves
        self._next_check = 0.0
        self._threads: set[threading.Thread] = set()

    def start(self, line: bytes) -> bool:
        """Handle the first message. Returns False if it could not be answered."""
        if not self._connection.is_configured:
            return False
        message = _parse(line)
        if message is None:
            self._reject(line)
            return True
        try:
            self._relay.send(message, first=True)
        except RelayError as error:
            self._mark_unavailable(error)
            return self._relay.can_start_offline(message) and self._relay.answer_from_cache(message)
        self._send_queued()
        return True

    def run(self, lines: BinaryIO) -> None:
        while line := lines.readline(_MAX_LINE):
            if len(line) >= _MAX_LINE:
                self._reject(line)
                return
            if line.strip():
                self._handle(line)
        last = clock.monotonic() + _SHUTDOWN_S
        for thread in list(self._threads):  # stdin is closed, but the agent may still read responses
            thread.join(max(0.0, last - clock.monotonic()))
        self._relay.close()

    def write(self, message: Message) -> None:
        """Write a message as one line. Exits if the agent has closed the pipe."""
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
        try:
            with self._writing:
                self._out.write(line)
                self._out.flush()
        except (BrokenPipeError, ValueError):
            os._exit(0)

    def _handle(self, line: bytes) -> None:
        message = _parse(line)
        if message is None:
            self._reject(line)
        elif message.get("method") == "notifications/cancelled" and self._relay.cancel(message):
            pass
        elif "id" not in message or message.get("method") == "initialize":
            self._send(message)  # in order, because later messages may depend on it
        else:
            self._slots.acquire()
            thread = threading.Thread(target=self._send_in_thread, args=(message,), daemon=True)
            if message.get("method") != "subscriptions/listen":
                self._threads.add(thread)
            thread.start()

    def _send_in_thread(self, message: Message) -> None:
        try:
            self._send(message)
        finally:
            self._slots.release()
            self._threads.discard(threading.current_thread())

    def _send(self, message: Message) -> None:
        if clock.monotonic() < self._offline_until and self._relay.answer_from_cache(message):
            return None
        try:
            self._relay.send(message)
        except RelayError as error:
            self._mark_unavailable(error)
            connection = load_connection()
            if error.status in (0, 401) and (connection.url, connection.key) != (
                self._connection.url,
                self._connection.key,
            ):
                self._connection = connection  # the user has signed in again since
                self._relay.switch_server(connection.url, connection.key, connection.project)
                try:
                    self._relay.send(message)
                    return self._send_queued()
                except RelayError as second_error:
                    error = second_error
            if not self._relay.answer_from_cache(message):
                self._relay.fail(message, self._queue_or_explain(message, error))
            return None
        self._send_queued()
        return None

    def _queue_or_explain(self, message: Message, error: RelayError) -> str:
        """Queue a save for later if possible. Returns the message for the agent."""
        from loremark.mcp import offline_saves

        connection = self._connection
        if not offline_saves.queue_save(message, error.status, connection.url, connection.project, self._relay.client):
            return str(error)
        self._has_queued, self._next_check = True, 0.0
        return offline_saves.QUEUED

    def _send_queued(self) -> None:
        """Send queued saves in the background, now that the server is reachable."""
        if self._has_queued and clock.monotonic() >= self._next_check:
            self._next_check = clock.monotonic() + _CHECK_EVERY_S
            threading.Thread(target=self._flush_queue, daemon=True).start()

    def _flush_queue(self) -> None:
        from loremark.mcp import offline_saves

        self._has_queued = not offline_saves.send_queued()

    def _mark_unavailable(self, error: RelayError) -> None:
        """Answer from the cache for a while, because a failed connection can take seconds."""
        if error.status == 0:
            self._offline_until = clock.monotonic() + _OFFLINE_S

    def _reject(self, line: bytes) -> None:
        is_json = _is_json(line)
        code, text = (_INVALID_REQUEST, "Invalid request") if is_json else (_PARSE_ERROR, "Parse error")
        self.write({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": text}})


def _first_line(lines: BinaryIO) -> bytes | None:
    while line := lines.readline(_MAX_LINE):
        if line.strip():
            return line
    return None


def _parse(line: bytes) -> Message | None:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    # JSON-RPC IDs must be strings or numbers.
    is_message = isinstance(message, dict) and not isinstance(message.get("id"), list | dict | bool)
    return message if is_message else None


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _project() -> str:
    """Return the project of the current folder, or an empty string (the server then uses the only project)."""
    try:
        folder = os.getcwd()
        found, reason = link.resolve_link(folder)
        if found is None and reason == link.UNRESOLVED:
            link.resolve_repository(folder)
            found = link.find_link(folder)
    except OSError:
        return ""
    return found.project if found is not None else ""
