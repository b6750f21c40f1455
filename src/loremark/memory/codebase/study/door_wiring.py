"""Doors where a project is put together: the app of its workers, its whole schema, its services, its settings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremark.memory.codebase.records import Codebase, Entry, FileFacts
from loremark.memory.codebase.study.door_sources import Offer, size_bonus
from loremark.memory.codebase.study.doors import ADDITION, Doors
from loremark.memory.codebase.study.placing import place_of

_WORKERS, _SCHEMA, _SERVICES, _ROUTES, _ENGINE, _WATCHES, _SETTINGS, _FACADE = 68, 66, 52, 74, 54, 48, 44, 14.0
_SCHEMAS = ("schema", "queries", "mutations", "resolvers", "query", "mutation", "typedefs")
_MANY_SCHEMAS, _FEWEST_CRATES = 4, 3
_SHORTEST, _SHORTEST_SETTINGS = 30, 100
_SERVICES_OF_NET = re.compile(
    r"(?:^|/)(?:\w{0,40}(?:ServiceCollectionExtensions?|ServicesExtensions|HostBuilderExtensions|ApplicationBuilderExtensions)|"
    r"\w{0,20}DependencyInjection|ConfigureServices|(?!I[A-Z])\w{1,30}Startup)\.cs$"
)
_ENDPOINTS_OF_NET = re.compile(
    r"(?:^|/)\w{0,30}(?:WebApplication|EndpointRouteBuilder|Endpoints?|Routing)Extensions?\.cs$"
)
_ROUTES_OF_NET = re.compile(r"(?:^|/)(?!I[A-Z]|Base)\w{0,30}Route(?:Provider|Config|Registrar|Builder)\.cs$")
_ENGINE_OF_NET = re.compile(r"(?:^|/)(?:Infrastructure|Core|Engines?|Runtime|Hosting)/(?!I[A-Z])\w{0,30}Engine\.cs$")
_WATCHER = re.compile(r"(?:^|/)(?!Abstract|Base)\w{1,40}(?:Scanner|Poller|Watcher|Listener)\.(?:java|kt)$")
_WATCHERS = tuple(f"{one}.{end}" for one in ("Scanner", "Poller", "Watcher", "Listener") for end in ("java", "kt"))
_OVER_TIME = ("ScheduledExecutorService", "Scheduled", "TaskScheduler", "Timer", "ScheduledThreadPoolExecutor")
_SETTINGS_OF_PROGRAM = re.compile(
    r"(?:^|/)\w{0,16}config(?:s|uration)?/(?:\w{1,20}/)?(?:\w{1,20}_)?(?:config(?:uration)?|load(?:er)?|settings|mod|index)\.(?:go|rs|ts|js)$"
)
_INDEX = re.compile(r"(?:^|/)src/(?:config|configuration|settings)/(?:index\.[jt]s|mod\.rs)$")
SERVER_PART = re.compile(r"(?:^|/)server/(?:src/)?index\.[jt]s$")
_NO_WIRING = re.compile(
    r"(?:^|/)(?:scripts?|tools?|hack|contrib|ci|fuzz|generators?|codegen|e2e|legacy|assets|docker|deploy|build)/"
)
# Programs for those who build the project: they write sources, fetch tools, put a release together.
_FOR_BUILDERS = re.compile(
    r"(?:^|/)(?:gen|gen[-_]\w{1,20}|generat(?:e|ors?)|gendocs?|codegen|releas(?:e|er|ing)|\.mvn)/|"
    r"(?:^|/)(?:gen|generate|gen_?docs?|release)\.go$|(?:^|/)scripts?/(?:[^/]+/)?main\.go$|(?:^|/)(?:fake|mock)[_-][^/]+$"
)
# What a tool copies into new projects, and what only a pipeline runs.
_COPIED = re.compile(r"(?:^|/)(?:templates|skeletons?|boilerplates?|scaffold(?:s|ing)?|\.github)/[^/]+/")
_NAMESAKE = re.compile(r"/([A-Z][a-z]{2,30})(?:Controller|Apis?|Endpoints?|Resource)\.(?:java|kt|cs)$")
_CALLED_LIKE_SERVICE = 10.0
_BUILDERS_COST, _COPIED_COST = 34.0, 24.0


def wiring_doors(codebase: Codebase) -> Iterator[Offer]:
    """What the imports, names and sizes of files say about where a project is put together."""
    for path, facts in codebase.files.items():
        if facts.lines < _SHORTEST or facts.language is None:
            continue
        match facts.language:
            case "python":
                found = _of_python(path, facts)
            case "csharp":
                found = _of_net(path, facts)
            case "java" | "kotlin":
                found = _of_jvm(path, facts)
            case "go" | "rust" | "typescript" | "javascript":
                found = _of_settings(path, facts)
            case _:
                continue
        if found is not None and not ADDITION.search(path) and place_of(path) == "own" and not _NO_WIRING.search(path):
            yield found


def _of_python(path: str, facts: FileFacts) -> Offer | None:
    schemas = 0
    for one in facts.imports:
        if one.target == "celery" and "Celery" in one.names:
            return path, Entry("job", "the app of the workers", 1), "job", _WORKERS + size_bonus(facts)
        schemas += one.target.startswith(".") and one.target.endswith(_SCHEMAS)
    if schemas < _MANY_SCHEMAS:
        return None
    return path, Entry("server", "brings the schemas together", 1), "schema", _SCHEMA + size_bonus(facts)


def _of_net(path: str, facts: FileFacts) -> Offer | None:
    if path.endswith(("Extension.cs", "Extensions.cs", "Injection.cs", "Services.cs", "Startup.cs")):
        if _ENDPOINTS_OF_NET.search(path):
            return path, Entry("server", "routes", 1), "table", _ROUTES + min(12.0, facts.lines / 30)
        if _SERVICES_OF_NET.search(path):
            return path, Entry("server", "sets the services up", 1), "server", _SERVICES + size_bonus(facts)
    elif path.endswith("Engine.cs"):
        if _ENGINE_OF_NET.search(path):
            return path, Entry("main", "the engine of the program", 1), "onward", _ENGINE + size_bonus(facts)
    elif "Route" in path and _ROUTES_OF_NET.search(path):
        return path, Entry("server", "routes", 1), "table", _ROUTES + min(12.0, facts.lines / 30)
    return None


def _of_jvm(path: str, facts: FileFacts) -> Offer | None:
    """A class that looks for something again and again, by its name and by what it needs for that."""
    if not path.endswith(_WATCHERS):
        return None
    if _WATCHER.search(path) and any(one.target.rpartition(".")[2] in _OVER_TIME for one in facts.imports):
        return path, Entry("job", "looks again and again", 1), "job", _WATCHES + size_bonus(facts)
    return None


def _of_settings(path: str, facts: FileFacts) -> Offer | None:
    if "onfig" not in path and "settings" not in path:
        if path.endswith(("server/src/index.ts", "server/index.js", "server/index.ts")) and SERVER_PART.search(path):
            return path, Entry("server", "the part on the server", 1), "server", _SERVICES + size_bonus(facts)
        return None
    if facts.lines < _SHORTEST_SETTINGS or not (_SETTINGS_OF_PROGRAM.search(path) or _INDEX.search(path)):
        return None
    return path, Entry("main", "the settings of the program", 1), "settings", _SETTINGS + size_bonus(facts)


def put_aside(doors: Doors) -> None:
    """Programs for those who build the project come after those that are the project."""
    for door in doors.of("program", "server"):
        if _FOR_BUILDERS.search(door.path):
            doors.lift(door.path, -_BUILDERS_COST)
    for door in doors.of("library", "browser"):
        if _COPIED.search(door.path):
            doors.lift(door.path, -_COPIED_COST)


def namesakes(doors: Doors) -> None:
    """The controller that is called like its service answers what the service is there for."""
    for door in doors.of("table", "controller"):
        found = _NAMESAKE.search(door.path)
        if found is not None and doors.home(door.path).rpartition("/")[2].lower().count(found.group(1).lower()):
            doors.lift(door.path, _CALLED_LIKE_SERVICE)


def facades(codebase: Codebase, doors: Doors) -> None:
    """A crate that defines nothing and only passes others of its workspace on is the way in to all of them."""
    roots = [door.path for door in doors.of("library") if door.path.endswith("/lib.rs")]
    if len(roots) <= _FEWEST_CRATES:
        return
    crates = {
        facts.signs["name"].replace("-", "_")
        for path, facts in codebase.files.items()
        if path.endswith("Cargo.toml") and "name" in facts.signs
    }
    for path in roots:
        facts = codebase.files.get(path)
        if facts is None or facts.symbols or len(facts.imports) < _FEWEST_CRATES:
            continue
        if all(one.target.partition("::")[0] in crates for one in facts.imports):
            doors.lift(path, _FACADE)
