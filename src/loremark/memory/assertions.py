"""What a text asserts and what it rejects: removed, negated, or described as it used to be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from loremark.memory.prefiltered_pattern import PrefilteredPattern, fold_case
from loremark.memory.quantities import NUMBER_WORDS, is_trivial
from loremark.memory.text_parser import Clause, parse_text

_REMOVED = PrefilteredPattern(
    "gone|is out|is ignored|goes away|drop|remove|deleted|retired|thrown out|threw out|shut down|switched off"
    "|turned off|taken out|revert|reversal|no longer|any more|anymore|any longer|instead of|rather than|replaced"
    "|was too|were too",
    r"\b(?:gone|is out|is ignored|goes away|drop(?:s|ped)?|removed?|deleted|retired|thrown out|threw out|shut down"
    r"|switched off|turned off|taken out|revert\w*|reversal|no longer|any ?more|any longer|instead of"
    r"|rather than|replaced|was too|were too)\b",
)
_REVERSAL = PrefilteredPattern(
    "again|back to|back on|back in|revert|reversal|undone",
    r"\b(?:again|(?<!fall )(?<!falls )back (?:to|on|in)|revert\w*|reversal|undone)\b",
)
# Only these say that a value no longer holds; "removed after two years" still does.
_VALUE_ENDED = re.compile(
    r"\b(?:gone|is out|goes away|revert\w*|reversal|no longer|any ?more|any longer)\b", re.IGNORECASE
)
_AMOUNT = rf"(?:\d[\w.%]*|{'|'.join(word for word, number in NUMBER_WORDS.items() if number > 1)})"
_WAS = r"(?:was|were|felt|made|gave|took|broke|got|meant|cost|kept|led|let|lost|came|did|\w+ed)"
_PAST_VALUE = re.compile(
    rf"^\W*{_AMOUNT}(?: (?!(?:as|if|the|and|or|that|when|in|on|of)\b)\w+){{0,2}} {_WAS}\b"
    r"|\b(?:was|were) (?:only |just )?\d",
    re.IGNORECASE,
)
_OPEN = PrefilteredPattern(
    "not fixed|unfixed|unsolved|unresolved|unknown|still open|and open|is open|bug open|(open)|open;|open problem"
    "|open issue|open bug| yet|no idea|not solved|not built|nobody|still no|still broken|still fail|still missing",
    r"\b(?:not fixed|unfixed|unsolved|unresolved|cause unknown|unknown|still open|known and open|is open|bug open"
    r"|open (?:problem|issue|bug)|not (?:\w+ )?yet|no fix yet|no idea|not solved|not built"
    r"|nobody (?:has )?(?:knows|found)|still (?:nothing|nobody|no|not|broken|fail(?:s|ing)?|missing))\b"
    r"|\(open\)|\bopen;",
)
_DONE = PrefilteredPattern(
    "fixed|solved|no longer|works|is in|done|repaired|cured|now|before",
    r"\b(?:fixed|solved|no longer|resolved|works|is in|done|repaired|cured|now)\b"
    r"|\bcould\b[^.;]{0,80} before(?=[.;]|$)",
)
_UNLIMITED = PrefilteredPattern(
    "limit|any number of",
    r"\b(?:any number of|unlimited|without (?:a |any )?limit|no (?:upper )?limit"
    r"|limit (?:was|is|has been) (?:removed|lifted|gone)"
    r"|(?:removed?|lift(?:ed)?|drop(?:ped)?) the (?:[\w.]+ ){0,3}limit)\b",
)
_ONLY = PrefilteredPattern(
    "only|solely|exclusively|nothing but|nobody but|except|anywhere but|nothing else",
    r"\b(?:only|solely|exclusively|nothing but|nobody but|except|anywhere but|nothing else)\b",
)
_ALL = PrefilteredPattern(
    "all|every|any|always|whole|includ|both|each|whatever|regardless|no matter",
    r"\b(?:all|every|any|anyone|everyone|everybody|everything|always|whole|included|including|both|each|whatever"
    r"|regardless|no matter)\b",
)
_CHANGE = PrefilteredPattern(
    "now|no longer|any more|anymore|switched|move|left|replaced|dropped|removed|gone|again|since|was|were|had"
    "|used to|became|went|deleted|retired|revert",
    r"\b(?:now|no longer|any ?more|switched|moved?|left|replaced|dropped|removed|gone|again|since|was|were|had"
    r"|used to|became|went|deleted|retired|revert\w*)\b",
)
# A rule or state that has ended.
_END = PrefilteredPattern(
    "no longer|any more|anymore|any longer|void|lifted|abolished|obsolete|ended|is over|overturned|superseded|no more"
    "|moved",
    r"\b(?:no longer|any ?more|any longer|void|lifted|abolished|obsolete|ended|is over|overturned|superseded|no more"
    r"|(?:has|have|was|were|is|are) (?:\w+ )?moved|moved to)\b",
)
_EMPTY = frozenset(("use", "remove"))
_WORD = re.compile(r"[a-z][a-z-]{3,}")
_NEGATING_PREFIXES = ("un", "non-", "non", "in", "dis", "de")
_MIN_ROOT_CHARS = 4
_ROOT_CHARS = 5
_MIN_SHARED_WORDS = 2
_MAX_REJECTED_WORDS = 2


@dataclass(frozen=True, slots=True)
class Assertions:
    """Words, names and values by whether the text asserts them.

    ``past_values`` are described as past, ``replaced_values`` were replaced, and ``title_values`` are asserted by the
    title.
    """

    rejected_words: frozenset[str]
    asserted_words: frozenset[str]
    names: frozenset[str]
    removed_names: frozenset[str]
    negated_names: frozenset[str]
    values: frozenset[str]
    title_values: frozenset[str]
    replaced_values: frozenset[str]
    past_values: frozenset[str]
    is_unlimited: bool
    only: tuple[frozenset[str], ...]
    all: tuple[frozenset[str], ...]
    mentions_change: bool
    mentions_end: bool
    mentions_reversal: bool
    is_open: bool
    is_done: bool
    words: frozenset[str]


@lru_cache(maxsize=4096)
def extract_assertions(content: str, title: str) -> Assertions:
    """Collect the assertions of a text, clause by clause."""
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
    for clause in parse_text(content, title).clauses:
        folded = fold_case(clause.text)
        gone = clause.superseded or _REMOVED.matches(clause.text, folded)
        amounts = {value.amount for value in clause.values if not is_trivial(value)}
        is_only, is_all = _ONLY.matches(clause.text, folded), _ALL.matches(clause.text, folded)
        if is_only != is_all:
            (only if is_only else of_all).append(clause.word_set)
        its_names = clause.name_positions.keys()
        if gone or clause.negative:
            # "Instead of npm to install packages": only the first words are rejected.
            aside |= (frozenset(clause.words[:_MAX_REJECTED_WORDS]) if clause.superseded else clause.word_set) - _EMPTY
            (gone_names if gone else denied_names).update(its_names)
        else:
            names |= its_names
            held |= clause.word_set
        (former if clause.superseded else values).update(amounts)
        if amounts and _describes_past(clause):
            was |= amounts
    text = f"{title}. {content}"
    folded = fold_case(text)
    is_open = _OPEN.matches(text, folded)
    return Assertions(
        rejected_words=frozenset(aside),
        asserted_words=frozenset(held),
        names=frozenset(names),
        removed_names=frozenset(gone_names - names),
        negated_names=frozenset(denied_names - names),
        values=frozenset(values - was),
        title_values=frozenset(value.amount for value in parse_text(title).values if not is_trivial(value)) - was,
        replaced_values=frozenset(former),
        past_values=frozenset(was),
        is_unlimited=_UNLIMITED.matches(text, folded),
        only=tuple(only),
        all=tuple(of_all),
        mentions_change=_CHANGE.matches(text, folded),
        mentions_end=_END.matches(text, folded),
        mentions_reversal=_REVERSAL.matches(text, folded),
        is_open=is_open,
        is_done=not is_open and _DONE.matches(text, folded),
        words=frozenset(_WORD.findall(text.lower())),
    )


def value_replaced(a: Assertions, b: Assertions) -> bool:
    """One says that a value changed from what the other asserts, unless they agree on the new value."""
    if any(one.replaced_values and one.values and one.values <= other.values for one, other in ((a, b), (b, a))):
        return False
    return any(
        (one.replaced_values - one.values) & (other.values - other.replaced_values) for one, other in ((a, b), (b, a))
    )


def value_outdated(a: Assertions, b: Assertions) -> bool:
    """One describes as past what the other asserts in its title, or anywhere if they share no current value."""
    return any(
        one.past_values & (other.title_values if a.values & b.values else other.values)
        for one, other in ((a, b), (b, a))
    )


def limit_lifted(a: Assertions, b: Assertions) -> bool:
    """A number in one, unlimited in the other."""
    return any(one.is_unlimited and not other.is_unlimited and other.values for one, other in ((a, b), (b, a)))


def some_against_all(a: Assertions, b: Assertions) -> bool:
    """ "Only some" in one, "all" in the other."""
    return any(
        len(some & every) >= _MIN_SHARED_WORDS
        for one, other in ((a, b), (b, a))
        if not one.all
        for some in one.only
        for every in other.all
    )


def contradicted_words(a: Assertions, b: Assertions) -> frozenset[str]:
    """Words that one text only rejects and the other only asserts."""
    return ((a.rejected_words - a.asserted_words) & (b.asserted_words - b.rejected_words)) | (
        (b.rejected_words - b.asserted_words) & (a.asserted_words - a.rejected_words)
    )


def make_same_choice(a: Assertions, b: Assertions) -> bool:
    """Both assert one name and reject another."""
    return bool(a.names & b.names) and bool(
        (a.removed_names | a.negated_names) & (b.removed_names | b.negated_names) - a.names - b.names
    )


def open_against_done(a: Assertions, b: Assertions) -> bool:
    """An open problem in one, fixed in the other."""
    return (a.is_open and b.is_done) or (b.is_open and a.is_done)


def negated_by_prefix(a: Assertions, b: Assertions) -> bool:
    """Metered and unmetered, signed and unsigned: each in only one of the texts."""
    return any(
        _is_root(word, denied)
        for one, other in ((a.words - b.words, b.words - a.words), (b.words - a.words, a.words - b.words))
        for denied in one
        if denied.startswith(_NEGATING_PREFIXES)
        for word in other
    )


def _describes_past(clause: Clause) -> bool:
    """Whether a clause describes its amounts as past."""
    if _PAST_VALUE.search(clause.text):
        return True
    return not clause.superseded and _VALUE_ENDED.search(clause.text) is not None


def _is_root(word: str, denied: str) -> bool:
    return any(
        denied.startswith(start)
        and len(denied) - len(start) >= _MIN_ROOT_CHARS
        and denied[len(start) :][:_ROOT_CHARS] == word[:_ROOT_CHARS]
        for start in _NEGATING_PREFIXES
    )
