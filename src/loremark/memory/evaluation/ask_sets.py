"""Labeled questions for Ask, and how often answers cite a right item or, where there is none, nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from loremark.memory.evaluation.labeled_sets import CHECKOUT_SETS, InvalidLineError, Split, read_files, read_lines
from loremark.wire.items import ItemType

MIN_CITED_SHARE = 0.85
AskKind = Literal["fact", "why", "where", "how", "paraphrase", "identifier", "followup", "uncovered"]


class MemoryLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """One item in a project's memory."""

    project: str
    key: str
    type: ItemType
    title: str
    content: str
    schema_key: str
    files: tuple[str, ...]
    confidence: float
    session: str | None = None


class AskTurn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An earlier question and answer."""

    question: str
    answer: str


class AskLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question and the keys of the items that answer it; without keys, memory does not cover it."""

    project: str
    question: str
    answers: tuple[str, ...]
    kind: AskKind
    earlier: tuple[AskTurn, ...] = ()


@dataclass(frozen=True, slots=True)
class AskSet:
    """A complete set."""

    split: str
    memory: tuple[MemoryLine, ...]
    questions: tuple[AskLine, ...]


Answer = Callable[[AskLine], Sequence[str]]
"""Returns the keys of the items that the answer to a question cites."""


@dataclass(frozen=True, slots=True)
class AskScore:
    """Counts over a set.

    ``cited``: covered questions whose answer cites a right item. ``silent``: uncovered questions answered without a
    citation. ``foreign``: covered questions of each project, asked of the next project, which cannot answer them.
    """

    covered: int
    cited: int
    uncovered: int
    silent: int
    citations: int
    right_citations: int
    answered: int
    foreign: int = 0
    foreign_silent: int = 0

    @property
    def cited_share(self) -> float:
        return self.cited / self.covered if self.covered else 0.0

    @property
    def silent_share(self) -> float:
        return self.silent / self.uncovered if self.uncovered else 0.0

    @property
    def foreign_silent_share(self) -> float:
        return self.foreign_silent / self.foreign if self.foreign else 0.0

    @property
    def mean_cited(self) -> float:
        """Citations per answered covered question."""
        return self.citations / self.answered if self.answered else 0.0

    @property
    def precision(self) -> float:
        """The share of citations for covered questions that are right."""
        return self.right_citations / self.citations if self.citations else 0.0

    @property
    def figures(self) -> dict[str, float]:
        """The figures as JSON fields."""
        return {
            "covered": self.covered,
            "rightCited": round(self.cited_share, 4),
            "uncovered": self.uncovered,
            "silent": self.silent,
            "silentShare": round(self.silent_share, 4),
            "foreign": self.foreign,
            "foreignSilent": self.foreign_silent,
            "foreignSilentShare": round(self.foreign_silent_share, 4),
            "meanCited": round(self.mean_cited, 3),
            "citationPrecision": round(self.precision, 4),
        }

    def to_table(self) -> str:
        """The figures as text."""
        verdict = "ok" if self.cited_share >= MIN_CITED_SHARE else "MISSED"
        return (
            f"ask        {self.covered} covered  right item cited {self.cited_share:.3f}"
            f" (≥ {MIN_CITED_SHARE} {verdict})"
            f"  citations per answer {self.mean_cited:.2f}  precision {self.precision:.3f}\n"
            f"           {self.uncovered} uncovered (near misses)  nothing cited {self.silent}"
            f" ({self.silent_share:.3f})\n"
            f"           {self.foreign} about another project  nothing cited {self.foreign_silent}"
            f" ({self.foreign_silent_share:.3f})"
        )


def load_ask_set(split: Split, sets: Path = CHECKOUT_SETS) -> AskSet:
    """Load and validate a split. Use ``test`` for measuring only, never for tuning."""
    memory, questions = read_files(sets / f"asks-{split}", "memory.jsonl", "questions.jsonl")
    return parse_ask_set(split, memory, questions)


def parse_ask_set(split: str, memory: str, questions: str) -> AskSet:
    """Parse a set from the text of its files; raises InvalidLineError at the first invalid line."""
    asks = AskSet(
        split, tuple(read_lines("memory", memory, MemoryLine)), tuple(read_lines("questions", questions, AskLine))
    )
    _check(asks)
    return asks


def score_ask_set(asks: AskSet, answer: Answer) -> AskScore:
    """Answer every question, and again in a project that it is not about."""
    return score_lines(asks.questions, foreign_questions(asks), answer)


def score_lines(lines: Sequence[AskLine], foreign: Sequence[AskLine], answer: Answer) -> AskScore:
    """Score these questions; ``foreign`` are the ones asked of the wrong project."""
    answers = {line: answer(line) for line in lines}
    covered = [(set(keys) & set(line.answers), keys) for line, keys in answers.items() if line.answers]
    return AskScore(
        covered=len(covered),
        cited=sum(bool(right) for right, _ in covered),
        uncovered=len(answers) - len(covered),
        silent=sum(not keys for line, keys in answers.items() if not line.answers),
        citations=sum(len(keys) for _, keys in covered),
        right_citations=sum(len(right) for right, _ in covered),
        answered=sum(bool(keys) for _, keys in covered),
        foreign=len(foreign),
        foreign_silent=sum(not answer(line) for line in foreign),
    )


def foreign_questions(asks: AskSet) -> tuple[AskLine, ...]:
    """The covered questions of each project, asked of the next one, where nothing covers them."""
    projects = list(dict.fromkeys(line.project for line in asks.questions))
    after = dict(zip(projects, projects[1:] + projects[:1], strict=True))
    return tuple(
        msgspec.structs.replace(line, project=after[line.project], answers=(), kind="uncovered")
        for line in asks.questions
        if line.answers and after[line.project] != line.project
    )


def _check(asks: AskSet) -> None:
    project_of: dict[str, str] = {}
    for item in asks.memory:
        if project_of.setdefault(item.key, item.project) != item.project or not item.content.strip():
            raise InvalidLineError(f"{item.key}: no content, or the key is used in another project")
    if len(project_of) != len(asks.memory):
        raise InvalidLineError("duplicate item key")
    seen: set[tuple[str, str, tuple[AskTurn, ...]]] = set()
    for line in asks.questions:
        _check_question(line, project_of)
        if (line.project, line.question, line.earlier) in seen:
            raise InvalidLineError(f"duplicate question {line.question!r}")
        seen.add((line.project, line.question, line.earlier))


def _check_question(line: AskLine, project_of: dict[str, str]) -> None:
    unknown = [key for key in line.answers if project_of.get(key) != line.project]
    if unknown or len(set(line.answers)) != len(line.answers):
        raise InvalidLineError(
            f"{line.question!r}: {unknown or line.answers} are unknown or duplicate items of {line.project}"
        )
    if (line.kind == "uncovered") == bool(line.answers):
        raise InvalidLineError(f"{line.question!r}: the kind must be uncovered if, and only if, there are no answers")
    if line.project not in project_of.values():
        raise InvalidLineError(f"{line.question!r}: project {line.project} has no memory")
