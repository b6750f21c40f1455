"""Entry points found by parsing: programs, servers, commands, jobs, route files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from math import log2

from loremark.memory.codebase.analysis.entry_candidates import Group
from loremark.memory.codebase.analysis.entry_paths import is_maintenance_script, is_stub
from loremark.memory.codebase.analysis.path_roles import CODE, path_role
from loremark.memory.codebase.records import Codebase, Entry, FileFacts

Candidate = tuple[str, Entry, Group, float]
# In compiled languages a main is a program; in Python and other scripts many modules can be run directly.
_COMPILED = frozenset(
    ["go", "rust", "c", "cpp", "java", "kotlin", "scala", "csharp", "fsharp", "swift", "dart", "zig", "haskell"]
)
_GATEWAY = 84
_GATEWAYS = re.compile(r"(?:^|/)(?:wsgi|asgi)\.py$")
_BROWSER_PART = 50
_FIRST_SERVER = 10
_SERVER_FILE = re.compile(
    r"(?:^|/)(?:main|index|app|serve|server|http|httpd|listen|daemon|web)\.\w{2,4}$", re.IGNORECASE
)
_FIRST = re.compile(
    r"(?:^|/)(?:main|index|app|client|entry[\w.-]*|bootstrap|start|root|render)\.\w{2,4}$", re.IGNORECASE
)
_MAIN_COMPILED, _MAIN_SCRIPTED, _SERVER, _OPTIONS, _COMMAND, _JOB, _BROWSER = 86, 56, 72, 74, 56, 54, 84
_CONTROLLER, _TABLE_NAME, _TABLE_ROOT, _UNROUTED, _AGGREGATES = 60, 6, 14, 44, 6
_PAGES, _FEWEST_PAGES = 46, 6
_A_CROWD = 3
_A_TOOL = 12
_UP_TO_ASIDE = re.compile(
    r"(?:[^/]+/){1,4}?(?:scripts?|tools?|contrib|build|misc|utils?|dev|deploy|docker|static|assets)/"
)
_COMMANDS = re.compile(r"(?:^|/)(?:commands?|tasks)/", re.IGNORECASE)
# Many PHP classes set a name; only those named or stored as commands are commands.
_PHP_COMMAND = re.compile(
    r"(?:^|/)(?:[^/]*(?:command|console|cli|artisan)[^/]*\.php$|bin/)|(?:command|console)s?/", re.IGNORECASE
)
# One-off commands: they fix, migrate or generate data.
_ONCE_COST = 8.0
_ONCE = re.compile(
    r"(?:^|[/_-])(?i:fake|seed|tests?|back_?fill|migrate_(?:from|to)|fix(?:es)?|corrects?|converts?|dummy|populate|bulk)"
    r"[A-Z_.-][^/]*$"
)
_SETS_UP, _RUNS_ON = 4.0, 8.0
# A command that keeps running or runs on a schedule is a program of its own.
_RUNNING_ON = re.compile(r"(?:^|[/_-]|(?<=[a-z]))(?:[Cc]ron|[Ww]orker|[Ss]chedul|[Dd]aemon|[Ss]erve|[Qq]ueue)[^/]*$")
_SETTING_UP = re.compile(r"(?:^|/)(?:install|init|setup|bootstrap|create_?admin)[^/]{0,30}\.\w{2,4}$", re.IGNORECASE)
_BASE = re.compile(r"(?:^|/)(?:_\w*|base|abstract\w*|mixins?|utils?|helpers?)\.\w{2,4}$", re.IGNORECASE)
_MANY_ROUTES = 8
_TABLE = re.compile(r"(?:urls|rout(?:e|er|es|ers|ing)|api_?routes\w*|endpoints)\.\w{2,4}", re.IGNORECASE)
# Route tables filled by framework or project calls, in which individual routes cannot be read.
_TABLES = ("/urls.py", "/router.py", "/routers.py")
_UNREAD_TABLE, _OF_API = 62, 12.0
_API = re.compile(r"(?:[^/]+/){0,2}(?:rest_?)?api/(?:v\d{1,2}/)?[^/]+")
_OF_WHOLE_API = re.compile(r"(?:^|/)(?:api|graphql|server)/(?:handlers?|views)\.(?:go|py)$")
_ROOT_SIGNS = ("wsgi.py", "asgi.py", "settings.py")
ASIDE = re.compile(
    r"(?:^|/)(?:scripts?|tools?|hack|cmake|os400|vms|ports?|legacy|contrib|build|ci|\.github|\.ci|\.devcontainer|misc|utils?|dev|packaging|debian|deploy|"
    r"docker|migrations?|generators?|codegen|devtools|fuzz|locales?|i18n|static|assets|stories|cypress|e2e)/|(?:^|/)bench\w*\.",
    re.IGNORECASE,
)
_ASIDE_COST = 26
SETTINGS = re.compile(
    r"\.(?:config|setup|rc|conf|stories|d)\.[mc]?[jt]sx?$|(?:^|/)\.?(?:storybook|husky|devcontainer|vscode)/|(?:^|/)(?:gulpfile|gruntfile|webpack|conftest|setup)\b",
    re.IGNORECASE,
)
_SCRIPT_LANGUAGES = ("shell", "powershell", "perl")
# Controllers of frameworks with a separate route table.
_CONTROLLERS = re.compile(
    r"(?:^|/)(?:views|viewsets|handlers?)\.(?:py|go)$|_controller\.rb$|(?:Controller|Endpoints?|RouterFunction)\.(?:php|java|kt|cs)$|(?:^|/)views/__init__\.py$|"
    r"(?:^|/)(?:Endpoints/[^/]{1,60}\.(?:cs|kt|java)|Apis?/[^/]{1,60}Apis?\.cs)$"
)
_CONTROLLER_WORDS = re.compile(r"iew|andler|ontroller|ndpoint|RouterFunction|/Api")
_HOME = 6.0
_MADE_HERE = 8.0
"""The extra weight of a file that creates a server and registers its routes."""
_HOMES = re.compile(r"(?:^|/)(?:home|dashboard|welcome|main|index|front)_?controller\.\w{2,4}$", re.IGNORECASE)
_AGGREGATOR = frozenset(("mod.rs", "index.ts", "index.js", "__init__.py"))


def source_entries(codebase: Codebase, declared: Collection[str] = ()) -> Iterator[Candidate]:
    """Entry points parsed from own files; directories with declared programs never count as auxiliary."""
    homes = tuple({found.group() for path in declared if (found := _UP_TO_ASIDE.match(path)) is not None})
    own = {
        path: facts
        for path, facts in sorted(codebase.files.items())
        if facts.language in CODE and path_role(path) == "own" and "written-by" not in facts.signs
    }
    known = frozenset(codebase.paths)
    begun = [(_above(path), {one.kind for one in facts.entries}) for path, facts in own.items() if facts.entries]
    routed = Counter(directory for directory, kinds in begun if "route" in kinds)
    crowds = Counter(directory for directory, kinds in begun if "cli" in kinds)
    roots = {_above(path) for path in codebase.paths if path.rpartition("/")[2] in _ROOT_SIGNS}
    for path, facts in own.items():
        is_controller = _CONTROLLER_WORDS.search(path) is not None and _CONTROLLERS.search(path) is not None
        if not facts.entries and not is_controller and facts.language not in _SCRIPT_LANGUAGES:
            if path.endswith(_TABLES) and not ASIDE.search(path):
                lift = _OF_API if _API.fullmatch(path) else 0.0
                yield path, Entry("server", "routes", 1), "table", _UNREAD_TABLE + size_bonus(facts) + lift
            continue
        if SETTINGS.search(path) or (is_stub(path, known) and not _is_own(facts)):
            continue
        if facts.entries:
            cost = _ASIDE_COST if ASIDE.search(path) and not (homes and path.startswith(homes)) else 0
            is_crowd = crowds[_above(path)] >= _A_CROWD or _COMMANDS.search(path) is not None
            cost += _ASIDE_COST if is_crowd and _BASE.search(path) else 0
            yield from _of_entries(path, facts, cost, is_crowd, bool(declared))
            yield from _of_routes(path, facts, roots, routed[_above(path)])
            yield from _of_pages(path, facts)
        if is_controller and not any(one.kind == "route" for one in facts.entries):
            yield (
                path,
                Entry("server", "handles requests", 1),
                "controller",
                _UNROUTED
                + size_bonus(facts)
                + min(8.0, facts.lines / 250)
                + (_HOME if _HOMES.search(path) else 0.0)
                + (_HOME if _OF_WHOLE_API.search(path) else 0.0),
            )
        elif facts.entries:
            continue
        elif facts.language in _SCRIPT_LANGUAGES:
            yield (
                path,
                Entry("cli", path.rpartition("/")[2], 1),
                "script",
                36 - (14 if is_maintenance_script("script", path.rpartition("/")[2]) else 0),
            )


def _is_own(facts: FileFacts) -> bool:
    """Whether a program next to the stubs calls into the project's own library."""
    return any(imported.target.startswith(("../lib/", "../app/")) for imported in facts.imports)


def size_bonus(facts: FileFacts) -> float:
    """Weight bonus for large files with many imports."""
    return min(7.0, facts.lines / 45) + min(5.0, len(facts.imports) / 3)


def size_of(codebase: Codebase, path: str) -> float:
    """The size bonus of a file; 0 if it was not read."""
    facts = codebase.files.get(path)
    return size_bonus(facts) if facts is not None else 0.0


def _of_entries(path: str, facts: FileFacts, cost: float, is_crowd: bool, has_declared: bool) -> Iterator[Candidate]:
    seen: set[str] = set()
    for entry in facts.entries:
        if entry.kind in seen:
            continue
        seen.add(entry.kind)
        match entry.kind:
            case "main":
                # If a manifest declares programs, other modules that can be run directly are tools.
                scripted = _MAIN_SCRIPTED - (_A_TOOL if has_declared and not _FIRST.search(path) else 0)
                is_compiled = facts.language in _COMPILED
                weight = _MAIN_COMPILED - cost / 2 if is_compiled else scripted
                yield path, entry, "program", weight - cost
            case "server":
                weight = (
                    _GATEWAY
                    if _GATEWAYS.search(path)
                    else _SERVER + (_FIRST_SERVER if _SERVER_FILE.search(path) else 0)
                )
                yield path, entry, "server", weight - cost
            case "cli" if is_crowd:
                first = _SETS_UP if _SETTING_UP.search(path) else 0.0
                first += _RUNS_ON if _RUNNING_ON.search(path) else 0.0
                once = _ONCE_COST if _ONCE.search(path) else 0.0
                yield path, entry, "command", _COMMAND + first + size_bonus(facts) - cost / 2 - once
            case "cli" if facts.language == "php" and "." in path and not _PHP_COMMAND.search(path):
                pass
            case "cli":
                yield (
                    path,
                    entry,
                    "script" if cost else "options",
                    (_COMMAND if cost else _OPTIONS) + size_bonus(facts) / 2 - cost,
                )
            case "job":
                count = sum(one.kind == "job" for one in facts.entries)
                yield path, entry, "job", _JOB + size_bonus(facts) + min(6.0, 2 * log2(count)) - cost / 2
            case "page" if entry.name == "browser app":
                yield (
                    path,
                    entry,
                    "browser",
                    (_BROWSER if _FIRST.search(path) and "/components/" not in path else _BROWSER_PART) - cost,
                )
            case _:
                pass


def _of_routes(path: str, facts: FileFacts, roots: set[str], beside: int) -> Iterator[Candidate]:
    routes = [entry for entry in facts.entries if entry.kind == "route"]
    if not routes:
        return
    file = path.rpartition("/")[2]
    is_table = _TABLE.fullmatch(file) is not None and file not in ("route.ts", "route.js")
    is_table = is_table or (file in _AGGREGATOR and beside > 2)
    weight = _CONTROLLER + min(20.0, 4 * log2(1 + len(routes))) + size_bonus(facts)
    weight += _AGGREGATES if file in _AGGREGATOR and beside > 2 else 0
    weight += _MADE_HERE if any(entry.kind == "server" for entry in facts.entries) else 0.0
    weight += _HOME if _HOMES.search(path) else 0.0
    weight += (_TABLE_NAME if is_table else 0) + (
        _TABLE_ROOT if is_table and (_above(path) in roots or path.count("/") < 2) else 0
    )
    group: Group = "table" if is_table or len(routes) >= _MANY_ROUTES else "controller"
    yield (
        path,
        Entry("route", _said_of(routes), routes[0].line),
        group,
        weight,
    )


def page_tables(facts: FileFacts) -> list[Entry]:
    """The pages that a file maps to URLs; file-based pages do not count."""
    pages = [entry for entry in facts.entries if entry.kind == "page" and entry.name.startswith("/")]
    return pages if len(pages) >= _FEWEST_PAGES else []


def _of_pages(path: str, facts: FileFacts) -> Iterator[Candidate]:
    pages = page_tables(facts)
    if pages:
        weight = _PAGES + min(10.0, 2 * log2(len(pages))) + (_TABLE_NAME if _TABLE.fullmatch(_name(path)) else 0)
        yield path, Entry("page", f"{len(pages)} pages", pages[0].line), "browser", weight


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _said_of(routes: list[Entry]) -> str:
    """Describes the routes of a file; entries with only a name are commands, messages or procedures."""
    if len(routes) == 1:
        return routes[0].name
    has_paths = 2 * sum("/" in entry.name for entry in routes) >= len(routes)
    return f"{len(routes)} {'routes' if has_paths else 'handlers'}"


def _above(path: str) -> str:
    return path.rpartition("/")[0]
