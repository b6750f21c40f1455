"""Convention findings: tools, commands, contributor guides, environment variables, services."""

from __future__ import annotations

import re
from collections import defaultdict

from loremark.memory.codebase.analysis.ci_findings import ci_findings
from loremark.memory.codebase.analysis.default_commands import default_commands
from loremark.memory.codebase.analysis.formatting import code, coded, counted, finding, joined, points, short
from loremark.memory.codebase.analysis.observed_conventions import observed_convention_findings
from loremark.memory.codebase.analysis.path_roles import directory_of, path_role
from loremark.memory.codebase.analysis.survey import Survey
from loremark.memory.codebase.records import Finding

_TYPE_CHECKERS = ("TypeScript", "mypy", "Pyright", "PHPStan", "Psalm")
_STYLE_TOOLS = frozenset(
    (
        *("ESLint", "Prettier", "Oxfmt", "Oxlint", "Biome", "Ruff", "Black", "Flake8", "Pylint", "isort", "RuboCop"),
        *("Standard Ruby", "golangci-lint", "rustfmt", "Clippy", "Checkstyle", "Spotless", "Stylelint", "clang-format"),
        *("PHP_CodeSniffer", "Pint", "StyleCop", "ktlint", "detekt", "SwiftLint"),
    )
)
_COMMAND_ORDER = ("dev", "start", "serve", "build", "test", "lint", "typecheck", "type-check", "check", "format", "fmt")
_RUNNERS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun run", "bun.lockb": "bun run"}
_TARGETS = re.compile(
    r"^(?:all|build|test\w*|itest|check|lint|fmt|format|run|serve|dev|start|install|docs?|release|clean|up|down|migrate|"
    r"generate|coverage|typecheck|bench|deploy|setup|init)(?:[-_:.].{0,30})?$"
)


def convention_findings(survey: Survey) -> list[Finding]:
    found = [
        _style(survey),
        _types(survey),
        _commands(survey),
        _guide(survey),
        _variables(survey),
        _services(survey),
    ]
    return [*(one for one in found if one is not None), *ci_findings(survey), *observed_convention_findings(survey)]


def _tools(survey: Survey) -> dict[str, list[tuple[str, str]]]:
    """Tools with the files that configure them, the outermost file first."""
    rows: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for path, facts in survey.codebase.files.items():
        for key, value in facts.signs.items():
            if key.startswith("tool:") and path_role(path) == "own":
                rows[key[5:]].append((path, value))
    return {name: sorted(found, key=lambda row: (row[0].count("/"), row)) for name, found in sorted(rows.items())}


def _style(survey: Survey) -> Finding | None:
    tools = {
        name: rows
        for name, rows in _tools(survey).items()
        if name not in (*_TYPE_CHECKERS, "pytest", "tox", "coverage")
    }
    tools = {name: rows for name, rows in tools.items() if name != "lint-staged"}
    others = [tech for tech in survey.stack if tech.name in _STYLE_TOOLS and tech.name not in tools]
    if not tools and not others:
        return None
    shown = []
    for name, rows in tools.items():
        path, settings = rows[0]
        said = "" if settings == "configured" else f": {settings}"
        shown.append(f"{name} ({code(path)}{f' and {len(rows) - 1} more' if len(rows) > 1 else ''}){said}")
    names = sorted((*tools, *(tech.name for tech in others)), key=lambda name: (name == "EditorConfig", name))
    shown += [f"{tech.name}{' ' + tech.version if tech.version else ''}" for tech in others]
    lengths = {
        facts.signs["line-length"]
        for path, facts in survey.codebase.files.items()
        if "line-length" in facts.signs and path_role(path) == "own" and "/" not in path
    }
    lead = f"{survey.codebase.name} uses {joined(names, 8)} for formatting and linting."
    if len(lengths) == 1 and next(iter(lengths)).isdigit():
        lead += f" Lines are at most {next(iter(lengths))} characters long."
    title = f"Formatting and linting: {joined(names, 4)}"
    return finding("conventions", title, [lead, *points(shown)], 4, [rows[0][0] for rows in tools.values()], ["style"])


def _types(survey: Survey) -> Finding | None:
    tools = {name: rows for name, rows in _tools(survey).items() if name in _TYPE_CHECKERS}
    for rows in tools.values():  # a strict setting near the top is more informative than an arbitrary first file
        rows.sort(key=lambda row: (not row[1].startswith("strict") or row[0].count("/") > 2, row[1] == "configured"))
    strict = [name for name, rows in tools.items() if re.match(r"strict|untyped", rows[0][1])]
    telling = {name: rows for name, rows in tools.items() if rows[0][1] != "configured"} or tools
    if not telling:
        return None
    runs = [value for _, value in survey.with_sign("runs") if "mypy --strict" in value]
    if runs and "mypy" in tools:
        strict.append("mypy")
    shown = [
        f"{name} ({code(rows[0][0])}): {rows[0][1]}" for name, rows in telling.items() if rows[0][1] != "configured"
    ]
    shown += [f"CI runs {code(step)}" for value in runs for step in value.split(", ") if "mypy" in step][:1]
    names = joined([_checker(name, rows[0][1], name in strict) for name, rows in telling.items()], 3)
    need = "complete type annotations" if strict else "type annotations"
    lead = f"{survey.codebase.name} checks types with {names}; new code needs {need} that pass."
    title = f"Type checking with {names}"
    return finding(
        "conventions", title, [lead, *points(shown)], 3, [rows[0][0] for rows in telling.values()], ["types"]
    )


def _checker(name: str, settings: str, is_strict: bool) -> str:
    if is_strict:
        return f"{name} (strict)"
    level = re.match(r"(?:error )?level \d{1,2}|mode \w{1,20}", settings)
    return f"{name} ({level.group()})" if level else name


def _commands(survey: Survey) -> Finding | None:
    """How to build, test and run: scripts of manifests and targets of makefiles."""
    rows: list[str] = []
    files: list[str] = []
    names: list[str] = []
    near = [path for path in survey.codebase.files if path.count("/") <= 1 and path_role(path) == "own"]
    for path in sorted(near, key=lambda path: (path.count("/"), path)):
        facts = survey.codebase.files[path]
        before = len(rows)
        commands = {key[8:]: value for key, value in facts.signs.items() if key.startswith("command:")}
        for name in sorted(commands, key=_importance_of)[:9]:
            run = f"{_runner(survey, path)} {name}"
            names.append(run)
            where = f" (in {code(directory_of(path))})" if "/" in path else ""
            rows.append(f"{code(run)}{where} runs {code(short(commands[name], 100))}")
        targets = [target for target in facts.signs.get("targets", "").split(", ") if _TARGETS.match(target)]
        if targets:
            word = _maker(path)
            names += [f"{word} {target}" for target in sorted(targets, key=_importance_of)]
            rows.append(f"{code(path)} has the targets {coded([f'{word} {target}' for target in targets], 14)}")
        environments = facts.signs.get("tool:tox", "")
        if environments:
            rows.append(f"{code('tox')} ({code(path)}) runs {environments}")
        if len(rows) > before:
            files.append(path)
    for path, usual in default_commands(survey.paths):
        if not any(name.split(" ")[0] == usual[0].split(" ")[0] for name in names):
            rows.append(f"{code(path)} suggests running {coded(usual, 4)}")
            names += usual
            files.append(path)
    if not rows:
        return None
    lead = f"Commands to build, test and run {survey.codebase.name} are in {coded(files, 4)}."
    title = f"How to build, test and run: {coded(_varied(names), 4)}"
    return finding("conventions", title, [lead, *points(rows, 18)], 5, files, ["commands"])


def _varied(names: list[str]) -> list[str]:
    """One command of each kind, in the order people need them."""
    found = []
    for words in (
        ("dev", "start", "serve", "run", "server", "runserver"),
        ("build", "all"),
        ("test", "check", "rspec"),
        ("lint", "fmt", "format"),
    ):
        first = next((name for name in names if set(name.split()[1:]) & set(words)), None)
        if first:
            found.append(first)
    return list(dict.fromkeys(found or names[:3]))


def _importance_of(name: str) -> tuple[int, str]:
    stem = re.split(r"[:.-]", name, maxsplit=1)[0]
    order = _COMMAND_ORDER.index(stem) if stem in _COMMAND_ORDER else len(_COMMAND_ORDER)
    return order + (len(_COMMAND_ORDER) + 1 if name != stem else 0), name


def _runner(survey: Survey, path: str) -> str:
    if path.endswith("composer.json"):
        return "composer"
    if path.endswith("deno.json"):
        return "deno task"
    beside = directory_of(path)
    for lock, runner in _RUNNERS.items():
        if (f"{beside}/{lock}" if beside else lock) in survey.paths or lock in survey.paths:
            return runner
    return "npm run"


def _maker(path: str) -> str:
    name = path.rpartition("/")[2].lower()
    word = (
        "just"
        if "justfile" in name
        else "task"
        if name.startswith("taskfile")
        else "nox -s"
        if name == "noxfile.py"
        else "make"
    )
    return f"make -C {directory_of(path)}" if word == "make" and "/" in path else word


def _guide(survey: Survey) -> Finding | None:
    rows = survey.with_sign("hints")
    if not rows:
        return None
    path, hints = rows[0]
    others = [
        path
        for path, facts in sorted(survey.codebase.files.items())
        if re.search(
            r"(?:^|/)(?:agents|claude|architecture|style[-_]?guide|development|hacking|commit-convention)\.(?:md|rst)$",
            path,
            re.IGNORECASE,
        )
        and path != rows[0][0]
    ]
    content = [
        f"The contributor guide of {survey.codebase.name} ({code(path)}) says:",
        "",
        f"> {hints}",
    ]
    if others:
        content += ["", f"See also {coded(others, 5)}."]
    return finding(
        "conventions", f"Contributor guidelines in {code(path)}", content, 4, [path, *others], ["contributing"]
    )


def _variables(survey: Survey) -> Finding | None:
    rows = survey.with_sign("variables")
    if not rows:
        return None
    path, value = rows[0]
    names = value.split(", ")
    if len(names) < 3:
        return None
    content = [
        f"{survey.codebase.name} is configured with environment variables; {code(path)} lists "
        f"{counted(len(names), 'variable')}: {coded(names, 24)}."
    ]
    return finding(
        "conventions",
        f"Environment variables in {code(path)}",
        content,
        3,
        [path for path, _ in rows],
        ["configuration"],
    )


def _services(survey: Survey) -> Finding | None:
    rows = [(path, value) for path, value in survey.with_sign("services") if len(value.split(", ")) > 1]
    if not rows:
        return None
    path, value = rows[0]
    names = value.split(", ")
    content = [
        f"{code(path)} starts {survey.codebase.name} with the services it needs: "
        f"{coded(names, 12)}. Run `docker compose up` to start them."
    ]
    return finding(
        "conventions",
        f"Services in {code(path)}: {joined(names, 4)}",
        content,
        3,
        [path for path, _ in rows],
        ["services"],
    )
