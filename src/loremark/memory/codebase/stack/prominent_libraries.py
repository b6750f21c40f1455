"""Finds widely imported libraries that the technology tables do not list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

from loremark.memory.codebase.records import Codebase, FileFacts
from loremark.memory.codebase.stack.dependency_versions import direct_dependencies
from loremark.memory.codebase.stack.scope import area_of, is_source, is_test
from loremark.memory.codebase.stack.technologies import KIND_OF, Detection, Technology, meanings_of, plain_name

_ECOSYSTEMS = {
    "python": "pypi",
    "go": "go",
    "rust": "crates",
    **dict.fromkeys(("javascript", "typescript", "tsx", "vue", "svelte"), "npm"),
    **dict.fromkeys(("java", "kotlin", "scala"), "maven"),
    "csharp": "nuget",
    "php": "packagist",
}
_SEPARATORS = {"pypi": ".", "go": "/", "crates": "::", "npm": "/", "maven": ".", "nuget": ".", "packagist": "\\"}
_MAX = 16
_MAX_BY_ONE = 2
_FEWEST_FILES = 2
_MIN_SHARE = 0.002
_FEWEST_SOURCES = 12
_DEEPEST = 6
_BELOW = ("golang.org/x/", "@types/", "@babel/", "microsoft.", "system.", "org.springframework", "com.google.code.")
# Too common to say anything about a project.
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
        *("arc-swap", "hashbrown", "foldhash", "ahash", "fxhash", "rustc-hash", "percent-encoding", "memchr", "bstr"),
        *("tokio-util", "tokio-stream", "futures-core", "futures-executor", "futures-channel", "pin-project", "http"),
        *("sha1", "sha2", "md5", "hmac", "byteorder", "bytemuck", "encoding_rs", "dirs", "home", "which", "shlex"),
        *("pin-project-lite", "ordered-float", "derive_builder", "paste", "static_assertions", "arrayvec", "nix"),
        *("react-dom", "fs-extra", "invariant", "js-yaml", "yaml", "mime-types", "form-data", "cookie", "js-cookie"),
        *(
            "type-fest",
            "utility-types",
            "ts-pattern",
            "tiny-invariant",
            "object-hash",
            "lru-cache",
            "p-queue",
            "p-limit",
        ),
        *("fast-deep-equal", "react-is", "copy-to-clipboard", "use-debounce", "react-merge-refs", "validator", "slug"),
        *("camelcase-keys", "snakecase-keys", "tinycolor2", "pretty-bytes", "filesize", "pluralize", "ipaddr.js"),
        *("glob", "minimatch", "execa", "mkdirp", "tmp", "diff", "escape-html", "serialize-error", "zone.js"),
        *("filelock", "sortedcontainers", "regex", "markdown", "mock", "decorator", "wrapt", "pyparsing", "cffi"),
        *("github.com/mattn/go-isatty", "github.com/spf13/cast", "go.uber.org/atomic", "go.uber.org/multierr"),
        *("github.com/mitchellh/mapstructure", "github.com/go-viper/mapstructure", "github.com/google/go-querystring"),
        *(
            "jakarta.annotation:jakarta.annotation-api",
            "javax.annotation:javax.annotation-api",
            "org.slf4j:slf4j-simple",
        ),
        *("com.google.code.findbugs:jsr305", "org.jspecify:jspecify", "org.apache.commons:commons-collections4"),
    )
)
# Last segments of Go module paths that say little without the previous one.
_COMMON_WORDS = frozenset(
    (
        *("api", "auth", "cache", "captcha", "certificates", "cli", "client", "color", "com", "common", "compress"),
        *("config", "context", "core", "cron", "crypto", "csrf", "di", "errors", "event", "events", "exp", "glob"),
        *("graphql", "gzip", "http", "i18n", "image", "json", "jwt", "log", "logger", "logging", "mail", "markdown"),
        *("metrics", "mock", "mux", "net", "oauth2", "pool", "prompt", "proto", "queue", "retry", "router", "schema"),
        *("sdk", "server", "session", "sessions", "sync", "template", "terminal", "text", "tools", "types", "utils"),
        *("uuid", "validate", "validator", "web", "websocket", "xml", "yaml", "binding", "backoff", "buffer", "bytes"),
    )
)
_GOPKG = re.compile(r"\.v\d{1,3}$")
_IMPORTED_WITHOUT = ("django-", "python-", "dj-")
"""Prefixes of Python packages that are often missing from the import name."""


def prominent_libraries(codebase: Codebase) -> Iterator[Detection]:
    """The unlisted packages that most files of their language import, tests excluded."""
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
    leading = [
        (ecosystem, name, files)
        for (ecosystem, name), files in used.items()
        if sources[ecosystem] >= _FEWEST_SOURCES and files >= max(_FEWEST_FILES, _MIN_SHARE * sources[ecosystem])
    ]
    leading.sort(key=lambda row: (-row[2], row[:2]))
    for ecosystem, name in _few_of_each_maker([row[:2] for row in leading])[:_MAX]:
        yield Detection(Technology(_called(ecosystem, unknown[ecosystem][name]), "backend"), None)


def _few_of_each_maker(rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Of many packages in the same scope (``@acme/logging``, ``@acme/errors``), the first two."""
    made: Counter[tuple[str, str]] = Counter()
    found: list[tuple[str, str]] = []
    for ecosystem, name in rows:
        steps = name.split("/")
        is_by_maker = (ecosystem == "go" and len(steps) > 2) or (ecosystem == "npm" and len(steps) == 2)
        maker = "/".join(steps[:-1][:2]) if is_by_maker else name
        made[ecosystem, maker] += 1
        if made[ecosystem, maker] <= _MAX_BY_ONE:
            found.append((ecosystem, name))
    return found


def _unknown(codebase: Codebase) -> dict[str, dict[str, str]]:
    """Import prefixes of unlisted packages, by ecosystem."""
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
            rows = found.setdefault(row.ecosystem, {})
            rows.update((prefix, row.name) for prefix in _prefixes(row.ecosystem, name))
    for ecosystem, rows in found.items():
        for prefix, package in list(rows.items()):
            # Part of something that is already listed.
            name = plain_name(ecosystem, package)
            steps = name.split("/") if ecosystem == "go" else []
            above = {_family(ecosystem, "/".join(steps[:size])) for size in range(1, len(steps))}
            if {_family(ecosystem, name), *above} & families:
                del rows[prefix]
    return found


def _is_own(name: str, own: Collection[str]) -> bool:
    """Whether it is a package of the codebase itself, or below one of its modules."""
    steps = name.split("/")
    return name.rpartition(":")[2] in own or any("/".join(steps[:size]) in own for size in range(1, len(steps) + 1))


def _is_plain(name: str) -> bool:
    return name in _SMALL or name.startswith(_BELOW)


def _family(ecosystem: str, name: str) -> str:
    if ecosystem == "packagist":
        return f"packagist {name}"
    if ecosystem == "npm":
        return name.partition("/")[0] if name.startswith("@") else f"npm {name.partition('-')[0]}"
    if ecosystem == "maven":
        return name.partition(":")[0]
    if ecosystem in ("go", "pypi"):
        return f"{ecosystem} {name}"
    return f"{ecosystem} {name.partition('.' if ecosystem == 'nuget' else '-')[0]}"


def _prefixes(ecosystem: str, name: str) -> tuple[str, ...]:
    """Possible import prefixes of the package."""
    if ecosystem == "maven":
        return (name.partition(":")[0],)
    if ecosystem == "packagist":
        return _namespaces(name)
    if ecosystem not in ("pypi", "crates"):
        return (name,)
    plain = name.replace("-", "_")
    cut = next((part for part in _IMPORTED_WITHOUT if ecosystem == "pypi" and name.startswith(part)), "")
    return (plain, plain[len(cut) :]) if cut else (plain,)


def _namespaces(package: str) -> tuple[str, ...]:
    """``acme/laravel-html`` is most likely ``Acme\\Html``, ``acme/device-detector`` may be ``DeviceDetector`` alone."""
    vendor, _, name = (part.replace("-", "").replace("_", "") for part in package.partition("/"))
    short = name.removeprefix("laravel").removeprefix("php") or name
    alone = (name,) if len(name) >= 6 or name == vendor else ()
    return (f"{vendor}\\{name}", f"{vendor}\\{short}", *alone)


def _asked(ecosystem: str, facts: FileFacts, unknown: dict[str, str], seen: dict[str, str | None]) -> set[str]:
    """Which of the packages a file imports; cached, because many files have the same imports."""
    found: set[str] = set()
    for row in facts.imports:
        if row.target not in seen:
            seen[row.target] = _package(ecosystem, row.target, unknown)
        known = seen[row.target]
        if known is not None:
            found.add(known)
    return found


def _package(ecosystem: str, target: str, unknown: dict[str, str]) -> str | None:
    """The longest prefix of an import that is a package."""
    if target.startswith("."):
        return None
    separator = _SEPARATORS[ecosystem]
    parts = (target if ecosystem == "npm" else target.lower()).split(separator, _DEEPEST)
    fronts = (separator.join(parts[:size]) for size in range(min(len(parts), _DEEPEST), 0, -1))
    return next((front for front in fronts if front in unknown), None)


def _called(ecosystem: str, package: str) -> str:
    """The common name: without host, major version and group."""
    if ecosystem == "go":
        parts = [part for part in package.split("/") if not (part[:1] == "v" and part[1:].isdigit())]
        last = _GOPKG.sub("", parts[-1])
        return f"{parts[-2]}/{last}" if last in _COMMON_WORDS and len(parts) > 1 else last
    return package.rpartition(":")[2] if ecosystem == "maven" else package
