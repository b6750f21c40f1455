"""Recall and false alarms of the secret scan on planted secrets, compared with detect-secrets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from detect_secrets.core.secrets_collection import SecretsCollection
from detect_secrets.settings import default_settings

from loremark.memory.codebase.languages import language_of
from loremark.memory.codebase.security.scanner import scan_file
from tests.growth import Work, assert_subquadratic
from tests.memory import secret_files
from tests.memory.secret_files import Made, Place

# Not looked at line by line while the rules were made; seeds 1 to 5 were.
HELD_OUT_SEED = 4_711
Lines = dict[str, set[int]]


class Score:
    """Of lines: a secret is found when one of its lines is told; every other line told is a false alarm."""

    def __init__(self, made: Made, told: Lines, is_counted: Callable[[str], bool]) -> None:
        self.missed: Counter[str] = Counter()
        self.false: Counter[str] = Counter()
        self.found = self.planted = 0
        for place in made.planted:
            if is_counted(place.kind):
                is_found = bool(_lines(place) & told.get(place.path, set()))
                self.planted += 1
                self.found += is_found
                self.missed[place.kind] += not is_found
        for place in made.alike:
            if is_counted(place.kind):
                self.false[place.kind] += len(_lines(place) & told.get(place.path, set()))
        self.recall = self.found / self.planted
        self.precision = self.found / max(1, self.found + self.false.total())

    def row(self, name: str) -> str:
        counts = f"{self.found}/{self.planted} found, {self.false.total()} false"
        return f"{name:34} recall {self.recall:.3f}  precision {self.precision:.3f}  ({counts})"


def _lines(place: Place) -> set[int]:
    return set(range(place.first, place.last + 1))


def _ours(made: Made) -> Lines:
    return {
        path: {hit.line for hit in scan_file(path, language_of(path), text) if hit.kind == "secret"}
        for path, text in made.files.items()
    }


def _theirs(made: Made, folder: Path) -> Lines:
    told: Lines = {}
    with default_settings():
        for path, text in made.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            found = SecretsCollection()
            found.scan_file(str(target))
            told[path] = {secret.line_number for _, secret in found}
    return told


@pytest.fixture(scope="module")
def made() -> Made:
    return secret_files.make(HELD_OUT_SEED)


def test_sample_set_is_large_and_varied(made: Made) -> None:
    assert len(made.planted) >= 400
    assert len({place.kind for place in made.planted}) >= 25
    assert len(made.alike) >= 600
    for table in (secret_files.SECRETS, secret_files.ALIKE):
        names = [kind for kind, *_ in secret_files.kinds(table)]
        assert sum(map(secret_files.is_held_out, names)) >= len(names) / 3
    assert secret_files.make(HELD_OUT_SEED) == made


def test_secrets_are_found_and_look_alikes_are_not(made: Made, tmp_path: Path) -> None:
    ours, theirs = _ours(made), _theirs(made, tmp_path)
    parts: list[tuple[str, Callable[[str], bool]]] = [
        ("all kinds", lambda kind: True),
        ("kinds looked at", lambda kind: not secret_files.is_held_out(kind)),
        ("kinds held out", secret_files.is_held_out),
    ]
    for name, is_counted in parts:
        score, other = Score(made, ours, is_counted), Score(made, theirs, is_counted)
        print(f"\n{score.row(f'loremark, {name}')}\n{other.row(f'detect-secrets, {name}')}")
        assert score.recall >= 0.95, score.missed
        assert score.precision >= 0.9, score.false
        assert score.recall > other.recall
        assert score.precision > other.precision
    whole = Score(made, ours, parts[0][1])
    print(f"missed by loremark: {dict(+whole.missed)}\nfalse alarms of loremark: {dict(+whole.false)}")
    # Every line that is told belongs to something planted or to a look-alike: the lines around them are never told.
    known = {(place.path, line) for place in (*made.planted, *made.alike) for line in _lines(place)}
    assert {(path, line) for path, lines in ours.items() for line in lines} <= known


def test_hits_never_contain_part_of_a_secret(made: Made) -> None:
    texts = {
        hit.why + hit.rule for path, text in made.files.items() for hit in scan_file(path, language_of(path), text)
    }
    values = {
        word for text in made.files.values() for word in text.split() if any(map(str.isdigit, word)) and len(word) > 7
    }
    assert not [value for value in values for text in texts if value.strip("\"',;") in text]


def test_secrets_in_tests_have_lower_severity(made: Made) -> None:
    for path, text in list(made.files.items())[:20]:
        assert all(hit.severity <= 2 for hit in scan_file(f"tests/{path}", language_of(path), text))


@pytest.mark.parametrize("ending", ["", "-", "1234"])
@pytest.mark.parametrize("piece", ["aa", "aB", "Ab", "ab"])
def test_scanning_a_long_word_is_subquadratic(piece: str, ending: str) -> None:
    def prepare(size: int, repetition: int) -> Work:
        text = f'TOKEN = "{piece * (size // 2)}{ending}"\n'
        return lambda: scan_file("src/settings.py", "python", text)

    assert_subquadratic(prepare, 50_000)
