"""Messages to the server's /mcp over HTTP, and what comes back: one answer, or a stream of events."""

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

from loremark.mcp.clients import HEADER
from loremark.mcp.kept import METHODS, TOOLS, Kept
from loremark.mcp.message import Message, client_of, is_plain_question, name_of, version_of

_CONNECT_S = 5.0
_SILENCE_S = 120.0
"""The server shows several times a minute that it is alive."""
_MOST_ANSWER = 16 * 1024 * 1024
_PLAIN = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SERVER_ERROR = -32000


class NotServed(Exception):
    """The server could not be reached or did not let us in; ``status`` 0: not reached."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Relay:
    """One server, one key; many requests at a time."""

    def __init__(self, url: str, key: str, project: str, write: Callable[[Message], None]) -> None:
        self._write = write
        self._lock = threading.Lock()
        self._open: dict[str | int, HTTPConnection] = {}
        self._cancelled: set[str | int] = set()
        self._version = ""
        self._asked_version = ""
        self._client = ""
        self._session = ""
        self.move(url, key, project)

    @property
    def client(self) -> str:
        """The name of the agent's program, if it has said it."""
        return self._client

    def move(self, url: str, key: str, project: str) -> None:
        """From now on with this server and key."""
        self._url, self._key, self._project = url, key, project
        self._session = ""
        self._kept = Kept(url, key, project)

    def send(self, message: Message, *, first: bool = False) -> None:
        """Post a message and write what comes back. ``first``: a server that has no /mcp does not serve us either."""
        self._note_client(message)
        connection = self._connect()
        asked = message.get("id") if "method" in message else None
        if asked is not None:
            with self._lock:
                self._open[asked] = connection
        try:
            response = self._post(connection, message)
            self._read(response, message, first=first)
        except (OSError, HTTPException) as error:
            if asked is None or not self._was_cancelled(asked):
                raise self._unreachable(error) from error
        finally:
            if asked is not None:
                with self._lock:
                    self._open.pop(asked, None)
                    self._cancelled.discard(asked)
            connection.close()

    def cancel(self, notice: Message) -> bool:
        """Close the response of a request that is under way; True when that is all there is to do."""
        params = notice.get("params")
        asked = params.get("requestId") if isinstance(params, dict) else None
        if not isinstance(asked, str | int):
            return True
        with self._lock:
            connection = self._open.get(asked)
            if connection is not None:
                self._cancelled.add(asked)
        if connection is not None:
            _hang_up(connection)
        return not self._session

    def can_begin_without(self, message: Message) -> bool:
        """Whether enough was kept to answer this first message, and what follows it, while the server is away."""
        version = self._era(message)
        return all(self._kept.find(version, str(method)) for method in (message.get("method"), TOOLS))

    def answer_kept(self, message: Message) -> bool:
        """Answer as the server did last time; False where that was not kept."""
        self._note_client(message)
        method = str(message.get("method"))
        if "id" not in message or not is_plain_question(message):
            return False
        result = {} if method == "ping" else self._kept.find(self._era(message), method)
        if result is None:
            return False
        self._settle(message, result)
        self._write({"jsonrpc": "2.0", "id": message["id"], "result": result})
        return True

    def fail(self, message: Message, sentence: str) -> None:
        """Answer a request ourselves: a tool says what is wrong, so that the model can read it."""
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
            _hang_up(connection)

    def _connect(self) -> HTTPConnection:
        parts = urlsplit(self._url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise NotServed(0, f"{_shown(self._url)} is not the address of a Loremark server: run `loremark login`.")
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        try:
            return kind(parts.hostname, parts.port, timeout=_CONNECT_S)
        except ValueError as error:  # a port that is none
            raise self._unreachable(error) from error

    def _post(self, connection: HTTPConnection, message: Message) -> HTTPResponse:
        body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
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
        version = version_of(message)
        if version:
            method = message.get("method")
            headers["MCP-Protocol-Version"] = _plain(version)
            headers["Mcp-Method"] = _encoded(method) if isinstance(method, str) else ""
            name = name_of(message)
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
                answered = answered or self._pass_on(event, message, response)
            if not answered and "id" in message and "method" in message:
                raise HTTPException("the answer broke off")
            return
        body = response.read(_MOST_ANSWER + 1)
        if len(body) > _MOST_ANSWER:
            raise HTTPException("the answer is too long")
        answer = _json(body)
        if answer is not None and answer.get("jsonrpc") == "2.0":
            self._pass_on(answer, message, response)
        elif ("id" in message and "method" in message) or (first and response.status >= 300):
            raise self._refused(response.status, answer)

    def _pass_on(self, event: Message, message: Message, response: HTTPResponse) -> bool:
        """Write what the server says; whether it was the answer."""
        is_answer = "method" not in event and event.get("id") == message.get("id")
        if is_answer and isinstance(event.get("result"), dict):
            self._settle(message, event["result"], response.headers.get("Mcp-Session-Id", ""))
            if message.get("method") in METHODS and is_plain_question(message):
                self._kept.note(self._era(message), message["method"], event["result"])
        self._write(event)
        return is_answer

    def _note_client(self, message: Message) -> None:
        """Who the agent says it is, once at its start; the server has forgotten it by the next request."""
        if message.get("method") == "initialize":
            self._client, self._asked_version = client_of(message)

    def _era(self, message: Message) -> str:
        return version_of(message) or self._asked_version

    def _settle(self, message: Message, result: Message, session: str = "") -> None:
        if message.get("method") == "initialize":
            self._version = _plain(str(result.get("protocolVersion", "")))
            self._session = _plain(session)

    def _was_cancelled(self, asked: str | int) -> bool:
        with self._lock:
            return asked in self._cancelled

    def _unreachable(self, error: BaseException) -> NotServed:
        why = _shown(str(error) or type(error).__name__)
        return NotServed(
            0, f"The Loremark server is not reachable at {_shown(self._url)}: start it (`loremark serve`) or check the "
            f"address with `loremark login`. ({why})"
        )  # fmt: skip

    def _refused(self, status: int, answer: Message | None) -> NotServed:
        url = _shown(self._url)
        if status == 401:
            return NotServed(401, f"The Loremark server at {url} refused the key: sign in again with `loremark login`.")
        told = answer.get("error") if answer is not None else None
        words = _shown(told) if isinstance(told, str) else f"it answered {status}"
        return NotServed(status, f"The Loremark server at {url} did not take this: {words}")


def _events(response: HTTPResponse) -> Iterator[Message]:
    """The messages of a stream of events; comments and what is not JSON are passed over."""
    data: list[bytes] = []
    size = 0
    while line := response.readline(_MOST_ANSWER + 1):
        size += len(line)
        if size > _MOST_ANSWER:
            raise HTTPException("an event is too long")
        text = line.rstrip(b"\r\n")
        if text.startswith(b"data:"):
            data.append(text[5:].removeprefix(b" "))
        elif not text:
            event = _json(b"\n".join(data)) if data else None
            data, size = [], 0
            if event is not None:
                yield event


def _hang_up(connection: HTTPConnection) -> None:
    """Shut the socket down: the thread that reads from it wakes, and the server sees that nobody listens."""
    sock: socket.socket | None = connection.sock
    if sock is not None:
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)


def _encoded(value: str) -> str:
    """A value as a header may carry it."""
    if _PLAIN.fullmatch(value) and not value.startswith("=?base64?"):
        return value
    return f"=?base64?{base64.b64encode(value.encode('utf-8', 'replace')).decode('ascii')}?="


def _plain(value: str) -> str:
    """A value without what would end a header."""
    return re.sub(r"[^\x21-\x7e]", "", value)


def _shown(text: str) -> str:
    return _UNSEEN.sub(" ", text)[:300]


def _json(body: bytes) -> Message | None:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
