"""The agents' lock file and payload samples: exact versions, nothing machine-specific."""

from __future__ import annotations

import json
import re

import pytest

from tests.agents import install, samples

_MACHINE = re.compile(r"(?<!\.gemini)/tmp/|/root\b|/work\b|https?://|loremark-record-")


def test_agents_are_locked_without_registry_urls() -> None:
    wanted = json.loads((install.LOCK / "package.json").read_text())["dependencies"]
    text = (install.LOCK / "package-lock.json").read_text()
    locked = json.loads(text)["packages"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values())
    assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert "resolved" not in text
    assert "://" not in text
    assert all("integrity" in entry for place, entry in locked.items() if place)


@pytest.mark.parametrize("agent", ["claude-code", "cline", "codex", "copilot", "copilot-pascal", "gemini", "opencode"])
def test_samples_contain_nothing_machine_specific(agent: str) -> None:
    files = sorted((samples.PAYLOADS / agent).glob("*.json"))
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert isinstance(json.loads(text), dict), file
        assert not _MACHINE.search(text), file
