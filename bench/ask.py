"""Streams answers to 200 clients at once from one process, next to a bare ASGI app that streams the same bytes.

The bare app knows the answer in advance: no ticket, no search, no model, no storage. In a second round the answers come
from a model, which is another bare app with OpenAI's API.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import httpx
from tests.features.signed_tool import Tool
from tests.servers import lifetime
from tests.support.processes import free_port

from bench.measure import cpu_seconds, running
from bench.servers import ENGINES, Loremark, address_for, start_loremark

_STREAMS = 200
_ROUNDS = 5
_WORDS = 120
_QUESTION = "How often does the payment worker retry a failed charge, and why so often?"
_FACTS = (
    ("Payments are retried three times", "The payment worker retries a failed charge three times, because most fail."),
    ("Sessions are kept in Redis", "Sessions live in Redis for 30 minutes and outlive a restart."),
    ("Migrations run under a lock", "The schema is migrated under an advisory lock, so that two servers may start."),
)


@dataclass
class StreamResult:
    """The stream that one client received."""

    first_s: float = 0.0
    last_s: float = 0.0
    tokens: int = 0
    done: dict[str, Any] | None = None


@dataclass
class Target:
    """A server under test: its URL, process and tickets."""

    name: str
    url: str
    pid: int
    loremark: Loremark | None = None

    async def tickets(self) -> list[str]:
        if self.loremark is None:
            return ["-"] * _STREAMS
        body = {"projectId": self.loremark.project, "question": _QUESTION}
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {self.loremark.key}"}, timeout=60) as http:
            address = f"http://127.0.0.1:{self.loremark.port}/api/v2/ask"
            responses = [await http.post(address, json=body) for _ in range(_STREAMS)]
        return [str(response.json()["ticket"]) for response in responses]


def run() -> None:
    """Print time to the first token, total time and CPU time per word, for both engines and both kinds of answer."""
    for engine in ENGINES:
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            stack.callback(lifetime.stop_all)
            script = Path(folder) / "answer.json"
            script.write_text(json.dumps([f" word{number}" for number in range(_WORDS)]))
            bare, model = _bare(stack, script, "bare"), _bare(stack, script, "model")
            for kind, settings in (("built-in", {}), ("model", _with_model(model))):
                loremark = _loremark(stack, Path(folder) / kind, address_for(engine, f"ask_{kind[:5]}"), settings)
                target = Target(
                    f"loremark, {kind}", f"http://127.0.0.1:{loremark.port}/worker/ask", loremark.pid, loremark
                )
                first = asyncio.run(_read_stream(target.url, asyncio.run(target.tickets())[0]))
                if kind == "built-in":
                    script.write_text(json.dumps([f" word{number}" for number in range(first.tokens)]))
                    bare = _bare(stack, script, "bare, same size")
                else:
                    bare = model
                _compare(engine, [bare, target])


def _bare(stack: ExitStack, script: Path, name: str) -> Target:
    port = free_port()
    command = [sys.executable, "-m", "bench.ask", str(port), str(script)]
    pid = stack.enter_context(running(command, lifetime.child_env(), port))
    return Target(name, f"http://127.0.0.1:{port}/ask", pid)


def _with_model(model: Target) -> dict[str, str]:
    base = model.url.removesuffix("/ask") + "/v1"
    return {"LOREMARK_LLM_SMALL": "openai:bare", "LOREMARK_LLM_MEDIUM": "openai:bare", "LOREMARK_LLM_BASE_URL": base}


def _loremark(stack: ExitStack, folder: Path, address: str, settings: dict[str, str]) -> Loremark:
    """A server whose project has a few memories."""
    limits = {"LOREMARK_ROUTE_LIMITS": "ask=1000000/minute"}
    loremark = start_loremark(stack, folder, address, **limits, **settings)
    tool = Tool(loremark.project, loremark.secret_of(loremark.project))
    with httpx.Client(base_url=f"http://127.0.0.1:{loremark.port}", timeout=60) as http:
        http.headers["Authorization"] = f"Bearer {loremark.key}"
        http.patch(f"/api/projects/{loremark.project}", json={"autoApproveThreshold": 0}).raise_for_status()
        session = ""
        for title, content in _FACTS:
            item = {"title": title, "content": content, "type": "decision", "confidence": 0.95}
            payload = {"operation": "create", "item": item}
            raw = json.dumps({"event": "memory_operation", "payload": payload}).encode()
            session = http.post("/api/v2/ingest", content=raw, headers=tool.headers(raw)).json()["sessionId"]
        http.post(f"/api/v2/sessions/{session}/enrich").raise_for_status()
        while http.get(f"/api/v2/sessions/{session}/jobs").json()[0]["status"] != "completed":
            time.sleep(0.1)
    return loremark


def _compare(engine: str, targets: list[Target]) -> None:
    """Run several interleaved rounds, so that noise affects all targets."""
    rows: dict[str, list[tuple[float, float, float, float, int]]] = {target.name: [] for target in targets}
    for _ in range(_ROUNDS):
        for target in targets:
            rows[target.name].append(asyncio.run(_load(target)))
    print(f"{_STREAMS} streams at once, {engine}, medians of {_ROUNDS} interleaved rounds")
    print(f"{'':20}{'first p50 ms':>13}{'first p99 ms':>13}{'end p50 ms':>12}{'CPU µs/word':>13}{'lost':>6}")
    for name, figures in rows.items():
        first, first_p99, end, cpu, _ = (median(column) for column in zip(*figures, strict=True))
        lost = sum(figure[4] for figure in figures)
        print(f"{name:20}{first:13.1f}{first_p99:13.1f}{end:12.1f}{cpu:13.1f}{lost:6}", flush=True)


async def _load(target: Target) -> tuple[float, float, float, float, int]:
    tickets = await target.tickets()
    before = cpu_seconds(target.pid)
    result = await asyncio.gather(*(_read_stream(target.url, ticket) for ticket in tickets))
    cpu_s = cpu_seconds(target.pid) - before
    complete = [one for one in result if one.done is not None and "answer" in one.done]
    firsts = sorted(one.first_s * 1000 for one in result)
    words = sum(len(one.done["answer"].split()) for one in complete if one.done is not None)
    for reason in sorted({_reason(one) for one in result if one not in complete}):
        print(f"lost: {reason}")
    ends = median(one.last_s * 1000 for one in result)
    return firsts[len(firsts) // 2], firsts[-3], ends, cpu_s * 1e6 / max(1, words), len(result) - len(complete)


def _reason(result: StreamResult) -> str:
    return "the stream ended early" if result.done is None else str(result.done.get("error"))


async def _read_stream(url: str, ticket: str) -> StreamResult:
    """Ask and read the stream to its end."""
    address = urlsplit(url)
    body = json.dumps({"ticket": ticket, "question": _QUESTION}).encode()
    head = f"POST {address.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n"
    result, started = StreamResult(), time.perf_counter()
    reader, writer = await asyncio.open_connection(address.hostname, address.port, limit=4 * 1024 * 1024)
    writer.write(head.encode() + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    while line := await reader.readline():
        if line.startswith(b'data: {"type":"token"'):
            result.first_s = result.first_s or time.perf_counter() - started
            result.tokens += 1
        elif line.startswith(b'data: {"type":"done"'):
            result.done = json.loads(line.removeprefix(b"data: "))
    result.last_s = time.perf_counter() - started
    writer.close()
    return result


# The bare app runs in its own process: python -m bench.ask PORT SCRIPT


def _bare_app(script: Path) -> Any:
    words = json.loads(script.read_text())
    pieces = [b"data: " + _json({"type": "token", "content": word}) + b"\n\n" for word in words]
    pieces.append(b"data: " + _json({"type": "done", "answer": "".join(words)}) + b"\n\n")
    chunks = [b"data: " + _json(_chunk({"content": word})) + b"\n\n" for word in words]
    chunks += [b"data: " + _json(_chunk({}, "stop")) + b"\n\n", b"data: [DONE]\n\n"]

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for piece in chunks if scope["path"].startswith("/v1") else pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            await asyncio.sleep(0)
        await send({"type": "http.response.body", "body": b""})

    return app


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _chunk(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "bare", "choices": choices}


async def _serve(port: int, script: Path) -> None:
    from loremark.base.settings import load
    from loremark.entry import server

    with server.open_socket(load({"LOREMARK_PORT": str(port)})) as listening:
        await server.listen(_bare_app(script), listening, server.stop_signal())


if __name__ == "__main__":
    from loremark.entry.server import run as run_loop

    run_loop(_serve(int(sys.argv[1]), Path(sys.argv[2])))
