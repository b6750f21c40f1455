"""Redaction shortcuts don't change the result."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loremark.base.redaction import redactor, secret_values
from loremark.base.redaction.redactor import redact
from tests.memory import secret_files
from tests.memory.secret_samples import INNOCENT, SECRETS

EVALS = Path(__file__).parents[2] / "evals"
ODD = [
    'paſſword = "Tr0ub4dor&3x"',
    "ſecret: hunter22xx",
    "ap\u0131 key is Aa11bb22zz33",
    "TO\u212aEN=abc123def456ghi789",
]


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (word for pair in value.items() for each in pair for word in strings(each))
    elif isinstance(value, list | tuple):
        yield from (word for each in value for word in strings(each))


def sample_texts() -> list[str]:
    found = [line for line, _ in SECRETS] + INNOCENT + ODD
    found += [word for value in vars(secret_files).values() for word in strings(value)]
    for name in ("dev", "test"):
        lines = (EVALS / name / "events.jsonl").read_text().splitlines()
        found += [word for line in lines for word in strings(json.loads(line))]
    return list(dict.fromkeys(found))


def test_shortcuts_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = sample_texts()
    assert len(samples) > 4_000
    with_shortcuts = [redact(text) for text in samples]
    assert sum(found for _, found in with_shortcuts) > 150
    monkeypatch.setattr(redactor, "contains_any", lambda lower, anchors: True)
    monkeypatch.setattr(redactor, "may_be_secret", lambda value: True)
    assert [redact(text) for text in samples] == with_shortcuts


def test_values_that_cannot_be_secrets_are_skipped() -> None:
    values = {word.strip() for text in sample_texts() for word in text.split() if len(word) < 200}
    for value in values:
        for strict in (True, False):
            for quoted in (True, False):
                if secret_values.is_secret_value(value, strict=strict, quoted=quoted):
                    assert secret_values.may_be_secret(value), value
