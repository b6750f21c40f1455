"""Reads automation files: makefile targets, CI jobs, commit hooks, environment variables."""

from __future__ import annotations

import re

_MAX_LINES = 3_000
_VALUE_CHARS = 500
_TARGET = re.compile(r"^([A-Za-z0-9][\w./-]{0,40})\s{0,3}:(?!=)")
_RECIPE = re.compile(r"^@?([a-z][\w-]{0,40})(?:\s[^:=]{0,120})?:(?!=)")
_HOOK = re.compile(r"^\s{0,12}-\s{1,3}id:\s{0,3}[\"']?([\w.-]{2,50})")
_KEY = re.compile(r"^(\s{0,12})[\"']?([\w-]{1,60})[\"']?\s{0,3}:(.{0,200})$")
_RUN = re.compile(r"^\s{0,20}(?:-\s{1,3})?(?:run|script):\s{0,3}(.{0,200})$")
_CRON = re.compile(r"cron:\s{0,3}[\"']?([\d*/, A-Z-]{5,40})")
_SESSION = re.compile(r"^def\s{1,3}(\w{2,40})\(session\b", re.MULTILINE)
_VARIABLE = re.compile(r"^\s{0,3}#?\s{0,3}(?:export\s{1,3})?([A-Z][A-Z0-9_]{2,60})\s{0,2}=")
_TELLING = re.compile(
    r"\b(?:test|pytest|tox|nox|lint|check|build|eslint|ruff|mypy|clippy|fmt|vet|phpunit|rspec|rubocop|gradlew?|mvnw?"
    r"|jest|vitest|tsc|coverage|typecheck|deploy|publish|release|dotnet|phpstan|playwright|cypress|black|verify)\b"
)
_PROGRAM = re.compile(
    r"(?:[A-Z_]{2,40}=\S{0,60}\s{1,3}){0,4}(?:sudo )?(?:make|just|task|npm|pnpm|yarn|bun|npx|deno|pytest|tox|nox"
    r"|python3?|mypy|ruff|black|cargo|go|(?:\./)?gradlew?|(?:\./)?mvnw?|dotnet|composer|bundle|rake|rails|php|poetry|uv|hatch"
    r"|pdm|coverage|rubocop|phpunit|mix|flutter|swift|cmake|ctest|bazel|sbt|golangci-lint|pre-commit|docker"
    r"|(?:\./)?(?:scripts?|bin|vendor/bin|tools|ci)/[\w./-]{1,60})(?=\s|$)"
)
_SETTING_UP = re.compile(r"\b(?:install|add|sync|restore|login|ls|config|cache|ci|setup-\w{1,20})\b")
_NO_JOBS = frozenset(
    ("default", "variables", "include", "stages", "image", "services", "cache", "workflow", "before_script")
)
_DOTENV = re.compile(r"^\.?env(?:\.\w{1,20})?\.(?:example|sample|template|dist|defaults?)$|^\.env\.(?:docker|test)$")


def automation_signs(path: str, content: str) -> dict[str, str]:
    """The signs of a makefile, pipeline, hook configuration or environment file."""
    name = path.rpartition("/")[2].lower()
    lines = content.splitlines()[:_MAX_LINES]
    signs: dict[str, str] = {}
    if name in ("makefile", "gnumakefile"):
        signs = {"targets": _joined([found.group(1) for line in lines if (found := _TARGET.match(line[:200]))])}
    elif name in ("justfile", ".justfile"):
        signs = {"targets": _joined([found.group(1) for line in lines if (found := _RECIPE.match(line[:200]))])}
    elif name in ("taskfile.yml", "taskfile.yaml"):
        signs = {"targets": _joined(_below(lines, "tasks"))}
    elif name == "noxfile.py":
        signs = {"targets": _joined(_SESSION.findall(content[:100_000]))}
    elif name.startswith(".pre-commit-config.y"):
        signs = {"hooks": _joined([found.group(1) for line in lines if (found := _HOOK.match(line[:200]))])}
    elif ".github/workflows/" in f"/{path}" and name.endswith((".yml", ".yaml")):
        signs = _workflow(lines)
    elif name in (".gitlab-ci.yml", "azure-pipelines.yml", ".travis.yml", "bitbucket-pipelines.yml", "appveyor.yml"):
        signs = _pipeline(lines)
    elif path.endswith(".circleci/config.yml"):
        signs = {"pipeline": "CircleCI", "jobs": _joined(_below(lines, "jobs")), "runs": _runs(lines)}
    elif _DOTENV.match(name):
        signs = {"variables": _joined([found.group(1) for line in lines if (found := _VARIABLE.match(line[:200]))])}
    elif name == ".gitattributes":
        signs = _attributes(lines)
    elif name in (".nvmrc", ".node-version", ".python-version", ".ruby-version"):
        language = {".nvmrc": "Node.js", ".node-version": "Node.js", ".python-version": "Python"}.get(name, "Ruby")
        version = re.match(r"(?:[a-z]{1,10}-?)?v?(\d[\w.]{0,20})", content.strip())
        signs = {"runtime": f"{language} {version.group(1)}"} if version else {}
    return {key: value for key, value in signs.items() if value}


def _joined(names: list[str]) -> str:
    """Unique names, as many as fit."""
    kept: list[str] = []
    length = 0
    for name in dict.fromkeys(names):
        length += len(name) + 2
        if length > _VALUE_CHARS:
            break
        kept.append(name)
    return ", ".join(kept)


def _below(lines: list[str], parent: str) -> list[str]:
    """The keys one level below a top-level key."""
    names: list[str] = []
    is_inside, depth = False, 0
    for line in lines:
        found = _KEY.match(line[:300])
        if found is None:
            continue
        indent = len(found.group(1))
        if indent == 0:
            is_inside, depth = found.group(2) == parent, 0
        elif is_inside and indent == (depth := depth or indent):
            names.append(found.group(2))
    return names


def _workflow(lines: list[str]) -> dict[str, str]:
    title = next((line[5:].strip().strip("\"'") for line in lines if line.startswith("name:")), "")
    events = _below(lines, "on") + _below(lines, '"on"')
    for line in lines:
        if re.match(r"[\"']?on[\"']?:", line):
            events = re.findall(r"[a-z_]{3,30}", line[:200].partition(":")[2]) or events
    cron = next((found.group(1).strip() for line in lines if (found := _CRON.search(line[:200]))), "")
    return {
        "pipeline": "GitHub Actions",
        "workflow": title[:80],
        "jobs": _joined(_below(lines, "jobs")),
        "triggers": _joined(events),
        "schedule": cron,
        "runs": _runs(lines),
    }


def _pipeline(lines: list[str]) -> dict[str, str]:
    keys = [found.group(2) for line in lines if (found := _KEY.match(line[:300])) and not found.group(1)]
    return {
        "pipeline": "a CI pipeline",
        "jobs": _joined([key for key in keys if key not in _NO_JOBS]),
        "runs": _runs(lines),
    }


def _runs(lines: list[str]) -> str:
    """The relevant commands of a pipeline: tests, linters and builds, but no setup."""
    commands: list[str] = []
    depth = -1
    for line in lines:
        found = _RUN.match(line[:300])
        indent = len(line) - len(line.lstrip())
        if found is not None:
            depth = indent
            said = found.group(1).strip().strip("\"'")
        else:
            said = line.strip().removeprefix("- ") if 0 <= depth < indent else ""
            depth = depth if said or not line.strip() else -1
        if _PROGRAM.match(said) and _TELLING.search(said[:200]) and not _SETTING_UP.search(said[:40]):
            commands.append(_command(said))
    return _joined(commands[:12])


def _command(said: str) -> str:
    said = said.rstrip("\\ ").split(" > ", 1)[0].split(" | ", 1)[0]
    if len(said) <= 70:
        return said
    return said[:70].rpartition(" ")[0] + " …"


def _attributes(lines: list[str]) -> dict[str, str]:
    marked = [(line.split()[0], line) for line in lines if line.strip() and not line.lstrip().startswith("#")]
    return {
        "generated": _joined([glob for glob, line in marked if "linguist-generated" in line and "=false" not in line]),
        "vendored": _joined([glob for glob, line in marked if "linguist-vendored" in line and "=false" not in line]),
    }
