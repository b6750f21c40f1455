"""Reads Go manifests: ``go.mod`` and GoReleaser configuration."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import lines_of, yaml_of

_REQUIRED = re.compile(r"(?:require\s{1,4})?\"?([\w.~/-]{1,160}\.[\w.~/-]{1,160})\"?\s{1,8}(v[^\s/]{1,80})")


def read_go_mod(path: str, content: str) -> ManifestFacts:
    """``go.mod``; requirements marked indirect are not direct dependencies."""
    draft = Draft("go")
    block = ""
    tools: list[str] = []
    required: list[tuple[str, str, bool]] = []
    for _, line in lines_of(content):
        text = line.strip()
        if text.endswith("("):
            block = text[:-1].strip()
        elif text == ")":
            block = ""
        elif text.startswith("module "):
            draft.add_sign("name", text[7:].strip().strip('"'))
        elif text.startswith("go "):
            draft.add_sign("language-version", text[3:].split("//")[0])
        elif block == "tool" or text.startswith("tool "):
            tools.append(text.removeprefix("tool ").strip().strip('"'))
        elif block == "require" or text.startswith("require "):
            found = _REQUIRED.match(text)
            if found is not None:
                required.append((found.group(1), found.group(2), "// indirect" not in text))
    for name, version, is_direct in required:
        # A program that is run with ``go tool`` is listed as indirect.
        is_tool = any(f"{tool}/".startswith(f"{name}/") for tool in tools[:50])
        draft.add_dependency(name, version, is_dev=is_tool, is_direct=is_direct or is_tool)
    return draft.facts()


def read_goreleaser(path: str, content: str) -> ManifestFacts:
    """``.goreleaser.yaml``: the programs built for a release."""
    draft = Draft("goreleaser")
    for line in yaml_of(content):
        if line.key == "main" and line.value and "{" not in line.value:
            source = line.value if line.value.endswith(".go") else f"{line.value.rstrip('/')}/main.go"
            draft.add_sign(
                f"target:{line.value.removesuffix('/main.go').rstrip('/').rpartition('/')[2] or 'main'}", source
            )
    return draft.facts()
