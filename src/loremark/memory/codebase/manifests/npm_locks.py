"""Reads the lock files of npm, Yarn, pnpm and Bun."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import json_of, lines_of, table

_NPM_NAME = re.compile(r'\s{2,8}"(?:node_modules/)?((?:@[\w.-]{1,80}/)?[\w.-]{1,120})": \{')
_NPM_VERSION = re.compile(r'\s{4,10}"version": "([^"]{1,80})"')
_YARN_NAME = re.compile(r'"?((?:@[^/@"\s]{1,80}/)?[^@"\s,:]{1,120})@')
_YARN_VERSION = re.compile(r"  version:? \"?([^\"\s]{1,80})")
_PNPM_IMPORTED = re.compile(r"\s{6,8}(version): '?([^\s'(]{1,80})")
_PNPM_NAME = re.compile(r"(\s{2,6})'?((?:@[\w.-]{1,80}/)?[\w.-]{1,120})'?:\s*+(?:'?(\d[^\s'(_]{0,60}).*)?$")
_PNPM_PACKAGE = re.compile(r"  '?/?((?:@[\w.-]{1,80}/)?[\w.-]{1,120})[@/](\d[^\s'(:_]{0,60})")
_BUN = re.compile(r'\s{2,8}"((?:@[\w.-]{1,80}/)?[\w./@-]{1,120})": \["(?:@[\w.-]{1,80}/)?[\w.-]{1,120}@([^"\s]{1,80})"')


def read_package_lock(path: str, content: str) -> ManifestFacts:
    """``package-lock.json`` of every version; falls back to line matching if it is truncated or invalid."""
    document = json_of(content)
    packages = table(document.get("packages"))
    rows = packages or table(document.get("dependencies"))
    if not rows:
        return _package_lock_lines(content)
    draft = Draft("npm", is_lock=True)
    root = table(packages.get(""))
    named = [*table(root.get("dependencies")), *table(root.get("devDependencies"))]
    for name in named:
        used = table(rows.get(f"node_modules/{name}"))
        draft.add_dependency(name, used.get("version"), is_direct=True, is_dev=used.get("dev") is True)
    for key, row in rows.items():
        name = key.removeprefix("node_modules/")
        if name and "node_modules/" not in name and not table(row).get("link"):
            draft.add_dependency(name, table(row).get("version"), is_dev=table(row).get("dev") is True)
    return draft.facts()


def _package_lock_lines(content: str) -> ManifestFacts:
    draft = Draft("npm", is_lock=True)
    name = ""
    for _, line in lines_of(content):
        found = _NPM_NAME.match(line)
        if found is not None:
            name = found.group(1)
            continue
        version = _NPM_VERSION.match(line) if name else None
        if version is not None:
            draft.add_dependency(name, version.group(1))
            name = ""
    return draft.facts()


def read_yarn_lock(path: str, content: str) -> ManifestFacts:
    """``yarn.lock``, classic and Berry: a line of names, then the version."""
    draft = Draft("npm", is_lock=True)
    name = ""
    for _, line in lines_of(content):
        if line and not line.startswith((" ", "#")):
            found = _YARN_NAME.match(line)
            name = found.group(1) if found is not None and "@workspace:" not in line else ""
        elif name:
            version = _YARN_VERSION.match(line)
            if version is not None:
                draft.add_dependency(name, version.group(1))
                name = ""
    return draft.facts()


def read_pnpm_lock(path: str, content: str) -> ManifestFacts:
    """``pnpm-lock.yaml``; the importers' packages count as direct."""
    draft = Draft("npm", is_lock=True)
    section = group = name = ""
    for _, line in lines_of(content):
        if line and line[0] not in " '#-":
            section = line.partition(":")[0]
            group = section if section.endswith("ependencies") else ""
        elif section == "packages":
            package = _PNPM_PACKAGE.match(line)
            if package is not None and line[2:3] != " ":
                draft.add_dependency(package.group(1), package.group(2))
        elif section == "importers" or group:
            stripped = line.strip()
            if stripped.endswith("ependencies:"):
                group = stripped[:-1]
                continue
            version = _PNPM_IMPORTED.match(line)
            if version is not None and name:
                if version.group(2)[:1].isdigit():
                    draft.add_dependency(name, version.group(2), is_direct=True, is_dev=group == "devDependencies")
                name = ""
                continue
            found = _PNPM_NAME.match(line)
            if found is not None and group and found.group(2) not in ("specifier", "version"):
                name = found.group(2)
                if found.group(3):
                    draft.add_dependency(name, found.group(3), is_direct=True, is_dev=group == "devDependencies")
    return draft.facts()


def read_bun_lock(path: str, content: str) -> ManifestFacts:
    """``bun.lock`` in its text form."""
    draft = Draft("npm", is_lock=True)
    for _, line in lines_of(content):
        found = _BUN.match(line)
        if found is not None:
            draft.add_dependency(found.group(1), found.group(2))
    return draft.facts()
