"""Removes secrets and prompt injections from the facts of a file."""

from __future__ import annotations

from msgspec.structs import replace

from loremark.base.redaction.redactor import redact
from loremark.memory.codebase.records import FileFacts
from loremark.memory.extraction.salience import targets_model


def sanitize_facts(facts: FileFacts) -> FileFacts:
    """Removes secrets and injections from a file's facts. Symbol and model names cannot be secrets and stay."""
    versions = (dependency.version or "" for dependency in facts.dependencies)
    words = [*facts.signs.values(), *(entry.name for entry in facts.entries), *versions]
    if not redact("\n".join(words))[1] and not any(map(targets_model, words)):
        return facts
    return replace(
        facts,
        signs={key: said for key, value in facts.signs.items() if (said := _said(value))},
        entries=tuple(replace(entry, name=said) for entry in facts.entries if (said := _said(entry.name))),
        dependencies=tuple(replace(one, version=_said(one.version or "") or None) for one in facts.dependencies),
    )


def _said(words: str) -> str:
    return "" if targets_model(words) else redact(words)[0]
