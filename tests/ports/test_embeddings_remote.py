"""Embeddings from a remote server over real HTTP."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from loremark.ports.embeddings.embedder import EmbedderFailed, EmbeddingResult, open_embedder
from loremark.ports.embeddings.remote import RemoteEmbedder

Answer = Callable[[dict[str, Any]], tuple[int, Any]]


def _raw_vector(text: str) -> list[float]:
    """Not of unit length, so that the embedder has to normalize it."""
    return [3.0 * len(text), 4.0, 0.0]


def _valid_answer(request: dict[str, Any]) -> tuple[int, Any]:
    """The right vectors in reverse order; the index identifies them."""
    rows = [{"object": "embedding", "index": i, "embedding": _raw_vector(t)} for i, t in enumerate(request["input"])]
    return 200, {"object": "list", "model": request["model"], "data": rows[::-1], "usage": {"total_tokens": len(rows)}}


class Server:
    """Answers as configured and records the requests."""

    def __init__(self) -> None:
        self.answer: Answer = _valid_answer
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.gate = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append(request)
                outer.keys.append(self.headers["Authorization"])
                status, content = outer.answer(request)
                body = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                """Log nothing."""

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, request: Any, client_address: Any) -> None:
                """Ignore clients that disconnect, as one of the tests does."""

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def silent(self, request: dict[str, Any]) -> tuple[int, Any]:
        self.gate.wait(20)
        return _valid_answer(request)

    def close(self) -> None:
        self.gate.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-another-tool")
    running = Server()
    yield running
    running.close()


def _embed(server: Server, texts: list[str], *, call_seconds: float = 10.0) -> EmbeddingResult:
    async def work() -> EmbeddingResult:
        embedder = RemoteEmbedder("small", base_url=server.url, api_key="key-1", call_seconds=call_seconds)
        try:
            found = await embedder.embed(texts)
            assert embedder.dimensions == 3
            return found
        finally:
            await embedder.close()

    return asyncio.run(work())


def test_vectors_are_normalized_and_in_the_order_of_the_texts(server: Server) -> None:
    texts = ["x" * (number * 7 % 150) for number in range(150)]
    found = _embed(server, texts)
    expected = np.array([_raw_vector(text or " ") for text in texts])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.abs(found.vectors - expected).max() < 1e-6
    assert found.vectors.dtype == np.float32
    assert found.tokens == 150
    assert [len(request["input"]) for request in server.requests] == [64, 64, 22]
    assert set(server.keys) == {"Bearer key-1"}


def test_texts_that_a_server_would_reject_are_adjusted(server: Server) -> None:
    _embed(server, ["", "y" * 100_000, "half \ud800 a character"])
    empty, huge, half = server.requests[0]["input"]
    assert (empty, half) == (" ", "half ? a character")
    assert len(huge) <= 8_000


def test_secrets_are_not_sent(server: Server) -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    _embed(server, [f"The deploy key is {token}, kept by ops."])
    (sent,) = server.requests[0]["input"]
    assert token not in sent
    assert "kept by ops" in sent


def test_self_hosted_server_needs_no_key_and_no_usage(server: Server) -> None:
    server.answer = lambda request: (200, {"data": _valid_answer(request)[1]["data"]})

    async def work() -> EmbeddingResult:
        embedder = open_embedder("openai:small", base_url=server.url)
        assert (embedder.name, embedder.dimensions) == ("openai:small", 0)
        found = await embedder.embed(["text"])
        await embedder.close()
        return found

    assert asyncio.run(work()).tokens == 0
    assert server.keys == [None]


@pytest.mark.parametrize(
    ("status", "body", "calls"),
    [
        (401, {"error": {"message": "bad key"}}, 1),
        (500, {"error": {"message": "on fire"}}, 3),
        (200, b"<html>welcome to our proxy</html>", 1),
        (200, {"data": []}, 1),
        (200, {"data": [{"index": 0, "embedding": ["a"]}]}, 1),
        (200, {"data": [{"index": 0, "embedding": [0.0, 0.0, 0.0]}]}, 1),
        (200, {"data": [{"index": 1, "embedding": [1.0, 0.0, 0.0]}]}, 1),
        (200, {"data": [{"index": 0, "embedding": []}]}, 1),
    ],
)
def test_bad_answer_raises_embedder_failed(server: Server, status: int, body: Any, calls: int) -> None:
    server.answer = lambda request: (status, body)
    with pytest.raises(EmbedderFailed, match="openai:small: ") as failed:
        _embed(server, ["text"])
    assert "\n" not in str(failed.value)
    assert "key-1" not in str(failed.value)
    assert len(server.requests) == calls


def test_changed_vector_size_is_refused(server: Server) -> None:
    sizes = iter([3, 4])

    def answer(request: dict[str, Any]) -> tuple[int, Any]:
        size = next(sizes)
        return 200, {"data": [{"index": i, "embedding": [1.0] * size} for i in range(len(request["input"]))]}

    server.answer = answer
    with pytest.raises(EmbedderFailed, match="expected vectors with 3 dimensions"):
        _embed(server, ["text"] * 65)


def test_silent_server_times_out(server: Server) -> None:
    server.answer = server.silent
    with pytest.raises(EmbedderFailed):
        _embed(server, ["text"], call_seconds=0.6)


def test_unreachable_server_raises_embedder_failed(server: Server) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        server.url = f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
    with pytest.raises(EmbedderFailed, match="openai:small: "):
        _embed(server, ["text"])


def test_wrong_settings_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-another-tool")
    with pytest.raises(ValueError, match="need an API key: set LOREMARK_LLM_API_KEY"):
        open_embedder("openai:text-embedding-3-small")
    with pytest.raises(ValueError, match="must start with http"):
        open_embedder("openai:small", base_url="localhost:11434")
    assert open_embedder("openai:text-embedding-3-small", api_key="key").dimensions == 1536
