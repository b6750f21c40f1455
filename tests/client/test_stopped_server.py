"""Whoever takes the port of this user's stopped server gets nothing: no key, no event, no question."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loremark.base import profile
from loremark.base.running_servers import ServerRecord, recorded
from loremark.cli import framework
from loremark.client.call import ApiError, Call
from loremark.client.calls.transfer import stream_export
from loremark.entry.command_table import COMMANDS
from loremark.hook import http_client
from loremark.mcp.relay import Relay, RelayError
from tests.client.either import Either
from tests.client.scripted import Scripted, says

RAW: Call[Any] = Call(method="GET", path="/raw", response_type=bytes)
SOURCES = Path(framework.__file__).parents[1]
CONNECTS = re.compile(r"\bHTTPS?Connection\b|httpx\.(Async)?Client\(|socket\.socket\(|create_connection\(|urlopen")


@pytest.fixture
def record(script: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ServerRecord:
    """The record of a server of this user, on whose port another program listens now."""
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    (tmp_path / "data").mkdir()
    script.replies = [says(200, b'{"info": {"title": "Loremark", "version": "0.1.0"}}')]
    server = ServerRecord(
        url=script.url,
        base_url=script.url,
        port=int(script.url.rpartition(":")[2]),
        pid=1,
        version="0.1.0",
        data_dir=str(tmp_path / "data"),
        environment={"LOREMARK_DATA_DIR": str(tmp_path / "data")},
        started_at_ms=1,
    )
    with recorded(server):
        pass
    return server


def test_clients_do_not_connect(script: Scripted, record: ServerRecord, connect: Callable[..., Either]) -> None:
    for url in (script.url, script.url.replace("127.0.0.1", "localhost")):
        with pytest.raises(ApiError, match="your server there has stopped"):
            connect(url, "service_sk_x").request(RAW)
    assert script.requests == []
    with recorded(record):
        assert connect(script.url, "service_sk_x").request(RAW).value
    shutil.rmtree(record.data_dir)
    assert connect(script.url, "service_sk_x").request(RAW).value, "it cannot be started again"


def test_exports_hooks_and_agents_do_not_connect(script: Scripted, record: ServerRecord) -> None:
    with pytest.raises(ApiError, match="your server there has stopped"):
        list(stream_export(script.url, "service_sk_x", "prj_1"))
    with pytest.raises(http_client.Unreachable, match="your server there has stopped"):
        http_client.request(script.url, "GET", "/raw", {"Authorization": "Bearer service_sk_x"}, seconds=5)
    with pytest.raises(RelayError, match="your server there has stopped"):
        Relay(script.url, "service_sk_x", "prj_1", print).send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert script.requests == []
    with recorded(record):
        assert http_client.request(script.url, "GET", "/raw", {}, seconds=5).status == 200


@pytest.mark.parametrize("words", [("whoami",), ("setup", "--dry-run"), ("status",), ("doctor",)])
def test_commands_do_not_connect(
    script: Scripted, record: ServerRecord, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    profile.save(profile.Profile(script.url, "service_sk_x"))
    framework.main(COMMANDS, words, lambda: "0")
    assert script.requests == []


def test_all_that_connects_asks_first() -> None:
    """A new kind of connection must not forget it."""
    elsewhere = {
        "cli/local_server.py",  # looks for a free port
        "cli/webhook_forwarding.py",  # to the user's own program, without a key
    }
    found = {
        path.relative_to(SOURCES).as_posix(): path.read_text()
        for layer in ("agents", "cli", "client", "exchange", "hook", "mcp")
        for path in (SOURCES / layer).rglob("*.py")
        if CONNECTS.search(path.read_text())
    }
    assert found.keys() - elsewhere == {
        "client/async_client.py",
        "client/calls/transfer.py",
        "client/http_connection.py",
        "hook/http_client.py",
        "mcp/relay.py",
    }
    for name in found.keys() - elsewhere:
        assert "refuse_stopped(" in found[name], name
