"""``loremark mcp`` as a process between an agent and a real server: forwarding, error handling and shutdown."""

from __future__ import annotations

import asyncio
import json
import resource
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import Implementation

from loremark.entry.mcp_endpoint import McpMount
from loremark.mcp.http import Endpoint, memory_of
from loremark.mcp.server import build_server
from tests.mcp.serving import ERAS, listening, on_socket
from tests.mcp.test_endpoint import META, Sleeper
from tests.servers import lifetime
from tests.support import databases
from tests.support.people import Person
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio

LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
START_CPU_S = 0.4
"""0.08 s on an idle machine; tests run on a busy one."""


class Home:
    """A user's home and working folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir(parents=True)
        self._config = folder / "config" / "loremark"

    def sign_in(self, url: str, key: str) -> None:
        self._config.mkdir(parents=True, exist_ok=True)
        (self._config / "profile.json").write_text(json.dumps({"url": url, "key": key, "secrets": {}}))

    def link(self, project_id: str, url: str) -> None:
        """Link the working folder like ``loremark init``."""
        (self.work / ".loremark.toml").write_text(f'project = "{project_id}"\nurl = "{url}"\n')
        links = {str(self.work.resolve()): {"project": project_id, "url": url}}
        (self._config / "links.json").write_text(json.dumps(links))

    @property
    def environment(self) -> dict[str, str]:
        return {
            **{name: value for name, value in lifetime.child_env().items() if not name.startswith("LOREMARK_")},
            "HOME": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
        }

    @asynccontextmanager
    async def agent(
        self, era: str = "2026-07-28", info: Implementation | None = None, **environment: str
    ) -> AsyncIterator[Client]:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "loremark.mcp"], env={**self.environment, **environment}, cwd=self.work
        )
        async with Client(server, mode=era, client_info=info) as client:
            yield client

    async def start(self, **environment: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "loremark.mcp", cwd=self.work, env={**self.environment, **environment},
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=16 * 1024 * 1024,
        )  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


async def send(child: asyncio.subprocess.Process, *messages: Any) -> None:
    assert child.stdin is not None
    for message in messages:
        child.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
    await child.stdin.drain()


async def receive(child: asyncio.subprocess.Process) -> dict[str, Any]:
    assert child.stdout is not None
    async with asyncio.timeout(60):
        received: dict[str, Any] = json.loads(await child.stdout.readline())
    return received


async def close(child: asyncio.subprocess.Process) -> float:
    """Close stdin and wait for the process. Returns the time in seconds."""
    assert child.stdin is not None
    started = time.monotonic()
    child.stdin.close()
    async with asyncio.timeout(60):
        assert await child.wait() == 0
    return time.monotonic() - started


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": META}}


EMPTY_BRIEFING = "No matching memories."


async def _text(client: Client, name: str = "memory_brief", **arguments: Any) -> str:
    answer = await client.call_tool(name, arguments)
    text: str = answer.content[0].text  # type: ignore[union-attr]
    return text


@pytest.mark.parametrize("era", ERAS)
async def test_an_agent_uses_the_bridge(sqlite_service: tuple[Service, str], home: Home, era: str) -> None:
    """Concurrent requests, progress and the folder's project work over stdio as over HTTP."""
    service, url = sqlite_service
    owner = await service.owner()
    await owner.create_project("Another")
    project_id = await owner.create_project("This one")
    nodes = [{"schemaKey": "root", "name": "Root of this one"}]
    assert (await owner.post("/api/contexts/populate", {"projectId": project_id, "nodes": nodes})).status_code == 200
    home.sign_in(url, owner.key)
    home.link(project_id, url)
    steps: list[str | None] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append(message)

    async with home.agent(era) as client:
        assert len((await client.list_tools()).tools) == 13
        texts = await asyncio.gather(*(_text(client, "memory_tree") for _ in range(12)))
        assert all("Root of this one" in text for text in texts)
        assert await _text(client, task="Brew coffee", files=["kitchen.py"]) == EMPTY_BRIEFING
        answer = await client.call_tool("memory_ask", {"question": "Why ☕ at all?"}, progress_callback=note)
        assert not answer.is_error
        assert steps
        assert (await client.read_resource("loremark://brain")).contents[0].mime_type == "text/markdown"
        assert "Project not found" in await _text(client, project="prj_nowhere")


async def test_the_oldest_handshake_and_invalid_messages(sqlite_service: tuple[Service, str], home: Home) -> None:
    service, url = sqlite_service
    owner = await service.owner()
    await owner.create_project("Loremark")
    child = await home.start(LOREMARK_URL=url, LOREMARK_API_KEY=owner.key)
    hello = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "cline", "version": "3"}}
    await send(child, b"\n", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})
    assert (await receive(child))["result"]["protocolVersion"] == "2024-11-05"
    await send(child, {"jsonrpc": "2.0", "method": "notifications/initialized"}, b"{nonsense\n", b"[1, 2]\n")
    assert (await receive(child))["error"]["code"] == -32700
    assert (await receive(child))["error"]["code"] == -32600
    for odd in ([1], {"a": 1}, True):
        await send(child, {"jsonrpc": "2.0", "id": odd, "method": "tools/list", "params": {}})
        assert (await receive(child))["error"]["code"] == -32600
    called = {"name": "memory_brief", "arguments": {"budget": 300}}
    await send(child, {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": called})
    answer = await receive(child)
    assert (answer["id"], answer["result"]["isError"]) == ("a", False)
    await send(child, {"jsonrpc": "2.0", "id": "b", "method": "no/such", "params": {}})
    assert (await receive(child))["error"]["code"] == -32601
    assert await close(child) < 5


async def test_an_invalid_id_in_the_first_message(sqlite_service: tuple[Service, str], home: Home) -> None:
    service, url = sqlite_service
    owner = await service.owner()
    child = await home.start(LOREMARK_URL=url, LOREMARK_API_KEY=owner.key)
    await send(child, request(1, "tools/list") | {"id": [1]}, request(2, "tools/list"))
    assert (await receive(child))["error"]["code"] == -32600
    assert (await receive(child))["id"] == 2
    assert await close(child) < 5


@pytest.mark.parametrize("era", ERAS)
async def test_saves_record_the_agents_name(sqlite_service: tuple[Service, str], home: Home, era: str) -> None:
    """Even with the older handshake, which the stateless server forgets by the next request."""
    service, url = sqlite_service
    owner = await service.owner()
    project_id = await owner.create_project("Loremark")
    home.sign_in(url, owner.key)
    async with home.agent(era, info=Implementation(name="codex-mcp-client", version="1")) as client:
        await _text(client, "memory_save", summary="We keep all times in UTC, because reports must match.")
    (session,) = (await owner.get(f"/api/v2/sessions?projectId={project_id}")).json()
    (event,) = (await owner.get(f"/api/v2/sessions/{session['id']}/events?blobs=inline")).json()
    assert event["payload"]["source"] == "mcp:codex"


async def test_cancelling_a_request_stops_it_on_the_server(sqlite_service: tuple[Service, str], home: Home) -> None:
    service, url = sqlite_service
    sleeper = Sleeper()
    service.app._services.use(McpMount).create_endpoint = lambda: Endpoint(build_server(memory_of, [sleeper.tool]))
    owner = await service.owner()
    child = await home.start(LOREMARK_URL=url, LOREMARK_API_KEY=owner.key)
    await send(child, request(1, "server/discover"))
    assert "result" in await receive(child)
    await send(child, request(2, "tools/call", name="memory_sleep", arguments={}))
    async with asyncio.timeout(60):
        await sleeper.begun.wait()
        await send(child, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
        await sleeper.ended.wait()
    await send(child, request(3, "tools/list"))
    assert (await receive(child))["id"] == 3  # no response for the cancelled request
    assert await close(child) < 5


async def test_signing_in_takes_effect_without_a_restart(sqlite_service: tuple[Service, str], home: Home) -> None:
    service, url = sqlite_service
    owner = await service.owner()
    await owner.create_project("Loremark")
    async with home.agent("legacy") as client:
        assert len((await client.list_tools()).tools) == 13
        assert len((await client.list_prompts()).prompts) == 3
        for tool in ("memory_brief", "memory_eval"):
            answer = await client.call_tool(tool, {})
            assert answer.is_error
            assert "Not signed in to a Loremark server: run `loremark login`" in answer.content[0].text  # type: ignore[union-attr]
        home.sign_in(url, "service_sk_wrong")
        assert "rejected the API key" in await _text(client)
        home.sign_in(url, owner.key)
        assert EMPTY_BRIEFING in await _text(client)
        saved = await _text(client, "memory_save", summary="We keep all times in UTC, because reports must match.")
        assert saved.startswith("Saved as event")


class ToggledServer:
    """A service at a fixed address that can be stopped and restarted."""

    def __init__(self, service: Service, url: str, bound: socket.socket, up: AsyncExitStack) -> None:
        self.service = service
        self.url = url
        self._bound: socket.socket | None = bound
        self._up = up

    async def start_server(self) -> None:
        bound, self._bound = self._bound or _bind(int(self.url.rsplit(":", 1)[1])), None
        await self._up.enter_async_context(on_socket(self.service.app, bound))

    async def stop_server(self) -> None:
        await self._up.aclose()


def _bind(port: int = 0) -> socket.socket:
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind(("127.0.0.1", port))
    return bound


@asynccontextmanager
async def toggled_server(data: Path) -> AsyncIterator[ToggledServer]:
    data.mkdir()
    bound = _bind()
    url = f"http://127.0.0.1:{bound.getsockname()[1]}"
    async with (
        run_service(settings_for(data, databases.fresh("sqlite", data), LOREMARK_BASE_URL=url)) as service,
        AsyncExitStack() as up,
    ):
        server = ToggledServer(service, url, bound, up)
        await server.start_server()
        yield server


async def test_an_outage_is_reported_and_the_server_is_used_again_afterwards(tmp_path: Path, home: Home) -> None:
    async with toggled_server(tmp_path / "data") as server:
        owner = await server.service.owner()
        await owner.create_project("Loremark")
        home.sign_in(server.url, owner.key)
        async with home.agent() as client:
            assert EMPTY_BRIEFING in await _text(client)
            await server.stop_server()
            assert f"not reachable at {server.url}" in await _text(client)
            async with home.agent() as late:  # starts during the outage
                assert f"not reachable at {server.url}" in await _text(late)
                await server.start_server()
                for each in (client, late):
                    assert EMPTY_BRIEFING in await _text(each)
            await _change_keys(owner, home, server.url)
            assert EMPTY_BRIEFING in await _text(client)


async def test_saves_during_an_outage_arrive_afterwards(tmp_path: Path, home: Home) -> None:
    change = {"title": "Times are UTC", "content": "All times are kept in UTC; the key is AKIAQ3EGRT5YHJ2KLM4N."}
    lesson = {"summary": "We keep all times in UTC.", "changes": [change]}
    async with toggled_server(tmp_path / "data") as server:
        owner = await server.service.owner()
        project = await owner.create_project("Loremark")
        home.sign_in(server.url, owner.key)
        async with home.agent() as client:
            assert EMPTY_BRIEFING in await _text(client)
            await server.stop_server()
            assert "queued on this machine" in await _text(client, "memory_save", project=project, **lesson)
            assert "not reachable" in await _text(client, "memory_save", summary="To which project?")
        await server.start_server()
        async with home.agent() as later:  # the agent that saved has exited
            assert EMPTY_BRIEFING in await _text(later)
            async with asyncio.timeout(30):
                while not (sessions := (await owner.get(f"/api/v2/sessions?projectId={project}")).json()):
                    await asyncio.sleep(0.05)
        events = (await owner.get(f"/api/v2/sessions/{sessions[0]['id']}/events")).json()
        payload = events[0]["payload"]
        assert (payload["summary"], payload["changes"][0]["title"]) == (lesson["summary"], change["title"])
        assert payload["source"].startswith("mcp")
        assert "AKIAQ3EGRT5YHJ2KLM4N" not in json.dumps(events)


async def _change_keys(owner: Person, home: Home, url: str) -> None:
    """Sign in with a new key like ``loremark login``, and revoke the old one."""
    made = (await owner.post("/api/keys", {"name": "new"})).json()
    old = next(entry["id"] for entry in (await owner.get("/api/keys")).json() if entry["id"] != made["id"])
    home.sign_in(url, made["key"])
    assert (await owner.delete("/api/keys", {"keyId": old})).status_code == 204


async def test_it_starts_fast_and_exits_with_its_agent(sqlite_service: tuple[Service, str], home: Home) -> None:
    service, url = sqlite_service
    owner = await service.owner()
    least_cpu = 9.0
    for _ in range(3):
        before = _cpu()
        child = await home.start(LOREMARK_URL=url, LOREMARK_API_KEY=owner.key)
        await send(child, request(1, "server/discover"))
        assert "result" in await receive(child)
        await close(child)
        least_cpu = min(least_cpu, _cpu() - before)
    print(f"loremark mcp, start to first answer: {least_cpu * 1000:.0f} ms of CPU")
    assert least_cpu < START_CPU_S

    child = await home.start(LOREMARK_URL=url, LOREMARK_API_KEY=owner.key)
    await send(child, request(1, "tools/list"), request(2, "prompts/list"))
    assert await close(child) < 10  # stdin closed before the responses arrive
    assert child.stdout is not None
    assert len((await child.stdout.read()).splitlines()) == 2


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
async def test_starting_offline_is_just_as_fast(home: Home, tmp_path: Path, version: str) -> None:
    """Cached lists are returned, but only for the same key; tool calls fail."""
    data = tmp_path / "data"
    data.mkdir()
    hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "cline", "version": "3"}}
    old: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *({"jsonrpc": "2.0", "id": 2 + at, "method": method} for at, method in enumerate(LISTS)),
    ]
    new = [request(1, "server/discover"), *(request(2 + at, method) for at, method in enumerate(LISTS))]
    messages_to_send = old if version < "2026" else new

    async def ask(child: asyncio.subprocess.Process) -> dict[int, Any]:
        received = {}
        for message in messages_to_send:
            await send(child, message)
            if "id" in message:
                answer = await receive(child)
                received[answer["id"]] = answer
        return received

    async with run_service(settings_for(data, databases.fresh("sqlite", data))) as service:
        owner = await service.owner()
        await owner.create_project("Loremark")
        async with listening(service.app) as url:
            home.sign_in(url, owner.key)
            child = await home.start()
            before = await ask(child)
            assert len(before) == 1 + len(LISTS)
            await close(child)
    cpu_before = _cpu()
    child = await home.start()
    assert await ask(child) == before
    await send(child, {**request(9, "tools/call", name="memory_brief", arguments={}), "id": "x"}, request(10, "ping"))
    answers = {answer["id"]: answer for answer in (await receive(child), await receive(child))}
    assert answers["x"]["result"]["isError"]
    assert f"not reachable at {url}" in answers["x"]["result"]["content"][0]["text"]
    assert answers[10]["result"] == {}
    await close(child)
    assert _cpu() - cpu_before < START_CPU_S
    cache = home.folder / "cache" / "loremark" / "mcp"
    assert {path.stat().st_mode & 0o777 for path in cache.iterdir()} == {0o600}
    assert not any(owner.key in path.read_text() for path in cache.iterdir())
    home.sign_in(url, "service_sk_of_somebody_else")
    child = await home.start()
    received = await ask(child)
    listed = 2 + LISTS.index("resources/list")
    assert ["Memory of Loremark" in json.dumps(each[listed]) for each in (before, received)] == [True, False]
    await close(child)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def test_a_folder_cannot_redirect_the_key(sqlite_service: tuple[Service, str], home: Home) -> None:
    """A malicious .loremark.toml names another server, which never gets a request."""
    service, url = sqlite_service
    owner = await service.owner()
    await owner.create_project("Loremark")
    received: list[Any] = []

    async def thief(scope: Any, receive: Any, send: Any) -> None:
        received.append(scope["headers"])

    async with listening(thief) as elsewhere:
        (home.work / ".loremark.toml").write_text(f'project = "prj_theirs"\nurl = "{elsewhere}"\n')
        home.sign_in(url, owner.key)
        async with home.agent() as client:
            assert EMPTY_BRIEFING in await _text(client)
    assert received == []
