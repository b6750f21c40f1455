"""Libraries that no table knows and much of the code leans on, called by the names of their packages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from cairn.memory.codebase.records import Codebase, FileFacts
from cairn.memory.codebase.stack.merging import direct_dependencies
from cairn.memory.codebase.stack.scope import area_of, is_source, is_test
from cairn.memory.codebase.stack.technologies import KIND_OF, Sighting, Technology, meanings_of, plain_name

_ECOSYSTEMS = {
    "python": "pypi",
    "go": "go",
    "rust": "crates",
    **dict.fromkeys(("javascript", "typescript", "tsx", "vue", "svelte"), "npm"),
    **dict.fromkeys(("java", "kotlin", "scala"), "maven"),
    "csharp": "nuget",
}
_SEPARATORS = {"pypi": ".", "go": "/", "crates": "::", "npm": "/", "maven": ".", "nuget": "."}
_MOST = 5
_FEWEST_FILES = 4
_LEAST_SHARE = 0.02
_FEWEST_SOURCES = 12
_DEEPEST = 6
_BELOW = ("golang.org/x/", "@types/", "@babel/", "microsoft.", "system.", "org.springframework", "com.google.code.")
# What every other project takes along says nothing about this one.
_SMALL = frozenset(
    (
        *("serde_json", "serde_derive", "once_cell", "lazy_static", "itertools", "url", "uuid", "rand", "log", "bytes"),
        *("libc", "num-traits", "derive_more", "async-trait", "strum", "smallvec", "indexmap", "futures", "tempfile"),
        *("syn", "quote", "proc-macro2", "bitflags", "time", "hex", "base64", "cfg-if", "futures-util", "either"),
        *("classnames", "clsx", "tslib", "prop-types", "nanoid", "debug", "semver", "rimraf", "chalk", "ms", "buffer"),
        *("events", "process", "util", "path", "inherits", "typescript", "core-js", "query-string", "qs", "deepmerge"),
        *("six", "typing-extensions", "python-dateutil", "pytz", "pyyaml", "tqdm", "colorama", "packaging", "certifi"),
        *("toml", "simplejson", "chardet", "idna", "setuptools", "future", "mypy-extensions", "tzdata", "zipp"),
        *("github.com/google/uuid", "github.com/pkg/errors", "gopkg.in/yaml.v3", "gopkg.in/yaml.v2"),
        *("github.com/burntsushi/toml", "github.com/davecgh/go-spew", "github.com/fatih/color"),
        *("github.com/dustin/go-humanize", "@hookform/resolvers", "unicode-width", "unicode-segmentation"),
    )
)


def leading_libraries(codebase: Codebase) -> Iterator[Sighting]:
    """The few unknown packages that the most files of their language import; tests do not count."""
    unknown = _unknown(codebase)
    if not unknown:
        return
    sources: Counter[str] = Counter()
    used: Counter[tuple[str, str]] = Counter()
    seen: dict[str, dict[str, str | None]] = {ecosystem: {} for ecosystem in unknown}
    for path, facts in codebase.files.items():
        ecosystem = _ECOSYSTEMS.get(facts.language or "")
        if ecosystem is None or ecosystem not in unknown or is_test(path) or area_of(path) != "own":
            continue
        if is_source(path):
            sources[ecosystem] += 1
            asked = _asked(ecosystem, facts, unknown[ecosystem], seen[ecosystem])
            used.update((ecosystem, name) for name in asked)
    rows = sorted(used.items(), key=lambda row: (-row[1] / sources[row[0][0]], row[0]))
    for (ecosystem, name), files in rows[:_MOST]:
        whole = sources[ecosystem]
        if whole >= _FEWEST_SOURCES and files >= max(_FEWEST_FILES, _LEAST_SHARE * whole):
            yield Sighting(Technology(_called(ecosystem, unknown[ecosystem][name]), "backend"), None)


def _unknown(codebase: Codebase) -> dict[str, dict[str, str]]:
    """By ecosystem: what an import of an unknown package begins with, and the package."""
    own = {facts.signs["name"].lower() for facts in codebase.files.values() if "name" in facts.signs}
    found: dict[str, dict[str, str]] = {}
    families: set[str] = set()
    for path, row in direct_dependencies(codebase):
        if row.ecosystem not in _SEPARATORS or area_of(path) != "own":
            continue
        name = plain_name(row.ecosystem, row.name)
        if meanings_of(KIND_OF[row.ecosystem], name):
            families.add(_family(row.ecosystem, name))
        elif (row.ecosystem == "npm" or not row.is_dev) and not _is_plain(name) and not _is_own(name, own):
            found.setdefault(row.ecosystem, {})[_prefix(row.ecosystem, name)] = row.name
    for ecosystem, rows in found.items():
        for prefix, package in list(rows.items()):
            # A part of something that is known by name already.
            if _family(ecosystem, plain_name(ecosystem, package)) in families:
                del rows[prefix]
    return found


def _is_own(name: str, own: Collection[str]) -> bool:
    """A package of the codebase itself, or a module below one of its modules."""
    steps = name.split("/")
    return name.rpartition(":")[2] in own or any("/".join(steps[:size]) in own for size in range(1, len(steps) + 1))


def _is_plain(name: str) -> bool:
    return name in _SMALL or name.startswith(_BELOW)


def _family(ecosystem: str, name: str) -> str:
    if ecosystem == "npm":
        return name.partition("/")[0] if name.startswith("@") else f"npm {name.partition('-')[0]}"
    if ecosystem == "maven":
        return name.partition(":")[0]
    if ecosystem == "go":
        return "/".join(name.split("/")[:2])
    return f"{ecosystem} {name.partition('.' if ecosystem == 'nuget' else '-')[0]}"


def _prefix(ecosystem: str, name: str) -> str:
    if ecosystem == "maven":
        return name.partition(":")[0]
    return name.replace("-", "_") if ecosystem in ("pypi", "crates") else name


def _asked(ecosystem: str, facts: FileFacts, unknown: dict[str, str], seen: dict[str, str | None]) -> set[str]:
    """Which of the packages a file imports; the same imports stand in many files."""
    found: set[str] = set()
    for row in facts.imports:
        if row.target not in seen:
            seen[row.target] = _package(ecosystem, row.target, unknown)
        known = seen[row.target]
        if known is not None:
            found.add(known)
    return found


def _package(ecosystem: str, target: str, unknown: dict[str, str]) -> str | None:
    """The longest front part of an import that is a package."""
    if target.startswith("."):
        return None
    separator = _SEPARATORS[ecosystem]
    parts = (target if ecosystem == "npm" else target.lower()).split(separator, _DEEPEST)
    fronts = (separator.join(parts[:size]) for size in range(min(len(parts), _DEEPEST), 0, -1))
    return next((front for front in fronts if front in unknown), None)


def _called(ecosystem: str, package: str) -> str:
    """The name that people use: without its host and its major version, without its group."""
    if ecosystem == "go":
        parts = [part for part in package.split("/") if not (part[:1] == "v" and part[1:].isdigit())]
        return parts[-1]
    return package.rpartition(":")[2] if ecosystem == "maven" else package
