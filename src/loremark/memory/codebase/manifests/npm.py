"""npm: ``package.json`` and the workspace file of pnpm."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.documents import items, json_of, line_of, table, yaml_of
from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
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
        draft.says(sign, document.get(key))
    draft.says("language-version", table(document.get("engines")).get("node"))
    draft.says("language-version", table(document.get("volta")).get("node"))
    draft.says("package-manager", document.get("packageManager"))
    draft.says("module-type", document.get("type"))
    workspaces = document.get("workspaces")
    draft.says("workspace", workspaces if isinstance(workspaces, list) else table(workspaces).get("packages"))
    draft.says("tools", [key for key in _TOOL_KEYS if key in document])
    style = table(document.get("prettier"))
    draft.says("line-length", style.get("printWidth"))
    draft.says("quotes", {True: "single", False: "double"}.get(style.get("singleQuote") is True) if style else None)
    # Peers come last: their range is wide, and a development dependency says what is worked with.
    for section in ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies"):
        _section(draft, document, section)
    _programs(draft, document, content)
    return draft.facts()


def _section(draft: Draft, document: dict[str, object], section: str) -> None:
    optional = table(document.get("peerDependenciesMeta")) if section == "peerDependencies" else {}
    for name, version in table(document.get(section)).items():
        # An optional peer is only tolerated: it is nothing that is used here.
        if not name.startswith("@types/") and table(optional.get(name)).get("optional") is not True:
            draft.needs(name, version, is_dev=section == "devDependencies")


def _programs(draft: Draft, document: dict[str, object], content: str) -> None:
    programs = document.get("bin")
    if isinstance(programs, str):
        name = document.get("name")
        draft.runs("cli", name.rpartition("/")[2] if isinstance(name, str) else programs, line_of(content, '"bin"'))
    for name in table(programs):
        draft.runs("cli", name, line_of(content, f'"{name}": "{table(programs)[name]}"'))
    scripts = table(document.get("scripts"))
    for script in ("start", "serve"):
        command = scripts.get(script)
        if isinstance(command, str):
            kind: EntryKind = "server" if _SERVES.search(command[:300]) else "main"
            run = "npm start" if script == "start" else f"npm run {script}"
            draft.runs(kind, run, line_of(content, f'"{script}":'))
    draft.runs("library", document.get("main"), line_of(content, '"main"'))
    draft.says("scripts", sorted(scripts)[:30])


def read_pnpm_workspace(path: str, content: str) -> ManifestFacts:
    """``pnpm-workspace.yaml``: members, and the versions its catalogs keep for them."""
    draft = Draft("npm")
    draft.says("package-manager", "pnpm")
    members, section = [], ""
    for line in yaml_of(content):
        if line.indent == 0 and not line.is_item:
            section = line.key
        elif section == "packages" and not line.key:
            members.append(line.value)
        elif section in ("catalog", "catalogs") and line.key and line.value:
            draft.needs(line.key, line.value, is_direct=False)
    draft.says("workspace", members)
    return draft.facts()


def read_lerna(path: str, content: str) -> ManifestFacts:
    """``lerna.json``, ``nx.json``, ``turbo.json``, ``deno.json``: little more than that they are there."""
    document = json_of(content)
    draft = Draft("npm")
    draft.says("workspace", [item for item in items(document.get("packages")) if isinstance(item, str)])
    return draft.facts()
