"""Embeddings of a server, asked over real HTTP."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from loremark.ports.embeddings.embedder import EmbedderFailed, EmbeddingResult, open_embedder
from loremark.ports.embeddings.remote import RemoteEmbedder

Answer = Callable[[dict[str, Any]], tuple[int, Any]]


def _direction(text: str) -> list[float]:
    """Not of unit length, so that somebody has to make it so."""
    return [3.0 * len(text), 4.0, 0.0]


def _well(asked: dict[str, Any]) -> tuple[int, Any]:
    """The right vectors, backwards: an index says which is which."""
    rows = [{"object": "embedding", "index": i, "embedding": _direction(t)} for i, t in enumerate(asked["input"])]
    return 200, {"object": "list", "model": asked["model"], "data": rows[::-1], "usage": {"total_tokens": len(rows)}}


class Server:
    """Answers as it is told to and keeps what it was asked."""

    def __init__(self) -> None:
        self.answer: Answer = _well
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.gate = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append(asked)
                outer.keys.append(self.headers["Authorization"])
                status, told = outer.answer(asked)
                body = told if isinstance(told, bytes) else json.dumps(told).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing to see."""

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, request: Any, client_address: Any) -> None:
                """A client that hangs up on a slow answer is what one of the tests is about."""

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def silent(self, asked: dict[str, Any]) -> tuple[int, Any]:
        self.gate.wait(20)
        return _well(asked)

    def close(self) -> None:
        self.gate.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
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


def test_vectors_come_in_the_order_of_the_texts_and_of_unit_length(server: Server) -> None:
    texts = ["x" * (number * 7 % 150) for number in range(150)]
    found = _embed(server, texts)
    wanted = np.array([_direction(text or " ") for text in texts])
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    assert np.abs(found.vectors - wanted).max() < 1e-6
    assert found.vectors.dtype == np.float32
    assert found.tokens == 150
    assert [len(asked["input"]) for asked in server.asked] == [64, 64, 22]
    assert set(server.keys) == {"Bearer key-1"}


def test_what_a_server_would_refuse_is_not_sent(server: Server) -> None:
    _embed(server, ["", "y" * 100_000, "half \ud800 a character"])
    empty, huge, half = server.asked[0]["input"]
    assert (empty, half) == (" ", "half ? a character")
    assert len(huge) <= 8_000


def test_no_secret_is_sent(server: Server) -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    _embed(server, [f"The deploy key is {token}, kept by ops."])
    (sent,) = server.asked[0]["input"]
    assert token not in sent
    assert "kept by ops" in sent


def test_a_server_of_ones_own_needs_no_key_and_no_usage(server: Server) -> None:
    server.answer = lambda asked: (200, {"data": _well(asked)[1]["data"]})

    async def work() -> EmbeddingResult:
        embedder = open_embedder("openai:small", base_url=server.url)
        assert (embedder.name, embedder.dimensions) == ("openai:small", 0)
        found = await embedder.embed(["text"])
        await embedder.close()
        return found

    assert asyncio.run(work()).tokens == 0


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
def test_a_bad_answer_is_one_kind_of_failure(server: Server, status: int, body: Any, calls: int) -> None:
    server.answer = lambda asked: (status, body)
    with pytest.raises(EmbedderFailed, match="openai:small: ") as failed:
        _embed(server, ["text"])
    assert "\n" not in str(failed.value)
    assert "key-1" not in str(failed.value)
    assert len(server.asked) == calls


def test_a_model_that_changes_its_size_is_refused(server: Server) -> None:
    sizes = iter([3, 4])

    def answer(asked: dict[str, Any]) -> tuple[int, Any]:
        size = next(sizes)
        return 200, {"data": [{"index": i, "embedding": [1.0] * size} for i in range(len(asked["input"]))]}

    server.answer = answer
    with pytest.raises(EmbedderFailed, match="expected vectors with 3 dimensions"):
        _embed(server, ["text"] * 65)


def test_a_silent_server_is_given_up(server: Server) -> None:
    server.answer = server.silent
    with pytest.raises(EmbedderFailed):
        _embed(server, ["text"], call_seconds=0.6)


def test_a_server_that_is_away_is_one_kind_of_failure(server: Server) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        server.url = f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
    with pytest.raises(EmbedderFailed, match="openai:small: "):
        _embed(server, ["text"])


def test_without_a_key_or_the_sdk_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(EmbedderFailed, match="need an API key"):
        open_embedder("openai:text-embedding-3-small")
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(EmbedderFailed, match=r"loremark\[openai\]"):
        open_embedder("openai:text-embedding-3-small", api_key="key")
