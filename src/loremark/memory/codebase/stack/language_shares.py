"""Languages by share of the source, with versions from manifests."""

from __future__ import annotations

from collections.abc import Iterable

from loremark.memory.codebase.manifests.versions import plain_version
from loremark.memory.codebase.records import Codebase, FileFacts, Tech
from loremark.memory.codebase.stack.scope import area_of, is_source

_NAMES = {
    "python": "Python",
    "javascript": "JavaScript",
    "typescript": "TypeScript",
    "tsx": "TypeScript",
    "go": "Go",
    "rust": "Rust",
    "java": "Java",
    "kotlin": "Kotlin",
    "scala": "Scala",
    "groovy": "Groovy",
    "csharp": "C#",
    "fsharp": "F#",
    "ruby": "Ruby",
    "php": "PHP",
    "c": "C",
    "cpp": "C++",
    "swift": "Swift",
    "objective-c": "Objective-C",
    "dart": "Dart",
    "elixir": "Elixir",
    "erlang": "Erlang",
    "haskell": "Haskell",
    "ocaml": "OCaml",
    "lua": "Lua",
    "perl": "Perl",
    "r": "R",
    "julia": "Julia",
    "zig": "Zig",
    "tcl": "Tcl",
    "shell": "Shell",
    "powershell": "PowerShell",
    "sql": "SQL",
    "html": "HTML",
    "css": "CSS",
    "scss": "Sass",
    "less": "Less",
}
# A few files of these are common anywhere, so they need a larger share and number.
_SUBSTANTIAL = {"Shell": (0.004, 3), "PowerShell": (0.03, 3), "SQL": (0.03, 5), "HTML": (0.08, 15), "Groovy": (0.05, 5)}
_STYLES = {"CSS": (0.02, 1), "Sass": (0.01, 2), "Less": (0.01, 2)}
_MIN_SHARE = 0.02
_MIN_SHARE_OF_FIVE = 0.01
# A language with its own manifest has its own program or package, however small its share.
_MANIFESTS = {
    "Go": ("go.mod",),
    "Rust": ("cargo.toml",),
    "Python": ("pyproject.toml", "setup.py"),
    "Java": ("pom.xml", "build.gradle", "build.gradle.kts"),
    "C#": (".csproj",),
    "Ruby": ("gemfile",),
    "PHP": ("composer.json",),
    "Elixir": ("mix.exs",),
    "Dart": ("pubspec.yaml",),
    "Swift": ("package.swift",),
}
_MIN_SHARE_WITH_MANIFEST = 0.002
_VERSION_FILES = {
    "Python": (".python-version", "pyproject.toml", "setup.cfg", "setup.py", "pipfile"),
    "Go": ("go.mod", ".go-version"),
    "Rust": ("cargo.toml",),
    "Java": ("pom.xml", "build.gradle", "build.gradle.kts", ".java-version"),
    "Ruby": (".ruby-version", "gemfile.lock", "gemfile"),
    "PHP": ("composer.json",),
    "C++": ("cmakelists.txt",),
    "C": ("cmakelists.txt",),
}
_IMAGES = {"Python": "python", "Go": "golang", "Rust": "rust", "Ruby": "ruby", "PHP": "php", "Java": "eclipse-temurin"}
_TELLING = frozenset(("language-version", "tool-versions"))
_TOOL_NAMES = {"Python": "python", "Go": "golang", "Rust": "rust", "Java": "java", "Ruby": "ruby", "PHP": "php"}


def line_counts(codebase: Codebase) -> dict[str, tuple[int, int]]:
    """Lines and files per language by display name, the largest first."""
    lines: dict[str, int] = {}
    files: dict[str, int] = {}
    headers = 0
    for path, facts in codebase.files.items():
        if facts.language is None or not is_source(path):
            continue
        if facts.language == "header":
            headers += facts.lines
        elif facts.language in _NAMES:
            name = _NAMES[facts.language]
            lines[name] = lines.get(name, 0) + facts.lines
            files[name] = files.get(name, 0) + 1
    if headers:
        owner = "C++" if lines.get("C++", 0) > lines.get("C", 0) else "C"
        lines[owner] = lines.get(owner, 0) + headers
        files[owner] = files.get(owner, 0) + 1
    return {name: (lines[name], files[name]) for name in sorted(lines, key=lambda name: (-lines[name], name))}


def languages(codebase: Codebase) -> list[Tech]:
    """The significant languages, the largest share first; style sheets have their own category."""
    counts = line_counts(codebase)
    total = sum(lines for lines, _ in counts.values()) or 1
    code = (
        sum(lines for name, (lines, _) in counts.items() if name not in _STYLES and name not in _SUBSTANTIAL) or total
    )
    found: list[Tech] = []
    for name, (lines, files) in counts.items():
        if name == "CSS" and files == 1 and {"Sass", "Less"} & counts.keys():
            continue  # most likely the preprocessor's output
        if name in _STYLES or name in _SUBSTANTIAL:
            share, fewest = _STYLES.get(name) or _SUBSTANTIAL[name]
            if lines / total >= share and files >= fewest:
                found.append(Tech(name, None, "styling" if name in _STYLES else "language"))
        elif lines / code >= _MIN_SHARE or (files >= 5 and lines / code >= _least_share(codebase, name)):
            found.append(Tech(name, _version(codebase, name), "language"))
    return found


def _least_share(codebase: Codebase, language: str) -> float:
    wanted = _MANIFESTS.get(language, ())
    has_manifest = bool(wanted) and any(
        path.lower().endswith(wanted) and area_of(path) == "own" for path in codebase.paths
    )
    return _MIN_SHARE_WITH_MANIFEST if has_manifest else _MIN_SHARE_OF_FIVE


def _version(codebase: Codebase, language: str) -> str | None:
    telling = [
        path for path, facts in codebase.files.items() if facts.dependencies or not _TELLING.isdisjoint(facts.signs)
    ]
    by_depth = sorted(telling, key=lambda path: (path.count("/"), path))
    own = [(path, codebase.files[path]) for path in by_depth if area_of(path) == "own"]
    for wanted in _VERSION_FILES.get(language, ()):
        for path, facts in own:
            said = facts.signs.get("language-version")
            if said and path.rpartition("/")[2].lower() == wanted:
                version = _of_language(language, said)
                if version is not None:
                    return version
    return _of_tools(language, own) or _of_image(language, own)


def _of_image(language: str, own: Iterable[tuple[str, FileFacts]]) -> str | None:
    image = _IMAGES.get(language)
    rows = (row for _, facts in own for row in facts.dependencies)
    versions = (plain_version(row.version) for row in rows if row.ecosystem == "docker" and row.name == image)
    return next((version for version in versions if version), None)


def _of_language(language: str, said: str) -> str | None:
    if language in ("C", "C++"):
        return said.removeprefix(language) if said.startswith(language) and said[len(language) :].isdigit() else None
    return plain_version(said)


def _of_tools(language: str, own: Iterable[tuple[str, FileFacts]]) -> str | None:
    tool = _TOOL_NAMES.get(language)
    for _, facts in own:
        for row in facts.signs.get("tool-versions", "").split(", "):
            name, _, version = row.partition(" ")
            if tool is not None and name == tool:
                return plain_version(version)
    return None
