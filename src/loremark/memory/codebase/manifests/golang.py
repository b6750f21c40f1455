"""Go: ``go.mod``, and what GoReleaser builds."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.documents import lines_of, yaml_of
from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts

_REQUIRED = re.compile(r"(?:require\s{1,4})?\"?([\w.~/-]{1,160}\.[\w.~/-]{1,160})\"?\s{1,8}(v[^\s/]{1,80})")


def read_go_mod(path: str, content: str) -> ManifestFacts:
    """``go.mod``: what is marked indirect is not asked for by this module."""
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
            draft.says("name", text[7:].strip().strip('"'))
        elif text.startswith("go "):
            draft.says("language-version", text[3:].split("//")[0])
        elif block == "tool" or text.startswith("tool "):
            tools.append(text.removeprefix("tool ").strip().strip('"'))
        elif block == "require" or text.startswith("require "):
            found = _REQUIRED.match(text)
            if found is not None:
                required.append((found.group(1), found.group(2), "// indirect" not in text))
    for name, version, is_direct in required:
        # A program that is run with ``go tool`` stands among what is not imported.
        is_tool = any(f"{tool}/".startswith(f"{name}/") for tool in tools[:50])
        draft.needs(name, version, is_dev=is_tool, is_direct=is_direct or is_tool)
    return draft.facts()


def read_goreleaser(path: str, content: str) -> ManifestFacts:
    """``.goreleaser.yaml``: the programs that are built for a release, wherever their sources are."""
    draft = Draft("goreleaser")
    for line in yaml_of(content):
        if line.key == "main" and line.value and "{" not in line.value:
            source = line.value if line.value.endswith(".go") else f"{line.value.rstrip('/')}/main.go"
            draft.says(f"target:{line.value.removesuffix('/main.go').rstrip('/').rpartition('/')[2] or 'main'}", source)
    return draft.facts()
