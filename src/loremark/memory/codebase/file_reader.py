"""Reads one file into facts."""

from __future__ import annotations

from loremark.memory.codebase import documents
from loremark.memory.codebase.fact_sanitizer import sanitize_facts
from loremark.memory.codebase.languages import language_of, language_of_script
from loremark.memory.codebase.manifests.manifest_reader import is_lock, is_manifest, read_defaults, read_manifest
from loremark.memory.codebase.parsing import syntax
from loremark.memory.codebase.parsing.collector import Collector, naming_style
from loremark.memory.codebase.parsing.source_reader import read_source
from loremark.memory.codebase.records import FileFacts
from loremark.memory.codebase.schemas.schema_reader import read_schema
from loremark.memory.codebase.security.scanner import scan_file
from loremark.memory.codebase.selection.content_checks import is_generated, is_minified

MAX_CHARS = 262_144
_PARSED = {"header", "vue", "svelte"}
_SCHEMAS = {"sql", "prisma", "protobuf", "graphql"}


def read_file(path: str, content: str) -> FileFacts:
    """Reads the facts of a file."""
    return sanitize_facts(_facts(path, content))


def _facts(path: str, content: str) -> FileFacts:
    """The facts of a file, which can have several roles: a program that is also a manifest, a manifest with models.

    Generated files are only counted. Of lock files only the packages are kept.
    """
    lines = content.count("\n") + (not content.endswith("\n") and bool(content))
    manifest = is_manifest(path)
    manifest_facts = read_manifest(path, content) if manifest else read_defaults(path, content)
    if manifest and is_lock(path):
        return FileFacts(language_of(path), lines, dependencies=manifest_facts.dependencies, signs=manifest_facts.signs)
    content = content[:MAX_CHARS]
    if is_minified(content) or is_generated(path, content):
        return FileFacts(None, lines, signs={"written-by": "machine"})
    language = language_of(path) or language_of_script(content)
    source, has_errors = _source(path, language, content)
    models = read_schema(path, language, content) if language in _SCHEMAS else tuple(source.models)
    signs = documents.read_document(path, content) | manifest_facts.signs
    return FileFacts(
        language,
        lines,
        symbols=tuple(source.symbols),
        imports=tuple(source.imports),
        entries=(*manifest_facts.entries, *source.entries),
        models=models,
        hits=scan_file(path, language, content),
        dependencies=manifest_facts.dependencies,
        naming=dict(source.naming),
        signs={"doc": source.doc} | signs if source.doc else signs,
        has_errors=has_errors,
    )


def _source(path: str, language: str | None, content: str) -> tuple[Collector, bool]:
    """The facts from parsing, if the language is supported."""
    if language is None or not (syntax.is_known(language) or language in _PARSED):
        return Collector(path), False
    found, has_errors = read_source(path, language, content)
    form = naming_style(path.rpartition("/")[2].partition(".")[0])
    if form is not None:
        found.naming[f"file:{form}"] += 1
    return found, has_errors
