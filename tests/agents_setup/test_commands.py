"""The install, uninstall and sync commands, run in an isolated home."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from loremark.cli import framework
from tests.agents_setup.conftest import Shell, contents, snapshot


def test_dry_run_install_list_and_uninstall(shell: Shell) -> None:
    (shell.home / ".gemini").mkdir()
    (shell.home / ".gemini" / "settings.json").write_text('{\n  "ui": {}\n}\n')
    before = snapshot(shell.home)
    code, out, _ = shell("install", "gemini", "--dry-run")
    assert code == 0
    assert f'+      "command": "{shell.program}"' in out
    assert f'"command": "{shell.program} hook gemini"' in out
    assert "--- " in out
    assert "+++ " in json.loads(shell("install", "gemini", "--dry-run", "--json")[1])["agents"][0]["files"][0]["diff"]
    assert snapshot(shell.home) == before
    code, _, err = shell("install", "gemini")
    assert (code, snapshot(shell.home) == before) == (framework.USAGE, True)
    assert "--yes" in err
    code, out, _ = shell("install", "--all", "--yes", "--json")
    result = json.loads(out)
    assert [(entry["agent"], entry["state"]) for entry in result["agents"]] == [("gemini", "installed")]
    assert result["agents"][0]["files"] == [{"path": str(shell.home / ".gemini/settings.json"), "change": "changed"}]
    assert shell("install", "gemini-cli")[1].startswith("Gemini CLI: already installed")
    states = {row["agent"]: row["user"] for row in json.loads(shell("install", "--list", "--json")[1])}
    assert states["gemini"] == "installed"
    assert states["codex"] == "not set up"
    assert shell("uninstall", "gemini", "--yes")[0] == 0
    assert snapshot(shell.home) == before
    assert "was not installed" in shell("uninstall", "gemini", "--yes")[1]


def test_install_into_the_surrounding_project(shell: Shell) -> None:
    code, out, _ = shell("install", "claude", "codex", "--scope", "project", "--yes")
    assert code == 0
    assert "/hooks" in out, "the user must trust the hooks in Codex"
    assert (shell.project / ".mcp.json").exists()
    assert "loremark hook claude-code" in (shell.project / ".claude" / "settings.json").read_text()
    assert shell("uninstall", "--all", "--scope", "project", "--yes")[0] == 0
    assert [path.name for path in sorted(shell.project.iterdir())] == [".git", "src"]


def test_install_over_http_with_a_key_from_the_environment(shell: Shell) -> None:
    code, _, err = shell("install", "cursor", "zed", "--http", "https://loremark.example.com/", "--yes")
    assert code == framework.FAILED
    assert "Zed" in err
    servers = json.loads((shell.home / ".cursor" / "mcp.json").read_text())["mcpServers"]
    assert servers["loremark"] == {
        "url": "https://loremark.example.com/mcp",
        "headers": {"Authorization": "Bearer ${env:LOREMARK_API_KEY}"},
    }
    states = {row["agent"]: row["user"] for row in json.loads(shell("install", "--list", "--json")[1])}
    assert states["cursor"] == "installed"


def test_uninstall_reports_files_it_cannot_edit(shell: Shell) -> None:
    assert shell("install", "cursor", "--yes")[0] == 0
    servers = shell.home / ".cursor" / "mcp.json"
    servers.write_text(servers.read_text() + "}")
    code, _, err = shell("uninstall", "cursor", "--yes")
    assert code == framework.FAILED
    assert "mcp.json was left unchanged: it is not valid JSON" in err
    servers.write_text(servers.read_text()[:-1])
    assert shell("uninstall", "cursor", "--yes")[0] == 0
    assert contents(shell.home) == {}


@pytest.mark.parametrize(
    "words",
    [
        ("install", "emacs"),
        ("install",),
        ("uninstall", "emacs"),
        ("install", "codex", "--http", "ftp://x"),
        ("install", "codex", "--folder", "/no/such/folder"),
        ("install", "plugin"),
        ("install", "codex", "--command", "/usr/bin/python3", "--yes"),
    ],
)
def test_wrong_usage_is_reported(shell: Shell, words: tuple[str, ...]) -> None:
    code, out, err = shell(*words)
    assert (code, out) == (framework.USAGE, "")
    assert err.startswith("loremark: ")
    assert contents(shell.home) == {}


class _BrainHandler(BaseHTTPRequestHandler):
    memory = "# Shop\n\n- Prices are whole cents.\n"

    def do_GET(self) -> None:
        brain = {"markdown": self.memory, "metadata": _METADATA}
        body = json.dumps(brain).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Do not log requests."""


_METADATA = {
    "itemCount": 1,
    "tokenEstimate": 9,
    "assembledAt": "2026-11-16T00:00:00.000Z",
    "schemaKeys": [],
    "omitted": {"count": 0, "byLayer": {}},
    "budget": 1200,
}


@pytest.fixture
def server() -> Iterator[str]:
    running = ThreadingHTTPServer(("127.0.0.1", 0), _BrainHandler)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    thread.join()
    running.server_close()


def test_sync_writes_checks_and_removes(shell: Shell, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOREMARK_URL", server)
    monkeypatch.setenv("LOREMARK_API_KEY", "service_sk_test")
    monkeypatch.setenv("LOREMARK_PROJECT", "prj_1")
    (shell.project / "CLAUDE.md").write_text("Ours.\n")
    assert shell("sync", "--check")[0] == framework.FAILED
    assert not (shell.project / "AGENTS.md").exists()
    code, out, _ = shell("sync")
    assert code == 0
    assert "created" in out
    assert "- Prices are whole cents." in (shell.project / "AGENTS.md").read_text()
    assert shell("sync", "--check")[0] == 0
    monkeypatch.setattr(_BrainHandler, "memory", "# Shop\n\n- Prices are decimals.\n")
    code, out, _ = shell("sync", "--check")
    assert code == framework.FAILED
    assert "+- Prices are decimals." in out
    assert json.loads(shell("sync", "--check", "--json")[1])["stale"] is True
    monkeypatch.setenv("LOREMARK_URL", "http://127.0.0.1:9")
    assert shell("sync", "--check", "--offline")[0] == 0, "offline, it only checks that our block is intact"
    assert shell("sync", "--remove")[0] == 0
    assert not (shell.project / "AGENTS.md").exists()
    assert (shell.project / "CLAUDE.md").read_text() == "Ours.\n"


def test_sync_updates_only_our_own_cursor_rule(shell: Shell) -> None:
    (shell.project / ".cursor").mkdir()
    assert "created" in shell("sync", "--offline")[1]
    assert shell("sync", "--offline", "--check") == (0, "", "")
    code, out, err = shell("sync", "--offline")
    assert (code, [line.split()[0] for line in out.splitlines()], err) == (0, ["unchanged", "unchanged"], "")
    rule = shell.project / ".cursor" / "rules" / "project-memory.mdc"
    rule.write_text(rule.read_text() + "From an earlier version.\n")
    code, out, err = shell("sync", "--offline", "--check")
    assert (code, "-From an earlier version." in out) == (framework.FAILED, True)
    assert "loremark sync" in err
    rule.write_text("Our own rule.\n")
    assert shell("sync", "--offline")[0] == 0
    code, _, err = shell("sync", "--offline", "--check")
    assert (code, "left unchanged" in err) == (framework.FAILED, True)
    assert json.loads(shell("sync", "--offline", "--check", "--json")[1])["stale"] is True
    assert rule.read_text() == "Our own rule.\n"
