"""Follows programs from their main file to the files that define what it calls."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from loremark.memory.codebase.analysis.path_roles import path_role
from loremark.memory.codebase.graph.import_graph import ImportGraph, import_graph
from loremark.memory.codebase.records import Codebase

_MAX_PROGRAMS = 12
_MAX_FILES = 8
_DISPATCHED = 0.8
# Must be a whole word: `runServer` and `run_server` start something, `Runtime` does not.
_BEGINS = re.compile(
    r"(?:[Rr]un|[Mm]ain|[Ss]tart|[Ss]erve|[Ee]xecute|[Ll]aunch|[Bb]oot|[Bb]ootstrap|[Aa]pp|[Aa]pplication|[Cc]li|CLI|[Ss]erver|"
    r"[Rr]outer|[Rr]outes|[Cc]ore|[Oo]ptions|[Aa]rgs|(?:[Rr]oot_?)?[Cc]md)(?:[A-Z_]\w{0,24})?|"
    r"[Pp]arse(?:_?(?:[Aa]rg|[Oo]ption|[Ff]lag|[Cc]ommand|[Cc]li|[Cc]onfig)\w{0,24})?|"
    r"(?:[Cc]reate|[Nn]ew|[Mm]ake|[Bb]uild|[Ii]nit|[Ss]etup|[Cc]onfigure|[Gg]et)_?"
    r"(?:[Aa]pp|[Aa]pplication|[Ss]erver|[Rr]outer|[Cc]li|[Cc]ommand|[Aa]pi|API|[Ee]ngine)(?:[A-Z_]\w{0,24})?|"
    r"New[A-Z]\w{0,24}(?:Watcher|Aggregator|Server|Engine|Scheduler|Daemon|Worker)"
)
_STEMS = re.compile(
    r"(?:app|application|core|cli|options|opts|args|arguments|flags|cmdline|commands?|server|router|routes|run|runner|root|"
    r"clap_app|bootstrap|boot|api)",
    re.IGNORECASE,
)


def follow_programs(
    codebase: Codebase, programs: Iterable[str], consoles: Collection[str] = (), graph: ImportGraph | None = None
) -> list[tuple[str, str, float]]:
    """Path, referenced name and relevance (0 to 1) of the files that programs call into."""
    first = [path for path in programs if path in codebase.files][:_MAX_PROGRAMS]
    imports = {path: codebase.files[path].imports for path in first if codebase.files[path].imports}
    if not imports:
        return []
    if graph is None:
        names = {path: facts.signs["name"] for path, facts in sorted(codebase.files.items()) if "name" in facts.signs}
        graph = import_graph(imports, sorted(codebase.paths), names)
    found: dict[str, tuple[str, float]] = {}
    for path in first:
        taken = frozenset(name for imported in imports.get(path, ()) for name in imported.names)
        begins = frozenset(name for name in taken if _BEGINS.fullmatch(name))
        late = _late(codebase, path) if path in consoles else frozenset()
        for target in graph.edges.get(path, ()):
            for file, name, weight in (*_leading(codebase, target, begins), *_dispatched(codebase, target, late)):
                if file not in first and path_role(file) == "own" and weight > found.get(file, ("", 0.0))[1]:
                    found[file] = (name, weight)
    rows = sorted(found.items(), key=lambda row: (-row[1][1], row[0]))[:_MAX_FILES]
    return [(path, name, weight) for path, (name, weight) in rows]


def _leading(codebase: Codebase, target: str, begins: frozenset[str]) -> list[tuple[str, str, float]]:
    """Files by name or definition; for a package imported as a whole, the files that define the name."""
    if not target.endswith("/"):
        facts = codebase.files.get(target)
        defined = sorted(begins & {symbol.name for symbol in facts.symbols}) if facts else []
        is_named = _STEMS.fullmatch(target.rpartition("/")[2].partition(".")[0]) is not None
        return (
            [(target, defined[0] if defined else "", 0.5 * bool(defined) + 0.5 * is_named)]
            if defined or is_named
            else []
        )
    rows: list[tuple[str, str, float]] = []
    for path, facts in codebase.files.items():
        if path.startswith(target) and "/" not in path[len(target) :]:
            defined = sorted(begins & {symbol.name for symbol in facts.symbols if symbol.kind == "function"})
            if defined:
                rows.append((path, defined[0], 1.0))
    return rows


def _late(codebase: Codebase, path: str) -> frozenset[str]:
    """Imports inside the functions of a Python program, each of which is usually one of its features."""
    facts = codebase.files[path]
    first = min((symbol.line for symbol in facts.symbols if symbol.kind == "function"), default=None)
    if facts.language != "python" or first is None:
        return frozenset()
    rows = [imported for imported in facts.imports if imported.line > first]
    return frozenset(name for row in rows for name in (*row.names, row.target.rpartition(".")[2]))


def _dispatched(codebase: Codebase, target: str, late: frozenset[str]) -> list[tuple[str, str, float]]:
    """The module of such an import; for a package that only re-exports, the module it comes from."""
    directory, _, file = target.rpartition("/")
    stem = file.partition(".")[0]
    if stem != "__init__":
        return [(target, "", _DISPATCHED)] if stem in late else []
    facts = codebase.files.get(target)
    if facts is None or directory.rpartition("/")[2] not in late:
        return []
    inside = {name for row in facts.imports for name in (*row.names, row.target.rpartition(".")[2])}
    paths = (f"{directory}/{name}.py" for name in sorted(inside))
    return [(path, "", _DISPATCHED) for path in paths if path in codebase.files][:2]
