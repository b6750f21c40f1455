"""Groups sentences into facts: dependent sentences stay together, separate statements are split."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

from loremark.memory.extraction import durability, narratives, salience
from loremark.memory.extraction.sentence_splitter import Sentence, strip_markdown
from loremark.memory.extraction.type_rules import (
    explicit_type,
    is_action,
    is_anaphoric,
    label_type,
    score_types,
    type_for_category,
)
from loremark.memory.extraction.word_patterns import compile_phrases, content_terms
from loremark.wire.items import ItemType

Group = list[Sentence]
_SPLIT_LISTS: tuple[ItemType, ...] = ("convention", "todo")
_RULES: tuple[ItemType, ...] = ("decision", "convention", "todo")
_LASTING = 1.0
# "Fixed by closing the file": the previous sentence says what was fixed.
_REMEDY_OF_IT = compile_phrases(
    "(?:fixed|solved|resolved|cured|worked around|caused) (?:it |this |that )?by", start=True
)


def group_change(sentences: Sequence[Sentence], kind: ItemType, *, titled: bool, saved: bool) -> list[Group]:
    """Group the sentences of a change: its own first, then those that state something else explicitly.

    The first group is empty if the change is only the heading of a list. ``filed``: its category agrees with its type;
    a list inside a feature that sounds like rules is still one feature.
    """
    listed = _listed(sentences)
    if listed and ((saved and kind in _SPLIT_LISTS) or not titled):
        prose = [one for one in sentences if not one.is_bullet]
        return [prose if titled and any(map(is_informative, prose)) else [], *listed]
    main: Group = []
    others: list[Group] = []
    current = main
    for one in _clauses(sentences):
        stated = explicit_type(one.text)
        apart = stated is not None and _stands_apart(stated, kind, one.text) and (bool(main) or titled)
        if apart and salience.is_substantial(one.text):
            current = [one]
            others.append(current)
        elif current is not main and is_anaphoric(one.text) and not one.is_bullet:
            current.append(one)
        else:
            current = main
            main.append(one)
    return [main, *others]


def group_prose(sentences: Iterable[Sentence]) -> list[Group]:
    """Group the sentences of free text; narratives are grouped by paragraph."""
    groups: list[Group] = []
    for is_narrative, run in groupby(narratives.mark_narratives(sentences), key=itemgetter(0)):
        paragraph = [one for _, one in run]
        groups += narratives.group_narrative(paragraph) if is_narrative else _of_notes(paragraph)
    return groups


def _of_notes(sentences: Iterable[Sentence]) -> list[Group]:
    """An action or an explicit statement starts a fact; the rest belongs to its paragraph."""
    groups: list[Group] = []
    is_open = False  # the last fact ended in a colon: the list below belongs to it
    for one in sentences:
        last = groups[-1] if groups else []
        same_block = bool(last) and last[-1].block == one.block
        stated = explicit_type(one.text) is not None or (is_section(one.heading) and not same_block)
        in_list = is_open and one.is_bullet and not stated
        begins = stated or (is_action(one.text) and any(is_action(other.text) or is_stated(other) for other in last))
        leans = is_anaphoric(one.text) or _REMEDY_OF_IT.match(one.text) is not None
        if in_list or (same_block and (one.is_bullet or leans or not begins)):
            last.append(one)
        else:
            groups.append([one])
        is_open = in_list or one.text.endswith(":")
    return groups


def is_stated(one: Sentence) -> bool:
    return explicit_type(one.text) is not None


def is_informative(one: Sentence) -> bool:
    """Whether a sentence says enough to be remembered on its own."""
    return is_substantive(one) or len(content_terms(one.text)) >= 6


def is_substantive(one: Sentence) -> bool:
    """Whether a sentence gives a reason or states something explicitly."""
    return salience.has_reason(one.text) or explicit_type(one.text) is not None


def is_self_contained(one: Sentence, *, liberal: bool) -> bool:
    """Whether a sentence of free text has a clear type, or at least names something exactly."""
    if max(score_types(one.text).values()) >= 1.5 or is_section(one.heading):
        return True
    if liberal and len(content_terms(one.text)) >= 4 and salience.has_contrast(one.text):
        return True
    return liberal and len(content_terms(one.text)) >= 3 and durability.durability_score(one.text) >= _LASTING


def is_section(heading: str) -> bool:
    """Whether a heading names a type: ``## Decisions``, ``Next steps:``."""
    named = type_for_category(heading) if heading else None
    return named is not None and named[1] >= 2.0


def _listed(sentences: Sequence[Sentence]) -> list[Group]:
    """The entries of a list in which each can stand alone; otherwise empty."""
    by_block: dict[int, Group] = {}
    for one in sentences:
        if one.is_bullet:
            by_block.setdefault(one.block, []).append(one)
    groups = list(by_block.values())
    if len(groups) < 2 or not all(salience.is_substantial(" ".join(one.text for one in group), 2) for group in groups):
        return []
    return groups


def _clauses(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Split off a rule after a semicolon."""
    for one in sentences:
        left, found, right = one.raw.partition("; ")
        stated = explicit_type(strip_markdown(right)) if found else None
        if (
            stated is None
            or stated == explicit_type(strip_markdown(left))
            or not (salience.is_substantial(left) and salience.is_substantial(right))
        ):
            yield one
        else:
            yield replace(one, raw=left.strip(), text=strip_markdown(left))
            yield replace(one, raw=right.strip(), text=strip_markdown(right))


def _stands_apart(stated: ItemType, kind: ItemType, text: str) -> bool:
    """A decision and the rule that follows from it are one fact, unless a label separates them."""
    if stated == kind or is_anaphoric(text):
        return False
    return label_type(text) is not None or kind not in _RULES or stated == "todo"
