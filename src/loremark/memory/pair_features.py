"""Features of a pair of items, for deciding whether they state the same fact or contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

from loremark.memory.assertions import (
    Assertions,
    contradicted_words,
    extract_assertions,
    limit_lifted,
    make_same_choice,
    negated_by_prefix,
    open_against_done,
    some_against_all,
    value_outdated,
    value_replaced,
)
from loremark.memory.attribute_differences import (
    defaults_differ,
    frequencies_differ,
    numbers_in,
    regions_differ,
    title_numbers_differ,
    title_numbers_disjoint,
)
from loremark.memory.contradiction import (
    Contradiction,
    Contradictions,
    are_antonyms_swapped,
    find_contradictions,
    is_directly_negated,
)
from loremark.memory.extraction.scans import SCAN_TAG
from loremark.memory.items import Item
from loremark.memory.provenance import is_from_commits, provenance_features
from loremark.memory.relation_order import relations_agree
from loremark.memory.sentence_alignment import align_sentences
from loremark.memory.statement_overlap import cover_different_statements
from loremark.memory.text_parser import ParsedText, parse_text
from loremark.memory.topics import name_different_identifiers, subjects_differ, titles_are_parallel
from loremark.memory.word_normalization import overlap_coefficient

_REPORTS = frozenset(("bug", "todo"))
_MAX_SHARED_WORDS = 10
_MAX_COUNT = 2
_MAX_REJECTED = 3
_MIN_SWAPPED = 0.7
_MIN_SHARED_WORDS = 3
_RARE = ("value_replaced", "value_outdated", "limit_lifted", "open_vs_done", "negating_prefix", "reverted_name")
_EXCLUSIVE = ("exclusive_value", "exclusive_name", "opposite_polarity", "reversed_relation")
# Feature names by stage.
FEATURE_STAGES = (
    (
        *(
            "cosine",
            "disjoint_files",
            "same_type",
            "one_todo",
            "both_todos",
            "both_bugs",
            "one_found_by_scan",
            "shared_files",
        ),
        *("save_and_commit", "save_and_document", "both_saves", "both_documents", "same_event"),
    ),
    (
        "different_frequency",
        "different_region",
        "different_default",
        "different_title_number",
        "title_numbers_disjoint",
        "title_number_shared",
    ),
    (
        "title_coverage",
        "word_overlap",
        "one_word_differs",
        "shared_words",
        "shared_names",
        "different_subjects",
        "parallel_titles",
        "different_identifiers",
        "opposite_antonyms",
        "relations_agree",
        "different_statements",
    ),
    (
        "shared_values",
        "values_agree",
        "same_change",
        "one_mentions_reversal",
        "one_mentions_change",
        "one_mentions_end",
        "same_choice",
        "both_reject",
        "removed_name",
        "contradicted_words",
        "contradicted_title",
        "some_vs_all",
        *_RARE,
    ),
    (
        "different_environment",
        "values_apart",
        "names_apart",
        "short_negation",
        "direct_negation",
        "antonyms_swapped",
        *_EXCLUSIVE,
    ),
    (
        "same_start",
        "one_replaced",
        "several_replaced",
        "replaced_early",
        "replaced_late",
        "swapped",
        "order_reversed",
        "decisive",
    ),
)


def _find_pair_contradictions(a: Item, b: Item) -> Contradictions:
    """Contradictions between two items, for explaining a conflict as well as for the features."""
    return find_contradictions(
        parse_text(a.content, a.title), parse_text(b.content, b.title), reports=are_both_reports(a, b)
    )


def have_little_in_common(a: Item, b: Item) -> bool:
    """No shared name or value, and at most one shared word: not worth comparing further."""
    one, other = parse_text(a.content, a.title), parse_text(b.content, b.title)
    if len(one.words & other.words) > 1 or one.names & other.names:
        return False
    return not {value.amount for value in one.values} & {value.amount for value in other.values}


def strongest_contradiction(a: Item, b: Item) -> Contradiction | None:
    """The most severe contradiction if it is exclusive; None if the texts merely differ in alignment."""
    clash = _find_pair_contradictions(a, b).most_severe
    return clash if clash is not None and clash.severity == "exclusive" else None


def compute_features(a: Item, b: Item, cosine: float) -> dict[str, float]:
    """All features by name, 0 where absent. Expects the items in canonical order."""
    return {name: value for stage in compute_feature_stages(a, b, cosine) for name, value in stage.items()}


def compute_feature_stages(a: Item, b: Item, cosine: float) -> Iterator[dict[str, float]]:
    """Yield the same features in stages, cheapest first, so that callers can stop early."""
    yield {"cosine": cosine} | _type_features(a, b) | provenance_features(a, b)
    yield _attribute_features(a, b)
    one, other = parse_text(a.content, a.title), parse_text(b.content, b.title)
    yield _word_features(one, other) | {
        "different_statements": float(cover_different_statements(a.title, a.content, b.title, b.content))
    }
    is_report = are_both_reports(a, b)
    here, there = extract_assertions(a.content, a.title), extract_assertions(b.content, b.title)
    assertions = (
        _value_features(here, there)
        | _choice_features(here, there)
        | _reversal_features(one, other, here, there, is_report=is_report)
    )
    assertions["open_vs_done"] = float(
        open_against_done(here, there) or _was_done(a, there, b) or _was_done(b, here, a)
    )
    yield assertions
    contradictions = _find_pair_contradictions(a, b)
    contradiction_features = _contradiction_features(contradictions) | {
        "direct_negation": float(is_directly_negated(one, other)),
        "antonyms_swapped": float(are_antonyms_swapped(one, other)),
    }
    yield contradiction_features
    alignment = align_sentences((a.title, a.content), (b.title, b.content))
    decisive = sum(assertions[name] for name in _RARE) + sum(contradiction_features[name] for name in _EXCLUSIVE)
    decisive += (
        _has_severity(contradictions.replaced, "exclusive")
        + alignment.reversed_order
        + (alignment.swapped >= _MIN_SWAPPED)
    )
    yield {
        "same_start": alignment.same_start,
        "one_replaced": alignment.one_replaced,
        "several_replaced": alignment.more_replaced,
        "replaced_early": alignment.early_replaced,
        "replaced_late": alignment.late_replaced,
        "swapped": alignment.swapped,
        "order_reversed": float(alignment.reversed_order),
        # Rare features, combined so that they get a weight.
        "decisive": min(decisive, _MAX_COUNT) / _MAX_COUNT,
    }


def _word_features(one: ParsedText, other: ParsedText) -> dict[str, float]:
    titles = frozenset(one.title), frozenset(other.title)
    return {
        "title_coverage": max(overlap_coefficient(titles[0], other.words), overlap_coefficient(titles[1], one.words)),
        "word_overlap": overlap_coefficient(one.words, other.words),
        "one_word_differs": float(_differ_in_one_word(one, other)),
        "shared_words": min(len(one.words & other.words), _MAX_SHARED_WORDS) / _MAX_SHARED_WORDS,
        "shared_names": float(min(len(one.names & other.names), _MAX_COUNT)),
        "different_subjects": float(subjects_differ(one, other)),
        "parallel_titles": float(titles_are_parallel(one, other)),
        "different_identifiers": float(name_different_identifiers(one, other)),
        "opposite_antonyms": float(_have_opposite_antonyms(one, other)),
        "relations_agree": float(relations_agree(one, other)),
    }


def _differ_in_one_word(one: ParsedText, other: ParsedText) -> bool:
    """The same words except one in each: another owner, another place."""
    return len(one.body & other.body) >= _MIN_SHARED_WORDS and (
        len(one.body - other.words) == len(other.body - one.words) == 1
    )


def _have_opposite_antonyms(one: ParsedText, other: ParsedText) -> bool:
    """Each has only its own end of an antonym pair: synchronous here, asynchronous there."""
    mine, others = _antonyms_by_axis(one), _antonyms_by_axis(other)
    return any(mine[axis].isdisjoint(others[axis]) for axis in mine.keys() & others.keys())


def _antonyms_by_axis(reading: ParsedText) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for clause in reading.clauses:
        for axis, end in clause.antonyms:
            found.setdefault(axis, set()).add(end)
    return found


def _was_done(commit: Item, assertions_of_bug: Assertions, by: Item) -> bool:
    """A bug reported as open, and a commit, whose author has done something about it."""
    return assertions_of_bug.is_open and is_from_commits(commit) and not is_from_commits(by)


def _value_features(here: Assertions, there: Assertions) -> dict[str, float]:
    mine, others = here.values, there.values
    return {
        "shared_values": float(min(len(mine & others), _MAX_COUNT)),
        "values_agree": float(bool(mine and others) and (mine <= others or others <= mine)),
        "same_change": float(
            bool((here.replaced_values | here.past_values) & (there.replaced_values | there.past_values))
        ),
    }


def _type_features(a: Item, b: Item) -> dict[str, float]:
    tasks = (a.type == "todo") + (b.type == "todo")
    return {
        "disjoint_files": float(bool(a.files and b.files) and set(a.files).isdisjoint(b.files)),
        "same_type": float(a.type == b.type),
        "one_todo": float(tasks == 1),
        "both_todos": float(tasks == 2),
        "both_bugs": float(a.type == b.type == "bug"),
        "one_found_by_scan": float(_is_scanned_bug(a) != _is_scanned_bug(b)),
    }


def _is_scanned_bug(item: Item) -> bool:
    """A bug reported by a scan, which is there until a scan no longer finds it."""
    return item.type == "bug" and SCAN_TAG in item.tags


def _attribute_features(a: Item, b: Item) -> dict[str, float]:
    return {
        "different_frequency": float(frequencies_differ(a.title, a.content, b.title, b.content)),
        "different_region": float(regions_differ(a.content, b.content)),
        "different_default": float(defaults_differ(a.content, b.content)),
        "different_title_number": float(not are_both_reports(a, b) and title_numbers_differ(a.title, b.title)),
        "title_numbers_disjoint": float(title_numbers_disjoint(a.title, b.title)),
        "title_number_shared": float(not numbers_in(a.title).isdisjoint(numbers_in(b.title))),
    }


def _choice_features(here: Assertions, there: Assertions) -> dict[str, float]:
    pairs = ((here, there), (there, here))
    return {
        "one_mentions_reversal": float(here.mentions_reversal != there.mentions_reversal),
        "one_mentions_change": float(here.mentions_change != there.mentions_change),
        "one_mentions_end": float(here.mentions_end != there.mentions_end),
        "same_choice": float(make_same_choice(here, there)),
        "both_reject": min(len(here.rejected_words & there.rejected_words), _MAX_REJECTED) / _MAX_REJECTED,
        "removed_name": float(any((mine.removed_names & other.names) - mine.names for mine, other in pairs)),
    }


def _is_name_reversed(here: Assertions, there: Assertions) -> bool:
    return any(
        (mine.removed_names | mine.negated_names) & other.names for mine, other in ((here, there), (there, here))
    )


def _contradiction_features(contradictions: Contradictions) -> dict[str, float]:
    return {
        "different_environment": float(contradictions.environment is not None),
        "exclusive_value": _has_severity(contradictions.value, "exclusive"),
        "values_apart": _has_severity(contradictions.value, "apart"),
        "exclusive_name": _has_severity(contradictions.name, "exclusive"),
        "names_apart": _has_severity(contradictions.name, "apart"),
        "opposite_polarity": float(contradictions.polarity is not None),
        "short_negation": float(contradictions.negation is not None),
        "reversed_relation": float(contradictions.order is not None),
    }


def _reversal_features(
    one: ParsedText, other: ParsedText, here: Assertions, there: Assertions, *, is_report: bool
) -> dict[str, float]:
    """What one text asserts and the other no longer does."""
    turned = frozenset() if is_report else contradicted_words(here, there)
    return {
        "contradicted_words": min(len(turned), _MAX_REJECTED) / _MAX_REJECTED,
        "contradicted_title": float(any(word in one.title and word in other.title for word in turned)),
        "some_vs_all": float(not is_report and some_against_all(here, there)),
        "value_replaced": float(value_replaced(here, there)),
        "value_outdated": float(not is_report and value_outdated(here, there)),
        "limit_lifted": float(not is_report and limit_lifted(here, there)),
        "negating_prefix": float(negated_by_prefix(here, there)),
        "reverted_name": float(
            not is_report and here.mentions_reversal != there.mentions_reversal and _is_name_reversed(here, there)
        ),
    }


def _has_severity(clash: Contradiction | None, grade: str) -> float:
    return float(clash is not None and clash.severity == grade)


def are_both_reports(a: Item, b: Item) -> bool:
    """Whether both are bugs or todos: there, rejected words describe the problem."""
    return a.type in _REPORTS and b.type in _REPORTS
