"""What a text holds now and what it sets aside: dropped, denied, or told as it was before."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from cairn.memory.reading import read

_GONE = re.compile(
    r"\b(?:gone|is out|is ignored|goes away|drop(?:s|ped)?|removed?|deleted|retired|thrown out|threw out|shut down"
    r"|switched off|turned off|taken out|abandoned|revert\w*|reversal|no longer|any ?more|any longer|instead of"
    r"|rather than|replaced|was too|were too)\b",
    re.IGNORECASE,
)
_AS_IT_WAS = re.compile(
    r"^\W*\d[\w.%]*(?: \w+)? (?:was|were|felt|made|gave|took|broke|got|\w+ed)\b|\b(?:was|were) (?:only |just )?\d",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:not fixed|unfixed|unsolved|cause unknown|unknown|still open|bug open|not yet|no idea|not solved|not built"
    r"|is open|remains)\b",
    re.IGNORECASE,
)
_DONE = re.compile(r"\b(?:fixed|solved|no longer|resolved|works|is in|done|repaired|cured)\b", re.IGNORECASE)
_EMPTY = frozenset(("use", "remove"))
_WORD = re.compile(r"[a-z][a-z-]{3,}")
_DENYING_STARTS = ("un", "non-", "non", "in", "dis", "de")
_SHORTEST_ROOT = 4
_SAME_ROOT = 5


@dataclass(frozen=True, slots=True)
class Stance:
    """Words, names and values by whether they hold; ``was`` are values told of the past, ``former`` those replaced."""

    aside: frozenset[str]
    names: frozenset[str]
    names_gone: frozenset[str]
    names_denied: frozenset[str]
    values: frozenset[str]
    former: frozenset[str]
    was: frozenset[str]
    is_open: bool
    is_done: bool
    words: frozenset[str]


@lru_cache(maxsize=4096)
def stance(content: str, title: str) -> Stance:
    """Of a text as it is read, clause by clause."""
    aside: set[str] = set()
    names: set[str] = set()
    gone_names: set[str] = set()
    denied_names: set[str] = set()
    values: set[str] = set()
    former: set[str] = set()
    was: set[str] = set()
    for clause in read(content, title).clauses:
        gone = clause.former or _GONE.search(clause.text) is not None
        amounts = {value.amount for value in clause.values}
        its_names = {name for name, _ in clause.places}
        if gone or clause.negative:
            aside |= clause.word_set - _EMPTY
            (gone_names if gone else denied_names).update(its_names)
        else:
            names |= its_names
        (former if clause.former else values).update(amounts)
        if _AS_IT_WAS.search(clause.text) or (gone and not clause.former):
            was |= amounts
    text = f"{title}. {content}"
    is_open = _OPEN.search(text) is not None
    return Stance(
        aside=frozenset(aside),
        names=frozenset(names),
        names_gone=frozenset(gone_names - names),
        names_denied=frozenset(denied_names - names),
        values=frozenset(values - was),
        former=frozenset(former),
        was=frozenset(was),
        is_open=is_open,
        is_done=not is_open and _DONE.search(text) is not None,
        words=frozenset(_WORD.findall(text.lower())),
    )


def value_was_replaced(a: Stance, b: Stance) -> bool:
    """One says that it changed from what the other holds; not so if they agree on what it changed to."""
    if any(one.former and one.values and one.values <= other.values for one, other in ((a, b), (b, a))):
        return False
    return any((one.former - one.values) & (other.values - other.former) for one, other in ((a, b), (b, a)))


def value_is_past(a: Stance, b: Stance) -> bool:
    """What the one tells of the past the other holds."""
    return any(one.was & other.values for one, other in ((a, b), (b, a)))


def one_is_open(a: Stance, b: Stance) -> bool:
    """A fault that is open here and fixed there."""
    return (a.is_open and b.is_done) or (b.is_open and a.is_done)


def denied_by_prefix(a: Stance, b: Stance) -> bool:
    """Metered and unmetered, signed and unsigned: each only in one of them."""
    return any(
        _is_root(word, denied)
        for one, other in ((a.words - b.words, b.words - a.words), (b.words - a.words, a.words - b.words))
        for denied in one
        if denied.startswith(_DENYING_STARTS)
        for word in other
    )


def _is_root(word: str, denied: str) -> bool:
    return any(
        denied.startswith(start)
        and len(denied) - len(start) >= _SHORTEST_ROOT
        and denied[len(start) :][:_SAME_ROOT] == word[:_SAME_ROOT]
        for start in _DENYING_STARTS
    )
