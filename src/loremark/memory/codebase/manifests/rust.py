"""Rust: ``Cargo.toml``, of a package or of a workspace."""

from __future__ import annotations

from loremark.memory.codebase.manifests.documents import items, line_of, table, toml_of
from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts

_WITH_DATABASE_FEATURES = ("diesel", "diesel-async", "sqlx", "sea-orm")
_DATABASES = {"postgres": "PostgreSQL", "mysql": "MySQL", "sqlite": "SQLite"}
_PROGRAM_CATEGORIES = frozenset(("command-line-utilities", "games", "web-programming::http-server"))


def read_cargo(path: str, content: str) -> ManifestFacts:
    """``Cargo.toml``; what a workspace only offers to its members is no dependency of its own yet."""
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
        draft.says(sign, package.get(key))
        draft.says(sign, shared.get(key))
    draft.says("workspace", workspace.get("members"))
    targets = [table(target) for target in table(document.get("target")).values()]
    for source in (document, *targets):
        for section in ("dependencies", "dev-dependencies", "build-dependencies"):
            for name, row in table(source.get(section)).items():
                # What a feature has to ask for is in the stack as well: programs are built with their features.
                if "path" not in table(row):
                    draft.needs(_real_name(name, row), _version(row), is_dev=section != "dependencies")
    for name, row in table(workspace.get("dependencies")).items():
        draft.needs(_real_name(name, row), _version(row), is_direct=False)
    draft.says("database", _databases(document.get("dependencies")) or _databases(workspace.get("dependencies")))
    _programs(draft, document, package, content)
    return draft.facts()


def _databases(rows: object) -> list[str]:
    """The databases that features of an ORM ask for."""
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
        draft.runs("cli", name, line_of(content, f'name = "{name}"'))
    draft.runs("cli", package.get("default-run"), line_of(content, "default-run"))
    categories = items(package.get("categories"))
    is_program = any(isinstance(item, str) and item in _PROGRAM_CATEGORIES for item in categories)
    if "bin" not in document and "lib" not in document and is_program:
        draft.runs("cli", package.get("name"), line_of(content, "name ="))
    draft.says("target:build", package.get("build"))
    draft.says("target:library", table(document.get("lib")).get("path"))
    if "lib" in document:
        draft.runs("library", table(document.get("lib")).get("name") or package.get("name"), line_of(content, "[lib]"))
