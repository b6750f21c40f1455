"""Decides how far to trust the category something was saved under."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loremark.memory.extraction import durability, salience, sentence_grouping
from loremark.memory.extraction.sentence_splitter import Sentence, strip_markdown
from loremark.memory.extraction.type_rules import exact_category_type, is_guide, type_for_category
from loremark.memory.extraction.word_patterns import compile_phrases, content_terms, words_from

# Minimum durability by category.
_MIN_DURABILITY_NAMED = -2.0
_MIN_DURABILITY_SAVED = -1.0
_MIN_DURABILITY_TRUSTED = 0.0
_MIN_DURABILITY_WORK = 0.7
MIN_DURABILITY_STATED = 0.0
MIN_DURABILITY_IN_PROSE = 1.0
_TYPE_NAMED = 2.0
_MEANT = 1.5
# Saved as upkeep or conversation: kept only with a reason or an explicit statement.
_UPKEEP = words_from(
    """
    chore chores test tests testing wip review qa question questions style format formatting lint status meta misc
    summary recap tool tools transcript log meeting
    """
)
# These suggest a type, but are also used for things that were only looked at or tried.
_AT_WORK = words_from("investigation debug plan plans idea ideas perf performance optimization overview")
_EMPTY = compile_phrases(
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
_NOTHING = compile_phrases(
    r"""
    (?:none|n/?a|tbd|todo|done|ok|nothing(?: (?:to do|left|else|open|more|for now|special))?)\W*$
    all (?:done|good|green|tests (?:pass\w*|green))\W*$
    no (?:(?:open|further|more|next|other|known) )?(?:steps?|todos?|tasks?|work|items?|issues?|questions?|blockers?)\W*$
    """,
    start=True,
)
_OTHER_SCRIPT = re.compile(r"[^\W\d_\x00-\x7f]{2}")
_MEANS_MEMORY = words_from("feature features")


def is_upkeep(category: str) -> bool:
    return category.lower() in _UPKEEP


def implies_memory(category: str) -> bool:
    """Whether this category means that it should be remembered."""
    name, named = category.strip().lower(), type_for_category(category)
    if named is None or name in _UPKEEP | _AT_WORK:
        return False
    return named[1] >= _MEANT or name in _MEANS_MEMORY


def is_trusted(category: str, lead: str, content: str) -> bool:
    """Whether a change was saved to be remembered: with a title and a text, or as open work."""
    if not implies_memory(category) or not content.strip() or _EMPTY.match(strip_markdown(content[:200])):
        return False
    return bool(lead.strip()) or is_todo(category)


def is_meaningful_title(lead: str) -> bool:
    """Whether a short title was written for its text: at least two words, and not the name of a type."""
    text = strip_markdown(lead)
    return " " in text and bool(content_terms(text)) and not sentence_grouping.is_section(text)


def is_salient_change(category: str, lead: str, sentences: Sequence[Sentence], *, trusted: bool) -> bool:
    """Whether a saved change says anything durable.

    ``believed``: it has a title, a text and a trusted category. Such a change may be short, but must not be small talk,
    upkeep or a day's work.
    """
    said = " ".join((lead, *(one.text for one in sentences)))
    if durability.durability_score(said) < _min_durability(category, trusted=trusted):
        return False
    routine = salience.is_small_talk(lead) or (
        salience.is_chore(lead) and not (trusted and sentences and _is_about_future(category))
    )
    if not sentences and (routine or not has_enough_words(lead, trusted=trusted)):
        return False
    if is_upkeep(category) and not any(map(sentence_grouping.is_substantive, sentences)):
        longest = max((len(content_terms(one.text)) for one in sentences), default=0)
        return category.lower() in ("chore", "chores", "misc") and longest >= 8 and not routine
    if routine and not any(map(sentence_grouping.is_informative, sentences)):
        return False
    return has_enough_words(said, trusted=trusted)


def has_enough_words(text: str, *, trusted: bool, least: int = 3) -> bool:
    """Whether there are enough words; for a trusted change one is enough, in any script."""
    if trusted:
        return bool(content_terms(text)) or _OTHER_SCRIPT.search(text) is not None
    return salience.is_substantial(text, least)


def says_nothing_left(entry: str) -> bool:
    """Whether an entry in a list of open work says that there is none."""
    return _NOTHING.match(entry) is not None


def is_todo(category: str) -> bool:
    """Whether a category means open work."""
    named = type_for_category(category)
    return named is not None and named[0] == "todo" and named[1] >= _TYPE_NAMED


def _is_about_future(category: str) -> bool:
    """Whether the category is about the future: completed upkeep is not worth a note, planned upkeep or a rule is."""
    named = type_for_category(category)
    return named is not None and named[0] not in ("bug", "implementation")


def _min_durability(category: str, *, trusted: bool) -> float:
    """Minimum durability for a category: type names are trusted, categories of work are not."""
    named = type_for_category(category)
    if is_guide(category):
        return MIN_DURABILITY_STATED
    if named is None or named[1] < 1.0 or is_upkeep(category):
        return MIN_DURABILITY_IN_PROSE
    if named[1] >= _TYPE_NAMED:
        return _MIN_DURABILITY_NAMED if trusted and exact_category_type(category) else _MIN_DURABILITY_SAVED
    return _MIN_DURABILITY_TRUSTED if trusted else _MIN_DURABILITY_WORK
