"""Run the official conformance suite and inspector against Loremark, over both transports."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.mcp import official_tools

pytestmark = pytest.mark.slow

BASELINES = Path(__file__).parent / "baselines"
REVISIONS = ("2025-11-25", "2026-07-28")


@pytest.fixture(scope="module")
def tools() -> Path:
    return official_tools.installed()


@pytest.mark.parametrize("revision", REVISIONS)
def test_all_protocol_requirements(tools: Path, tmp_path: Path, revision: str) -> None:
    with official_tools.running_server(tmp_path / "data", "--fixtures") as (url, _, _):
        done = official_tools.conformance(tools, tmp_path, url, "--requirements", revision)
    print(done.stdout[done.stdout.find("=== SUMMARY") :])
    assert done.returncode == 0, done.stdout[-5_000:] + done.stderr


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_product_without_fixtures(tools: Path, tmp_path: Path, revision: str) -> None:
    """The baseline lists the failures caused by missing fixtures; there must be no others."""
    baseline = BASELINES / f"{revision}.yml"
    with official_tools.running_server(tmp_path / "data") as (url, _, _):
        options = ("--suite", "all", "--spec-version", revision, "--expected-failures", str(baseline))
        done = official_tools.conformance(tools, tmp_path, url, *options)
    print(done.stdout[done.stdout.find("=== SUMMARY") :])
    assert done.returncode == 0, done.stdout[-5_000:] + done.stderr


def _targets(url: str, key: str) -> dict[str, list[str]]:
    bridge = ["-e", f"LOREMARK_URL={url}", "-e", f"LOREMARK_API_KEY={key}", sys.executable, "-m", "loremark.mcp"]
    return {"http": [f"{url}/mcp", "--header", f"Authorization: Bearer {key}"], "stdio": bridge}


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_inspector_reports_no_errors(tools: Path, tmp_path: Path, transport: str, era: str) -> None:
    with official_tools.running_server(tmp_path / "data") as (url, key, project_id):
        target = _targets(url, key)[transport]

        def inspect(*options: str) -> str:
            done = official_tools.inspector(tools, tmp_path, *target, "--protocol-era", era, *options)
            assert done.returncode == 0, f"{options}: {done.returncode} {done.stdout} {done.stderr}"
            assert "error" not in done.stderr.lower(), done.stderr
            return done.stdout

        listed = json.loads(inspect("--method", "tools/list", "--strict"))
        assert len(listed["tools"]) == 13
        assert len(json.loads(inspect("--method", "resources/list"))["resources"]) == 2
        assert len(json.loads(inspect("--method", "prompts/list"))["prompts"]) == 3
        called = json.loads(
            inspect("--method", "tools/call", "--tool-name", "memory_brief", "--tool-arg", "budget=500")
        )
        assert called["content"][0]["text"] == "No matching memories."
        read = inspect("--method", "resources/read", "--uri", f"loremark://projects/{project_id}/brain")
        assert json.loads(read)["contents"][0]["mimeType"] == "text/markdown"
