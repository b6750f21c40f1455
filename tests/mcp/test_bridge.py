"""``loremark mcp`` as a process between an agent and a real server: speaking, failing well, and ending."""

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

from loremark.entry.mounting import Mount
from loremark.mcp.http import Endpoint, memory_of
from loremark.mcp.server import build_server
from tests.mcp.serving import ERAS, listening, on_socket
from tests.mcp.test_door import META, Sleeper
from tests.servers import lifetime
from tests.support import databases
from tests.support.people import Person
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio

LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
START_CPU_S = 0.4
"""Measured 0.08 s on a quiet machine; the tests run on a busy one."""


class Home:
    """The folders of a person on their own machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir(parents=True)
        self._config = folder / "config" / "loremark"

    def sign_in(self, url: str, key: str) -> None:
        self._config.mkdir(parents=True, exist_ok=True)
        (self._config / "profile.json").write_text(json.dumps({"url": url, "key": key, "secrets": {}}))

    def link(self, project_id: str, url: str) -> None:
        """As ``loremark init`` does."""
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


async def say(child: asyncio.subprocess.Process, *messages: Any) -> None:
    assert child.stdin is not None
    for message in messages:
        child.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
    await child.stdin.drain()


async def hear(child: asyncio.subprocess.Process) -> dict[str, Any]:
    assert child.stdout is not None
    async with asyncio.timeout(60):
        heard: dict[str, Any] = json.loads(await child.stdout.readline())
    return heard


async def end(child: asyncio.subprocess.Process) -> float:
    """Close its input and wait for it; the seconds that took."""
    assert child.stdin is not None
    began = time.monotonic()
    child.stdin.close()
    async with asyncio.timeout(60):
        assert await child.wait() == 0
    return time.monotonic() - began


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": META}}


async def _text(client: Client, name: str = "memory_brief", **arguments: Any) -> str:
    answer = await client.call_tool(name, arguments)
    text: str = answer.content[0].text  # type: ignore[union-attr]
    return text


@pytest.mark.parametrize("era", ERAS)
async def test_an_agent_speaks_through_the_bridge(small: tuple[Service, str], home: Home, era: str) -> None:
    """Everything that works over HTTP works over stdio: many requests at once, progress, the folder's project."""
    service, url = small
    owner = await service.owner()
    await owner.create_project("Another")
    project_id = await owner.create_project("This one")
    home.sign_in(url, owner.key)
    home.link(project_id, url)
    steps: list[str | None] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append(message)

    async with home.agent(era) as client:
        assert len((await client.list_tools()).tools) == 13
        texts = await asyncio.gather(*(_text(client, budget=300 + number) for number in range(12)))
        assert all("# This one" in text for text in texts)
        answer = await client.call_tool("memory_ask", {"question": "Why ☕ at all?"}, progress_callback=note)
        assert not answer.is_error
        assert steps
        assert (await client.read_resource("loremark://brain")).contents[0].mime_type == "text/markdown"
        assert "There is no such project" in await _text(client, project="prj_nowhere")


async def test_the_oldest_handshake_and_what_is_no_message(small: tuple[Service, str], home: Home) -> None:
    service, url = small
    owner = await service.owner()
    await owner.create_project("Loremark")
    child = await home.start(LOREMARK_URL=url, LOREMARK_API_KEY=owner.key)
    hello = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "cline", "version": "3"}}
    await say(child, b"\n", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})
    assert (await hear(child))["result"]["protocolVersion"] == "2024-11-05"
    await say(child, {"jsonrpc": "2.0", "method": "notifications/initialized"}, b"{nonsense\n", b"[1, 2]\n")
    assert (await hear(child))["error"]["code"] == -32700
    assert (await hear(child))["error"]["code"] == -32600
    for odd in ([1], {"a": 1}, True):
        await say(child, {"jsonrpc": "2.0", "id": odd, "method": "tools/list", "params": {}})
        assert (await hear(child))["error"]["code"] == -32600
    called = {"name": "memory_brief", "arguments": {"budget": 300}}
    await say(child, {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": called})
    answer = await hear(child)
    assert (answer["id"], answer["result"]["isError"]) == ("a", False)
    await say(child, {"jsonrpc": "2.0", "id": "b", "method": "no/such", "params": {}})
    assert (await hear(child))["error"]["code"] == -32601
    assert await end(child) < 5


async def test_an_id_that_is_none_does_no_harm_even_first(small: tuple[Service, str], home: Home) -> None:
    service, url = small
    owner = await service.owner()
    child = await home.start(LOREMARK_URL=url, LOREMARK_API_KEY=owner.key)
    await say(child, request(1, "tools/list") | {"id": [1]}, request(2, "tools/list"))
    assert (await hear(child))["error"]["code"] == -32600
    assert (await hear(child))["id"] == 2
    assert await end(child) < 5


@pytest.mark.parametrize("era", ERAS)
async def test_what_an_agent_saves_says_which_agent_it_was(small: tuple[Service, str], home: Home, era: str) -> None:
    """Also after the older handshake, of which a server without sessions knows nothing at the next request."""
    service, url = small
    owner = await service.owner()
    project_id = await owner.create_project("Loremark")
    home.sign_in(url, owner.key)
    async with home.agent(era, info=Implementation(name="codex-mcp-client", version="1")) as client:
        await _text(client, "memory_save", summary="We keep all times in UTC, because reports must match.")
    (session,) = (await owner.get(f"/api/v2/sessions?projectId={project_id}")).json()
    (event,) = (await owner.get(f"/api/v2/sessions/{session['id']}/events?blobs=inline")).json()
    assert event["payload"]["source"] == "mcp:codex"


async def test_what_the_agent_cancels_ends_on_the_server(small: tuple[Service, str], home: Home) -> None:
    service, url = small
    sleeper = Sleeper()
    service.app._tools.use(Mount).make = lambda: Endpoint(build_server(memory_of, [sleeper.tool]))
    owner = await service.owner()
    child = await home.start(LOREMARK_URL=url, LOREMARK_API_KEY=owner.key)
    await say(child, request(1, "server/discover"))
    assert "result" in await hear(child)
    await say(child, request(2, "tools/call", name="memory_sleep", arguments={}))
    async with asyncio.timeout(60):
        await sleeper.begun.wait()
        await say(child, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
        await sleeper.ended.wait()
    await say(child, request(3, "tools/list"))
    assert (await hear(child))["id"] == 3  # and nothing was said about the cancelled one
    assert await end(child) < 5


async def test_whoever_is_not_signed_in_is_told_and_helped_at_once_when_they_are(
    small: tuple[Service, str], home: Home
) -> None:
    service, url = small
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
        assert "refused the key" in await _text(client)
        home.sign_in(url, owner.key)
        assert "# Loremark" in await _text(client)
        saved = await _text(client, "memory_save", summary="We keep all times in UTC, because reports must match.")
        assert saved.startswith("Saved as event")


class Switched:
    """A service on an address of its own, which comes and goes."""

    def __init__(self, service: Service, url: str, bound: socket.socket, up: AsyncExitStack) -> None:
        self.service = service
        self.url = url
        self._bound: socket.socket | None = bound
        self._up = up

    async def come(self) -> None:
        bound, self._bound = self._bound or _bind(int(self.url.rsplit(":", 1)[1])), None
        await self._up.enter_async_context(on_socket(self.service.app, bound))

    async def go(self) -> None:
        await self._up.aclose()


def _bind(port: int = 0) -> socket.socket:
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind(("127.0.0.1", port))
    return bound


@asynccontextmanager
async def switched(data: Path) -> AsyncIterator[Switched]:
    data.mkdir()
    bound = _bind()
    url = f"http://127.0.0.1:{bound.getsockname()[1]}"
    async with (
        run_service(settings_for(data, databases.fresh("sqlite", data), LOREMARK_BASE_URL=url)) as service,
        AsyncExitStack() as up,
    ):
        server = Switched(service, url, bound, up)
        await server.come()
        yield server


async def test_a_server_that_is_away_is_told_and_used_when_it_comes_back(tmp_path: Path, home: Home) -> None:
    async with switched(tmp_path / "data") as server:
        owner = await server.service.owner()
        await owner.create_project("Loremark")
        home.sign_in(server.url, owner.key)
        async with home.agent() as client:
            assert "# Loremark" in await _text(client)
            await server.go()
            assert f"not reachable at {server.url}" in await _text(client)
            async with home.agent() as late:  # one that starts while it is away
                assert f"not reachable at {server.url}" in await _text(late)
                await server.come()
                for each in (client, late):
                    assert "# Loremark" in await _text(each)
            await _change_keys(owner, home, server.url)
            assert "# Loremark" in await _text(client)


async def test_what_is_saved_while_the_server_is_away_arrives_when_it_is_back(tmp_path: Path, home: Home) -> None:
    change = {"title": "Times are UTC", "content": "All times are kept in UTC; the key is AKIAQ3EGRT5YHJ2KLM4N."}
    learnt = {"summary": "We keep all times in UTC.", "changes": [change]}
    async with switched(tmp_path / "data") as server:
        owner = await server.service.owner()
        project = await owner.create_project("Loremark")
        home.sign_in(server.url, owner.key)
        async with home.agent() as client:
            assert "# Loremark" in await _text(client)
            await server.go()
            assert "kept on this machine" in await _text(client, "memory_save", project=project, **learnt)
            assert "not reachable" in await _text(client, "memory_save", summary="To which project?")
        await server.come()
        async with home.agent() as later:  # the agent that saved has gone
            assert "# Loremark" in await _text(later)
            async with asyncio.timeout(30):
                while not (sessions := (await owner.get(f"/api/v2/sessions?projectId={project}")).json()):
                    await asyncio.sleep(0.05)
        events = (await owner.get(f"/api/v2/sessions/{sessions[0]['id']}/events")).json()
        payload = events[0]["payload"]
        assert (payload["summary"], payload["changes"][0]["title"]) == (learnt["summary"], change["title"])
        assert payload["source"].startswith("mcp")
        assert "AKIAQ3EGRT5YHJ2KLM4N" not in json.dumps(events)


async def _change_keys(owner: Person, home: Home, url: str) -> None:
    """Sign in with a new key, as by ``loremark login``, and revoke the old one."""
    made = (await owner.post("/api/keys", {"name": "new"})).json()
    old = next(entry["id"] for entry in (await owner.get("/api/keys")).json() if entry["id"] != made["id"])
    home.sign_in(url, made["key"])
    assert (await owner.delete("/api/keys", {"keyId": old})).status_code == 204


async def test_it_starts_quickly_and_ends_with_its_agent(small: tuple[Service, str], home: Home) -> None:
    service, url = small
    owner = await service.owner()
    best = 9.0
    for _ in range(3):
        before = _cpu()
        child = await home.start(LOREMARK_URL=url, LOREMARK_API_KEY=owner.key)
        await say(child, request(1, "server/discover"))
        assert "result" in await hear(child)
        await end(child)
        best = min(best, _cpu() - before)
    print(f"loremark mcp, start to first answer: {best * 1000:.0f} ms of CPU")
    assert best < START_CPU_S

    child = await home.start(LOREMARK_URL=url, LOREMARK_API_KEY=owner.key)
    await say(child, request(1, "tools/list"), request(2, "prompts/list"))
    assert await end(child) < 10  # asked, and gone before the answers
    assert child.stdout is not None
    assert len((await child.stdout.read()).splitlines()) == 2


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
async def test_a_start_while_the_server_is_away_costs_no_more(home: Home, tmp_path: Path, version: str) -> None:
    """What the server told last is told again, to the same person only; what a tool would do is not."""
    data = tmp_path / "data"
    data.mkdir()
    hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "cline", "version": "3"}}
    old: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *({"jsonrpc": "2.0", "id": 2 + at, "method": method} for at, method in enumerate(LISTS)),
    ]
    new = [request(1, "server/discover"), *(request(2 + at, method) for at, method in enumerate(LISTS))]
    asked = old if version < "2026" else new

    async def ask(child: asyncio.subprocess.Process) -> dict[int, Any]:
        heard = {}
        for message in asked:
            await say(child, message)
            if "id" in message:
                answer = await hear(child)
                heard[answer["id"]] = answer
        return heard

    async with run_service(settings_for(data, databases.fresh("sqlite", data))) as service:
        owner = await service.owner()
        await owner.create_project("Loremark")
        async with listening(service.app) as url:
            home.sign_in(url, owner.key)
            child = await home.start()
            before = await ask(child)
            assert len(before) == 1 + len(LISTS)
            await end(child)
    used = _cpu()
    child = await home.start()
    assert await ask(child) == before
    await say(child, {**request(9, "tools/call", name="memory_brief", arguments={}), "id": "x"}, request(10, "ping"))
    answers = {answer["id"]: answer for answer in (await hear(child), await hear(child))}
    assert answers["x"]["result"]["isError"]
    assert f"not reachable at {url}" in answers["x"]["result"]["content"][0]["text"]
    assert answers[10]["result"] == {}
    await end(child)
    assert _cpu() - used < START_CPU_S
    cache = home.folder / "cache" / "loremark" / "mcp"
    assert {path.stat().st_mode & 0o777 for path in cache.iterdir()} == {0o600}
    assert not any(owner.key in path.read_text() for path in cache.iterdir())
    home.sign_in(url, "service_sk_of_somebody_else")
    child = await home.start()
    heard = await ask(child)
    listed = 2 + LISTS.index("resources/list")
    assert ["Briefing of Loremark" in json.dumps(each[listed]) for each in (before, heard)] == [True, False]
    await end(child)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def test_a_folder_cannot_send_the_key_elsewhere(small: tuple[Service, str], home: Home) -> None:
    """A committed .loremark.toml of somebody else names a server of theirs: it never hears from us."""
    service, url = small
    owner = await service.owner()
    await owner.create_project("Loremark")
    heard: list[Any] = []

    async def thief(scope: Any, receive: Any, send: Any) -> None:
        heard.append(scope["headers"])

    async with listening(thief) as elsewhere:
        (home.work / ".loremark.toml").write_text(f'project = "prj_theirs"\nurl = "{elsewhere}"\n')
        home.sign_in(url, owner.key)
        async with home.agent() as client:
            assert "# Loremark" in await _text(client)
    assert heard == []
