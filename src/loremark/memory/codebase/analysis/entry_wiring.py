"""Entry points that wire a project together: worker apps, root schemas, services, settings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremark.memory.codebase.analysis.entry_candidates import ADDITION, EntryCandidates
from loremark.memory.codebase.analysis.entry_sources import Candidate, size_bonus
from loremark.memory.codebase.analysis.path_roles import path_role
from loremark.memory.codebase.records import Codebase, Entry, FileFacts

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
# Programs for maintainers: they generate sources, fetch tools or build releases.
_FOR_BUILDERS = re.compile(
    r"(?:^|/)(?:gen|gen[-_]\w{1,20}|generat(?:e|ors?)|gendocs?|codegen|releas(?:e|er|ing)|\.mvn)/|"
    r"(?:^|/)(?:gen|generate|gen_?docs?|release)\.go$|(?:^|/)scripts?/(?:[^/]+/)?main\.go$|(?:^|/)(?:fake|mock)[_-][^/]+$"
)
# Project templates, and programs that only a pipeline runs.
_COPIED = re.compile(r"(?:^|/)(?:templates|skeletons?|boilerplates?|scaffold(?:s|ing)?|\.github)/[^/]+/")
_NAMESAKE = re.compile(r"/([A-Z][a-z]{2,30})(?:Controller|Apis?|Endpoints?|Resource)\.(?:java|kt|cs)$")
_CALLED_LIKE_SERVICE = 10.0
_BUILDERS_COST, _COPIED_COST = 34.0, 24.0


def wiring_entries(codebase: Codebase) -> Iterator[Candidate]:
    """Files that wire the project together, by imports, names and size."""
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
        if found is not None and not ADDITION.search(path) and path_role(path) == "own" and not _NO_WIRING.search(path):
            yield found


def _of_python(path: str, facts: FileFacts) -> Candidate | None:
    schemas = 0
    for one in facts.imports:
        if one.target == "celery" and "Celery" in one.names:
            return path, Entry("job", "worker application", 1), "job", _WORKERS + size_bonus(facts)
        schemas += one.target.startswith(".") and one.target.endswith(_SCHEMAS)
    if schemas < _MANY_SCHEMAS:
        return None
    return path, Entry("server", "root schema", 1), "schema", _SCHEMA + size_bonus(facts)


def _of_net(path: str, facts: FileFacts) -> Candidate | None:
    if path.endswith(("Extension.cs", "Extensions.cs", "Injection.cs", "Services.cs", "Startup.cs")):
        if _ENDPOINTS_OF_NET.search(path):
            return path, Entry("server", "routes", 1), "table", _ROUTES + min(12.0, facts.lines / 30)
        if _SERVICES_OF_NET.search(path):
            return path, Entry("server", "configures services", 1), "server", _SERVICES + size_bonus(facts)
    elif path.endswith("Engine.cs"):
        if _ENGINE_OF_NET.search(path):
            return path, Entry("main", "main engine", 1), "onward", _ENGINE + size_bonus(facts)
    elif "Route" in path and _ROUTES_OF_NET.search(path):
        return path, Entry("server", "routes", 1), "table", _ROUTES + min(12.0, facts.lines / 30)
    return None


def _of_jvm(path: str, facts: FileFacts) -> Candidate | None:
    """A class that polls, judged by its name and imports."""
    if not path.endswith(_WATCHERS):
        return None
    if _WATCHER.search(path) and any(one.target.rpartition(".")[2] in _OVER_TIME for one in facts.imports):
        return path, Entry("job", "polls periodically", 1), "job", _WATCHES + size_bonus(facts)
    return None


def _of_settings(path: str, facts: FileFacts) -> Candidate | None:
    if "onfig" not in path and "settings" not in path:
        if path.endswith(("server/src/index.ts", "server/index.js", "server/index.ts")) and SERVER_PART.search(path):
            return path, Entry("server", "server-side part", 1), "server", _SERVICES + size_bonus(facts)
        return None
    if facts.lines < _SHORTEST_SETTINGS or not (_SETTINGS_OF_PROGRAM.search(path) or _INDEX.search(path)):
        return None
    return path, Entry("main", "program settings", 1), "settings", _SETTINGS + size_bonus(facts)


def demote_build_programs(candidates: EntryCandidates) -> None:
    """Ranks build programs below the project's own programs."""
    for candidate in candidates.in_groups("program", "server"):
        if _FOR_BUILDERS.search(candidate.path):
            candidates.raise_weight(candidate.path, -_BUILDERS_COST)
    for candidate in candidates.in_groups("library", "browser"):
        if _COPIED.search(candidate.path):
            candidates.raise_weight(candidate.path, -_COPIED_COST)


def add_matching_controllers(candidates: EntryCandidates) -> None:
    """Raises the controller that is named after its service."""
    for candidate in candidates.in_groups("table", "controller"):
        found = _NAMESAKE.search(candidate.path)
        if found is not None and candidates.home(candidate.path).rpartition("/")[2].lower().count(
            found.group(1).lower()
        ):
            candidates.raise_weight(candidate.path, _CALLED_LIKE_SERVICE)


def add_facade_crates(codebase: Codebase, candidates: EntryCandidates) -> None:
    """Adds facade crates, which only re-export other crates of their workspace."""
    roots = [candidate.path for candidate in candidates.in_groups("library") if candidate.path.endswith("/lib.rs")]
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
            candidates.raise_weight(path, _FACADE)
