"""Entry points by file name: plugin loaders, schedulers, sockets, web setup, core modules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from loremark.memory.codebase.analysis.entry_candidates import Group
from loremark.memory.codebase.analysis.entry_sources import ASIDE, Candidate, size_bonus
from loremark.memory.codebase.analysis.path_roles import CODE, path_role
from loremark.memory.codebase.records import Codebase, Entry, EntryKind

_SHORTEST, _SHORTEST_TABLE = 30, 12
_KEEPER = r"(?:manager|registry|loader|registration|registrar)"
_PLUGINS = r"(?:plugin|extension|add-?on|module)s?"
_JOBS = r"(?:(?:scheduled|background|recurring|periodic)[-_]?)?(?:job|task|cron|queue)s?"
_RUNNER = r"(?:scheduler|hosted[-_]?service|runner(?:[-_]?service)?|registry|processor|executor)"
_TAKER = r"(?:handler|router|dispatcher)"
_RUNS, _TAKES, _CALLS = "runs jobs", "handles messages", "handles RPC calls"
_CALLED, _MESSAGES = r"(?:json[-_]?|xml[-_]?)?rpc", r"(?:message|packet|web[-_]?sockets?|socket[-_]?io|sockets?)"
_ASKED, _TIES = r"(?:request|command|message|event|method|rpc|action|packet)", "maps requests to handlers"
# Directories of views, settings, routes and helpers, which do not count.
_NO_HOME = r"(?!(?:views?|layouts?|templates?|scenes?|settings|config|routes|stores?|operations|\w{0,20}utils_{0,2})/)"
_SENT_BY = r"(?:http|grpc|kafka|\w{0,10}mq|pulsar|udp|tcp|syslog)"
# The file name without extension and its directory, in lower case.
_ROLES: tuple[tuple[str, Group, EntryKind, str, float], ...] = (
    (rf"[^/]*/{_PLUGINS}[-_]?{_KEEPER}", "plugin", "main", "loads plugins", 57),
    (rf"{_PLUGINS}/{_PLUGINS}[-_]?service", "plugin", "main", "loads plugins", 56),
    (rf"[^/]*/(?:\w{{0,20}}[-_]?)?{_PLUGINS}[-_]?{_KEEPER}", "plugin", "main", "loads plugins", 52),
    (rf"{_PLUGINS}/{_KEEPER}", "plugin", "main", "loads plugins", 56),
    (rf"[^/]*/{_JOBS}[-_]?{_RUNNER}", "job", "job", _RUNS, 58),
    (rf"(?:{_JOBS}|schedul\w{{2,4}})/(?:{_JOBS}[-_]?)?(?:manager|service|{_RUNNER})", "job", "job", _RUNS, 58),
    # A task may also be part of the application's domain.
    (rf"[^/]*/{_JOBS}[-_]?(?:manager|service)", "job", "job", _RUNS, 52),
    (r"[^/]*/(?:\w{0,30}[-_]?)?scheduler", "job", "job", "runs scheduled work", 48),
    (
        r"[^/]*/\w{0,30}?web[-_]?sockets?[-_]?(?:handler|manager|server|config(?:uration)?|gateway|hub|service)",
        "server", "server", "WebSocket server", 54,
    ),
    (r"[^/]*/\w{0,30}?grpc[-_]?(?:server|service|collector|handler|api)", "server", "server", "gRPC server", 54),
    (r"[^/]*/\w{0,30}?consumer(?:[-_]?(?:service|worker))?", "job", "job", _TAKES, 48),
    (rf"(?:collectors?/\w{{0,30}}?|[^/]*/\w{{0,20}}?{_SENT_BY})collector(?:worker)?", "job", "job", _TAKES, 48),
    (r"[^/]*/\w{0,30}?workers?[-_]?pool", "job", "job", "runs workers", 50),
    (r"[^/]*/\w{0,30}?(?:daemon|bootstrap(?:per)?)", "onward", "main", "starts the program's components", 46),
    (r"[^/]*/\w{0,30}?(?:poller|cron(?:[-_]?jobs?)?)", "job", "job", "polls periodically", 46),
    (r"[^/]*/\w{0,30}?schedul(?:e|er|ing)[-_]?(?:helper|thread|loop|runner|worker|service)", "job", "job", _RUNS, 50),
    (r"[^/]*/\w{0,30}?worker", "job", "job", "worker", 42),
    (r"[^/]*/\w{0,20}?mcp(?:[-_]?server)?", "server", "server", "MCP server", 54),
    (rf"[^/]*/\w{{0,20}}?{_CALLED}[-_]?(?:impl|methods|commands|handlers?|api|service)", "table", "server", _CALLS, 52),
    (rf"[^/]*/(?!\w{{0,20}}http)\w{{0,30}}?{_MESSAGES}[-_]?{_TAKER}", "table", "server", _TAKES, 54),
    (
        r"[^/]*/(?:rout(?:e|es|ing)|api|endpoints?)[-_]?(?:(?:service[-_]?)?provider|registrar|registry)",
        "table", "server", "routes", 54,
    ),
    (rf"[^/]*/(?:commands?|{_JOBS})[-_]?(?:service[-_]?)?provider", "job", "job", "registers jobs", 46),
    (rf"[^/]*/\w{{0,30}}?{_ASKED}[-_]?handlers?[-_]?(?:registry|mapping|map|table)", "table", "server", _TIES, 54),
    (r"[^/]*/\w{0,30}?connect(?:ion)?[-_]?(?:listener|acceptor)", "server", "server", "accepts connections", 46),
    (rf"{_NO_HOME}[^/]*/rout(?:es|er|ing)", "table", "server", "routes", 50),
    (rf"{_NO_HOME}[^/]*/\w{{0,30}}?application", "server", "server", "application class", 46),
    (r"[^/]*/(?:background|scheduled|periodic|recurring|cron)[-_]?(?:jobs|tasks|workers?)", "job", "job", _RUNS, 54),
    (r"[^/]*/\w{0,20}?(?:win[-_]?svc|win(?:dows|32)[-_]?service)", "onward", "main", "Windows service", 46),
    (r"[^/]*/(?!test|dev|mock)\w{0,30}?[-_]?server", "server", "server", "serves", 46),
    (r"[^/]*/\w{0,30}?migrat(?:ion|or)s?[-_]?(?:service|manager|runner)", "onward", "main", "runs data migrations", 46),
)  # fmt: skip
_WORDS = (
    *("manager", "registry", "loader", "registration", "registrar", "scheduler", "service", "runner", "processor"),
    *("executor", "handler", "server", "config", "configuration", "gateway", "hub", "collector", "api"),
    *("consumer", "worker", "pool", "daemon", "bootstrap", "bootstrapper", "poller", "cron", "cronjob", "cronjobs"),
    *("routes", "routing", "application", "svc", "jobs", "tasks", "workers", "mapping", "map", "table", "listener"),
    *("acceptor", "helper", "thread", "loop", "mcp", "impl", "methods", "commands", "handlers", "router"),
    *("dispatcher", "provider"),
)
_DECLARED_ONLY = (".h", ".hh", ".hpp", ".hxx", ".d.ts", ".erb", ".haml", ".slim")
_MATCH = tuple((re.compile(row[0]), row) for row in _ROLES)
_WEB_SETUP = re.compile(
    r"\w{0,30}(?:Web(?:Mvc|Flux|Server|Security)?|Http|Server|Security|Ui|Gateway)Config(?:uration)?\.(?:java|kt)"
)
_NO_ROLE = re.compile(
    r"(?:^|/)(?:scripts?|tools?|hack|contrib|ci|\.github|fuzz|docker|deploy|generators?|devtools|static|assets|e2e|cypress|"
    r"stories|legacy|entit(?:y|ies)|models?|dtos?|beans?|reducers?|selectors?|components?)/"
)
_NO_PART = re.compile(r"(?:^|/)(?:I[A-Z][a-z]|Abstract|Base|base_|abstract_|Noop|NoOp|Mock|Fake|Null)[^/]*$")


def role_entries(codebase: Codebase) -> Iterator[Candidate]:
    """Files named after a central role: loading plugins, running jobs, handling messages."""
    for path, facts in codebase.files.items():
        above, _, file = path.rpartition("/")
        stem = file.partition(".")[0].lower()
        if facts.lines < (_SHORTEST_TABLE if stem == "routes" else _SHORTEST):
            continue
        if not stem.endswith(_WORDS) or facts.language not in CODE or path_role(path) != "own":
            continue
        if file.endswith(_DECLARED_ONLY):
            continue
        if _NO_PART.search(path) or _NO_ROLE.search(path):
            continue
        if path.endswith((".java", ".kt")) and _WEB_SETUP.fullmatch(file):
            yield path, Entry("server", "configures the web server", 1), "server", 50 + size_bonus(facts)
            continue
        name = f"{above.rpartition('/')[2].lower()}/{stem}"
        for pattern, (_, group, kind, said, weight) in _MATCH:
            if pattern.fullmatch(name):
                yield path, Entry(kind, said, 1), group, weight + size_bonus(facts)
                break


_NO_COMMAND = re.compile(r"completions?|systemd|init\.d|debian|packaging|snap|(?:^|/)man/|\.(?:service|conf|fish|zsh)")
_OWN_SCRIPT = 54


def own_scripts(codebase: Codebase) -> Iterator[Candidate]:
    """Scripts prefixed with the project's name, which are installed with the program."""
    own = f"{codebase.name.lower()}-"
    for path, facts in codebase.files.items():
        file = path.rpartition("/")[2]
        if facts.language != "shell" or facts.lines < _SHORTEST or not file.lower().startswith(own):
            continue
        if path_role(path) == "own" and not _NO_ROLE.search(path) and not _NO_COMMAND.search(path):
            yield path, Entry("cli", file, 1), "script", _OWN_SCRIPT


_LARGE, _MAX_PARTS, _MAX_BESIDE = 300, 10, 3
_FEWER_PARTS, _PART, _PART_LIFT, _CALLED_FOR_IT = 4, 26, 10.0, 4.0
_LINES_OF_ONE = 45
_WRITTEN = frozenset(
    (
        *("python", "go", "rust", "zig", "c", "cpp", "java", "kotlin", "scala"),
        *("csharp", "fsharp", "php", "swift", "haskell"),
    )
)
_NO_MAIN_PART = re.compile(
    r"(?:^|/)(?:components?|models?|entit(?:y|ies)|dtos?|locales?|lang|data|fixtures?|constants?|types?|schemas?|generated|compat|"
    r"migrations?|helpers?|utils?|util|common|templates?|templatetags|factor(?:y|ies)|filters?|filtersets|forms?|tables?|"
    r"seriali[sz]ers?|choices|admin|fake\w*|date)(?:/|\.\w{1,4}$)|"
    r"(?:^|[/_.-])(?:utils?|helpers?|types|constants|consts|test\w*|mocks?|models?|enums?|strings|unicode\w*)\.\w{1,4}$|"
    r"(?:^|/)\w{0,20}test(?:ing)?_[^/]*$|"
    r"(?:Utils?|Helpers?|Constants|Dto|Entity|Exception|Tests?|Resources|Impl)\.\w{1,4}$",
    re.IGNORECASE,
)
_CALLED_FOR = re.compile(r"(?:manager|service|engine|server|core)\.\w{1,4}$", re.IGNORECASE)


def main_parts(codebase: Codebase, is_web: bool) -> Iterator[Candidate]:
    """The largest sources apart from data, types and helpers, which do the project's main work.

    Web applications get fewer, because their routes are the entry points.
    """
    rows: list[tuple[int, str]] = []
    for path, facts in codebase.files.items():
        if facts.lines < _LARGE or facts.language not in _WRITTEN or len(facts.symbols) * _LINES_OF_ONE < _LARGE:
            continue
        if path_role(path) == "own" and "written-by" not in facts.signs:
            rows.append((-min(facts.lines, _LINES_OF_ONE * len(facts.symbols)), path))
    rows.sort()
    beside: Counter[str] = Counter()
    for place, (_, path) in enumerate(rows):
        above = path.rpartition("/")[0]
        if beside[above] == _MAX_BESIDE or _NO_MAIN_PART.search(path) or ASIDE.search(path):
            continue
        weight = _PART + _PART_LIFT * (1 - place / len(rows)) + (_CALLED_FOR_IT if _CALLED_FOR.search(path) else 0.0)
        yield path, Entry("main", "core module", 1), "core", weight
        beside[above] += 1
        if beside.total() == (_FEWER_PARTS if is_web else _MAX_PARTS):
            return


_INTERFACE = 44
_PUBLIC = re.compile(r"include/(?:[\w-]+/)?([\w-]+)\.(?:h|hh|hpp)")
_OWN_HEADER, _CORE_WEIGHT, _IN_C = 80, 54, (".c", ".cc", ".cpp")
_CORE = re.compile(
    r"(?:src|lib|source)/(?:[\w-]+/)?(?:core|(?:event_?)?loop|main|engine|init|[\w]{1,20}-common)\.(?:c|cc|cpp)"
)
_SOURCES = re.compile(r"(?:src|lib|source)/(?:[\w-]+/)?([\w-]+)\.(?:c|cc|cpp|cxx)")


def public_parts(codebase: Codebase) -> Iterator[Candidate]:
    """The source behind each public C header, and Go commands in subdirectories of their program."""
    headers = {
        found.group(1) for path in codebase.paths if path.startswith("include/") and (found := _PUBLIC.fullmatch(path))
    }
    own = codebase.name.lower().removeprefix("lib")
    for path, facts in codebase.files.items():
        if path.endswith("/main.go"):
            program = path.rpartition("/")[0].rpartition("/")[0]
            if f"{program}/main.go" in codebase.files and path_role(path) == "own":
                yield path, Entry("cli", "CLI command", 1), "command", 68
        elif headers and (found := _SOURCES.fullmatch(path)) and found.group(1) in headers:
            yield (
                path,
                Entry("library", "implementation of a public header", 1),
                "onward",
                _INTERFACE + size_bonus(facts),
            )
        elif headers and path.endswith(_IN_C) and _CORE.fullmatch(path):
            yield path, Entry("library", "core of the library", 1), "onward", _CORE_WEIGHT + size_bonus(facts)
        elif headers and (found := _PUBLIC.fullmatch(path)) and found.group(1).lower() in (own, f"lib{own}"):
            yield path, Entry("library", "public header", 1), "library", _OWN_HEADER
