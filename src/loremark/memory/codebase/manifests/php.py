"""Reads ``composer.json`` and ``composer.lock``."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import items, json_of, line_of, lines_of, table

_NAME = re.compile(r'\s{8,16}"name": "([\w.-]{1,80}/[\w.-]{1,100})"')
_VERSION = re.compile(r'\s{8,16}"version": "([^"]{1,60})"')


def read_composer(path: str, content: str) -> ManifestFacts:
    """``composer.json``."""
    document = json_of(content)
    draft = Draft("packagist")
    draft.add_sign("package-manager", "Composer")
    for key, sign in (("name", "name"), ("description", "description"), ("version", "version")):
        draft.add_sign(sign, document.get(key))
    licence = document.get("license")
    draft.add_sign("licence", licence if isinstance(licence, str) else items(licence))
    for section in ("require", "require-dev"):
        for name, version in table(document.get(section)).items():
            if name == "php":
                draft.add_sign("language-version", version)
            elif "/" in name or name.startswith("ext-pdo_"):
                draft.add_dependency(name, version, is_dev=section == "require-dev")
    for program in items(document.get("bin")) or [document.get("bin")]:
        if isinstance(program, str):
            draft.add_entry("cli", program.rpartition("/")[2], line_of(content, '"bin"'))
    return draft.facts()


def read_composer_lock(path: str, content: str) -> ManifestFacts:
    """``composer.lock``; falls back to line matching if it is truncated or invalid."""
    draft = Draft("packagist", is_lock=True)
    document = json_of(content)
    for section in ("packages", "packages-dev"):
        for row in items(document.get(section)):
            version = table(row).get("version")
            plain = version.removeprefix("v") if isinstance(version, str) else None
            draft.add_dependency(table(row).get("name"), plain, is_dev=section == "packages-dev")
    if not document:
        name = ""
        for _, line in lines_of(content):
            found = _NAME.match(line)
            version_line = _VERSION.match(line)
            if found is not None:
                name = found.group(1)
            elif version_line is not None and name:
                draft.add_dependency(name, version_line.group(1).removeprefix("v"))
                name = ""
    return draft.facts()
