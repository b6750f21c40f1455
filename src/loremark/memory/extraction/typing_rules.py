"""Which type a statement has: by the category it was filed under, the heading above it, and its own words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from loremark.memory.extraction.cues import ACTION, CUES, OUTRIGHT
from loremark.memory.extraction.forms import forms
from loremark.memory.extraction.openings import ANAPHORA, CHANGED, IMPERATIVE
from loremark.memory.extraction.standing import stands
from loremark.memory.extraction.words import Wording, word_set
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
"""How strongly a text speaks for the type that it names."""
_CERTAIN = 3.0
_LIKELY = 1.5
_SEEN_CHARS = 1_000
# A category that names a type is believed, but two clear signs in the text outweigh it.
_FILED = 1.2
_OF_PACE = 0.4
# What a later sentence still counts: a choice or a rule may well stand behind its occasion.
_LATER: dict[ItemType, float] = {"decision": 0.7, "convention": 0.6, "todo": 0.1, "codemap": 0.2}

# What agents and people file things under. Certain ones name a type; likely ones only lean towards it.
_CATEGORIES: tuple[tuple[ItemType, float, frozenset[str]], ...] = (
    ("decision", _CERTAIN, word_set("decision decisions adr rationale decided tradeoff trade-off choice")),
    (
        "convention",
        _CERTAIN,
        word_set(
            "convention conventions rule rules standard standards style guideline guidelines preference preferences"
        )
        | {"best-practice", "best-practices", "code-style", "coding-style", "naming"},
    ),
    (
        "convention",
        _LIKELY,
        word_set("pattern patterns practice workflow process policy constraint constraints requirement requirements"),
    ),
    ("architecture", _CERTAIN, word_set("architecture architectural system-design")),
    ("architecture", _LIKELY, word_set("design system infrastructure product domain overview data-flow dataflow")),
    (
        "bug",
        _CERTAIN,
        word_set("bug bugs bugfix bugfixes bug-fix hotfix incident regression gotcha gotchas vulnerability pitfall")
        | {"root-cause", "known-issue", "known-issues"},
    ),
    ("bug", 2.0, word_set("fix fixes fixed issue issues error problem debugging troubleshooting")),
    ("bug", 0.9, word_set("security")),
    (
        "bug",
        _LIKELY,
        word_set("investigation debug rca postmortem post-mortem limitation limitations known-limitation quirk"),
    ),
    (
        "todo",
        _CERTAIN,
        word_set(
            "todo todos task tasks next next-step next-steps follow-up followup follow-ups backlog remaining pending"
        )
        | word_set(
            "open-question open-questions tech-debt technical-debt debt later blocked blocker blockers outstanding"
        ),
    ),
    ("todo", _LIKELY, word_set("plan plans idea ideas proposal improvement-idea")),
    (
        "codemap",
        _CERTAIN,
        word_set("codemap code-map structure layout map file-structure project-structure entry-point entry-points")
        | word_set("entrypoint entrypoints data-model datamodel navigation codebase module-map where-things-are"),
    ),
    ("codemap", _LIKELY, word_set("module modules schema dependencies directory")),
    (
        "implementation",
        _LIKELY,
        word_set("implementation feat refactor refactoring enhancement perf performance optimization")
        | word_set("improvement integration migration"),
    ),
    ("implementation", 1.3, word_set("feature features api ui backend frontend config configuration infra")),
    # Said of anything: they hardly lean.
    (
        "implementation",
        0.8,
        word_set("change changes added add update updated code done completed work progress")
        | word_set("deployment build ci chore"),
    ),
)
# Slowness with a cause is a fault, a quicker way without one is built: the category cannot tell.
_PACE = word_set("perf performance optimization")
_GUIDES = word_set("doc docs documentation reference guide runbook how-to howto onboarding setup note notes knowledge")
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


# The new value of a setting is what was built, whatever made it necessary.
_SETTING = Wording(
    r"\b(?:time-?outs?|limits?|sizes?|ttl|retention|heap|memory|threads?|workers?|replicas?|parallel\w*|concurrency|batch\w*|"
    r"intervals?|quota|budget|minsdk|instances?|storage|iops|expiry|expires?|lifetime|retries|attempts|pool|window|"
    r"threshold|defaults?|max_\w+|min_\w+|uploads?|downloads?)\b",
)
_NEW_VALUE = Wording(
    r"\d[\w.,]*[^.;\d]{0,40}\bnow\b|\bnow\b[^.;\d]{0,40}\d|\(?\bwas (?:\d|unlimited|off|on\b)|"
    r"\bfrom \d[^.;]{0,20} to \d|\d\S* (?:\w+ )?instead of \d|"
    r"\b(?:raised|lowered|increased|reduced|went up|went down|dropped|set) (?:\S+ ){0,4}to \d",
)
# What was, with trouble in it, and what is now: a fault and its remedy, whatever it was filed under.
_TROUBLE = Wording(
    r"\b(?:was|were|gave|grew|took|requested|accepted|returned|showed|passed|kept|hit|reported|blocked|ran)\b"
    r".{0,160}?(?:\b(?:because|even (?:in|when|if|though)|differences?|drain|bottleneck|at peak|too \w+|any|absolute|"
    r"for minutes|each time|wrong|stale|empty|nothing)\b)",
)
_REMEDIED = Wording(r"\bnow\b|\b(?:partitioned|switched|replaced|moved|capped|escaped|guarded|set) ")


@dataclass(frozen=True, slots=True)
class Verdict:
    """A type, how strongly the words speak for it, and how far it is before the next one.

    ``given``: somebody named it and nothing speaks against it, so nobody else is asked.
    """

    type: ItemType
    strength: float
    margin: float
    given: bool = False


def stated(kind: ItemType) -> Verdict:
    """The verdict on what names its type itself."""
    return Verdict(kind, STATED, STATED)


def type_of_category(category: str) -> tuple[ItemType, float] | None:
    """The type a category names or leans to."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])|[\s_/]+", "-", category[:60].strip()).lower().strip("-:#*")
    found = _CATEGORY_OF.get(name)
    if found is None and "-" in name:
        known = [_CATEGORY_OF[part] for part in name.split("-") if part in _CATEGORY_OF]
        found = max(known, key=lambda pair: pair[1], default=None)
    return found


def exact_type(category: str) -> ItemType | None:
    """The type that a category is the very name of, in singular or plural."""
    name = category[:60].strip().lower()
    return next((kind for kind in TYPES if name in (kind, f"{kind}s")), None)


def is_guide(category: str) -> bool:
    """Whether a category says that its text explains something to others."""
    return category.strip().lower() in _GUIDES


def label_of(text: str) -> ItemType | None:
    """The type that a label in front of a statement names: ``Decision: …``, ``TODO - …``."""
    found = _LABEL.match(text[:80])
    if found is None:
        return None
    named = type_of_category(found.group(1))
    # "Fixed by position: …" is no label; of several words one must name the type itself.
    least = 2.0 if found.group(1).isalpha() else _CERTAIN
    return named[0] if named is not None and named[1] >= least else None


@lru_cache(maxsize=2_048)
def outright_type(text: str) -> ItemType | None:
    """The type of a sentence that states it in so many words."""
    seen = text[:_SEEN_CHARS]
    label = label_of(seen)
    if label is not None:
        return label
    return next((kind for kind, form in OUTRIGHT if form.search(seen)), None)


def is_action(text: str) -> bool:
    """Whether a sentence begins with what was done."""
    seen = text[:_SEEN_CHARS]
    return any(form.match(seen) for form in ACTION)


def is_order(text: str) -> bool:
    """Whether a sentence tells the reader to do something."""
    return IMPERATIVE.match(text) is not None


def is_anaphoric(text: str) -> bool:
    """Whether a sentence leans on the one before it."""
    return ANAPHORA.match(text) is not None


def weigh(text: str) -> dict[ItemType, float]:
    """How strongly a text speaks for each type."""
    return dict(_weights_of(text[:_SEEN_CHARS]))


@lru_cache(maxsize=512)
def _weights_of(seen: str) -> Mapping[ItemType, float]:
    """Kept for a while: a text that comes once often comes again, as a title, in a summary, in the next change."""
    weights: dict[ItemType, float] = dict.fromkeys(TYPES, 0.0)
    topic = _TOPIC.match(seen)
    rest = seen[topic.end() :] if topic is not None else ""
    for kind, weight, form in CUES:
        # "telemetry: decided …": behind the topic a sentence begins anew
        if form.search(seen) or (rest and form.search(rest)):
            weights[kind] += weight
    places = len(_PATHS.findall(seen))
    if places >= 2 and not CHANGED.search(seen):
        weights["codemap"] += 1.0 if places == 2 else 2.0
    if _OF_ALL.match(seen) and not any(char.isdigit() for char in seen) and not places:
        weights["convention"] += 1.4
    if weights["convention"] and CHANGED.search(seen):
        weights["convention"] *= 0.4
    label = label_of(seen)
    if label is not None:
        weights[label] += 2 * _CERTAIN
    return weights


def verdict(
    title: str,
    sentences: Sequence[str],
    categories: Iterable[str] = (),
    about: str = "",
    default: ItemType = "implementation",
    filed: ItemType | None = None,
) -> Verdict:
    """The type of one fact: what it was filed under, its title, its sentences and their build, words about it.

    ``filed``: the type that somebody named; it stands unless the words clearly say otherwise.
    """
    total: dict[ItemType, float] = dict.fromkeys(TYPES, 0.0)
    categories = list(categories)
    explains = default != "implementation" or any(map(is_guide, categories))
    for kind, weight in weigh(title).items():
        total[kind] += 1.2 * weight
    for kind, weight in weigh(about).items():
        total[kind] += 0.5 * weight
    for place, sentence in enumerate(sentences[:8]):
        if explains and is_order(sentence):
            total["convention"] += 1.2 if place == 0 else 0.6
        for kind, weight in weigh(sentence).items():
            total[kind] += weight * (0.8 if place == 0 else _LATER.get(kind, 0.4))
    for kind, weight in forms(sentences[0] if sentences else title, filed=any(categories)):
        total[kind] += weight
    told = " ".join((title, *sentences[:4]))[:_SEEN_CHARS]
    trouble = _TROUBLE.search(told)
    if trouble is not None and _REMEDIED.search(told, trouble.end()):
        total["bug"] += 1.5
    if _SETTING.search(told) and _NEW_VALUE.search(told):
        total["implementation"] += 2.0
    if filed is not None and stands(filed, total, told):
        return Verdict(filed, STATED, STATED, given=True)
    for category in categories:
        named = type_of_category(category)
        if named is not None:
            total[named[0]] += named[1] * (
                _OF_PACE if category.lower() in _PACE else _FILED if named[1] >= _CERTAIN else 1
            )
    best = max(TYPES, key=lambda kind: (total[kind], kind == default))
    if total[best] < 1.0:
        return Verdict(default, total[best], 0.0)
    return Verdict(best, total[best], total[best] - max(total[kind] for kind in TYPES if kind != best))
