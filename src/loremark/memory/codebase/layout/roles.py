"""Determines a directory's role from its name or its contents."""

from __future__ import annotations

from loremark.memory.codebase.layout.directory_stats import LANGUAGE_TITLES, UI_LIBRARIES, DirectoryStats, name_of
from loremark.memory.codebase.selection.file_kinds import is_test


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _by_name(names_of: dict[str, str]) -> dict[str, str]:
    return {name: role for role, names in names_of.items() for name in names.split()}


# Roles by name alone, whatever the contents.
BY_NAME = _by_name(
    {
        "tests": "tests test spec specs __tests__ e2e cypress playwright",
        "documentation": "docs doc documentation wiki website",
        "examples": "examples example samples demos demo playground",
        "migrations": "migrations migrate",
        "scripts": "scripts script tools hack bin",
        "deployment": "deploy deployment deployments helm charts k8s kubernetes terraform infra infrastructure ansible",
        "container images": "docker .docker .devcontainer",
        "CI and repository settings": ".github .gitlab .circleci .buildkite",
        "templates": "templates views layouts partials",
        "translations": "locale locales i18n lang langs translations",
        "static files": "static public assets wwwroot images fonts media",
        "styles": "styles css scss stylesheets",
        "database": "db database",
        "configuration": "config configs conf configuration settings",
        "shell integration": "shell completions completion",
    }
)
# Names that count only if the files are not code, because a program may have a module of that name.
_NOT_OF_CODE = words(
    "assets static public templates views layouts partials bin images media fonts styles shell db database"
)
# Roles by name for directories with code.
CODE_BY_NAME = _by_name(
    {
        "HTTP controllers": "controllers controller handlers",
        "HTTP routes": "routes router routers endpoints",
        "API": "api apis rest graphql",
        "views": "views",
        "data model": "models model entities entity domain",
        "database": "db database",
        "database access": "repositories repository persistence dal dao queries",
        "services": "services service",
        "background jobs": "jobs workers tasks queue queues worker",
        "UI components": "components ui widgets",
        "hooks": "hooks composables",
        "pages": "pages screens",
        "command line": "cli cmd commands command console",
        "shared code": "utils util helpers helper common shared lib libs support",
        "access control": "auth access permissions authentication authorization policies",
        "plugins": "plugins plugin extensions addons",
        "user interface": "frontend webapp tui gui",
    }
)
_BY_EVIDENCE = (
    ("entry:route", "HTTP routes", 2),
    ("entry:page", "pages", 2),
    ("entry:cli", "command line", 1),
    ("entry:job", "background jobs", 2),
    ("model:orm", "database models", 1),
    ("model:table", "database schema", 1),
    ("model:message", "messages", 1),
)
_PROJECTS = (("Cargo.toml", "crate"), ("go.mod", "module"), ("package.json", "package"), ("pom.xml", "module"))
_JAVA_ROOTS = ("java", "kotlin", "scala")
_SCRIPTS = ("javascript", "typescript", "shell", "perl", "sql")


def role(path: str, part: DirectoryStats) -> str:
    """The role by name if unambiguous, else by contents, else by language."""
    name = name_of(path)
    if is_test(f"{path}/{'x.py' if '__init__.py' in part.names else 'x'}"):
        return "tests"
    if has_self_explanatory_name(path, part):
        return BY_NAME[name]
    found = {role: part.evidence[key] for key, role, least in _BY_EVIDENCE if part.evidence[key] >= least}
    roles = [role for role, count in found.items() if count * 5 >= part.code_files]
    interface, by_name = _interface(part), CODE_BY_NAME.get(name)
    if interface and (name in ("components", "hooks", "ui", "widgets") or not roles):
        roles.insert(0, f"{interface} {'hooks' if name == 'hooks' else 'components'}")
    elif by_name and not ("database models" in roles and by_name in ("data model", "database")):
        roles.insert(0, by_name)
    roles = list(dict.fromkeys(roles))[:3]
    kind = _kind(part)
    if roles:
        return f"{kind}: {', '.join(roles)}" if kind else ", ".join(roles)
    # A small share of the files does not determine the role.
    also = ", ".join(list(found)[:2])
    return f"{kind or _made_of(part)}{f' with {also}' if also else ''}"


def _kind(part: DirectoryStats) -> str | None:
    """The role by its combination of files: a Django app, a crate, a separate project."""
    if "models.py" in part.names and part.names & {"apps.py", "views.py", "urls.py", "admin.py"}:
        return "Django app"
    if any(name.endswith(("csproj", "fsproj")) for name in part.names):
        return ".NET project"
    for manifest, kind in _PROJECTS:
        if manifest in part.names:
            return f"{_language(part)} {kind}".strip()
    return None


def _interface(part: DirectoryStats) -> str | None:
    """The library that at least half of its scripts use."""
    scripts = sum(part.languages[name] for name in ("javascript", "typescript", "tsx", "vue", "svelte"))
    found = max(sorted(UI_LIBRARIES.values()), key=lambda name: part.evidence[name])
    return found if scripts and part.evidence[found] * 2 >= part.files else None


def _language(part: DirectoryStats) -> str:
    known = [name for name in part.languages if name in LANGUAGE_TITLES]
    return LANGUAGE_TITLES[min(known, key=lambda name: (-part.languages[name], name))] if known else ""


def _made_of(part: DirectoryStats) -> str:
    language = _language(part)
    return f"{language} {'package' if '__init__.py' in part.names else 'sources'}" if language else "other files"


def has_self_explanatory_name(path: str, part: DirectoryStats) -> bool:
    """Whether the name alone tells the role and the contents do not contradict it."""
    name = name_of(path)
    is_package = name == "test" and "/" in path and "__init__.py" in part.names
    if name not in BY_NAME or is_package or any(step in _JAVA_ROOTS for step in path.split("/")[:-1]):
        return False
    return name not in _NOT_OF_CODE or not is_program(part)


def is_program(part: DirectoryStats) -> bool:
    programs = sum(count for name, count in part.languages.items() if name in LANGUAGE_TITLES and name not in _SCRIPTS)
    return programs * 2 > part.languages.total() and part.code_lines * 2 > part.lines
