"""Reads ``Cargo.toml`` of packages and workspaces."""

from __future__ import annotations

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import items, line_of, table, toml_of

_WITH_DATABASE_FEATURES = ("diesel", "diesel-async", "sqlx", "sea-orm")
_DATABASES = {"postgres": "PostgreSQL", "mysql": "MySQL", "sqlite": "SQLite"}
_PROGRAM_CATEGORIES = frozenset(("command-line-utilities", "games", "web-programming::http-server"))


def read_cargo(path: str, content: str) -> ManifestFacts:
    """``Cargo.toml``; shared workspace dependencies do not count until a member uses them."""
    document = toml_of(content)
    draft = Draft("crates")
    package, workspace = table(document.get("package")), table(document.get("workspace"))
    shared = table(workspace.get("package"))
    for key, sign in (
        ("name", "name"),
        ("description", "description"),
        ("version", "version"),
        ("license", "licence"),
        ("rust-version", "language-version"),
        ("edition", "edition"),
    ):
        draft.add_sign(sign, package.get(key))
        draft.add_sign(sign, shared.get(key))
    draft.add_sign("workspace", workspace.get("members"))
    targets = [table(target) for target in table(document.get("target")).values()]
    for source in (document, *targets):
        for section in ("dependencies", "dev-dependencies", "build-dependencies"):
            for name, row in table(source.get(section)).items():
                # Optional dependencies are part of the stack too, because programs are built with their features.
                if "path" not in table(row):
                    draft.add_dependency(_real_name(name, row), _version(row), is_dev=section != "dependencies")
    for name, row in table(workspace.get("dependencies")).items():
        draft.add_dependency(_real_name(name, row), _version(row), is_direct=False)
    draft.add_sign("database", _databases(document.get("dependencies")) or _databases(workspace.get("dependencies")))
    _programs(draft, document, package, content)
    return draft.facts()


def _databases(rows: object) -> list[str]:
    """The databases enabled by an ORM's features."""
    features = [
        feature
        for name in _WITH_DATABASE_FEATURES
        for feature in items(table(table(rows).get(name)).get("features"))
        if isinstance(feature, str)
    ]
    return [name for word, name in _DATABASES.items() if any(word in feature for feature in features)]


def _real_name(name: str, row: object) -> str:
    real = table(row).get("package")
    return real if isinstance(real, str) else name


def _version(row: object) -> object:
    return row if isinstance(row, str) else table(row).get("version")


def _programs(draft: Draft, document: dict[str, object], package: dict[str, object], content: str) -> None:
    for row in items(document.get("bin")):
        name = table(row).get("name")
        draft.add_entry("cli", name, line_of(content, f'name = "{name}"'))
    draft.add_entry("cli", package.get("default-run"), line_of(content, "default-run"))
    categories = items(package.get("categories"))
    is_program = any(isinstance(item, str) and item in _PROGRAM_CATEGORIES for item in categories)
    if "bin" not in document and "lib" not in document and is_program:
        draft.add_entry("cli", package.get("name"), line_of(content, "name ="))
    draft.add_sign("target:build", package.get("build"))
    draft.add_sign("target:library", table(document.get("lib")).get("path"))
    if "lib" in document:
        draft.add_entry(
            "library", table(document.get("lib")).get("name") or package.get("name"), line_of(content, "[lib]")
        )
