"""Where a newcomer starts: programs, commands and servers, each with the source file it begins in."""

from __future__ import annotations

import re
from collections.abc import Collection

from cairn.memory.codebase.records import Codebase, Entry, EntryKind
from cairn.memory.codebase.study.placing import CODE, place_of
from cairn.memory.codebase.study.targets import declared_files

_MOST = 40
_CONVENTIONS: tuple[tuple[str, EntryKind, str, int], ...] = (
    (r"(?:[^/]+/){0,2}manage\.py", "cli", "manage.py", 90),
    (r"(?:[^/]+/){0,3}__main__\.py", "main", "python -m", 75),
    (r"(?:[^/]+/)?(?:asgi|wsgi)\.py", "server", "server", 55),
    (r"(?:[^/]+/){0,3}cmd/[^/]+/main\.go", "main", "main", 95),
    (r"(?:[^/]+/){0,2}main\.go", "main", "main", 90),
    (r"(?:[^/]+/){0,3}src/main\.rs", "main", "main", 90),
    (r"(?:[^/]+/){0,3}src/bin/[^/]+(?:/main)?\.rs", "main", "main", 70),
    (r"(?:[^/]+/){0,3}Program\.(?:cs|fs)", "main", "Program", 90),
    (r"(?:[^/]+/){0,3}Startup\.cs", "server", "Startup", 50),
    (r"artisan", "cli", "artisan", 85),
    (r"bin/console", "cli", "console", 85),
    (r"(?:public|web|htdocs|www)/index\.php", "server", "index.php", 90),
    (r"index\.php", "server", "index.php", 70),
    (r"bin/rails", "cli", "rails", 85),
    (r"config\.ru", "server", "rack", 70),
    (r"(?:[^/]+/){0,2}config/routes\.rb", "server", "routes", 80),
    (r"routes/(?:web|api)\.php", "server", "routes", 60),
    (r"(?:[^/]+/){0,2}exe/[\w.-]+", "cli", "", 75),
    (r"bin/[\w-]+(?:\.(?:js|mjs|cjs|ts|rb|php|py|sh))?", "cli", "", 45),
    (r"resources/(?:js|ts)/app\.[jt]sx?", "main", "index", 50),
    (r"(?:src/|server/|backend/)?server\.(?:ts|js|mjs|cjs)", "server", "server", 55),
    (r"(?:[^/]+/){0,3}(?:src/)?(?:app/layout|pages/_app)\.(?:tsx|jsx|js)", "main", "app", 60),
    (r"(?:[^/]+/){0,3}(?:src/)?(?:routes/\+layout|App)\.(?:svelte|vue)", "main", "app", 55),
    (r"(?:[^/]+/){0,2}(?:app|main|server|run|wsgi_app)\.py", "main", "main", 45),
    (r"(?:[^/]+/){0,4}\w*Application\.(?:java|kt)", "main", "Application", 50),
    (r"(?:[^/]+/){0,3}lib/main\.dart", "main", "main", 80),
    (r"(?:[^/]+/){0,3}main\.(?:c|cc|cpp|swift)", "main", "main", 60),
)
_AT_PATH = tuple((re.compile(pattern), kind, name, weight) for pattern, kind, name, weight in _CONVENTIONS)
_AT_HOME = re.compile(r"(?:main|index|app)\.(?:tsx|ts|jsx|js|mts|mjs)")
_KIND_WEIGHT = {"main": 55, "cli": 45, "server": 50}
_ASIDE = re.compile(
    r"(?:^|/)(?:scripts?|tools?|hack|contrib|build|ci|\.github|\.ci|\.devcontainer|misc|util|utils|dev|packaging|debian|"
    r"deploy|docker|management/commands|migrations?|generators?|codegen|devtools|fuzz|locales?|i18n|static|assets|stories|cypress|e2e)/",
    re.IGNORECASE,
)
_STUB = re.compile(r"(?:bin|exe)/(?!rails$|dev$|setup$|jobs$|server$|console$)[^/]+")
_SETTINGS = re.compile(
    r"\.(?:config|setup|rc|conf|stories|d)\.[mc]?[jt]sx?$|(?:^|/)(?:gulpfile|gruntfile|webpack)\b", re.IGNORECASE
)


def entry_points(codebase: Codebase) -> list[tuple[str, Entry]]:
    """Programs, commands and servers (no routes), the main ones first, without tests, examples and documents."""
    best: dict[str, tuple[int, Entry]] = {}

    def offer(path: str, entry: Entry, weight: int, is_declared: bool = False) -> None:
        weight -= 4 * path.count("/") + (30 if _ASIDE.search(path) else 0)
        before = best.get(path)
        if before is None or weight > before[0]:
            # What the source itself calls it says more than the name of a pattern.
            best[path] = (weight, before[1] if before and before[1].line > 1 and not is_declared else entry)

    declared = declared_files(codebase)
    for path, facts in codebase.files.items():
        if facts.language in CODE and place_of(path) == "own" and not _SETTINGS.search(path):
            for entry in facts.entries:
                if entry.kind in _KIND_WEIGHT and "written-by" not in facts.signs:
                    offer(path, entry, _KIND_WEIGHT[entry.kind])
    # With Bundler, bin/ is full of stubs that start what gems bring.
    has_stubs = "bin/rails" in codebase.paths or "bin/bundle" in codebase.paths
    homes = _homes(codebase.paths)
    for path in codebase.paths:
        if place_of(path) == "own" and not _SETTINGS.search(path) and not (has_stubs and _STUB.fullmatch(path)):
            directory, _, file = path.rpartition("/")
            if directory in homes and _AT_HOME.fullmatch(file):
                offer(path, Entry("main", file, 1), 60 if file.endswith("x") or file.startswith("main") else 52)
            for pattern, kind, name, weight in _AT_PATH:
                if pattern.fullmatch(path):
                    offer(path, Entry(kind, name or path.rpartition("/")[2], 1), weight)
                    break
    for path, entry in declared:
        offer(path, entry, 100 if entry.kind != "library" else 62, entry.kind != "library")
    ranked = sorted(best.items(), key=lambda row: (-row[1][0], row[0]))
    return [(path, entry) for path, (_, entry) in ranked[:_MOST]]


def _homes(paths: Collection[str]) -> frozenset[str]:
    """Where a JavaScript program begins: beside its manifest or its page, or in the sources next to them."""
    found: set[str] = set()
    for path in paths:
        directory, _, name = path.rpartition("/")
        if name in ("package.json", "index.html") and place_of(path) == "own":
            found |= {directory, f"{directory}/src" if directory else "src"}
    return frozenset(found)
