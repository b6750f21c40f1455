"""Reads ``package.json`` and JavaScript workspace files."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import items, json_of, line_of, table, yaml_of
from loremark.memory.codebase.records import EntryKind

_SERVES = re.compile(
    r"(?:^|[ /&])(?:next|nuxt|nest|node|nodemon|tsx|ts-node|serve|server|remix-serve|astro|bun|deno)(?:$|[ .])"
)
_TOOL_KEYS = (
    *("eslintConfig", "prettier", "jest", "husky", "lint-staged", "browserslist", "babel", "stylelint", "ava", "mocha"),
    *("nyc", "c8", "commitlint", "xo", "tap", "release-it", "volta", "simple-git-hooks", "prisma"),
)


def read_package_json(path: str, content: str) -> ManifestFacts:
    """``package.json``."""
    document = json_of(content)
    draft = Draft("npm")
    for key, sign in (("name", "name"), ("description", "description"), ("version", "version"), ("license", "licence")):
        draft.add_sign(sign, document.get(key))
    draft.add_sign("language-version", table(document.get("engines")).get("node"))
    draft.add_sign("language-version", table(document.get("volta")).get("node"))
    draft.add_sign("package-manager", document.get("packageManager"))
    draft.add_sign("module-type", document.get("type"))
    workspaces = document.get("workspaces")
    draft.add_sign("workspace", workspaces if isinstance(workspaces, list) else table(workspaces).get("packages"))
    draft.add_sign("tools", [key for key in _TOOL_KEYS if key in document])
    style = table(document.get("prettier"))
    draft.add_sign("line-length", style.get("printWidth"))
    draft.add_sign("quotes", {True: "single", False: "double"}.get(style.get("singleQuote") is True) if style else None)
    # Peers come last: their range is wide, and a development dependency has the version actually used.
    for section in ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies"):
        _section(draft, document, section)
    _programs(draft, document, content)
    return draft.facts()


def _section(draft: Draft, document: dict[str, object], section: str) -> None:
    optional = table(document.get("peerDependenciesMeta")) if section == "peerDependencies" else {}
    for name, version in table(document.get(section)).items():
        # An optional peer is not necessarily used here.
        if not name.startswith("@types/") and table(optional.get(name)).get("optional") is not True:
            draft.add_dependency(name, version, is_dev=section == "devDependencies")


def _programs(draft: Draft, document: dict[str, object], content: str) -> None:
    programs = document.get("bin")
    if isinstance(programs, str):
        name = document.get("name")
        draft.add_entry(
            "cli", name.rpartition("/")[2] if isinstance(name, str) else programs, line_of(content, '"bin"')
        )
    for name in table(programs):
        draft.add_entry("cli", name, line_of(content, f'"{name}": "{table(programs)[name]}"'))
    scripts = table(document.get("scripts"))
    for script in ("start", "serve"):
        command = scripts.get(script)
        if isinstance(command, str):
            kind: EntryKind = "server" if _SERVES.search(command[:300]) else "main"
            run = "npm start" if script == "start" else f"npm run {script}"
            draft.add_entry(kind, run, line_of(content, f'"{script}":'))
    draft.add_entry("library", document.get("main"), line_of(content, '"main"'))
    draft.add_sign("scripts", sorted(scripts)[:30])


def read_pnpm_workspace(path: str, content: str) -> ManifestFacts:
    """``pnpm-workspace.yaml``: members and catalog versions."""
    draft = Draft("npm")
    draft.add_sign("package-manager", "pnpm")
    members, section = [], ""
    for line in yaml_of(content):
        if line.indent == 0 and not line.is_item:
            section = line.key
        elif section == "packages" and not line.key:
            members.append(line.value)
        elif section in ("catalog", "catalogs") and line.key and line.value:
            draft.add_dependency(line.key, line.value, is_direct=False)
    draft.add_sign("workspace", members)
    return draft.facts()


def read_lerna(path: str, content: str) -> ManifestFacts:
    """``lerna.json``, ``nx.json``, ``turbo.json``, ``deno.json``: mainly that they exist."""
    document = json_of(content)
    draft = Draft("npm")
    draft.add_sign("workspace", [item for item in items(document.get("packages")) if isinstance(item, str)])
    return draft.facts()
