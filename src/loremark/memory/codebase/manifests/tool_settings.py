"""Reads development settings: tool versions, formatters, linters, pre-commit hooks."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import json_of, lines_of, table, toml_of, yaml_of

_EDITOR = {"indent_style": "indent-style", "indent_size": "indent-size", "max_line_length": "line-length"}
_STYLE = {
    "printWidth": "line-length",
    "max_width": "line-length",
    "line-length": "line-length",
    "max-line-length": "line-length",
    "tabWidth": "indent-size",
    "singleQuote": "single-quotes",
    "semi": "semicolons",
    "edition": "edition",
    "lineWidth": "line-length",
    "indentStyle": "indent-style",
}
_LINE = re.compile(r"\s*+[\"']?([\w-]{1,40})[\"']?\s{0,4}[:=]\s{0,4}[\"']?([^\"',#\s]{1,60})")
_NUMBER = re.compile(r"\s*+v?(\d[\w.+-]{0,30})\s*+$")


def read_tool_versions(path: str, content: str) -> ManifestFacts:
    """``.tool-versions``: one tool and its version per line."""
    draft = Draft("tools")
    rows: list[str] = []
    for _, line in lines_of(content):
        words = line.split("#", 1)[0].split()
        if len(words) >= 2 and len(rows) < 40:
            rows.append(f"{words[0]} {words[1]}")
    draft.add_sign("tool-versions", rows)
    return draft.facts()


def read_version_file(path: str, content: str) -> ManifestFacts:
    """``.nvmrc``, ``.python-version``, ``.ruby-version``…: only a version."""
    draft = Draft("tools")
    first = content[:200].strip().split("\n", 1)[0].strip()
    found = _NUMBER.match(first.removeprefix("ruby-").removeprefix("go"))
    draft.add_sign("language-version", found.group(1) if found else None)
    return draft.facts()


def read_editorconfig(path: str, content: str) -> ManifestFacts:
    """``.editorconfig``: the settings for all files."""
    draft = Draft("tools")
    is_general = False
    for _, line in lines_of(content):
        text = line.strip()
        if text.startswith("["):
            is_general = text == "[*]"
        elif is_general:
            key, _, value = text.partition("=")
            if key.strip().lower() in _EDITOR and value.strip() not in ("off", "unset"):
                draft.add_sign(_EDITOR[key.strip().lower()], value)
    return draft.facts()


def read_style(path: str, content: str) -> ManifestFacts:
    """Common settings of Prettier, Biome, rustfmt, Ruff, Flake8 and similar."""
    draft = Draft("tools")
    name = path.rpartition("/")[2].lower()
    if name == "ruff.toml" or name == ".ruff.toml":
        document = toml_of(content)
        draft.add_sign("line-length", document.get("line-length"))
        draft.add_sign("lint-rules", table(document.get("lint")).get("select"))
    if name == "biome.json":
        formatter = table(json_of(content).get("formatter"))
        draft.add_sign("line-length", formatter.get("lineWidth"))
    sections = []
    for _, line in lines_of(content):
        if line.startswith("[") and "]" in line and name.endswith((".ini", ".cfg", ".flake8")):
            sections.append(line[1 : line.index("]")].partition(":")[0])
        found = _LINE.match(line)
        if found is not None and found.group(1) in _STYLE:
            draft.add_sign(_STYLE[found.group(1)], found.group(2))
    draft.add_sign("tools", sorted(set(sections)))
    return draft.facts()


def read_rubocop(path: str, content: str) -> ManifestFacts:
    """``.rubocop.yml``: line length and target versions."""
    draft = Draft("tools")
    section = ""
    for line in yaml_of(content):
        if line.indent == 0:
            section = line.key
        elif section == "Layout/LineLength" and line.key == "Max":
            draft.add_sign("line-length", line.value)
        elif section == "AllCops" and line.key == "TargetRubyVersion":
            draft.add_sign("target-version", line.value)
    return draft.facts()


def read_pre_commit(path: str, content: str) -> ManifestFacts:
    """``.pre-commit-config.yaml``: the hooks by their names."""
    draft = Draft("tools")
    hooks: dict[str, None] = {}
    for line in yaml_of(content):
        if line.key == "id" and len(hooks) < 60:
            hooks[line.value[:60]] = None
    draft.add_sign("hooks", list(hooks))
    return draft.facts()
