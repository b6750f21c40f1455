"""Whether a commit is worth remembering: by what it says, and by what it touches."""

from __future__ import annotations

import re

from loremark.memory.extraction import durability, worth
from loremark.memory.extraction.commit_chores import is_slight
from loremark.memory.extraction.commit_files import is_beside, is_manifest, is_translation, touch_source
from loremark.memory.extraction.commit_log import Commit
from loremark.memory.extraction.commit_texts import Told, remaining_words
from loremark.memory.extraction.commit_types import BUILDS, CHOICE, FIXES, RULE, UPKEEP
from loremark.memory.extraction.typing_rules import outright_type, weigh
from loremark.memory.extraction.words import terms, word_set
from loremark.memory.paths import is_machine_written

KINDS = FIXES | BUILDS
SQUASHED = re.compile(r"^Squashed commit", re.IGNORECASE)
_LEAST_BARE = 0.5
_REVERT = re.compile(r"^(?:revert[:\s]|reverts? \")", re.IGNORECASE)
_BOT = re.compile(
    r"(?i:\[bot\]|(?<![^\W_])(?:bot|ci|bors|deployer|weblate|crowdin)$|"
    r"^(?:dependabot|renovate|github-actions|semantic-release))|[a-z]Bot$"
)
_OF_VERSIONS = re.compile(r"^(?:bump|update|upgrade|pin|unpin|raise|widen|refresh|sync)\b|\bversions?\b", re.IGNORECASE)
_TRIALS = word_set("test tests style lint format fmt")
_ORDER = re.compile(r"^(?:avoid|no|don'?t|do not|prefer|only)\b", re.IGNORECASE)
_READS = re.compile(r"^read\b", re.IGNORECASE)  # as an order, not as what somebody did
_EDITOR = re.compile(r"\bVS ?Code\b", re.IGNORECASE)
# What a subject may be made of without naming anything.
_UNNAMED = word_set(
    """
    fix add remov updat chang mak us clean cleanup lint typ typing typo test code thing stuff warning warn error finding
    build format refactor renam mov delet unused unus dead deprecat previously old bit little minor small misc comment
    doc review feedback wibbl better simplify implement implementation improv improvement issu bug version polish tidy
    tweak adjust nit merg start work find link mypy pyright flake8 ruff eslint black pylint clippy swiftlint tsc
    codespell bugbear prettier
    """
)


def is_worth(told: Told, commit: Commit) -> bool:
    """Whether an item is made of it."""
    kind, title, sentences = told.kind, told.title, told.sentences
    said = remaining_words(sentences)
    explained = worth.has_reason(said) or any(outright_type(one.text) or lays_down(one.text) for one in sentences)
    if told.is_merge or _BOT.search(commit.author[:100]):
        return explained and len(terms(said)) >= 8
    if _REVERT.match(commit.subject) or kind == "revert":
        return worth.says_something(said, 4)
    paths = [file.path for file in commit.files]
    beside = bool(paths) and all(map(is_beside, paths))
    if any(map(worth.is_chore, (title, told.subject, commit.subject))) or SQUASHED.match(title):
        least = 0.0 if SQUASHED.match(title) else 1.5
        listed = any(one.is_bullet and max(weigh(one.text).values()) >= least for one in sentences)
        return (explained or listed) and not beside and len(terms(said)) >= 6
    if (paths and _is_upkeep(title, paths)) or (is_slight(title) and not explained and not told.breaking):
        return False
    if beside:
        states = (lays_down(title) and not _ORDER.match(title)) or RULE.match(title) is not None
        return explained or (states and kind not in _TRIALS)
    if told.breaking:
        return worth.says_something(title + " " + said)
    if kind in UPKEEP:
        choice = CHOICE.match(title) is not None and kind not in ("style", "test", "tests", "docs", "doc")
        return explained or (choice and worth.says_something(title)) or lays_down(title)
    passing = durability.is_passing(title) and not _READS.match(title)
    if (worth.is_talk(title) or passing) and not explained:
        return False
    if not sentences and kind not in KINDS and durability.lasting(title) < _LEAST_BARE and len(terms(title)) < 5:
        return _names_a_thing(title, paths)
    if worth.says_something(said, 4) and durability.lasting(f"{title}. {said}") >= _LEAST_BARE:
        return True  # "vat: sum, then round" with a body that tells why
    return worth.says_something(title, 2 if kind in KINDS else 3) or explained or _names_a_thing(title, paths)


def lays_down(title: str) -> bool:
    """Whether a text decides, rules or describes in so many words."""
    weights = weigh(_EDITOR.sub("editor", title))
    return max(weights["decision"], weights["convention"], weights["architecture"]) >= 2.0


def _is_upkeep(title: str, paths: list[str]) -> bool:
    """Nothing but lock files, translations, or newer versions of packages."""
    if all(is_machine_written(path) for path in paths) or all(is_translation(path) for path in paths):
        return True
    return _OF_VERSIONS.search(title) is not None and all(is_beside(path) or is_manifest(path) for path in paths)


def _names_a_thing(title: str, paths: list[str]) -> bool:
    """Short, but of the product's source, and it says of what."""
    return touch_source(paths) and len(terms(title) - _UNNAMED) >= 2
