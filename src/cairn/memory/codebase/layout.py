"""The directories that a new colleague must know, and what each is for."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from cairn.memory.codebase.choosing.excluding import Foreign, is_hostile_name
from cairn.memory.codebase.choosing.weighing import is_example, is_manifest, is_migration, is_test
from cairn.memory.codebase.languages import language_of
from cairn.memory.codebase.records import Codebase, FileFacts

_MOST = 15
_FEW = 5
_MOST_OPENED = 3
_LEAST_SHARE = 30
_MOST_LANGUAGES = 3


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _by_name(names_of: dict[str, str]) -> dict[str, str]:
    return {name: role for role, names in names_of.items() for name in names.split()}


# Directories that are there to hold others: their children are what one must know.
_CONTAINERS = _words("""
    src lib app apps packages crates services modules libs cmd internal pkg projects plugins main java kotlin scala
    source sources backend frontend server client web
    """)
_TITLES = {
    "python": "Python", "javascript": "JavaScript", "typescript": "TypeScript", "tsx": "TypeScript", "go": "Go",
    "rust": "Rust", "java": "Java", "kotlin": "Kotlin", "scala": "Scala", "groovy": "Groovy", "csharp": "C#",
    "fsharp": "F#", "ruby": "Ruby", "php": "PHP", "c": "C", "cpp": "C++", "header": "C", "swift": "Swift",
    "objective-c": "Objective-C", "dart": "Dart", "elixir": "Elixir", "erlang": "Erlang", "haskell": "Haskell",
    "ocaml": "OCaml", "lua": "Lua", "perl": "Perl", "r": "R", "julia": "Julia", "zig": "Zig", "tcl": "Tcl",
    "shell": "shell", "powershell": "PowerShell", "vue": "Vue", "svelte": "Svelte", "astro": "Astro", "sql": "SQL",
}  # fmt: skip
# What a name says by itself, whatever lies there.
_BY_NAME = _by_name(
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
# Some of these names say it only of files that are not run: a program may have a module of that name.
_NOT_OF_CODE = _words(
    "assets static public templates views layouts partials bin images media fonts styles shell db database"
)
# What a name says of the code in it.
_CODE_BY_NAME = _by_name(
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
_BESIDE = _words("tests documentation migrations deployment scripts templates") | {"CI and repository settings"}
_JAVA_ROOTS = ("java", "kotlin", "scala")
_SCRIPTS = ("javascript", "typescript", "shell", "perl", "sql")
_INTERFACES = {"react": "React", "preact": "Preact", "vue": "Vue", "svelte": "Svelte", "solid-js": "Solid"}


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory with all below it: what it is for, how many files and lines it has, its main languages."""

    path: str
    role: str
    files: int
    lines: int
    languages: tuple[str, ...]


@dataclass(slots=True)
class _Part:
    """What is known of a directory with all below it; ``own`` (files of code) and ``names`` are of itself."""

    files: int = 0
    lines: int = 0
    code_lines: int = 0
    code_files: int = 0
    own: int = 0
    names: set[str] = field(default_factory=set)
    children: set[str] = field(default_factory=set)
    languages: Counter[str] = field(default_factory=Counter)
    evidence: Counter[str] = field(default_factory=Counter)


def main_directories(codebase: Codebase) -> list[Directory]:
    """Five to fifteen directories where there are as many, in the order of their paths."""
    parts = _parts(codebase)
    found: list[Directory] = []
    for path in sorted(_chosen(parts)):
        part = parts[path]
        languages = sorted(part.languages, key=lambda name: (-part.languages[name], name))[:_MOST_LANGUAGES]
        found.append(Directory(path, _role(path, part), part.files, part.lines, tuple(languages)))
    return found


def _parts(codebase: Codebase) -> dict[str, _Part]:
    """Every directory with what lies below it; foreign and made ones are left out."""
    parts: dict[str, _Part] = defaultdict(_Part)
    paths = [path for path in codebase.paths if not is_hostile_name(path)]
    foreign = Foreign(paths)
    for path in paths:
        if foreign.reason(path) is None:
            _add(parts, codebase, path)
    return parts


def _add(parts: dict[str, _Part], codebase: Codebase, path: str) -> None:
    directory, _, name = path.rpartition("/")
    language, facts = language_of(path), codebase.files.get(path)
    lines = facts.lines if facts is not None else 0
    is_code = language in _TITLES and not (is_test(path) or is_example(path) or is_migration(path))
    evidence = _evidence(facts) if is_code and facts is not None else Counter()
    parts[directory].names.add(name)
    parts[directory].own += is_code
    while True:
        part = parts[directory]
        part.files += 1
        part.lines += lines
        part.code_lines += max(1, lines) if is_code else 0
        part.code_files += is_code
        if language is not None:
            part.languages[language] += max(1, lines)
        part.evidence.update(evidence)
        if not directory:
            return
        parts[_above(directory)].children.add(directory)
        directory = _above(directory)


def _evidence(facts: FileFacts) -> Counter[str]:
    found = Counter(f"entry:{entry.kind}" for entry in facts.entries)
    found.update(f"model:{model.kind}" for model in facts.models)
    found.update(_INTERFACES[name] for name in _INTERFACES.keys() & {imported.target for imported in facts.imports})
    return found


def _chosen(parts: dict[str, _Part]) -> list[str]:
    """What only holds others gives way to them; then the largest are opened too until there are enough."""
    whole = max(1, parts[""].code_lines)
    chosen: set[str] = set()
    waiting = sorted(parts[""].children)
    while waiting:
        path = waiting.pop()
        part = parts[path]
        if _is_container(path, part, whole):
            waiting.extend(part.children)
            if part.own < 2 or part.own * 10 < part.files:
                continue
        chosen.add(path)
    opened: set[str] = set()
    for _ in range(_MOST_OPENED):
        path = max(sorted(chosen - opened), key=lambda path: parts[path].code_lines, default="")
        if path and parts[path].code_lines * 4 > whole and not _says_itself(path, parts[path]):
            least = whole / _LEAST_SHARE if opened else 0
            chosen |= {child for child in parts[path].children if parts[child].code_lines >= least}
            chosen -= set() if parts[path].own or _is_project(parts[path]) else {path}
        opened.add(path)
    ranked = sorted(chosen, key=lambda path: (-_worth(path, parts[path], whole), path))
    ranked = [path for path in ranked if not (_above(path) in chosen and len(parts[_above(path)].children) == 1)]
    known = [path for path in ranked if parts[path].code_lines * 200 > whole or _says_itself(path, parts[path])]
    return (known if len(known) >= _FEW else ranked)[:_MOST]


def _says_itself(path: str, part: _Part) -> bool:
    """Whether the name alone tells what it is for, and what lies there does not speak against it."""
    name = _name(path)
    is_package = name == "test" and "/" in path and "__init__.py" in part.names
    if name not in _BY_NAME or is_package or any(step in _JAVA_ROOTS for step in path.split("/")[:-1]):
        return False
    return name not in _NOT_OF_CODE or not _is_program(part)


def _is_program(part: _Part) -> bool:
    programs = sum(count for name, count in part.languages.items() if name in _TITLES and name not in _SCRIPTS)
    return programs * 2 > part.languages.total() and part.code_lines * 2 > part.lines


def _is_container(path: str, part: _Part, whole: int) -> bool:
    """A container by name with much of the code in it, or a mere step on the way to its only child."""
    if not part.children or _says_itself(path, part):
        return False
    if len(part.children) == 1 and not part.own and not _is_project(part):
        return True
    return _name(path) in _CONTAINERS and part.code_lines * 10 > whole


def _worth(path: str, part: _Part, whole: int) -> float:
    """Code counts most, but does not push out what a project has beside it: tests, documentation, CI…"""
    is_beside = _says_itself(path, part) and part.files > 1 and path.count("/") <= 1
    bonus = (0.06 if _BY_NAME[_name(path)] in _BESIDE else 0.02) if is_beside else 0.0
    return part.code_lines / whole + bonus / (1 + path.count("/")) + min(part.files, 100) / 10_000


def _role(path: str, part: _Part) -> str:
    """What its name says where that is plain, else what was found in it, else what it is made of."""
    name = _name(path)
    if is_test(f"{path}/{'x.py' if '__init__.py' in part.names else 'x'}"):
        return "tests"
    if _says_itself(path, part):
        return _BY_NAME[name]
    found = {role: part.evidence[key] for key, role, least in _BY_EVIDENCE if part.evidence[key] >= least}
    told = [role for role, count in found.items() if count * 5 >= part.code_files]
    interface, by_name = _interface(part), _CODE_BY_NAME.get(name)
    if interface and (name in ("components", "hooks", "ui", "widgets") or not told):
        told.insert(0, f"{interface} {'hooks' if name == 'hooks' else 'components'}")
    elif by_name and not ("database models" in told and by_name in ("data model", "database")):
        told.insert(0, by_name)
    told = list(dict.fromkeys(told))[:3]
    kind = _kind(part)
    if told:
        return f"{kind}: {', '.join(told)}" if kind else ", ".join(told)
    # A little of something among much else does not make the directory that.
    also = ", ".join(list(found)[:2])
    return f"{kind or _made_of(part)}{f' with {also}' if also else ''}"


def _kind(part: _Part) -> str | None:
    """What the files beside each other make it: a Django app, a crate, a project of its own."""
    if "models.py" in part.names and part.names & {"apps.py", "views.py", "urls.py", "admin.py"}:
        return "Django app"
    if any(name.endswith(("csproj", "fsproj")) for name in part.names):
        return ".NET project"
    for manifest, kind in _PROJECTS:
        if manifest in part.names:
            return f"{_language(part)} {kind}".strip()
    return None


def _interface(part: _Part) -> str | None:
    """The library that at least half of its scripts are made with."""
    scripts = sum(part.languages[name] for name in ("javascript", "typescript", "tsx", "vue", "svelte"))
    found = max(sorted(_INTERFACES.values()), key=lambda name: part.evidence[name])
    return found if scripts and part.evidence[found] * 2 >= part.files else None


def _language(part: _Part) -> str:
    known = [name for name in part.languages if name in _TITLES]
    return _TITLES[min(known, key=lambda name: (-part.languages[name], name))] if known else ""


def _made_of(part: _Part) -> str:
    language = _language(part)
    return f"{language} {'package' if '__init__.py' in part.names else 'sources'}" if language else "other files"


def _is_project(part: _Part) -> bool:
    return any(is_manifest(name) for name in part.names)


def _above(path: str) -> str:
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2].lower()
