"""File paths: found in prose and diffs, normalized, and told apart from text that only looks like a path."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

MAX_PATH_CHARS = 300


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# In prose the extension must be known: "stripe.com", "v1.2.rc1" and "user.name" look like files too.
_EXTENSIONS = _words("""
    adoc asm astro avsc bash bat bazel bicep bzl c cc cfg cjs clj cljs cmake cnf conf cpp cr cs csh cshtml csproj css
    csv cts cu cxx d.ts dart dockerfile dts dtsi eex ejs el elm erb erl ex exs f90 fish fs fsproj gd go gql gradle
    graphql groovy h haml handlebars hbs hcl heex hh hpp hrl hs htm html hxx ini ino ipynb j2 java jinja jinja2 jl js
    json
    json5 jsonc jsonl jsx kt kts less lhs liquid lock lua m4 mak md mdc mdx mjml mjs mk ml mli mm mod mts mustache
    neon nim nix njk patch php pl plist pm prisma properties props proto ps1 psm1 pug pxd py pyi pyx rake rb rbs rego
    resx rkt rs rst sass sbt scala scm scss sh slim sln snap sol sql sqlite stories sum sv svelte svg swift targets
    tcl tex tf tfvars thrift toml tpl ts tsv tsx twig txt vb vbproj vhd vue wat wgsl wsdl xaml xml xsd xsl yaml yml
    zig zsh
    """)
# Attributes as often as extensions ("console.log", "process.env"): accepted only inside a path.
_EXTENSIONS_IN_PATH = _words("d env log m po pot r v")
_NAMES = _words("""
    brewfile build caddyfile codeowners containerfile dockerfile gemfile gnumakefile jenkinsfile justfile license
    makefile pipfile podfile procfile rakefile snakefile tiltfile vagrantfile workspace
    """)
# Ordinary words on their own ("the build", "a license"): accepted only inside a path or in capitals.
_NAMES_LIKE_WORDS = frozenset(("build", "license", "workspace", "codeowners"))
_DOT_NAMES = re.compile(
    r"\.(?:env(?:\.[a-z0-9_-]+){0,3}|[a-z][a-z0-9_-]*(?:rc|ignore|attributes|config|modules|version|keep)"
    r"(?:\.(?:js|cjs|mjs|json|ya?ml|toml))?|cursorrules|clinerules|mailmap|nvmrc|[a-z][a-z0-9_-]*\.(?:ya?ml|"
    r"json|toml|js|cjs))",
    re.IGNORECASE,
)
# Products with names like files.
_PRODUCTS = _words("""
    alpine.js angular.js backbone.js chart.js d3.js discord.js docs.rs ember.js express.js fastify.js hono.js
    knockout.js moment.js nest.js next.js node.js nuxt.js p5.js pdf.js polymer.js preact.js react.js require.js
    socket.io solid.js svelte.js three.js video.js vue.js
    """)
_FOREIGN_ROOTS = _words(
    "bin boot dev etc home lib lib64 mnt opt private proc root run sbin srv sys tmp users usr var volumes"
)
_EXCLUDED_FOLDERS = frozenset(
    ("node_modules", ".git", "__pycache__", ".venv", "venv", "site-packages", ".tox", ".mypy_cache")
)
_HOST = re.compile(
    r"(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|edu|gov|ai|app|cloud|co|de|eu|fr|in|us|uk|xyz|info)", re.IGNORECASE
)
_BETWEEN_TOKENS = re.compile(r"[\s\x00-\x1f`\"'<>|,;=“”‘’«»…]+|\]\(|->|→")
_MAY_BE_PATH = re.compile(r"\w\.\w|/\w|\\\w|^\W{0,3}(?:\.\w|[A-Z][a-z]+file\b|[A-Z]{6,}\b)")
_LINE_SUFFIX = re.compile(r"(?:::?[A-Za-z_0-9.\[\]-]*|#[A-Za-z_0-9-]*|\(\d+(?:,\d+)?\)?|@[A-Za-z_0-9]+)$")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_BAD_IN_PATH = re.compile(r"[\x00-\x1f\x7f*?\"<>|:\\{}!%^&;`]")
_CLOSING = {")": "(", "]": "[", "}": "{"}
_GIT_HEADER = re.compile(r"^diff --git (?:\"?a/(.{1,300}?)\"?) (?:\"?b/(.{1,300})\"?)$")


# Lock files and the like: a change to one says nothing by itself.
_MACHINE_FILES = re.compile(
    r"(?:^|/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|pdm\.lock|"
    r"pipfile\.lock|cargo\.lock|"
    r"gemfile\.lock|composer\.lock|go\.sum|flake\.lock|mix\.lock|podfile\.lock|packages\.lock\.json|"
    r"npm-shrinkwrap\.json|\.ds_store)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DiffFile:
    """A file that a diff touches. ``deleted`` is also true for the old name of a renamed file."""

    path: str
    deleted: bool


def normalize_path(text: str, roots: Iterable[str] = ()) -> str | None:
    """Return the repository-relative path with forward slashes, or None if it is not one."""
    path = text.strip().replace("\\", "/")
    if not path or len(path) > MAX_PATH_CHARS or "://" in path or path.startswith(("~", "//", "www.")):
        return None
    for root in roots:
        base = root.replace("\\", "/").rstrip("/")
        if base and path.startswith(base + "/"):
            path = path[len(base) + 1 :]
            break
    if _DRIVE.match(path):
        return None
    if path.startswith("/"):
        path = path.lstrip("/")
        if path.split("/", 1)[0].lower() in _FOREIGN_ROOTS:
            return None
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if (
        not parts
        or not _is_balanced("/".join(parts))
        or any(part.lower() in _EXCLUDED_FOLDERS for part in parts)
        or _BAD_IN_PATH.search("/".join(parts))
    ):
        return None
    return "/".join(parts)


def parse_file_field(value: object, roots: Iterable[str] = ()) -> str | None:
    """Return the path from a field that holds file names. Any extension is accepted, but not a bare folder."""
    if not isinstance(value, str) or len(value) > 2 * MAX_PATH_CHARS:
        return None
    text = value.strip().strip("`'\"")
    if text.endswith(("/", "\\")) or "://" in text:
        return None
    if not _DRIVE.match(text) or any(text.startswith(root) for root in roots):
        text = _without_line(text)
    path = normalize_path(text, roots)
    if path is None or _HOST.fullmatch(path.split("/", 1)[0]):
        return None
    name = path.rsplit("/", 1)[-1]
    return path if _is_known_name(name, in_path=True) or _has_extension(name) else None


def is_generated_file(path: str) -> bool:
    """Whether a tool maintains the file."""
    return _MACHINE_FILES.search(path) is not None


def find_paths(text: str, roots: Iterable[str] = ()) -> list[str]:
    """Return every plausible file path in a text, in order, without duplicates."""
    found: dict[str, None] = {}
    roots = tuple(roots)
    for token in dict.fromkeys(_BETWEEN_TOKENS.split(text)):
        if _MAY_BE_PATH.search(token) is None:
            continue
        path = _path_of_token(token, roots)
        if path is not None:
            found.setdefault(path)
    return list(found)


def parse_diff(diff: str) -> list[DiffFile]:
    """Return the files of a unified git diff, in order, without duplicates."""
    deleted: dict[str, bool] = {}
    current = before = ""
    for line in diff.splitlines():
        if line.startswith("diff --git "):
            header = _GIT_HEADER.match(line[:700])
            before, current = (header.group(1), header.group(2).rstrip('"')) if header else ("", "")
            if current:
                deleted.setdefault(current, False)
        elif line.startswith("deleted file mode") and current:
            deleted[current] = True
        elif line.startswith("rename from "):
            deleted[line[12:].strip()] = True
        elif line.startswith("--- ") and not line.startswith("--- /dev/null"):
            before = _diff_path(line)
        elif line.startswith("+++ "):
            if line.startswith("+++ /dev/null"):
                if before:
                    deleted[before] = True
            elif _diff_path(line):
                deleted.setdefault(_diff_path(line), False)
    normal = ((normalize_path(path), gone) for path, gone in deleted.items())
    return [DiffFile(path, gone) for path, gone in normal if path is not None]


def _is_balanced(path: str) -> bool:
    return all(path.count(opening) == path.count(closing) for closing, opening in _CLOSING.items())


def _diff_path(line: str) -> str:
    path = line[4:].split("\t", 1)[0].strip().strip('"')
    return path[2:] if path.startswith(("a/", "b/")) else path


def _path_of_token(token: str, roots: tuple[str, ...]) -> str | None:
    if len(token) > 2 * MAX_PATH_CHARS or "://" in token or "@" in token[1:].split("/", 1)[0]:
        return None
    text = _without_brackets(_without_emphasis(token).rstrip(".:!?"))
    if "(" in text and "/(" not in text and not _LINE_SUFFIX.search(text):
        text = text.split("(", 1)[1].rstrip(")")  # skip the function name: `response.json()`, `open(a.py)`
    if not _DRIVE.match(text):
        text = _without_line(text)
        if ":" in text:
            text = text.rsplit(":", 1)[-1]
    text = text.rstrip(".,")
    if text.startswith(("@", "-", "$", "+")) or text.endswith(("/", "\\")):
        return None
    path = normalize_path(text, roots)
    if path is None or not _is_plausible(path):
        return None
    return path


def _is_plausible(path: str) -> bool:
    parts = path.split("/")
    name = parts[-1]
    if len(parts) > 1 and _HOST.fullmatch(parts[0]):
        return False
    if path.lower() in _PRODUCTS:
        return False
    if _is_known_name(name, in_path=len(parts) > 1):
        return True
    stem, dot, extension = name.rpartition(".")
    if not dot or not stem.strip("."):
        return False
    if len(parts) == 1:
        return extension in _EXTENSIONS  # `Microsoft.Data.Sqlite` is not a file
    # Deep in a path any extension is accepted; in "and/or.else" it must be known.
    return extension.lower() in _EXTENSIONS | _EXTENSIONS_IN_PATH or (
        len(parts) > 2 and extension.isalpha() and extension.islower()
    )


def _is_known_name(name: str, *, in_path: bool) -> bool:
    if _DOT_NAMES.fullmatch(name):
        return True
    base = name.split(".", 1)[0]
    lower = base.lower()
    if lower not in _NAMES:
        return False
    if lower in _NAMES_LIKE_WORDS:
        return base.isupper() and (in_path or lower not in ("build", "workspace"))
    return base[0].isupper() or in_path or name != base


def _has_extension(name: str) -> bool:
    stem, dot, extension = name.rpartition(".")
    return bool(dot and stem) and 1 <= len(extension) <= 12 and extension.isalnum() and not extension.isdigit()


def _without_line(text: str) -> str:
    for _ in range(3):
        cut = _LINE_SUFFIX.sub("", text) if len(text) <= 2 * MAX_PATH_CHARS else text
        if cut == text:
            break
        text = cut
    return text


def _without_brackets(text: str) -> str:
    """Strip brackets around a path; those inside one (``app/[id]/page.tsx``) stay."""
    text = text.lstrip("([{")
    while text and text[-1] in ")]}.,:":
        opening = _CLOSING.get(text[-1])
        if opening and text.count(opening) >= text.count(text[-1]):
            break
        text = text[:-1]
    return text


def _without_emphasis(token: str) -> str:
    text = token.strip("*!?")
    return text.strip("_") if text.startswith("_") and text.endswith("_") else text
