"""One file, read: everything its path and content tell."""

from __future__ import annotations

from loremark.memory.codebase import documents
from loremark.memory.codebase.choosing.contents import is_generated, is_minified
from loremark.memory.codebase.cleaning import clean
from loremark.memory.codebase.languages import language_of, language_of_script
from loremark.memory.codebase.manifests.reading import is_lock, is_manifest, read_defaults, read_manifest
from loremark.memory.codebase.parsing import syntax
from loremark.memory.codebase.parsing.collecting import Collector, form_of
from loremark.memory.codebase.parsing.reading import read_source
from loremark.memory.codebase.records import FileFacts
from loremark.memory.codebase.schemas.reading import read_schema
from loremark.memory.codebase.security.reading import hits_in

MOST_CHARS = 262_144
_PARSED = {"header", "vue", "svelte"}
_SCHEMAS = {"sql", "prisma", "protobuf", "graphql"}


def read_file(path: str, content: str) -> FileFacts:
    """What is kept of a file."""
    return clean(_facts(path, content))


def _facts(path: str, content: str) -> FileFacts:
    """The facts of a file; many are several things at once: a program that is also a manifest, a manifest with models.

    One that a machine has written is only counted. Of a lock file only the packages are of interest.
    """
    lines = content.count("\n") + (not content.endswith("\n") and bool(content))
    manifest = is_manifest(path)
    told = read_manifest(path, content) if manifest else read_defaults(path, content)
    if manifest and is_lock(path):
        return FileFacts(language_of(path), lines, dependencies=told.dependencies, signs=told.signs)
    content = content[:MOST_CHARS]
    if is_minified(content) or is_generated(path, content):
        return FileFacts(None, lines, signs={"written-by": "machine"})
    language = language_of(path) or language_of_script(content)
    source, has_errors = _source(path, language, content)
    models = read_schema(path, language, content) if language in _SCHEMAS else tuple(source.models)
    signs = documents.read_document(path, content) | told.signs
    return FileFacts(
        language,
        lines,
        symbols=tuple(source.symbols),
        imports=tuple(source.imports),
        entries=(*told.entries, *source.entries),
        models=models,
        hits=hits_in(path, language, content),
        dependencies=told.dependencies,
        naming=dict(source.naming),
        signs={"doc": source.doc} | signs if source.doc else signs,
        has_errors=has_errors,
    )


def _source(path: str, language: str | None, content: str) -> tuple[Collector, bool]:
    """What the syntax tells, where the language is one we can parse."""
    if language is None or not (syntax.is_known(language) or language in _PARSED):
        return Collector(path), False
    found, has_errors = read_source(path, language, content)
    form = form_of(path.rpartition("/")[2].partition(".")[0])
    if form is not None:
        found.naming[f"file:{form}"] += 1
    return found, has_errors
