"""Reads the lock files of Poetry, uv, PDM, Cargo and Pipenv."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import json_of, lines_of, table

_PAIR = re.compile(r"(name|version)\s{0,4}=\s{0,4}\"([^\"]{1,200})\"")


def read_block_lock(path: str, content: str) -> ManifestFacts:
    """``poetry.lock``, ``uv.lock``, ``pdm.lock``, ``Cargo.lock``, line by line to avoid slow nesting."""
    is_cargo = path.rpartition("/")[2].lower() == "cargo.lock"
    draft = Draft("crates" if is_cargo else "pypi", is_lock=True)
    name = ""
    is_in_package = False
    for _, line in lines_of(content):
        if line.startswith("["):
            is_in_package = line.startswith("[[package]]")
            name = ""
            continue
        found = _PAIR.match(line) if is_in_package else None
        if found is None:
            continue
        if found.group(1) == "name":
            name = found.group(2)
        elif name:
            draft.add_dependency(name, found.group(2))
            name = ""
    return draft.facts()


def read_pipfile_lock(path: str, content: str) -> ManifestFacts:
    """``Pipfile.lock``."""
    draft = Draft("pypi", is_lock=True)
    document = json_of(content)
    for section in ("default", "develop"):
        for name, row in table(document.get(section)).items():
            version = table(row).get("version")
            draft.add_dependency(
                name, version.lstrip("=") if isinstance(version, str) else None, is_dev=section == "develop"
            )
    return draft.facts()
