"""Classifies statements by their category, heading and words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from loremark.memory.extraction.category_override import category_holds
from loremark.memory.extraction.sentence_openings import ANAPHORA, CHANGED, IMPERATIVE
from loremark.memory.extraction.sentence_structure import structure_scores
from loremark.memory.extraction.type_patterns import ACTION_PATTERNS, EXPLICIT_PATTERNS, TYPE_PATTERNS
from loremark.memory.extraction.word_patterns import CaseInsensitivePattern, words_from
from loremark.wire.items import ItemType

TYPES: tuple[ItemType, ...] = (
    "architecture",
    "convention",
    "implementation",
    "decision",
    "bug",
    "todo",
    "codemap",
)
STATED = 6.0
"""The score of a type that the text names."""
_CERTAIN = 3.0
_LIKELY = 1.5
_SEEN_CHARS = 1_000
# A category that names a type is trusted, but two clear signals in the text outweigh it.
_FILED = 1.2
_OF_PACE = 0.4
# The weight of later sentences: a decision or rule often follows its occasion.
_LATER: dict[ItemType, float] = {"decision": 0.7, "convention": 0.6, "todo": 0.1, "codemap": 0.2}

# Categories that agents and people use. Certain ones name a type; likely ones only suggest it.
_CATEGORIES: tuple[tuple[ItemType, float, frozenset[str]], ...] = (
    ("decision", _CERTAIN, words_from("decision decisions adr rationale decided tradeoff trade-off choice")),
    (
        "convention",
        _CERTAIN,
        words_from(
            "convention conventions rule rules standard standards style guideline guidelines preference preferences"
        )
        | {"best-practice", "best-practices", "code-style", "coding-style", "naming"},
    ),
    (
        "convention",
        _LIKELY,
        words_from("pattern patterns practice workflow process policy constraint constraints requirement requirements"),
    ),
    ("architecture", _CERTAIN, words_from("architecture architectural system-design")),
    ("architecture", _LIKELY, words_from("design system infrastructure product domain overview data-flow dataflow")),
    (
        "bug",
        _CERTAIN,
        words_from("bug bugs bugfix bugfixes bug-fix hotfix incident regression gotcha gotchas vulnerability pitfall")
        | {"root-cause", "known-issue", "known-issues"},
    ),
    ("bug", 2.0, words_from("fix fixes fixed issue issues error problem debugging troubleshooting")),
    ("bug", 0.9, words_from("security")),
    (
        "bug",
        _LIKELY,
        words_from("investigation debug rca postmortem post-mortem limitation limitations known-limitation quirk"),
    ),
    (
        "todo",
        _CERTAIN,
        words_from(
            "todo todos task tasks next next-step next-steps follow-up followup follow-ups backlog remaining pending"
        )
        | words_from(
            "open-question open-questions tech-debt technical-debt debt later blocked blocker blockers outstanding"
        ),
    ),
    ("todo", _LIKELY, words_from("plan plans idea ideas proposal improvement-idea")),
    (
        "codemap",
        _CERTAIN,
        words_from("codemap code-map structure layout map file-structure project-structure entry-point entry-points")
        | words_from("entrypoint entrypoints data-model datamodel navigation codebase module-map where-things-are"),
    ),
    ("codemap", _LIKELY, words_from("module modules schema dependencies directory")),
    (
        "implementation",
        _LIKELY,
        words_from("implementation feat refactor refactoring enhancement perf performance optimization")
        | words_from("improvement integration migration"),
    ),
    ("implementation", 1.3, words_from("feature features api ui backend frontend config configuration infra")),
    # Used for anything.
    (
        "implementation",
        0.8,
        words_from("change changes added add update updated code done completed work progress")
        | words_from("deployment build ci chore"),
    ),
)
# Slowness with a cause is a bug, an improvement without one an implementation: the category cannot tell.
_PACE = words_from("perf performance optimization")
_GUIDES = words_from(
    "doc docs documentation reference guide runbook how-to howto onboarding setup note notes knowledge"
)
_CATEGORY_OF = {name: (kind, weight) for kind, weight, names in reversed(_CATEGORIES) for name in names}
_LABEL = re.compile(
    r"\W{0,4}([^\W\d_][^\W\d_ -]{0,24}(?:[ -][^\W\d_]{1,20}){0,5}?)(?: \([^()]{0,40}\))?\W{0,3}(?:[:—–]| - )\s*(?=\S)"
)
_TOPIC = re.compile(r"\W{0,4}(?:[^\s:]{1,40} ){0,7}[^\s:]{1,40}(?:: | [—–-] )(?=\S)")
# "Handlers return Result", "Timestamps are stored in UTC": said of all of a kind, it is a rule.
_OF_ALL = re.compile(
    r"(?:[A-Z][a-z]+|[A-Z][a-z]+ [a-z]+)s(?: that .{1,40}?)? (?:are (?:stored|written|kept|named|integers?|strings?)|"
    r"return|carry|stay|come from|need|expose|spell|raise|throw)\b(?! (?:now|not yet|still|missing))"
)
_PATHS = re.compile(r"(?<![\w:/])[\w@.-]+/[\w./*\[\]-]*")


# A new value of a setting is an implementation, whatever its reason.
_SETTING = CaseInsensitivePattern(
    r"\b(?:time-?outs?|limits?|sizes?|ttl|retention|heap|memory|threads?|workers?|replicas?|parallel\w*|concurrency|batch\w*|"
    r"intervals?|quota|budget|minsdk|instances?|storage|iops|expiry|expires?|lifetime|retries|attempts|pool|window|"
    r"threshold|defaults?|max_\w+|min_\w+|uploads?|downloads?)\b",
)
_NEW_VALUE = CaseInsensitivePattern(
    r"\d[\w.,]*[^.;\d]{0,40}\bnow\b|\bnow\b[^.;\d]{0,40}\d|\(?\bwas (?:\d|unlimited|off|on\b)|"
    r"\bfrom \d[^.;]{0,20} to \d|\d\S* (?:\w+ )?instead of \d|"
    r"\b(?:raised|lowered|increased|reduced|went up|went down|dropped|set) (?:\S+ ){0,4}to \d",
)
# A past problem and the current state: a bug and its fix, whatever the category.
_TROUBLE = CaseInsensitivePattern(
    r"\b(?:was|were|gave|grew|took|requested|accepted|returned|showed|passed|kept|hit|reported|blocked|ran)\b"
    r".{0,160}?(?:\b(?:because|even (?:in|when|if|though)|differences?|drain|bottleneck|at peak|too \w+|any|absolute|"
    r"for minutes|each time|wrong|stale|empty|nothing)\b)",
)
_REMEDIED = CaseInsensitivePattern(r"\bnow\b|\b(?:partitioned|switched|replaced|moved|capped|escaped|guarded|set) ")


@dataclass(frozen=True, slots=True)
class TypeVerdict:
    """A type, its score, and its margin over the next one.

    ``given``: it was stated and nothing contradicts it, so the type model does not run.
    """

    type: ItemType
    strength: float
    margin: float
    given: bool = False


def explicit_verdict(kind: ItemType) -> TypeVerdict:
    """The verdict on a text that names its type."""
    return TypeVerdict(kind, STATED, STATED)


def type_for_category(category: str) -> tuple[ItemType, float] | None:
    """The type a category names or suggests, with its weight."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])|[\s_/]+", "-", category[:60].strip()).lower().strip("-:#*")
    found = _CATEGORY_OF.get(name)
    if found is None and "-" in name:
        known = [_CATEGORY_OF[part] for part in name.split("-") if part in _CATEGORY_OF]
        found = max(known, key=lambda pair: pair[1], default=None)
    return found


def exact_category_type(category: str) -> ItemType | None:
    """The type whose name the category is, in singular or plural."""
    name = category[:60].strip().lower()
    return next((kind for kind in TYPES if name in (kind, f"{kind}s")), None)


def is_guide(category: str) -> bool:
    """Whether a category means that its text explains something."""
    return category.strip().lower() in _GUIDES


def label_type(text: str) -> ItemType | None:
    """The type named by a label before a statement: ``Decision: …``, ``TODO - …``."""
    found = _LABEL.match(text[:80])
    if found is None:
        return None
    named = type_for_category(found.group(1))
    # "Fixed by position: …" is not a label; of several words one must name the type itself.
    least = 2.0 if found.group(1).isalpha() else _CERTAIN
    return named[0] if named is not None and named[1] >= least else None


@lru_cache(maxsize=2_048)
def explicit_type(text: str) -> ItemType | None:
    """The type that a sentence states explicitly."""
    seen = text[:_SEEN_CHARS]
    label = label_type(seen)
    if label is not None:
        return label
    return next((kind for kind, form in EXPLICIT_PATTERNS if form.search(seen)), None)


def is_action(text: str) -> bool:
    """Whether a sentence starts with what was done."""
    seen = text[:_SEEN_CHARS]
    return any(form.match(seen) for form in ACTION_PATTERNS)


def is_imperative(text: str) -> bool:
    """Whether a sentence tells the reader to do something."""
    return IMPERATIVE.match(text) is not None


def is_anaphoric(text: str) -> bool:
    """Whether a sentence refers to the previous one."""
    return ANAPHORA.match(text) is not None


def score_types(text: str) -> dict[ItemType, float]:
    """Score a text for each type."""
    return dict(_weights_of(text[:_SEEN_CHARS]))


@lru_cache(maxsize=512)
def _weights_of(seen: str) -> Mapping[ItemType, float]:
    """Cached: the same text often recurs as a title, in a summary or in the next change."""
    weights: dict[ItemType, float] = dict.fromkeys(TYPES, 0.0)
    topic = _TOPIC.match(seen)
    rest = seen[topic.end() :] if topic is not None else ""
    for kind, weight, form in TYPE_PATTERNS:
        # "telemetry: decided …": a sentence starts again after the topic
        if form.search(seen) or (rest and form.search(rest)):
            weights[kind] += weight
    places = len(_PATHS.findall(seen))
    if places >= 2 and not CHANGED.search(seen):
        weights["codemap"] += 1.0 if places == 2 else 2.0
    if _OF_ALL.match(seen) and not any(char.isdigit() for char in seen) and not places:
        weights["convention"] += 1.4
    if weights["convention"] and CHANGED.search(seen):
        weights["convention"] *= 0.4
    label = label_type(seen)
    if label is not None:
        weights[label] += 2 * _CERTAIN
    return weights


def classify_type(
    title: str,
    sentences: Sequence[str],
    categories: Iterable[str] = (),
    about: str = "",
    default: ItemType = "implementation",
    saved: ItemType | None = None,
) -> TypeVerdict:
    """Classify a fact by its categories, title, sentences and their structure.

    ``filed``: the stated type, which holds unless the words clearly say otherwise.
    """
    total: dict[ItemType, float] = dict.fromkeys(TYPES, 0.0)
    categories = list(categories)
    explains = default != "implementation" or any(map(is_guide, categories))
    for kind, weight in score_types(title).items():
        total[kind] += 1.2 * weight
    for kind, weight in score_types(about).items():
        total[kind] += 0.5 * weight
    for place, sentence in enumerate(sentences[:8]):
        if explains and is_imperative(sentence):
            total["convention"] += 1.2 if place == 0 else 0.6
        for kind, weight in score_types(sentence).items():
            total[kind] += weight * (0.8 if place == 0 else _LATER.get(kind, 0.4))
    for kind, weight in structure_scores(sentences[0] if sentences else title, saved=any(categories)):
        total[kind] += weight
    text = " ".join((title, *sentences[:4]))[:_SEEN_CHARS]
    trouble = _TROUBLE.search(text)
    if trouble is not None and _REMEDIED.search(text, trouble.end()):
        total["bug"] += 1.5
    if _SETTING.search(text) and _NEW_VALUE.search(text):
        total["implementation"] += 2.0
    if saved is not None and category_holds(saved, total, text):
        return TypeVerdict(saved, STATED, STATED, given=True)
    for category in categories:
        named = type_for_category(category)
        if named is not None:
            total[named[0]] += named[1] * (
                _OF_PACE if category.lower() in _PACE else _FILED if named[1] >= _CERTAIN else 1
            )
    best = max(TYPES, key=lambda kind: (total[kind], kind == default))
    if total[best] < 1.0:
        return TypeVerdict(default, total[best], 0.0)
    return TypeVerdict(best, total[best], total[best] - max(total[kind] for kind in TYPES if kind != best))
