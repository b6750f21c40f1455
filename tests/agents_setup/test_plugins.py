"""The plugin for Claude Code, Codex and Copilot CLI, and the Gemini extension."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loremark.agents import plugins
from loremark.agents.errors import EditError
from loremark.agents.merging_json import is_our_hook
from tests.agents_setup.conftest import contents


def test_the_plugin_folder_is_consistent(tmp_path: Path) -> None:
    """Every path in a manifest exists. (Checked with the real validators when this was written.)"""
    written = plugins.write(str(tmp_path / "market"), "loremark")
    assert sorted(contents(tmp_path / "market")) == written
    market = json.loads((tmp_path / "market/.claude-plugin/marketplace.json").read_text())
    (entry,) = market["plugins"]
    home = tmp_path / "market" / entry["source"]
    manifest = json.loads((home / ".claude-plugin/plugin.json").read_text())
    codex = json.loads((home / ".codex-plugin/plugin.json").read_text())
    extension = json.loads((tmp_path / "market/gemini/gemini-extension.json").read_text())
    assert market["name"] == entry["name"] == manifest["name"] == codex["name"] == extension["name"] == "loremark"
    assert manifest["version"] == codex["version"] == extension["version"]
    for name in ("skills", "mcpServers", "hooks"):
        assert (home / codex[name]).exists()
    servers = json.loads((home / ".mcp.json").read_text())["mcpServers"]
    assert servers == extension["mcpServers"] == {"loremark": {"command": "loremark", "args": ["mcp"]}}
    for path in (home / "hooks/hooks.json", home / "hooks/codex.json", tmp_path / "market/gemini/hooks/hooks.json"):
        groups = [group for groups in json.loads(path.read_text())["hooks"].values() for group in groups]
        assert groups
        assert all(is_our_hook(hook) and hook["type"] == "command" for group in groups for hook in group["hooks"])
    for skill in ("loremark", "save"):
        head = (home / "skills" / skill / "SKILL.md").read_text().split("---")[1]
        assert f"name: {skill}\n" in head
        assert len(head.split("description: ")[1]) < 1024


def test_overwrites_our_files_but_not_others(tmp_path: Path) -> None:
    plugins.write(str(tmp_path), "loremark")
    plugins.write(str(tmp_path), "/opt/a b/loremark")
    assert "'/opt/a b/loremark' hook" in (tmp_path / "plugins/loremark/hooks/hooks.json").read_text()
    (tmp_path / ".claude-plugin/marketplace.json").write_text('{"name": "acme", "plugins": []}')
    (tmp_path / "README.md").write_text("# Acme\n")
    with pytest.raises(EditError, match="not created by Loremark"):
        plugins.write(str(tmp_path), "loremark")
    assert (tmp_path / "README.md").read_text() == "# Acme\n"


def test_symlinks_out_of_the_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "market").mkdir()
    (tmp_path / "market" / "plugins").symlink_to(tmp_path)
    with pytest.raises(EditError, match="points outside"):
        plugins.write(str(tmp_path / "market"), "loremark")
