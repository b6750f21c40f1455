"""Entry points by path."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from loremark.memory.codebase.analysis.entry_candidates import Group
from loremark.memory.codebase.analysis.entry_framework_paths import FRAMEWORK_ROWS, Row
from loremark.memory.codebase.analysis.path_roles import path_role
from loremark.memory.codebase.records import Entry

_SERVED = r"(?:static|assets|public|wwwroot)/(?:js|javascripts?|scripts|src)"
_WEB_ROOT = r"(?:public|web|htdocs|www|webroot)"
_NO_PAGE = r"(?!config|test|phpunit|rector|ecs|scoper|common|version|const)"
_ROUTE_FOLDER = r"(?:routes|routers|endpoints|(?:api_?)?handlers|controllers)"
_FIRST_DATA = r"(?:Context|Db|Database|Data)(?:Initiali[sz]er|Seed(?:er)?)"
_NO_DATA = r"(?![\w.-]*\.(?:json|ya?ml|toml|md|txt|lock|xml|ini|cfg|conf)$)"
_PROCESS = r"(?:web|websockets?|http|grpc|rpc|worker|cron|scheduler)"
# Patterns are matched against the whole path; "…n/" stands for up to n leading directories.
_ROWS: tuple[Row, ...] = (
    (r"…3/cmd/[^/]+/main\.go", "program", "main", "main", 100),
    (r"…2/main\.go", "program", "main", "main", 98),
    (r"…3/src/main\.rs", "program", "main", "main", 100),
    (r"…3/src/bin/[^/]+(?:/main)?\.rs", "program", "main", "main", 94),
    (r"…3/(?:Maui)?Program\.(?:cs|fs|vb)", "program", "main", "Program", 98),
    (r"…4/\w*Application\.(?:java|kt)", "program", "main", "Application", 80),
    (r"…3/lib/main\.dart", "program", "main", "main", 94),
    (r"…3/main\.(?:c|cc|cpp|cxx|swift|zig|hs|ml)", "program", "main", "main", 84),
    (r"…3/__main__\.py", "program", "main", "python -m", 84),
    (r"…2/(?:app|main|run)\.py", "program", "main", "main", 62),
    (r"…2/manage\.py", "console", "cli", "manage.py", 97),
    (r"(?:(?!docker|bin|scripts?)[^/]+/)?artisan", "console", "cli", "artisan", 94),
    (r"…1/bin/console", "console", "cli", "console", 94),
    (r"…1/bin/rails", "console", "cli", "rails", 94),
    (rf"…1/{_WEB_ROOT}/index\.php", "server", "server", "index.php", 98),
    (r"index\.php", "server", "server", "index.php", 84),
    (r"…2/(?:asgi|wsgi)\.py", "server", "server", "server", 58),
    (r"…1/config\.ru", "server", "server", "rack", 84),
    (r"…3/Startup\.cs", "server", "server", "Startup", 78),
    (r"…2/server\.(?:ts|js|mjs|cjs|py)", "server", "server", "server", 78),
    (r"…1/bootstrap/app\.php", "server", "server", "application", 72),
    (r"…1/config/application\.rb", "server", "server", "application", 62),
    (r"…2/mailboxes/application_mailbox\.rb", "server", "server", "incoming mail", 66),
    (r"…2/config/routes\.rb", "table", "server", "routes", 92),
    (r"…1/routes/web\.php", "table", "server", "routes", 90),
    (r"…1/routes/api\.php", "table", "server", "routes", 89),
    (r"…1/routes/console\.php", "job", "job", "schedule", 78),
    (r"…1/routes/[\w.-]+\.php", "table", "server", "routes", 66),
    (r"…1/config/routes\.(?:yaml|yml)", "table", "server", "routes", 84),
    (r"…3/(?:src/)?router(?:s|/index)?\.(?:ts|tsx|js|jsx)", "browser", "main", "routes", 72),
    (r"…3/(?:app[.-])?rout(?:es|ing)(?:\.module)?\.(?:ts|tsx|js|jsx)", "browser", "main", "routes", 66),
    (r"…3/(?:src/)?rout(?:es|er)/index\.[jt]sx", "browser", "main", "routes", 64),
    (r"…2/resources/(?:js|ts|assets/js)/app\.[jt]sx?", "browser", "main", "browser", 86),
    (r"…1/app/javascript/(?:application|(?:packs|entrypoints)/[\w-]+)\.[jt]sx?", "browser", "main", "browser", 84),
    (r"…1/app/(?:assets/javascripts|frontend/entrypoints)/application[\w-]*\.[jt]s", "browser", "main", "browser", 74),
    (rf"…4/{_SERVED}/(?:app|main|index|application|site)\.[jt]sx?", "browser", "main", "browser", 68),
    (r"…3/(?:src/)?(?:app/layout|pages/_app|app/root)\.(?:tsx|jsx|js|ts)", "browser", "main", "app", 86),
    (r"…3/app/_layout\.[jt]sx", "browser", "main", "app", 80),
    (r"…3/(?:src/)?(?:app/page|pages/index)\.(?:tsx|jsx|js|ts)", "browser", "main", "home page", 60),
    (r"…3/(?:src/)?(?:routes/\+layout|App)\.(?:svelte|vue)", "browser", "main", "app", 66),
    (r"…3/src/App\.(?:tsx|jsx|js|ts)", "browser", "main", "app", 66),
    (r"…5/(?:js|scripts|app)/(?:index|main|app)\.[jt]sx?", "browser", "main", "browser", 56),
    (r"…3/(?:src/)?app/app\.(?:component|config|module)\.ts", "browser", "main", "app", 58),
    (r"…3/(?:App|_Host|Components/App)\.(?:razor|cshtml)", "browser", "main", "app", 56),
    (r"…3/(?:src/)?(?:sw|[\w-]*service[-_]?worker)\.[jt]s", "browser", "main", "service worker", 62),
    (r"…2/(?:src/)?(?:middleware|proxy|hooks\.server)\.[jt]s", "server", "server", "middleware", 46),
    (r"…3/(?:src/)?(?:electron|main)/(?:main|index)\.[jt]s", "program", "main", "desktop", 78),
    (r"…4/main\.(?:ts|js|mjs)", "program", "main", "main", 60),
    (r"…3/src/extension\.[jt]s", "plugin", "main", "extension", 78),
    (r"…3/src/lib\.rs", "library", "library", "library", 72),
    (r"…1/include/(?P<its>[\w-]+)/(?P=its)\.(?:h|hh|hpp)", "library", "library", "public header", 66),
    (r"…1/lib/(?:\w+/){1,3}engine\.rb", "library", "library", "engine", 66),
    (r"…2/(?:consumers|routing)\.py", "table", "server", "sockets", 70),
    (rf"…4/{_ROUTE_FOLDER}/(?:mod\.rs|__init__\.py)", "table", "server", "routes", 72),
    (rf"…2/(?:src|server|api|backend)/{_ROUTE_FOLDER}/(?:api/)?index\.[jt]s", "table", "server", "routes", 66),
    (r"…3/boot\.(?:js|ts|py)", "server", "server", "boot", 72),
    (r"…2/controllers/application_controller\.rb", "controller", "server", "all requests", 64),
    (r"…2/(?!commands?/)(?P<one>[a-z]\w+)/(?:(?P=one)|doc)\.go", "library", "library", "library", 48),
    (r"…2/celery(?:_app|app)?\.py", "job", "job", "celery", 76),
    (r"…1/bin/(?:jobs|worker|sidekiq|scheduler|cron)", "job", "job", "jobs", 78),
    (r"…1/app/Console/Kernel\.php", "job", "job", "schedule", 70),
    (r"…1/config/schedule\.(?:rb|yml)", "job", "job", "schedule", 66),
    (r"…2/(?:tasks|jobs)/(?:schedule|scheduler|periodic|cron|index)\.(?:py|ts|js)", "job", "job", "schedule", 62),
    (r"…2/(?:worker|scheduler|consumer|daemon|cron)\.(?:py|ts|js|mjs|go|rb)", "job", "job", "worker", 66),
    (rf"…2/(?:services|servers|processes)/{_PROCESS}\.(?:ts|js|py|go|rb)", "server", "server", "process", 66),
    (r"…1/config/sidekiq\.yml", "job", "job", "worker", 68),
    (r"…1/config/(?:recurring|queue)\.yml", "job", "job", "schedule", 44),
    (r"…1/app/channels/(?!application_cable/)\w+_channel\.rb", "server", "server", "socket", 66),
    (r"shell/[\w.-]+\.(?:bash|zsh|fish|nu|ps1)", "plugin", "main", "shell integration", 54),
    (r"plugin/[\w.-]+\.(?:vim|lua)", "plugin", "main", "Vim plugin", 72),
    (r"[\w.-]+\.plugin\.(?:zsh|bash|fish)", "plugin", "main", "shell plugin", 70),
    (r"action\.ya?ml", "plugin", "main", "GitHub action", 66),
    (r"\.pre-commit-hooks\.yaml", "plugin", "main", "pre-commit hook", 52),
    (rf"…4/\w{{0,60}}{_FIRST_DATA}\.(?:cs|java|kt|php)", "job", "job", "seed data", 50),
    (r"…2/(?:db/seeds\.rb|prisma/seed\.[jt]s|seeds?/index\.[jt]s)", "job", "job", "seed data", 44),
    (r"…2/build\.rs", "build", "cli", "build script", 60),
    (r"…4/generators/(?:\w+/){0,3}install(?:_generator|/install_generator)\.rb", "command", "cli", "install", 56),
    (r"Rakefile", "build", "cli", "tasks", 60),
    (r"[Jj]ustfile", "build", "cli", "tasks", 36),
    (r"[Tt]askfile\.ya?ml", "build", "cli", "tasks", 36),
    (r"…2/exe/[\w.-]+", "console", "cli", "", 92),
    (rf"…1/s?bin/(?!__init__){_NO_DATA}[\w.-]+", "script", "cli", "", 68),
    (r"[a-z][a-z0-9_-]+", "script", "cli", "", 66),
    (r"[a-z][\w-]*\.(?:sh|bash|zsh|fish|pl)", "script", "cli", "", 62),
    (r"(?:upgrade|install|setup|cron)\.php", "script", "cli", "", 60),
    (rf"{_NO_PAGE}[a-z][\w-]*\.php", "server", "server", "page", 56),
    (rf"…1/{_WEB_ROOT}/{_NO_PAGE}[a-z][\w-]*\.php", "server", "server", "page", 56),
    (r"…4/(?:(?:crontabs?|cron\.d)/[\w-]+|(?:[\w-]+\.)?crontab)", "job", "job", "crontab", 58),
    (rf"script/{_NO_DATA}[\w.-]+", "script", "cli", "", 54),
    (r"…3/(?:docker[_-])?entrypoint(?:\.sh|\.py)?", "script", "cli", "", 60),
    (r"[a-z][\w-]*\.(?:ps1|bat|cmd)", "script", "cli", "", 46),
)  # fmt: skip


def _pattern(text: str) -> str:
    return rf"(?:[^/]+/){{0,{text[1]}}}(?:{text[3:]})" if text.startswith("…") else text


_ENDING = re.compile(r"\\\.(\(\?:[\w|]+\)|[\w\[\]?]+)$")
_AT_PATH = tuple((re.compile(_pattern(row[0])), _ENDING.search(row[0]), row) for row in (*_ROWS, *FRAMEWORK_ROWS))


@lru_cache(maxsize=512)
def _rows_for(ending: str) -> tuple[re.Pattern[str], tuple[tuple[re.Pattern[str], Row], ...]]:
    """The rows that can match this extension, and one combined pattern, because most paths match none."""
    rows = tuple(
        (pattern, row)
        for pattern, found, row in _AT_PATH
        if found is None or re.fullmatch(found.group(1), ending) is not None
    )
    return _any_of(tuple(row[0] for _, row in rows)), rows


@lru_cache(maxsize=256)
def _any_of(texts: tuple[str, ...]) -> re.Pattern[str]:
    """Combines patterns; those of the same depth share the directory prefix. Unknown extensions share one result."""
    depths: dict[str, list[str]] = {}
    for text in texts:
        depths.setdefault(text[:3] if text[0] == "…" else "", []).append(text[3:] if text[0] == "…" else text)
    return re.compile("|".join(_pattern(depth + "|".join(some)) for depth, some in depths.items()))


@lru_cache(maxsize=32_768)
def _row_of(path: str) -> Row | None:
    """The first row that matches the path."""
    file = path.rpartition("/")[2]
    fitting, rows = _rows_for(file.rpartition(".")[2][:20] if "." in file else "")
    if not fitting.fullmatch(path):
        return None
    return next((row for pattern, row in rows if pattern.fullmatch(path)), None)


_PROCESSES = ("services", "servers", "processes")
_IS_PROCESS = re.compile(rf"/{_PROCESS}\.\w{{2}}$")
_NO_PROCESS = re.compile(r"/(?:index|types|utils?|helpers?|base|__init__)\.\w{2}$")
_TWO = 2
_DEEPEST = 8
_AT_HOME = re.compile(r"(?:main|index|app)\.(?:tsx|ts|jsx|js|mts|mjs)")
_PROSE = frozenset(
    [
        "license",
        "licence",
        "copying",
        "readme",
        "authors",
        "contributors",
        "changelog",
        "changes",
        "news",
        "todo",
        "version",
        "codeowners",
        "notice",
        "install",
        "history",
        "thanks",
        "credits",
        "makefile",
        "dockerfile",
        "procfile",
        "gemfile",
        "rakefile",
        "vagrantfile",
        "brewfile",
        "gradlew",
        "gradlew.bat",
        "mvnw",
        "mvnw.cmd",
    ]
) - {"install"}
# With Bundler, bin/ is full of stubs that start gem executables; they have no extension.
_STUB = re.compile(r"(?:bin|exe)/(?!rails$|dev$|setup$|jobs$|server$|console$|worker$)[^/.]+")


_A_CHORE = 18
_CHORE = re.compile(
    r"(?:^|[-_.])(?:bump|lint|tests?|format|fmt|check|release\w{0,3}|publish|changes|coverage|ci|profile|sync|changelog|version|clean|docs?|"
    r"spellcheck|prettier|setup-hooks|autogen|appveyor|travis|bench\w*)(?:[-_.]|$)",
    re.IGNORECASE,
)


def is_stub(path: str, paths: Collection[str]) -> bool:
    """Whether the file is a gem's binstub, or a copy that every Rails engine has."""
    if path.endswith(("/bin/rails", "/Rakefile")):
        return path.partition("/")[2] in paths
    return (
        path.startswith(("bin/", "exe/"))
        and _STUB.fullmatch(path) is not None
        and ("bin/rails" in paths or "bin/bundle" in paths)
    )


def is_maintenance_script(group: Group, file: str) -> bool:
    """Whether a script maintains the project instead of running it."""
    return group == "script" and _CHORE.search(file) is not None


def process_entries(paths: Collection[str]) -> Iterator[tuple[str, Entry, Group, float]]:
    """If two files in a directory are named after processes, the other files there are processes too."""
    found: dict[str, list[str]] = {}
    for path in paths:
        directory, _, file = path.rpartition("/")
        if (
            directory.endswith(_PROCESSES)
            and file.count(".") == 1
            and path.endswith((".ts", ".js", ".py", ".go", ".rb"))
        ):
            found.setdefault(directory, []).append(path)
    for inside in found.values():
        named = [path for path in inside if _IS_PROCESS.search(path)]
        if len(named) >= _TWO and len(named) * 3 >= len(inside):
            for path in inside:
                if path_role(path) == "own" and not _NO_PROCESS.search(path):
                    yield path, Entry("server", "process", 1), "server", 60


def path_entries(paths: Collection[str]) -> Iterator[tuple[str, Entry, Group, float]]:
    """Entry points by path; the first matching pattern wins."""
    known = frozenset(paths)
    homes = _homes(known)
    for path in sorted(known):
        if path.count("/") > _DEEPEST or path_role(path) != "own" or is_stub(path, known):
            continue
        directory, _, file = path.rpartition("/")
        if file in _PROSE:
            continue
        # Next to the root of a package, an app is part of the package.
        is_part = file.startswith("app.") and f"{directory}/index.{file.rpartition('.')[2]}" in known
        if directory in homes and not is_part and _AT_HOME.fullmatch(file):
            yield from _at_home(path, file, homes[directory])
        row = _row_of(path)
        if row is not None:
            _, group, kind, name, weight = row
            yield (
                path,
                Entry(kind, name or file, 1),
                group,
                weight - (_A_CHORE if is_maintenance_script(group, file) else 0),
            )


def _at_home(path: str, file: str, home: str) -> Iterator[tuple[str, Entry, Group, float]]:
    """Next to a page, the browser loads it; next to a manifest only, it is a program or a package root."""
    if home == "index.html" or file.endswith("x"):
        yield path, Entry("main", file, 1), "browser", 82 if file.endswith("x") or file.startswith("main") else 66
    elif file.startswith("index"):
        yield path, Entry("library", file, 1), "library", 64
    else:
        yield path, Entry("main", file, 1), "program", 74


def _homes(paths: Collection[str]) -> dict[str, str]:
    """Directories where JavaScript starts, each with its manifest or page: next to it or in its ``src``."""
    found: dict[str, str] = {}
    for path in paths:
        directory, _, name = path.rpartition("/")
        if name in ("package.json", "index.html") and path_role(path) == "own":
            for home in (directory, f"{directory}/src" if directory else "src"):
                found[home] = min(name, found.get(home, name))
    return found
