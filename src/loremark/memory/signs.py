"""What speaks for one fact told twice, for two that exclude each other, and for two that have little to do."""

from __future__ import annotations

from collections.abc import Iterator

from loremark.memory.contradiction import Clash, Clashes, ends_are_turned, find_clashes, is_denied_outright
from loremark.memory.extraction.scans import SCAN
from loremark.memory.items import Item
from loremark.memory.orders import orders_agree
from loremark.memory.particulars import (
    defaults_differ,
    numbers_in,
    regions_differ,
    rhythms_differ,
    title_numbers_differ,
    title_numbers_part,
)
from loremark.memory.parts import tell_other_things
from loremark.memory.provenance import meetings, rests_on_commits
from loremark.memory.reading import Reading, read
from loremark.memory.stance import (
    Stance,
    choose_alike,
    denied_by_prefix,
    limit_was_lifted,
    one_is_open,
    only_against_all,
    stance,
    turned_words,
    value_is_past,
    value_was_replaced,
)
from loremark.memory.topics import each_names_its_own, subjects_differ, titles_are_parallel
from loremark.memory.wording import align
from loremark.memory.words import covered_share

_REPORTS = frozenset(("bug", "todo"))
_ENOUGH_WORDS = 10
_ENOUGH = 2
_ENOUGH_ASIDE = 3
_ONE_SENTENCE = 0.7
_SAME_BUT_FOR = 3
_RARE = ("value replaced", "value past", "limit lifted", "open and done", "prefix", "turned back")
_EXCLUDING = ("other value", "other name", "opposite", "other order")
# The names of the signs, stage by stage.
STAGES = (
    (
        *("cosine", "other files", "same type", "one task", "two tasks", "two bugs", "found and told", "shared files"),
        *("save and commit", "save and document", "two saves", "two documents", "told at once"),
    ),
    ("other rhythm", "other region", "other default", "other number", "title numbers apart", "title number shared"),
    (
        "title told",
        "covered",
        "one word apart",
        "shared words",
        "shared names",
        "subjects differ",
        "parallel titles",
        "other thing",
        "other end",
        "order agrees",
        "other parts",
    ),
    (
        "shared values",
        "values agree",
        "same change",
        "one goes back",
        "one tells a change",
        "one tells an end",
        "same choice",
        "both set aside",
        "name gone",
        "words turned",
        "title turned",
        "only and all",
        *_RARE,
    ),
    (
        "other environment",
        "values apart",
        "names apart",
        "short denial",
        "denied outright",
        "ends turned",
        *_EXCLUDING,
    ),
    (
        "same start",
        "one replaced",
        "more replaced",
        "replaced early",
        "replaced late",
        "swapped",
        "order turned",
        "decisive",
    ),
)


def _clashes_of(a: Item, b: Item) -> Clashes:
    """Where the two part, for the reader of a conflict as well as for the judgement."""
    return find_clashes(read(a.content, a.title), read(b.content, b.title), reports=are_reports(a, b))


def have_little_in_common(a: Item, b: Item) -> bool:
    """No name, no value, and one word at most: what need not be looked at closer."""
    one, other = read(a.content, a.title), read(b.content, b.title)
    if len(one.words & other.words) > 1 or one.names & other.names:
        return False
    return not {value.amount for value in one.values} & {value.amount for value in other.values}


def clash_of(a: Item, b: Item) -> Clash | None:
    """The gravest of them, if it has a name; what is merely worded otherwise is no reason."""
    clash = _clashes_of(a, b).gravest
    return clash if clash is not None and clash.grade == "exclusive" else None


def signs_of(a: Item, b: Item, cosine: float) -> dict[str, float]:
    """Each sign by its name, 0 where there is none; the caller gives the items in their canonical order."""
    return {name: value for stage in stages_of(a, b, cosine) for name, value in stage.items()}


def stages_of(a: Item, b: Item, cosine: float) -> Iterator[dict[str, float]]:
    """The same signs by and by, what costs least first: who has seen enough asks no further."""
    yield {"cosine": cosine} | _kinds(a, b) | meetings(a, b)
    yield _particulars(a, b)
    one, other = read(a.content, a.title), read(b.content, b.title)
    yield _words(one, other) | {"other parts": float(tell_other_things(a.title, a.content, b.title, b.content))}
    is_report = are_reports(a, b)
    here, there = stance(a.content, a.title), stance(b.content, b.title)
    stances = _values(here, there) | _asides(here, there) | _turns(one, other, here, there, is_report=is_report)
    stances["open and done"] = float(one_is_open(here, there) or _was_done(a, there, b) or _was_done(b, here, a))
    yield stances
    clashes = _clashes_of(a, b)
    parted = _parted(clashes) | {
        "denied outright": float(is_denied_outright(one, other)),
        "ends turned": float(ends_are_turned(one, other)),
    }
    yield parted
    wording = align((a.title, a.content), (b.title, b.content))
    decisive = sum(stances[name] for name in _RARE) + sum(parted[name] for name in _EXCLUDING)
    decisive += _is(clashes.replaced, "exclusive") + wording.turned + (wording.swapped >= _ONE_SENTENCE)
    yield {
        "same start": wording.same_start,
        "one replaced": wording.one_replaced,
        "more replaced": wording.more_replaced,
        "replaced early": wording.early_replaced,
        "replaced late": wording.late_replaced,
        "swapped": wording.swapped,
        "order turned": float(wording.turned),
        # Signs that are rare one by one; together they have a weight.
        "decisive": min(decisive, _ENOUGH) / _ENOUGH,
    }


def _words(one: Reading, other: Reading) -> dict[str, float]:
    titles = frozenset(one.title), frozenset(other.title)
    return {
        "title told": max(covered_share(titles[0], other.words), covered_share(titles[1], one.words)),
        "covered": covered_share(one.words, other.words),
        "one word apart": float(_one_word_apart(one, other)),
        "shared words": min(len(one.words & other.words), _ENOUGH_WORDS) / _ENOUGH_WORDS,
        "shared names": float(min(len(one.names & other.names), _ENOUGH)),
        "subjects differ": float(subjects_differ(one, other)),
        "parallel titles": float(titles_are_parallel(one, other)),
        "other thing": float(each_names_its_own(one, other)),
        "other end": float(_ends_part(one, other)),
        "order agrees": float(orders_agree(one, other)),
    }


def _one_word_apart(one: Reading, other: Reading) -> bool:
    """The same words but for one of its own in each: another owner, another place."""
    return len(one.body & other.body) >= _SAME_BUT_FOR and (
        len(one.body - other.words) == len(other.body - one.words) == 1
    )


def _ends_part(one: Reading, other: Reading) -> bool:
    """Each says only its own end of one pair: synchronous here, asynchronous there."""
    mine, others = _ends(one), _ends(other)
    return any(mine[axis].isdisjoint(others[axis]) for axis in mine.keys() & others.keys())


def _ends(reading: Reading) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for clause in reading.clauses:
        for axis, end in clause.poles:
            found.setdefault(axis, set()).add(end)
    return found


def _was_done(commit: Item, told: Stance, by: Item) -> bool:
    """A fault that is told as open, and a commit: whoever commits has done something about it."""
    return told.is_open and rests_on_commits(commit) and not rests_on_commits(by)


def _values(here: Stance, there: Stance) -> dict[str, float]:
    mine, others = here.values, there.values
    return {
        "shared values": float(min(len(mine & others), _ENOUGH)),
        "values agree": float(bool(mine and others) and (mine <= others or others <= mine)),
        "same change": float(bool((here.former | here.was) & (there.former | there.was))),
    }


def _kinds(a: Item, b: Item) -> dict[str, float]:
    tasks = (a.type == "todo") + (b.type == "todo")
    return {
        "other files": float(bool(a.files and b.files) and set(a.files).isdisjoint(b.files)),
        "same type": float(a.type == b.type),
        "one task": float(tasks == 1),
        "two tasks": float(tasks == 2),
        "two bugs": float(a.type == b.type == "bug"),
        "found and told": float(_is_fault_found(a) != _is_fault_found(b)),
    }


def _is_fault_found(item: Item) -> bool:
    """By a scan: it is there until a scan finds it no more, whatever people tell of it."""
    return item.type == "bug" and SCAN in item.tags


def _particulars(a: Item, b: Item) -> dict[str, float]:
    return {
        "other rhythm": float(rhythms_differ(a.title, a.content, b.title, b.content)),
        "other region": float(regions_differ(a.content, b.content)),
        "other default": float(defaults_differ(a.content, b.content)),
        "other number": float(not are_reports(a, b) and title_numbers_differ(a.title, b.title)),
        "title numbers apart": float(title_numbers_part(a.title, b.title)),
        "title number shared": float(not numbers_in(a.title).isdisjoint(numbers_in(b.title))),
    }


def _asides(here: Stance, there: Stance) -> dict[str, float]:
    pairs = ((here, there), (there, here))
    return {
        "one goes back": float(here.is_back != there.is_back),
        "one tells a change": float(here.tells_change != there.tells_change),
        "one tells an end": float(here.tells_end != there.tells_end),
        "same choice": float(choose_alike(here, there)),
        "both set aside": min(len(here.aside & there.aside), _ENOUGH_ASIDE) / _ENOUGH_ASIDE,
        "name gone": float(any((mine.names_gone & other.names) - mine.names for mine, other in pairs)),
    }


def _names_turned(here: Stance, there: Stance) -> bool:
    return any((mine.names_gone | mine.names_denied) & other.names for mine, other in ((here, there), (there, here)))


def _parted(clashes: Clashes) -> dict[str, float]:
    return {
        "other environment": float(clashes.environment is not None),
        "other value": _is(clashes.value, "exclusive"),
        "values apart": _is(clashes.value, "apart"),
        "other name": _is(clashes.name, "exclusive"),
        "names apart": _is(clashes.name, "apart"),
        "opposite": float(clashes.sense is not None),
        "short denial": float(clashes.denial is not None),
        "other order": float(clashes.order is not None),
    }


def _turns(one: Reading, other: Reading, here: Stance, there: Stance, *, is_report: bool) -> dict[str, float]:
    """What the one holds and the other does not any more."""
    turned = frozenset() if is_report else turned_words(here, there)
    return {
        "words turned": min(len(turned), _ENOUGH_ASIDE) / _ENOUGH_ASIDE,
        "title turned": float(any(word in one.title and word in other.title for word in turned)),
        "only and all": float(not is_report and only_against_all(here, there)),
        "value replaced": float(value_was_replaced(here, there)),
        "value past": float(not is_report and value_is_past(here, there)),
        "limit lifted": float(not is_report and limit_was_lifted(here, there)),
        "prefix": float(denied_by_prefix(here, there)),
        "turned back": float(not is_report and here.is_back != there.is_back and _names_turned(here, there)),
    }


def _is(clash: Clash | None, grade: str) -> float:
    return float(clash is not None and clash.grade == grade)


def are_reports(a: Item, b: Item) -> bool:
    """Whether both tell what is wrong or to be done: what they set aside is part of the tale."""
    return a.type in _REPORTS and b.type in _REPORTS
