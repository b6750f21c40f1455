"""Reads ``pyproject.toml``, ``Pipfile`` and ``requirements*.txt``."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import items, line_of, lines_of, table, toml_of

_REQUIREMENT = re.compile(r"\s*+([A-Za-z0-9][A-Za-z0-9._-]{0,99})\s*+(?:\[[^\]]{0,200}\])?\s*+([^;#]{0,200})")
_DEV_NAME = re.compile(
    r"(?:^|[^a-z])(?:dev|develop|development|tests?|testing|docs?|lint|linting|typing|types|ci|build|tools?|release|local|"
    r"precommit|quality|style|format|benchmark|bench|coverage|mypy)(?:$|[^a-z])"
)
_OWN_PROJECT = re.compile(r"(?:-e|--editable)[ =]\s{0,4}\.|\.(?:\[|$)")
# How a compiled file marks a line that a person wrote: "# via -r base.in", "# via shop (pyproject.toml)".
_ASKED_FOR = re.compile(r"#\s{1,6}(?:via\s{1,4})?(?:-r\s|[\w.-]{1,80} \((?:pyproject\.toml|setup\.py|setup\.cfg)\))")
_BACKENDS = {
    "poetry": "Poetry",
    "pdm": "PDM",
    "hatchling": "Hatch",
    "flit_core": "Flit",
    "maturin": "Maturin",
    "uv_build": "uv",
}

_RUNNING = frozenset(
    ("main", "prod", "production", "default", "runtime", "server", "webserver", "web", "app", "deploy")
)
"""Runtime groups; all others are for development."""


def requirement(text: object) -> tuple[str, str] | None:
    """Name and range of a requirement such as ``uvicorn[standard]>=0.30; python_version > '3'``."""
    found = _REQUIREMENT.match(text[:400]) if isinstance(text, str) else None
    if found is None:
        return None
    name, bounds = found.group(1), found.group(2).strip().strip("()")
    return name, "" if bounds.startswith("@") else bounds


def is_for_development(extra: str) -> bool:
    """Whether an extra is for development; any other adds a feature."""
    return _DEV_NAME.search(extra.lower()) is not None


def add_requirements(draft: Draft, rows: object, *, is_dev: bool) -> None:
    """Adds a list of requirements."""
    for row in items(rows):
        wanted = requirement(row)
        if wanted is not None:
            draft.add_dependency(*wanted, is_dev=is_dev)


def read_pyproject(path: str, content: str) -> ManifestFacts:
    """``pyproject.toml``: PEP 621, dependency groups, Poetry, PDM, Hatch, uv, and the settings of tools."""
    document = toml_of(content)
    draft = Draft("pypi")
    project, tools = table(document.get("project")), table(document.get("tool"))
    _project(draft, project, content)
    _poetry(draft, table(tools.get("poetry")), content)
    for name, group in table(document.get("dependency-groups")).items():
        add_requirements(draft, group, is_dev=name.lower() not in _RUNNING)
    for group in table(table(tools.get("pdm")).get("dev-dependencies")).values():
        add_requirements(draft, group, is_dev=True)
    add_requirements(draft, table(tools.get("uv")).get("dev-dependencies"), is_dev=True)
    for environment in table(table(tools.get("hatch")).get("envs")).values():
        add_requirements(draft, table(environment).get("dependencies"), is_dev=True)
        add_requirements(draft, table(environment).get("extra-dependencies"), is_dev=True)
    _settings(draft, tools)
    backend = table(document.get("build-system")).get("build-backend")
    if isinstance(backend, str):
        draft.add_sign("build-backend", backend)
        draft.add_sign("package-manager", _BACKENDS.get(backend.partition(".")[0]))
    return draft.facts()


def _project(draft: Draft, project: dict[str, object], content: str) -> None:
    for key in ("name", "description", "version"):
        draft.add_sign(key, project.get(key))
    licence = project.get("license")
    draft.add_sign("licence", licence if isinstance(licence, str) else table(licence).get("text"))
    draft.add_sign("language-version", project.get("requires-python"))
    add_requirements(draft, project.get("dependencies"), is_dev=False)
    for name, rows in table(project.get("optional-dependencies")).items():
        add_requirements(draft, rows, is_dev=is_for_development(name))
    for section in ("scripts", "gui-scripts"):
        for name in table(project.get(section)):
            draft.add_entry("cli", name, line_of(content, f"\n{name} ") + 1 if f"\n{name} " in content else 1)


def _poetry(draft: Draft, poetry: dict[str, object], content: str) -> None:
    for key, sign in (("name", "name"), ("description", "description"), ("version", "version"), ("license", "licence")):
        draft.add_sign(sign, poetry.get(key))
    if poetry.get("dependencies"):
        draft.add_sign("package-manager", "Poetry")
    for name, row in table(poetry.get("dependencies")).items():
        version = row if isinstance(row, str) else table(row).get("version")
        if name.lower() == "python":
            draft.add_sign("language-version", version)
        else:
            draft.add_dependency(name, version, is_dev=False)
    groups = [("dev", poetry.get("dev-dependencies"))]
    groups.extend((name, table(group).get("dependencies")) for name, group in table(poetry.get("group")).items())
    for title, group in groups:
        for name, row in table(group).items():
            version = row if isinstance(row, str) else table(row).get("version")
            draft.add_dependency(name, version, is_dev=title.lower() not in _RUNNING)
    for name in table(poetry.get("scripts")):
        draft.add_entry("cli", name, line_of(content, f"{name} ="))


def _settings(draft: Draft, tools: dict[str, object]) -> None:
    draft.add_sign("tools", sorted(name for name in tools if len(name) < 40))
    ruff, black = table(tools.get("ruff")), table(tools.get("black"))
    draft.add_sign("line-length", ruff.get("line-length"))
    draft.add_sign("line-length", black.get("line-length"))
    lint = table(ruff.get("lint"))
    draft.add_sign("lint-rules", lint.get("select") or ruff.get("select"))
    draft.add_sign("quotes", table(ruff.get("format")).get("quote-style"))
    draft.add_sign("import-profile", table(tools.get("isort")).get("profile"))
    draft.add_sign("type-strict", table(tools.get("mypy")).get("strict"))
    members = table(table(tools.get("uv")).get("workspace")).get("members")
    draft.add_sign("workspace", members)


def read_requirements(path: str, content: str) -> ManifestFacts:
    """``requirements*.txt``; a compiled one counts as a lock file.

    If it installs the project itself, it describes a development environment.
    """
    is_compiled = "--hash=" in content or "# via " in content
    draft = Draft("pypi", is_lock=is_compiled)
    is_dev = _DEV_NAME.search(path.rpartition("/")[2].lower().replace("requirements", "")) is not None
    includes: list[str] = []
    rows: list[str] = []
    asked_for: set[str] = set()
    for _, line in lines_of(content):
        text = line.split(" #", 1)[0].strip()
        if rows and _ASKED_FOR.search(line):
            asked_for.add(rows[-1])
        if text.startswith(("-r", "--requirement")):
            includes.append(text.split(None, 1)[-1].removeprefix("-r").strip())
        elif _OWN_PROJECT.match(text):
            is_dev = True
        elif text and text[0] not in "#-.":
            rows.append(text.split(" --hash", 1)[0].rstrip("\\ "))
    for row in rows:
        wanted = requirement(row)
        if wanted is not None and "://" not in row.partition("@")[0]:
            name, bounds = wanted
            version = bounds.removeprefix("==") if is_compiled else bounds
            draft.add_dependency(name, version, is_dev=is_dev, is_direct=row in asked_for if is_compiled else True)
    draft.add_sign("includes", includes)
    return draft.facts()


def read_pipfile(path: str, content: str) -> ManifestFacts:
    """``Pipfile``."""
    document = toml_of(content)
    draft = Draft("pypi")
    draft.add_sign("package-manager", "Pipenv")
    draft.add_sign("language-version", table(document.get("requires")).get("python_version"))
    for section in ("packages", "dev-packages"):
        for name, row in table(document.get(section)).items():
            version = row if isinstance(row, str) else table(row).get("version")
            draft.add_dependency(name, None if version == "*" else version, is_dev=section == "dev-packages")
    return draft.facts()
