"""Reads Maven's ``pom.xml``: properties, parent, managed versions and plugins."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.xml import Element, xml_of

_PROPERTY = re.compile(r"\$\{([^{}]{1,120})\}")
_JAVA = ("java.version", "maven.compiler.release", "maven.compiler.source", "jdk.version")


def read_pom(path: str, content: str) -> ManifestFacts:
    """``pom.xml``."""
    draft = Draft("maven")
    project = xml_of(content)
    if project.tag != "project":
        return draft.facts()
    properties = {item.tag: item.text.strip() for group in project.all("properties") for item in group.children[:500]}
    properties["project.version"] = project.word("version") or project.word("parent", "version")
    for tag, sign in (("artifactId", "name"), ("description", "description"), ("version", "version")):
        draft.add_sign(sign, _resolved(project.word(tag), properties))
    draft.add_sign("licence", project.word("licenses", "license", "name"))
    draft.add_sign("language-version", next((properties[key] for key in _JAVA if properties.get(key)), None))
    draft.add_sign("workspace", [module.text.strip() for module in project.within("modules", "module")])
    draft.add_sign("package-manager", "Maven")
    for parent in project.all("parent"):
        _artifact(draft, parent, properties)
    for row in project.within("dependencies", "dependency"):
        is_dev = row.word("scope") == "test"
        _artifact(draft, row, properties, is_dev=is_dev)
    for row in project.within("profiles", "profile", "dependencies", "dependency"):
        _artifact(draft, row, properties, is_dev=True)
    for row in project.within("dependencyManagement", "dependencies", "dependency"):
        _artifact(draft, row, properties, is_direct=False)
    _plugins(draft, project, properties)
    return draft.facts()


def _plugins(draft: Draft, project: Element, properties: dict[str, str]) -> None:
    main = properties.get("start-class", "")
    for row in project.within("build", "plugins", "plugin"):
        _artifact(draft, row, properties, is_dev=True)
        main = main or row.word("configuration", "mainClass")
        main = main or row.word("configuration", "archive", "manifest", "mainClass")
        draft.add_sign("language-version", _resolved(row.word("configuration", "release"), properties))
    for row in project.within("build", "pluginManagement", "plugins", "plugin"):
        _artifact(draft, row, properties, is_direct=False)
    draft.add_entry("main", _resolved(main, properties))


def _artifact(
    draft: Draft, row: Element, properties: dict[str, str], *, is_dev: bool = False, is_direct: bool = True
) -> None:
    group, name = _resolved(row.word("groupId"), properties), _resolved(row.word("artifactId"), properties)
    if name:
        full = f"{group or 'org.apache.maven.plugins'}:{name}"
        draft.add_dependency(full, _resolved(row.word("version"), properties), is_dev=is_dev, is_direct=is_direct)


def _resolved(text: str, properties: dict[str, str]) -> str:
    """The text with its properties resolved; empty if any is unknown."""
    for _ in range(3):
        if "${" not in text:
            break
        text = _PROPERTY.sub(lambda found: properties.get(found.group(1), ""), text)[:300]
    return text if "${" not in text else ""
