"""Forward messages to the server's /mcp endpoint over HTTP, and its responses or event streams back."""

from __future__ import annotations

import base64
import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from urllib.parse import urlsplit

from loremark.base.server_lock import refuse_stopped
from loremark.mcp.client_names import HEADER
from loremark.mcp.message import Message, client_info, is_first_page, protocol_version, target_name
from loremark.mcp.response_cache import CACHED_METHODS, TOOLS, ResponseCache

_CONNECT_S = 5.0
_SILENCE_S = 120.0
"""The server sends a keep-alive several times a minute."""
_MAX_ANSWER = 16 * 1024 * 1024
_PLAIN = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SERVER_ERROR = -32000


class RelayError(Exception):
    """The server is unreachable (``status`` 0) or returned an error."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Relay:
    """A connection to one server with one key, for concurrent requests."""

    def __init__(self, url: str, key: str, project: str, write: Callable[[Message], None]) -> None:
        self._write = write
        self._lock = threading.Lock()
        self._open: dict[str | int, HTTPConnection] = {}
        self._cancelled: set[str | int] = set()
        self._version = ""
        self._asked_version = ""
        self._client = ""
        self._session = ""
        self.switch_server(url, key, project)

    @property
    def client(self) -> str:
        """The client name from the handshake, if any."""
        return self._client

    def switch_server(self, url: str, key: str, project: str) -> None:
        """Use this server and key from now on."""
        self._url, self._key, self._project = url, key, project
        self._session = ""
        self._cache = ResponseCache(url, key, project)

    def send(self, message: Message, *, first: bool = False) -> None:
        """Post a message and write the response. ``first``: also fail if the server has no /mcp endpoint."""
        self._remember_client(message)
        connection = self._connect()
        request_id = message.get("id") if "method" in message else None
        if request_id is not None:
            with self._lock:
                self._open[request_id] = connection
        try:
            response = self._post(connection, message)
            self._read(response, message, first=first)
        except (OSError, HTTPException) as error:
            if request_id is None or not self._was_cancelled(request_id):
                raise self._unreachable(error) from error
        finally:
            if request_id is not None:
                with self._lock:
                    self._open.pop(request_id, None)
                    self._cancelled.discard(request_id)
            connection.close()

    def cancel(self, notice: Message) -> bool:
        """Cancel a running request. Returns True if the server doesn't need the notification."""
        params = notice.get("params")
        request_id = params.get("requestId") if isinstance(params, dict) else None
        if not isinstance(request_id, str | int):
            return True
        with self._lock:
            connection = self._open.get(request_id)
            if connection is not None:
                self._cancelled.add(request_id)
        if connection is not None:
            _shut_down(connection)
        return not self._session

    def can_start_offline(self, message: Message) -> bool:
        """Return whether the cache can answer this first message and the requests that follow it."""
        version = self._version_key(message)
        return all(self._cache.find(version, str(method)) for method in (message.get("method"), TOOLS))

    def answer_from_cache(self, message: Message) -> bool:
        """Answer with the cached response. Returns False if there is none."""
        self._remember_client(message)
        method = str(message.get("method"))
        if "id" not in message or not is_first_page(message):
            return False
        result = {} if method == "ping" else self._cache.find(self._version_key(message), method)
        if result is None:
            return False
        self._remember_session(message, result)
        self._write({"jsonrpc": "2.0", "id": message["id"], "result": result})
        return True

    def fail(self, message: Message, sentence: str) -> None:
        """Answer a request with an error. For tool calls it is a result, so that the model can read it."""
        if "id" not in message or "method" not in message:
            return
        answer: Message = {"jsonrpc": "2.0", "id": message["id"]}
        if message["method"] == "tools/call":
            content = [{"type": "text", "text": sentence}]
            answer["result"] = {"content": content, "isError": True, "resultType": "complete"}
        else:
            answer["error"] = {"code": _SERVER_ERROR, "message": sentence}
        self._write(answer)

    def close(self) -> None:
        with self._lock:
            connections = list(self._open.values())
        for connection in connections:
            _shut_down(connection)

    def _connect(self) -> HTTPConnection:
        parts = urlsplit(self._url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise RelayError(0, f"{_printable(self._url)} is not a valid server URL: run `loremark login`.")
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        try:
            return kind(parts.hostname, parts.port, timeout=_CONNECT_S)
        except ValueError as error:  # invalid port
            raise self._unreachable(error) from error

    def _post(self, connection: HTTPConnection, message: Message) -> HTTPResponse:
        body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        refuse_stopped(connection.host, connection.port)
        connection.connect()
        connection.sock.settimeout(_SILENCE_S)
        connection.request("POST", urlsplit(self._url).path.rstrip("/") + "/mcp", body, self._headers(message))
        return connection.getresponse()

    def _headers(self, message: Message) -> dict[str, str]:
        headers = {
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "Authorization": f"Bearer {_plain(self._key)}",
            "User-Agent": "loremark-mcp",
        }
        if self._project:
            headers["X-Loremark-Project"] = _encoded(self._project)
        if self._session:
            headers["Mcp-Session-Id"] = self._session
        if self._client:
            headers[HEADER] = self._client
        version = protocol_version(message)
        if version:
            method = message.get("method")
            headers["MCP-Protocol-Version"] = _plain(version)
            headers["Mcp-Method"] = _encoded(method) if isinstance(method, str) else ""
            name = target_name(message)
            if name is not None:
                headers["Mcp-Name"] = _encoded(name)
        elif self._version and message.get("method") != "initialize":
            headers["MCP-Protocol-Version"] = self._version
        return headers

    def _read(self, response: HTTPResponse, message: Message, *, first: bool) -> None:
        kind = response.headers.get_content_type()
        if kind == "text/event-stream" and response.status == 200:
            answered = False
            for event in _events(response):
                answered = answered or self._forward(event, message, response)
            if not answered and "id" in message and "method" in message:
                raise HTTPException("the response ended early")
            return
        body = response.read(_MAX_ANSWER + 1)
        if len(body) > _MAX_ANSWER:
            raise HTTPException("the response is too long")
        answer = _json(body)
        if answer is not None and answer.get("jsonrpc") == "2.0":
            self._forward(answer, message, response)
        elif ("id" in message and "method" in message) or (first and response.status >= 300):
            raise self._rejected(response.status, answer)

    def _forward(self, event: Message, message: Message, response: HTTPResponse) -> bool:
        """Write a message from the server. Returns whether it was the response."""
        is_answer = "method" not in event and event.get("id") == message.get("id")
        if is_answer and isinstance(event.get("result"), dict):
            self._remember_session(message, event["result"], response.headers.get("Mcp-Session-Id", ""))
            if message.get("method") in CACHED_METHODS and is_first_page(message):
                self._cache.store(self._version_key(message), message["method"], event["result"])
        self._write(event)
        return is_answer

    def _remember_client(self, message: Message) -> None:
        """Remember the client's name from the handshake, because the stateless server doesn't."""
        if message.get("method") == "initialize":
            self._client, self._asked_version = client_info(message)

    def _version_key(self, message: Message) -> str:
        return protocol_version(message) or self._asked_version

    def _remember_session(self, message: Message, result: Message, session: str = "") -> None:
        if message.get("method") == "initialize":
            self._version = _plain(str(result.get("protocolVersion", "")))
            self._session = _plain(session)

    def _was_cancelled(self, request_id: str | int) -> bool:
        with self._lock:
            return request_id in self._cancelled

    def _unreachable(self, error: BaseException) -> RelayError:
        reason = _printable(getattr(error, "strerror", None) or str(error) or type(error).__name__)
        url = _printable(self._url)
        return RelayError(
            0,
            f"The Loremark server is not reachable at {url} ({reason}). Start it with `loremark start`, or use another "
            "server with `loremark login --url URL`.",
        )

    def _rejected(self, status: int, answer: Message | None) -> RelayError:
        url = _printable(self._url)
        if status == 401:
            return RelayError(
                401, f"The Loremark server at {url} rejected the API key: sign in again with `loremark login`."
            )
        reason = answer.get("error") if answer is not None else None
        detail = _printable(reason) if isinstance(reason, str) else f"status {status}"
        return RelayError(status, f"The Loremark server at {url} rejected the request: {detail}")


def _events(response: HTTPResponse) -> Iterator[Message]:
    """Yield the messages of an event stream, skipping comments and invalid JSON."""
    data: list[bytes] = []
    size = 0
    while line := response.readline(_MAX_ANSWER + 1):
        size += len(line)
        if size > _MAX_ANSWER:
            raise HTTPException("the event is too long")
        text = line.rstrip(b"\r\n")
        if text.startswith(b"data:"):
            data.append(text[5:].removeprefix(b" "))
        elif not text:
            event = _json(b"\n".join(data)) if data else None
            data, size = [], 0
            if event is not None:
                yield event


def _shut_down(connection: HTTPConnection) -> None:
    """Shut down the socket, which wakes the reading thread and disconnects from the server."""
    sock: socket.socket | None = connection.sock
    if sock is not None:
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)


def _encoded(value: str) -> str:
    """Encode a value for a header."""
    if _PLAIN.fullmatch(value) and not value.startswith("=?base64?"):
        return value
    return f"=?base64?{base64.b64encode(value.encode('utf-8', 'replace')).decode('ascii')}?="


def _plain(value: str) -> str:
    """Remove characters that are not allowed in a header."""
    return re.sub(r"[^\x21-\x7e]", "", value)


def _printable(text: str) -> str:
    return _CONTROL.sub(" ", text)[:300]


def _json(body: bytes) -> Message | None:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
