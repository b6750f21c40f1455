"""Reads the manifests of Elixir, Dart, Swift and Scala line by line."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import lines_of, yaml_of

_MIX = re.compile(r"\{:(\w{2,60}),\s{0,8}(?:\"([^\"]{1,40})\")?([^}]{0,200})")
_PROJECT = re.compile(r"\b(app|version|elixir):\s{0,4}(?::(\w{1,60})|\"([^\"]{1,40})\")")
_ONLY = re.compile(r"only:\s{0,2}(?:\[[^\]]{0,80}\]|:\w{1,20})")
_SWIFT = re.compile(
    r"\.package\([^)]{0,120}?url:\s{0,4}\"https?://[^\"]{1,200}?/([\w.-]{1,80}?)(?:\.git)?/?\"(?:,[^\"]{0,40}\"([^\"]{1,40})\")?"
)
_POD = re.compile(
    r"\s{0,8}pod\s{1,4}[\"']([\w.+-]{1,80})(?:/[\w./+-]{1,80})?[\"'](?:,\s{0,4}[\"']([^\"']{1,40})[\"'])?"
)
_SBT = re.compile(
    r"\"([\w.-]{2,80})\"\s{1,4}(%{1,3})\s{1,4}\"([\w.-]{2,80})\"\s{1,4}%\s{1,4}(?:\"([^\"]{1,40})\"|[\w.]{1,60})([^,)]{0,60})"
)


def read_mix(path: str, content: str) -> ManifestFacts:
    """``mix.exs`` of Elixir."""
    draft = Draft("hex")
    for _, line in lines_of(content):
        text = line.split("#", 1)[0]
        for name, version, rest in _MIX.findall(text):
            only = _ONLY.search(rest)
            draft.add_dependency(name, version, is_dev=only is not None and ":prod" not in only.group())
        for key, word, number in _PROJECT.findall(text):
            sign = {"app": "name", "version": "version", "elixir": "language-version"}[key]
            draft.add_sign(sign, word or number)
    return draft.facts()


def read_pubspec(path: str, content: str) -> ManifestFacts:
    """``pubspec.yaml`` of Dart and Flutter."""
    draft = Draft("pub")
    section, depth = "", 0
    for line in yaml_of(content):
        if line.indent == 0:
            section, depth = line.key, 0
            if section in ("name", "version", "description"):
                draft.add_sign(section, line.value)
        elif section in ("dependencies", "dev_dependencies"):
            depth = depth or line.indent
            if line.indent == depth:
                draft.add_dependency(line.key, line.value, is_dev=section == "dev_dependencies")
    return draft.facts()


def read_swift(path: str, content: str) -> ManifestFacts:
    """``Package.swift`` and the ``Podfile``: packages by the names of their repositories."""
    draft = Draft("swift")
    for _, line in lines_of(content):
        if line.lstrip()[:2] == "//" or line.lstrip()[:1] == "#":
            continue
        for name, version in (*_SWIFT.findall(line), *_POD.findall(line)):
            draft.add_dependency(name, version)
    return draft.facts()


def read_sbt(path: str, content: str) -> ManifestFacts:
    """``build.sbt`` of Scala: packages by group and name, as Maven keeps them."""
    draft = Draft("maven")
    for _, line in lines_of(content):
        for group, marks, name, version, rest in _SBT.findall(line.split("//", 1)[0]):
            artifact = name if marks == "%" else f"{name}_2.13"
            draft.add_dependency(f"{group}:{artifact}", version, is_dev="Test" in rest or "IntegrationTest" in rest)
    return draft.facts()
