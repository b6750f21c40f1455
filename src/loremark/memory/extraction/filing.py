"""What was filed under a category: whether the category is believed, and whether its type holds against the words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loremark.memory.extraction import durability, grouping, worth
from loremark.memory.extraction.sentences import Sentence, plain
from loremark.memory.extraction.typing_rules import exact_type, is_guide, type_of_category
from loremark.memory.extraction.words import phrases, terms, word_set

# How lasting a text must be by what it was filed under.
_LEAST_NAMED = -2.0
_LEAST_FILED = -1.0
_LEAST_BELIEVED = 0.0
_LEAST_DONE = 0.7
LEAST_STATED = 0.0
LEAST_IN_PROSE = 1.0
_TYPE_NAMED = 2.0
_MEANT = 1.5
# Filed as upkeep or talk: worth an item only with a reason or an outright statement.
_UPKEEP = word_set(
    """
    chore chores test tests testing wip review qa question questions style format formatting lint status meta misc
    summary recap tool tools transcript log meeting
    """
)
# These lean towards a type, and are filed for what was looked at or tried as well.
_AT_WORK = word_set("investigation debug plan plans idea ideas perf performance optimization overview")
_EMPTY = phrases(
    r"""
    (?:improve|update|change|clean|polish|refactor|tweak|enhance|optimi[sz]e|fix)(?:e?d)?(?: up)? (?:the |some |all )*\
        (?:code(?: quality)?|quality|maintainability|readability|performance|things|stuff|files?|it|everything|bugs?|\
        issues?)(?: and \w+)?(?: (?:across|in|of|for|throughout) .{0,40})?\W*$
    made (?:some |a few |several |many |the |various |requested |small |minor )*(?:changes?|fix(?:es)?|updates?|\
        improvements?|progress)\W*$
    (?:everything|it|all)(?: now| still| just)? (?:works?|runs?|is (?:fine|ok|okay|good|done|ready|complete))\W*$
    """,
    start=True,
)
_NOTHING = phrases(
    r"""
    (?:none|n/?a|tbd|todo|done|ok|nothing(?: (?:to do|left|else|open|more|for now|special))?)\W*$
    all (?:done|good|green|tests (?:pass\w*|green))\W*$
    no (?:(?:open|further|more|next|other|known) )?(?:steps?|todos?|tasks?|work|items?|issues?|questions?|blockers?)\W*$
    """,
    start=True,
)
_OTHER_SCRIPT = re.compile(r"[^\W\d_\x00-\x7f]{2}")
_MEANS_MEMORY = word_set("feature features")


def is_upkeep(category: str) -> bool:
    return category.lower() in _UPKEEP


def means_memory(category: str) -> bool:
    """Whether somebody who files under this wants it remembered."""
    name, named = category.strip().lower(), type_of_category(category)
    if named is None or name in _UPKEEP | _AT_WORK:
        return False
    return named[1] >= _MEANT or name in _MEANS_MEMORY


def is_believed(category: str, lead: str, content: str) -> bool:
    """Whether something was filed to be remembered: with a title and a text, or as work that is open."""
    if not means_memory(category) or not content.strip() or _EMPTY.match(plain(content[:200])):
        return False
    return bool(lead.strip()) or is_todo(category)


def is_own_title(lead: str) -> bool:
    """Whether a short title was made for its text: two words at least, and none that names a type."""
    text = plain(lead)
    return " " in text and bool(terms(text)) and not grouping.is_section(text)


def is_worth(category: str, lead: str, sentences: Sequence[Sentence], *, believed: bool) -> bool:
    """Whether a filed change says anything that lasts. ``believed``: it has a title, a text and a category that counts.

    What is believed may be short: all it must not be is talk, upkeep or a day's work.
    """
    said = " ".join((lead, *(one.text for one in sentences)))
    if durability.lasting(said) < _least_lasting(category, believed=believed):
        return False
    routine = worth.is_talk(lead) or (worth.is_chore(lead) and not (believed and sentences and _lays_down(category)))
    if not sentences and (routine or not says_enough(lead, believed=believed)):
        return False
    if is_upkeep(category) and not any(map(grouping.is_weighty, sentences)):
        told = max((len(terms(one.text)) for one in sentences), default=0)
        return category.lower() in ("chore", "chores", "misc") and told >= 8 and not routine
    if routine and not any(map(grouping.is_telling, sentences)):
        return False
    return says_enough(said, believed=believed)


def says_enough(text: str, *, believed: bool, least: int = 3) -> bool:
    """Whether there are enough words; of what is believed one will do, in any script."""
    if believed:
        return bool(terms(text)) or _OTHER_SCRIPT.search(text) is not None
    return worth.says_something(text, least)


def is_nothing(entry: str) -> bool:
    """Whether an entry of a list of open work says that there is none."""
    return _NOTHING.match(entry) is not None


def is_todo(category: str) -> bool:
    """Whether a category names open work."""
    named = type_of_category(category)
    return named is not None and named[0] == "todo" and named[1] >= _TYPE_NAMED


def _lays_down(category: str) -> bool:
    """Upkeep that was done is not worth a note; that it is to be done, or always done so, is."""
    named = type_of_category(category)
    return named is not None and named[0] not in ("bug", "implementation")


def _least_lasting(category: str, *, believed: bool) -> float:
    """How lasting a filed change must be: what was filed under a type is believed, what was filed as work is not."""
    named = type_of_category(category)
    if is_guide(category):
        return LEAST_STATED
    if named is None or named[1] < 1.0 or is_upkeep(category):
        return LEAST_IN_PROSE
    if named[1] >= _TYPE_NAMED:
        return _LEAST_NAMED if believed and exact_type(category) else _LEAST_FILED
    return _LEAST_BELIEVED if believed else _LEAST_DONE
