"""Decides whether a session made use of what its briefing contained, and whether the person had to say it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from loremark.memory.ranking.terms import read_question
from loremark.memory.recall.turns import Message

Outcome = Literal["", "used", "corrected"]

USED_WORDS = 0.5
"""The share of an entry's words, without those of the prompts, in the agent's answers from which it was used."""
REPEATED_WORDS = 0.6
"""The share of an entry's words in a prompt from which the prompt says the same again."""
REPEATED_SIMILARITY = 0.6
"""The cosine of a prompt and an entry from which the prompt says the same again."""
_LEAST_WORDS = 3
"""Fewer words say nothing about where they come from."""
_STRENGTH: tuple[Outcome, ...] = ("", "used", "corrected")


@dataclass(frozen=True, slots=True)
class ServedEntry:
    """Something that a briefing contained. ``names``: what it is cited by, such as its id."""

    names: tuple[str, ...]
    text: str
    files: frozenset[str]


@dataclass(frozen=True, slots=True)
class LaterTurn:
    """A turn after the briefing. ``is_opening``: it is part of the first event, whose prompt the briefing was for."""

    messages: tuple[Message, ...]
    files: tuple[str, ...]
    commands: tuple[str, ...]
    is_opening: bool


def decide_outcome(entry: ServedEntry, turns: Sequence[LaterTurn], similarities: Mapping[str, float]) -> Outcome:
    """Return what became of an entry. ``similarities``: the cosine with the entry of each prompt that has one."""
    if any(_repeats(entry, prompt, similarities.get(prompt, 0.0)) for prompt in later_prompts(turns)):
        return "corrected"
    return "used" if _is_used(entry, turns) else ""


def stronger(first: Outcome, second: Outcome) -> Outcome:
    """Return the outcome that wins: a correction, then use."""
    return max(first, second, key=_STRENGTH.index)


def later_prompts(turns: Sequence[LaterTurn]) -> Iterator[str]:
    """The person's prompts after the one that the briefing was for, which may be split over several turns."""
    is_answered = False
    for turn in turns:
        for message in turn.messages:
            if message.role != "user":
                is_answered = True
            elif is_answered or not turn.is_opening:
                yield message.text


def _repeats(entry: ServedEntry, prompt: str, similarity: float) -> bool:
    said = _words(prompt)
    if len(said) < _LEAST_WORDS:
        return False
    wanted = _words(entry.text)
    return similarity >= REPEATED_SIMILARITY or _share(wanted, said) >= REPEATED_WORDS


def _is_used(entry: ServedEntry, turns: Sequence[LaterTurn]) -> bool:
    if any(not entry.files.isdisjoint(turn.files) for turn in turns):
        return True
    said = [text for turn in turns for text in (*(message.text for message in turn.messages), *turn.commands)]
    if any(name in text for name in entry.names for text in said):
        return True
    prompts, answers = set[int](), set[int]()
    for turn in turns:
        for message in turn.messages:
            (prompts if message.role == "user" else answers).update(_words(message.text))
    return _share(_words(entry.text) - prompts, answers) >= USED_WORDS


def _share(wanted: frozenset[int], found: frozenset[int] | set[int]) -> float:
    """The share of the wanted words that were found; 0 if there are too few to tell."""
    return len(wanted & found) / len(wanted) if len(wanted) >= _LEAST_WORDS else 0.0


def _words(text: str) -> frozenset[int]:
    return frozenset(read_question(text).words)
