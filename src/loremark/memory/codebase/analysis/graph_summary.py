"""Summarizes the import graph for display: small enough to store with a scan."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from heapq import nsmallest
from itertools import chain

from loremark.memory.codebase.analysis.survey import Survey
from loremark.memory.codebase.graph.path_index import directory_of
from loremark.memory.codebase.records import Codebase, FileFacts
from loremark.wire.genesis import GraphModule, ScanGraph

MAX_MODULES = 80
_NOTHING = FileFacts(None, 0)


def summarize_graph(survey: Survey) -> ScanGraph:
    """The most connected modules of the project's own code and the imports between them."""
    reached = _between_modules(survey.graph.edges)
    imports = Counter({path: len(ends) for path, ends in reached.items()})
    imported_by = Counter(chain.from_iterable(reached.values()))
    connected = imports + imported_by
    most = nsmallest(MAX_MODULES, connected, key=lambda path: (-connected[path], path))
    shown = sorted(most, key=lambda path: (-imported_by[path], -imports[path], path))
    places = {path: place for place, path in enumerate(shown)}
    inside = _inside({path for path in shown if path.endswith("/")}, survey.sources)
    return ScanGraph(
        modules=[_module(path, survey.codebase, inside[path], imports[path], imported_by[path]) for path in shown],
        edges=sorted(
            (place, places[end]) for path, place in places.items() for end in reached.get(path, ()) if end in places
        ),
        remaining=len(connected) - len(shown),
    )


def _between_modules(edges: Mapping[str, tuple[str, ...]]) -> dict[str, Collection[str]]:
    """What each module imports; files of a package that is only imported as a whole are merged into it."""
    targets = set(chain.from_iterable(edges.values()))
    packages = {target for target in targets if target.endswith("/")}
    whole = packages - {f"{directory_of(target)}/" for target in targets - packages} if packages else packages
    files: dict[str, Collection[str]] = {}
    together: defaultdict[str, set[str]] = defaultdict(set)
    for path, ends in edges.items():
        directory = f"{directory_of(path)}/"
        if directory in whole:
            together[directory].update(end for end in ends if end != directory)
        else:
            files[path] = ends
    return files | together


def _inside(directories: set[str], sources: Mapping[str, FileFacts]) -> defaultdict[str, list[FileFacts]]:
    """The files directly in each of these directories."""
    found: defaultdict[str, list[FileFacts]] = defaultdict(list)
    for path, facts in sources.items():
        directory = f"{directory_of(path)}/"
        if directory in directories:
            found[directory].append(facts)
    return found


def _module(path: str, codebase: Codebase, inside: list[FileFacts], imports: int, imported_by: int) -> GraphModule:
    files = inside or [codebase.files.get(path, _NOTHING)]
    return GraphModule(
        path=path,
        language=max(files, key=lambda facts: facts.lines).language,
        lines=sum(facts.lines for facts in files),
        imports=imports,
        imported_by=imported_by,
    )
