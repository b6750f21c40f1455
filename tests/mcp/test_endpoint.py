"""The /mcp endpoint: authentication, limits, foreign origins, cancellation and lazy imports."""

from __future__ import annotations

import asyncio
import re
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp.shared.exceptions import MCPError

import loremark
from loremark.entry.application import open_app
from loremark.entry.mcp_endpoint import McpMount
from loremark.mcp import client_names
from loremark.mcp.http import Endpoint, memory_of
from loremark.mcp.memory import Memory
from loremark.mcp.server import build_server
from loremark.mcp.tool import Arguments, Progress, Result, Tool
from tests.mcp.serving import ERAS, agent, listening
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}


async def post(
    person: Person, method: str = "tools/list", headers: dict[str, str] | None = None, **params: Any
) -> httpx.Response:
    """Send a request in the current protocol version, in process."""
    sent = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": method,
        **({"Mcp-Name": params["name"]} if "name" in params else {}),
        **(headers or {}),
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
    return await person.post("/mcp", message, headers=sent)


async def test_without_a_key_the_response_points_to_the_auth_metadata(sqlite_service: tuple[Service, str]) -> None:
    service, _ = sqlite_service
    base = service.settings.base_url
    refused = await post(service.anonymous)
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == (
        f'Bearer resource_metadata="{base}/.well-known/oauth-protected-resource/mcp"'
    )
    metadata = (await service.http.get("/.well-known/oauth-protected-resource/mcp")).json()
    assert metadata["resource"] == f"{base}/mcp"
    assert metadata["bearer_methods_supported"] == ["header"]
    gone = await service.anonymous.get("/mcp")
    assert gone.status_code == 405
    assert gone.headers["allow"] == "POST"


@pytest.mark.parametrize("host", ["[::1", "a]b", "evil.example.com", ""])
async def test_a_foreign_or_broken_host_is_refused(sqlite_service: tuple[Service, str], host: str) -> None:
    service, _ = sqlite_service
    owner = await service.owner()
    assert (await post(owner, headers={"Host": host})).status_code == 403


@pytest.mark.parametrize(
    ("client", "agent"),
    [
        ("claude-code", "claude-code"),
        ("codex-mcp-client", "codex"),
        ("gemini-cli-mcp-client", "gemini"),
        ("copilot-cli", "copilot"),
        ("opencode", "opencode"),
        ("@cline/core", "cline"),
        ("Visual Studio Code", "vscode"),
        ("claude-ai", "claude-ai"),
        ("evil\r\nX: y/../\u202e" * 50, ("evil-X-y-..-" * 50)[:60]),
        ("", ""),
    ],
)
def test_client_names_map_to_agent_names(client: str, agent: str) -> None:
    assert client_names.agent_name(client) == agent


async def test_a_revoked_key_fails_immediately_on_an_open_connection(service: Service, url: str) -> None:
    owner = await service.owner()
    await owner.create_project("Loremark")
    made = (await owner.post("/api/keys", {"name": "agent"})).json()
    async with agent(url, made["key"]) as client:
        assert not (await client.call_tool("memory_brief", {})).is_error
        gone = await owner.delete("/api/keys", {"keyId": made["id"]})
        assert gone.status_code == 204, gone.text
        with pytest.raises(MCPError, match="Server returned an error response"):
            await client.call_tool("memory_brief", {})


async def test_any_process_can_handle_any_request(service: Service) -> None:
    """Two processes behind a round-robin load balancer, with both protocol eras."""
    owner = await service.owner()
    await owner.create_project("Loremark")
    async with open_app(service.runtime) as other:
        turns = cycle((service.app, other))

        async def balance(scope: Any, receive: Any, send: Any) -> None:
            await next(turns)(scope, receive, send)

        async with listening(balance) as url:
            for era in ERAS:
                async with agent(url, owner.key, era) as client:
                    for _ in range(3):
                        assert not (await client.call_tool("memory_brief", {})).is_error


@pytest.mark.settings(LOREMARK_RATE_LIMIT_PER_MINUTE="30")
async def test_a_tool_call_counts_as_one_request(service: Service) -> None:
    owner = await service.owner()
    await owner.create_project("Loremark")
    seen: list[tuple[str, int]] = []
    while len(seen) < 3:
        answer = await post(owner, "tools/call", name="memory_eval", arguments={})
        assert "The memory is empty" in answer.text
        window = answer.headers["x-ratelimit-reset"]
        seen = [entry for entry in seen if entry[0] == window]  # the count resets every minute
        seen.append((window, int(answer.headers["x-ratelimit-remaining"])))
    assert [left - seen[0][1] for _, left in seen] == [0, -1, -2]
    while (await post(owner)).status_code == 200:
        pass
    limited = await post(owner)
    assert limited.status_code == 429
    assert "retry-after" in limited.headers


async def test_foreign_origins_hosts_and_invalid_messages_are_rejected(
    sqlite_service: tuple[Service, str],
) -> None:
    service, _ = sqlite_service
    owner = await service.owner()
    for headers, status in (
        ({}, 200),
        ({"Origin": service.settings.base_url}, 200),
        ({"Host": "[::1]:8000"}, 200),
        ({"Host": "10.1.2.3"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Host": "evil.example:8000"}, 403),
        ({"Host": "localhost.evil.example"}, 403),
        ({"Content-Type": "text/plain"}, 400),
        ({"Accept": "text/html"}, 406),
    ):
        assert (await post(owner, headers=headers)).status_code == status, headers
    key = {
        "Authorization": f"Bearer {owner.key}",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": "2026-07-28",
    }
    accept = {"Accept": "application/json, text/event-stream"}
    for body, status in ((b"{", 400), (b"[]", 400), (b"[" * 100_000, 400), (b"x" * (5 * 1024 * 1024), 413)):
        answer = await service.http.post("/mcp", content=body, headers=key | accept)
        assert answer.status_code == status, body[:10]


class Nap(Result):
    done: bool


class Sleeper:
    """A tool that runs until cancelled, and records that it was."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.ended = asyncio.Event()
        self.tool = Tool("memory_sleep", "Sleep", "Runs until cancelled.", Arguments, Nap, self._run, lambda _: "done")

    async def _run(self, memory: Memory, given: Arguments, progress: Progress) -> Nap:
        await progress(0, None, "asleep")
        self.begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            self.ended.set()
        return Nap(done=True)


@pytest.fixture
def sleeper(sqlite_service: tuple[Service, str]) -> Sleeper:
    service, _ = sqlite_service
    made = Sleeper()
    service.app._services.use(McpMount).create_endpoint = lambda: Endpoint(build_server(memory_of, [made.tool]))
    return made


@pytest.mark.parametrize("era", ERAS)
async def test_a_disconnect_cancels_the_tool(sqlite_service: tuple[Service, str], sleeper: Sleeper, era: str) -> None:
    service, url = sqlite_service
    owner = await service.owner()
    message: dict[str, Any] = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "memory_sleep",
            "arguments": {},
            "_meta": {**META, "progressToken": 1} if era != "legacy" else {},
        },
    }
    headers = {"Authorization": f"Bearer {owner.key}", "Accept": "application/json, text/event-stream"}
    if era != "legacy":
        headers |= {"MCP-Protocol-Version": era, "Mcp-Method": "tools/call", "Mcp-Name": "memory_sleep"}
    async with asyncio.timeout(60), httpx.AsyncClient() as http:
        async with http.stream("POST", f"{url}/mcp", json=message, headers=headers) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            await sleeper.begun.wait()
        await sleeper.ended.wait()


async def test_internal_errors_hide_their_details(sqlite_service: tuple[Service, str], sleeper: Sleeper) -> None:
    service, _ = sqlite_service

    async def fail(*_: object) -> Nap:
        raise KeyError("a secret detail")

    object.__setattr__(sleeper.tool, "run", fail)
    owner = await service.owner()
    answer = await post(owner, "tools/call", name="memory_sleep", arguments={})
    assert "a secret detail" not in answer.text
    assert answer.json()["error"]["message"] == "Internal server error"
    legacy = {"MCP-Protocol-Version": "2025-06-18"}
    answer = await post(owner, "tools/call", headers=legacy, name="memory_sleep", arguments={})
    assert "a secret detail" not in answer.text
    assert "Internal server error" in answer.text


def test_startup_does_not_import_the_sdk() -> None:
    """The SDK takes a second to import: only ``loremark.mcp`` uses it, and that is only imported inside functions."""
    source = Path(loremark.__file__).parent
    eager = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if re.search(r"^(?:from|import) (?:loremark\.)?mcp\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {path for path in eager if not path.startswith("mcp/")} == set()
    light = (
        "mcp/bridge.py",
        "mcp/relay.py",
        "mcp/response_cache.py",
        "mcp/message.py",
        "mcp/client_names.py",
        "mcp/__main__.py",
    )
    for name in light:
        named = re.findall(r"^(?:from|import) (\S+)", (source / name).read_text(encoding="utf-8"), re.MULTILINE)
        heavy = {
            module for module in named if module.startswith(("mcp", "loremark.client", "loremark.wire", "msgspec"))
        }
        assert heavy == set(), name
