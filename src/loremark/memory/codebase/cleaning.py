"""The facts of a file without the secrets that its words hold, and without words that try to steer who reads them."""

from __future__ import annotations

from msgspec.structs import replace

from loremark.base.redaction.redacting import redact
from loremark.memory.codebase.records import FileFacts
from loremark.memory.extraction.worth import is_addressed_to_model


def clean(facts: FileFacts) -> FileFacts:
    """Names of symbols and models are left: no secret can be one. Most files have nothing to clean, and are quick."""
    versions = (dependency.version or "" for dependency in facts.dependencies)
    words = [*facts.signs.values(), *(entry.name for entry in facts.entries), *versions]
    if not redact("\n".join(words))[1] and not any(map(is_addressed_to_model, words)):
        return facts
    return replace(
        facts,
        signs={key: said for key, value in facts.signs.items() if (said := _said(value))},
        entries=tuple(replace(entry, name=said) for entry in facts.entries if (said := _said(entry.name))),
        dependencies=tuple(replace(one, version=_said(one.version or "") or None) for one in facts.dependencies),
    )


def _said(words: str) -> str:
    return "" if is_addressed_to_model(words) else redact(words)[0]
