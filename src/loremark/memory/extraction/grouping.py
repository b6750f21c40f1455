"""Which sentences make one fact: what leans on the one before belongs to it, what states something else is apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

from loremark.memory.extraction import durability, stories, worth
from loremark.memory.extraction.sentences import Sentence, plain
from loremark.memory.extraction.typing_rules import (
    is_action,
    is_anaphoric,
    is_order,
    label_of,
    outright_type,
    type_of_category,
    weigh,
)
from loremark.memory.extraction.words import phrases, terms
from loremark.wire.items import ItemType

Group = list[Sentence]
_SPLIT_LISTS: tuple[ItemType, ...] = ("convention", "todo")
_RULES: tuple[ItemType, ...] = ("decision", "convention", "todo")
_LASTING = 1.0
# "Fixed by closing the file": of what, the sentence before it says.
_REMEDY_OF_IT = phrases("(?:fixed|solved|resolved|cured|worked around|caused) (?:it |this |that )?by", start=True)
_DESCRIPTIONS: tuple[ItemType, ...] = ("architecture", "codemap", "implementation")


def within_change(sentences: Sequence[Sentence], kind: ItemType, *, titled: bool, filed: bool) -> list[Group]:
    """The sentences of a change by fact: the change's own first, then those that state something else outright.

    Nothing is left to the change itself where it is only the heading of a list. ``filed`` says that its category does
    not speak against its type: a list inside a feature that sounds like rules is still one feature.
    """
    listed = _listed(sentences)
    if listed and ((filed and kind in _SPLIT_LISTS) or not titled):
        prose = [one for one in sentences if not one.is_bullet]
        return [prose if titled and any(map(is_telling, prose)) else [], *listed]
    main: Group = []
    others: list[Group] = []
    current = main
    for one in _clauses(sentences):
        stated = outright_type(one.text)
        apart = stated is not None and _stands_apart(stated, kind, one.text) and (bool(main) or titled)
        if apart and worth.says_something(one.text):
            current = [one]
            others.append(current)
        elif current is not main and is_anaphoric(one.text) and not one.is_bullet:
            current.append(one)
        else:
            current = main
            main.append(one)
    return [main, *others]


def of_prose(sentences: Iterable[Sentence]) -> list[Group]:
    """The sentences of free text by fact, paragraph by paragraph where somebody tells how it went."""
    groups: list[Group] = []
    for told, run in groupby(stories.marked(sentences), key=itemgetter(0)):
        paragraph = [one for _, one in run]
        groups += stories.facts_of(paragraph) if told else _of_notes(paragraph)
    return groups


def _of_notes(sentences: Iterable[Sentence]) -> list[Group]:
    """What was done or stated begins a fact, the rest belongs to its paragraph."""
    groups: list[Group] = []
    is_open = False  # the last fact ended in a colon: the list below it is its own
    for one in sentences:
        last = groups[-1] if groups else []
        same_block = bool(last) and last[-1].block == one.block
        stated = outright_type(one.text) is not None or (is_section(one.heading) and not same_block)
        in_list = is_open and one.is_bullet and not stated
        begins = stated or (is_action(one.text) and any(is_action(other.text) or is_stated(other) for other in last))
        leans = is_anaphoric(one.text) or _REMEDY_OF_IT.match(one.text) is not None
        if in_list or (same_block and (one.is_bullet or leans or not begins)):
            last.append(one)
        else:
            groups.append([one])
        is_open = in_list or one.text.endswith(":")
    return groups


def by_statement(sentences: Sequence[Sentence]) -> list[Group]:
    """The statements of a reference text: each rule is a fact, and so is each paragraph of description."""
    groups: list[Group] = []
    for one in _clauses(sentences):
        same_block = bool(groups) and groups[-1][-1].block == one.block
        is_rule = max(weight for kind, weight in weigh(one.text).items() if kind not in _DESCRIPTIONS) >= 1.0
        begins = (is_rule or is_order(one.text)) and not is_anaphoric(one.text)
        if same_block and (one.is_bullet or not begins or len(terms(one.text)) < 3):
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def is_stated(one: Sentence) -> bool:
    return outright_type(one.text) is not None


def is_telling(one: Sentence) -> bool:
    """Whether a sentence says enough to be remembered for itself."""
    return is_weighty(one) or len(terms(one.text)) >= 6


def is_weighty(one: Sentence) -> bool:
    """Whether a sentence gives a reason or states something outright."""
    return worth.has_reason(one.text) or outright_type(one.text) is not None


def stands_alone(one: Sentence, *, liberal: bool) -> bool:
    """Whether a sentence of free text has a type of its own, or at least names something exactly."""
    if max(weigh(one.text).values()) >= 1.5 or is_section(one.heading):
        return True
    if liberal and len(terms(one.text)) >= 4 and worth.has_contrast(one.text):
        return True
    return liberal and len(terms(one.text)) >= 3 and durability.lasting(one.text) >= _LASTING


def is_section(heading: str) -> bool:
    """Whether a heading names a type: ``## Decisions``, ``Next steps:``."""
    named = type_of_category(heading) if heading else None
    return named is not None and named[1] >= 2.0


def _listed(sentences: Sequence[Sentence]) -> list[Group]:
    """The entries of a list in which each one can stand for itself; else nothing."""
    by_block: dict[int, Group] = {}
    for one in sentences:
        if one.is_bullet:
            by_block.setdefault(one.block, []).append(one)
    groups = list(by_block.values())
    if len(groups) < 2 or not all(worth.says_something(" ".join(one.text for one in group), 2) for group in groups):
        return []
    return groups


def _clauses(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """A rule behind a semicolon is a sentence of its own."""
    for one in sentences:
        left, found, right = one.raw.partition("; ")
        stated = outright_type(plain(right)) if found else None
        if (
            stated is None
            or stated == outright_type(plain(left))
            or not (worth.says_something(left) and worth.says_something(right))
        ):
            yield one
        else:
            yield replace(one, raw=left.strip(), text=plain(left))
            yield replace(one, raw=right.strip(), text=plain(right))


def _stands_apart(stated: ItemType, kind: ItemType, text: str) -> bool:
    """A decision and the rule that follows from it are one fact, unless a label parts them."""
    if stated == kind or is_anaphoric(text):
        return False
    return label_of(text) is not None or kind not in _RULES or stated == "todo"
