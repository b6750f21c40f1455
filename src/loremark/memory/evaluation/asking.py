"""Questions to a project's memory: the labelled sets, and how often the right item is cited or nothing at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Literal

import msgspec

from loremark.memory.evaluation.loading import FaultyLineError, Split, read_lines
from loremark.wire.items import ItemType

WANTED_CITED = 0.85
_PARTS = ("memory", "questions")
AskKind = Literal["fact", "why", "where", "how", "paraphrase", "identifier", "followup", "uncovered"]


class MemoryLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """One item that a project remembers."""

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
    """What was said before."""

    question: str
    answer: str


class AskLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question and the keys of the items that answer it; of none, memory does not cover it."""

    project: str
    question: str
    answers: tuple[str, ...]
    kind: AskKind
    earlier: tuple[AskTurn, ...] = ()


@dataclass(frozen=True, slots=True)
class AskSet:
    """All that one split holds."""

    split: str
    memory: tuple[MemoryLine, ...]
    questions: tuple[AskLine, ...]


Answer = Callable[[AskLine], Sequence[str]]
"""The keys of the items that the answer to a question cites."""


@dataclass(frozen=True, slots=True)
class AskScore:
    """``cited``: covered questions whose answer cites a right item. ``silent``: the others, answered with nothing.

    ``foreign``: covered questions of each project, asked of the next one, which knows nothing of it.
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
        """How many items an answer cites, over the covered questions that were answered."""
        return self.citations / self.answered if self.answered else 0.0

    @property
    def precision(self) -> float:
        """How many of the items cited for covered questions are right ones."""
        return self.right_citations / self.citations if self.citations else 0.0

    @property
    def figures(self) -> dict[str, float]:
        """For a machine."""
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
        """For a person."""
        verdict = "ok" if self.cited_share >= WANTED_CITED else "MISSED"
        return (
            f"ask        {self.covered} covered  right item cited {self.cited_share:.3f} (≥ {WANTED_CITED} {verdict})"
            f"  items per answer {self.mean_cited:.2f}  precision {self.precision:.3f}\n"
            f"           {self.uncovered} uncovered, near misses  nothing cited {self.silent}"
            f" ({self.silent_share:.3f})\n"
            f"           {self.foreign} of another project  nothing cited {self.foreign_silent}"
            f" ({self.foreign_silent_share:.3f})"
        )


def load_asks(split: Split) -> AskSet:
    """The set of that name, checked. ``test`` is for measuring only: nobody tunes on it."""
    folder = resources.files("loremark.memory.evaluation").joinpath("sets", f"asks-{split}")
    return parse_asks(split, *(folder.joinpath(f"{part}.jsonl").read_text(encoding="utf-8") for part in _PARTS))


def parse_asks(split: str, memory: str, questions: str) -> AskSet:
    """A set from the text of its files; raises FaultyLineError at the first false line."""
    asks = AskSet(
        split, tuple(read_lines("memory", memory, MemoryLine)), tuple(read_lines("questions", questions, AskLine))
    )
    _check(asks)
    return asks


def score_asks(asks: AskSet, answer: Answer) -> AskScore:
    """Every question answered once, and once more of a project that it is not about."""
    return score_lines(asks.questions, foreign_questions(asks), answer)


def score_lines(lines: Sequence[AskLine], foreign: Sequence[AskLine], answer: Answer) -> AskScore:
    """Of these questions, ``foreign`` being what is asked of the wrong project."""
    told = {line: answer(line) for line in lines}
    covered = [(set(keys) & set(line.answers), keys) for line, keys in told.items() if line.answers]
    return AskScore(
        covered=len(covered),
        cited=sum(bool(right) for right, _ in covered),
        uncovered=len(told) - len(covered),
        silent=sum(not keys for line, keys in told.items() if not line.answers),
        citations=sum(len(keys) for _, keys in covered),
        right_citations=sum(len(right) for right, _ in covered),
        answered=sum(bool(keys) for _, keys in covered),
        foreign=len(foreign),
        foreign_silent=sum(not answer(line) for line in foreign),
    )


def foreign_questions(asks: AskSet) -> tuple[AskLine, ...]:
    """What memory covers of one project, asked of the next one: there, nothing covers it."""
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
            raise FaultyLineError(f"{item.key}: it says nothing, or is an item of another project as well")
    if len(project_of) != len(asks.memory):
        raise FaultyLineError("an item stands there twice")
    seen: set[tuple[str, str, tuple[AskTurn, ...]]] = set()
    for line in asks.questions:
        _check_question(line, project_of)
        if (line.project, line.question, line.earlier) in seen:
            raise FaultyLineError(f"{line.question!r} stands there twice")
        seen.add((line.project, line.question, line.earlier))


def _check_question(line: AskLine, project_of: dict[str, str]) -> None:
    unknown = [key for key in line.answers if project_of.get(key) != line.project]
    if unknown or len(set(line.answers)) != len(line.answers):
        raise FaultyLineError(f"{line.question!r}: {unknown or line.answers} are not items of {line.project}")
    if (line.kind == "uncovered") == bool(line.answers):
        raise FaultyLineError(f"{line.question!r}: uncovered is what nothing answers, and nothing else")
    if line.project not in project_of.values():
        raise FaultyLineError(f"{line.question!r}: nothing is known of {line.project}")
