"""What a text holds now and what it sets aside: dropped, denied, or told as it was before."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from loremark.memory.cue import Cue, small_letters
from loremark.memory.measures import NUMBER_WORDS, is_article
from loremark.memory.reading import Clause, read

_GONE = Cue(
    "gone|is out|is ignored|goes away|drop|remove|deleted|retired|thrown out|threw out|shut down|switched off"
    "|turned off|taken out|revert|reversal|no longer|any more|anymore|any longer|instead of|rather than|replaced"
    "|was too|were too",
    r"\b(?:gone|is out|is ignored|goes away|drop(?:s|ped)?|removed?|deleted|retired|thrown out|threw out|shut down"
    r"|switched off|turned off|taken out|revert\w*|reversal|no longer|any ?more|any longer|instead of"
    r"|rather than|replaced|was too|were too)\b",
)
_AGAIN = Cue(
    "again|back to|back on|back in|revert|reversal|undone",
    r"\b(?:again|(?<!fall )(?<!falls )back (?:to|on|in)|revert\w*|reversal|undone)\b",
)
# Of a value only this tells that it no longer holds: rows that are removed after two years are so still.
_VALUE_GONE = re.compile(
    r"\b(?:gone|is out|goes away|revert\w*|reversal|no longer|any ?more|any longer)\b", re.IGNORECASE
)
_AMOUNT = rf"(?:\d[\w.%]*|{'|'.join(word for word, number in NUMBER_WORDS.items() if number > 1)})"
_WAS = r"(?:was|were|felt|made|gave|took|broke|got|meant|cost|kept|led|let|lost|came|did|\w+ed)"
_AS_IT_WAS = re.compile(
    rf"^\W*{_AMOUNT}(?: (?!(?:as|if|the|and|or|that|when|in|on|of)\b)\w+){{0,2}} {_WAS}\b"
    r"|\b(?:was|were) (?:only |just )?\d",
    re.IGNORECASE,
)
_OPEN = Cue(
    "not fixed|unfixed|unsolved|unresolved|unknown|still open|and open|is open|bug open|(open)|open;|open problem"
    "|open issue|open bug| yet|no idea|not solved|not built|nobody|still no|still broken|still fail|still missing",
    r"\b(?:not fixed|unfixed|unsolved|unresolved|cause unknown|unknown|still open|known and open|is open|bug open"
    r"|open (?:problem|issue|bug)|not (?:\w+ )?yet|no fix yet|no idea|not solved|not built"
    r"|nobody (?:has )?(?:knows|found)|still (?:nothing|nobody|no|not|broken|fail(?:s|ing)?|missing))\b"
    r"|\(open\)|\bopen;",
)
_DONE = Cue(
    "fixed|solved|no longer|works|is in|done|repaired|cured|now|before",
    r"\b(?:fixed|solved|no longer|resolved|works|is in|done|repaired|cured|now)\b"
    r"|\bcould\b[^.;]{0,80} before(?=[.;]|$)",
)
_UNLIMITED = Cue(
    "limit|any number of",
    r"\b(?:any number of|unlimited|without (?:a |any )?limit|no (?:upper )?limit"
    r"|limit (?:was|is|has been) (?:removed|lifted|gone)"
    r"|(?:removed?|lift(?:ed)?|drop(?:ped)?) the (?:[\w.]+ ){0,3}limit)\b",
)
_ONLY = Cue(
    "only|solely|exclusively|nothing but|nobody but|except|anywhere but|nothing else",
    r"\b(?:only|solely|exclusively|nothing but|nobody but|except|anywhere but|nothing else)\b",
)
_ALL = Cue(
    "all|every|any|always|whole|includ|both|each|whatever|regardless|no matter",
    r"\b(?:all|every|any|anyone|everyone|everybody|everything|always|whole|included|including|both|each|whatever"
    r"|regardless|no matter)\b",
)
_CHANGE = Cue(
    "now|no longer|any more|anymore|switched|move|left|replaced|dropped|removed|gone|again|since|was|were|had"
    "|used to|became|went|deleted|retired|revert",
    r"\b(?:now|no longer|any ?more|switched|moved?|left|replaced|dropped|removed|gone|again|since|was|were|had"
    r"|used to|became|went|deleted|retired|revert\w*)\b",
)
# A rule or a state of before has come to its end.
_END = Cue(
    "no longer|any more|anymore|any longer|void|lifted|abolished|obsolete|ended|is over|overturned|superseded|no more"
    "|moved",
    r"\b(?:no longer|any ?more|any longer|void|lifted|abolished|obsolete|ended|is over|overturned|superseded|no more"
    r"|(?:has|have|was|were|is|are) (?:\w+ )?moved|moved to)\b",
)
_EMPTY = frozenset(("use", "remove"))
_WORD = re.compile(r"[a-z][a-z-]{3,}")
_DENYING_STARTS = ("un", "non-", "non", "in", "dis", "de")
_SHORTEST_ROOT = 4
_SAME_ROOT = 5
_SAME_CLAIM = 2
_FORMER_WORDS = 2


@dataclass(frozen=True, slots=True)
class Stance:
    """Words, names and values by whether they hold; ``was`` are values told of the past, ``former`` those replaced,
    ``headed`` those the title holds."""

    aside: frozenset[str]
    held: frozenset[str]
    names: frozenset[str]
    names_gone: frozenset[str]
    names_denied: frozenset[str]
    values: frozenset[str]
    headed: frozenset[str]
    former: frozenset[str]
    was: frozenset[str]
    is_unlimited: bool
    only: tuple[frozenset[str], ...]
    all: tuple[frozenset[str], ...]
    tells_change: bool
    tells_end: bool
    is_back: bool
    is_open: bool
    is_done: bool
    words: frozenset[str]


@lru_cache(maxsize=4096)
def stance(content: str, title: str) -> Stance:
    """Of a text as it is read, clause by clause."""
    aside: set[str] = set()
    held: set[str] = set()
    only: list[frozenset[str]] = []
    of_all: list[frozenset[str]] = []
    names: set[str] = set()
    gone_names: set[str] = set()
    denied_names: set[str] = set()
    values: set[str] = set()
    former: set[str] = set()
    was: set[str] = set()
    for clause in read(content, title).clauses:
        seen = small_letters(clause.text)
        gone = clause.former or _GONE.is_in(clause.text, seen)
        amounts = {value.amount for value in clause.values if not is_article(value)}
        is_only, is_all = _ONLY.is_in(clause.text, seen), _ALL.is_in(clause.text, seen)
        if is_only != is_all:
            (only if is_only else of_all).append(clause.word_set)
        its_names = clause.places.keys()
        if gone or clause.negative:
            # "Instead of npm to install packages": only the beginning is what is set aside.
            aside |= (frozenset(clause.words[:_FORMER_WORDS]) if clause.former else clause.word_set) - _EMPTY
            (gone_names if gone else denied_names).update(its_names)
        else:
            names |= its_names
            held |= clause.word_set
        (former if clause.former else values).update(amounts)
        if amounts and _told_of_the_past(clause):
            was |= amounts
    text = f"{title}. {content}"
    seen = small_letters(text)
    is_open = _OPEN.is_in(text, seen)
    return Stance(
        aside=frozenset(aside),
        held=frozenset(held),
        names=frozenset(names),
        names_gone=frozenset(gone_names - names),
        names_denied=frozenset(denied_names - names),
        values=frozenset(values - was),
        headed=frozenset(value.amount for value in read(title).values if not is_article(value)) - was,
        former=frozenset(former),
        was=frozenset(was),
        is_unlimited=_UNLIMITED.is_in(text, seen),
        only=tuple(only),
        all=tuple(of_all),
        tells_change=_CHANGE.is_in(text, seen),
        tells_end=_END.is_in(text, seen),
        is_back=_AGAIN.is_in(text, seen),
        is_open=is_open,
        is_done=not is_open and _DONE.is_in(text, seen),
        words=frozenset(_WORD.findall(text.lower())),
    )


def value_was_replaced(a: Stance, b: Stance) -> bool:
    """One says that it changed from what the other holds; not so if they agree on what it changed to."""
    if any(one.former and one.values and one.values <= other.values for one, other in ((a, b), (b, a))):
        return False
    return any((one.former - one.values) & (other.values - other.former) for one, other in ((a, b), (b, a)))


def value_is_past(a: Stance, b: Stance) -> bool:
    """What the one tells of the past the other holds: in its title, or nothing that holds is in both."""
    return any(one.was & (other.headed if a.values & b.values else other.values) for one, other in ((a, b), (b, a)))


def limit_was_lifted(a: Stance, b: Stance) -> bool:
    """A number here, any number there."""
    return any(one.is_unlimited and not other.is_unlimited and other.values for one, other in ((a, b), (b, a)))


def only_against_all(a: Stance, b: Stance) -> bool:
    """For some only here, for all there."""
    return any(
        len(some & every) >= _SAME_CLAIM
        for one, other in ((a, b), (b, a))
        if not one.all
        for some in one.only
        for every in other.all
    )


def turned_words(a: Stance, b: Stance) -> frozenset[str]:
    """Words that the one only denies or drops and the other only holds."""
    return ((a.aside - a.held) & (b.held - b.aside)) | ((b.aside - b.held) & (a.held - a.aside))


def choose_alike(a: Stance, b: Stance) -> bool:
    """This and not that, in both: one name that both hold, one that both set aside."""
    return bool(a.names & b.names) and bool(
        (a.names_gone | a.names_denied) & (b.names_gone | b.names_denied) - a.names - b.names
    )


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


def _told_of_the_past(clause: Clause) -> bool:
    """Whether the amounts of a clause are what was."""
    if _AS_IT_WAS.search(clause.text):
        return True
    return not clause.former and _VALUE_GONE.search(clause.text) is not None


def _is_root(word: str, denied: str) -> bool:
    return any(
        denied.startswith(start)
        and len(denied) - len(start) >= _SHORTEST_ROOT
        and denied[len(start) :][:_SAME_ROOT] == word[:_SAME_ROOT]
        for start in _DENYING_STARTS
    )
