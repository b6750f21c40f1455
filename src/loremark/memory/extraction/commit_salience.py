"""Decides whether a commit is worth remembering, by its message and its files."""

from __future__ import annotations

import re

from loremark.memory.extraction import durability, salience
from loremark.memory.extraction.commit_chores import is_minor_chore
from loremark.memory.extraction.commit_files import is_manifest, is_supporting_file, is_translation, touches_source
from loremark.memory.extraction.commit_messages import CommitMessage, joined_text
from loremark.memory.extraction.commit_parser import Commit
from loremark.memory.extraction.commit_types import BUILDS, CHOICE, FIXES, RULE, UPKEEP
from loremark.memory.extraction.type_rules import explicit_type, score_types
from loremark.memory.extraction.word_patterns import content_terms, words_from
from loremark.memory.paths import is_generated_file

CHANGE_KINDS = FIXES | BUILDS
SQUASHED = re.compile(r"^Squashed commit", re.IGNORECASE)
_MIN_BARE_DURABILITY = 0.5
_REVERT = re.compile(r"^(?:revert[:\s]|reverts? \")", re.IGNORECASE)
_BOT = re.compile(
    r"(?i:\[bot\]|(?<![^\W_])(?:bot|ci|bors|deployer|weblate|crowdin)$|"
    r"^(?:dependabot|renovate|github-actions|semantic-release))|[a-z]Bot$"
)
_OF_VERSIONS = re.compile(r"^(?:bump|update|upgrade|pin|unpin|raise|widen|refresh|sync)\b|\bversions?\b", re.IGNORECASE)
_TRIALS = words_from("test tests style lint format fmt")
_ORDER = re.compile(r"^(?:avoid|no|don'?t|do not|prefer|only)\b", re.IGNORECASE)
_READS = re.compile(r"^read\b", re.IGNORECASE)  # as an imperative, not in the past tense
_EDITOR = re.compile(r"\bVS ?Code\b", re.IGNORECASE)
# Words that alone do not name anything.
_UNNAMED = words_from(
    """
    fix add remov updat chang mak us clean cleanup lint typ typing typo test code thing stuff warning warn error finding
    build format refactor renam mov delet unused unus dead deprecat previously old bit little minor small misc comment
    doc review feedback wibbl better simplify implement implementation improv improvement issu bug version polish tidy
    tweak adjust nit merg start work find link mypy pyright flake8 ruff eslint black pylint clippy swiftlint tsc
    codespell bugbear prettier
    """
)


def is_salient_commit(message: CommitMessage, commit: Commit) -> bool:
    """Whether to create an item from a commit."""
    kind, title, sentences = message.kind, message.title, message.sentences
    said = joined_text(sentences)
    explained = salience.has_reason(said) or any(
        explicit_type(one.text) or states_rule_or_decision(one.text) for one in sentences
    )
    if message.is_merge or _BOT.search(commit.author[:100]):
        return explained and len(content_terms(said)) >= 8
    if _REVERT.match(commit.subject) or kind == "revert":
        return salience.is_substantial(said, 4)
    paths = [file.path for file in commit.files]
    beside = bool(paths) and all(map(is_supporting_file, paths))
    if any(map(salience.is_chore, (title, message.subject, commit.subject))) or SQUASHED.match(title):
        least = 0.0 if SQUASHED.match(title) else 1.5
        listed = any(one.is_bullet and max(score_types(one.text).values()) >= least for one in sentences)
        return (explained or listed) and not beside and len(content_terms(said)) >= 6
    if (paths and _is_upkeep(title, paths)) or (is_minor_chore(title) and not explained and not message.breaking):
        return False
    if beside:
        states = (states_rule_or_decision(title) and not _ORDER.match(title)) or RULE.match(title) is not None
        return explained or (states and kind not in _TRIALS)
    if message.breaking:
        return salience.is_substantial(title + " " + said)
    if kind in UPKEEP:
        choice = CHOICE.match(title) is not None and kind not in ("style", "test", "tests", "docs", "doc")
        return explained or (choice and salience.is_substantial(title)) or states_rule_or_decision(title)
    passing = durability.is_transient(title) and not _READS.match(title)
    if (salience.is_small_talk(title) or passing) and not explained:
        return False
    if (
        not sentences
        and kind not in CHANGE_KINDS
        and durability.durability_score(title) < _MIN_BARE_DURABILITY
        and len(content_terms(title)) < 5
    ):
        return _names_a_thing(title, paths)
    if salience.is_substantial(said, 4) and durability.durability_score(f"{title}. {said}") >= _MIN_BARE_DURABILITY:
        return True  # "vat: sum, then round" with a body that explains why
    return salience.is_substantial(title, 2 if kind in CHANGE_KINDS else 3) or explained or _names_a_thing(title, paths)


def states_rule_or_decision(title: str) -> bool:
    """Whether a text explicitly decides, rules or describes."""
    weights = score_types(_EDITOR.sub("editor", title))
    return max(weights["decision"], weights["convention"], weights["architecture"]) >= 2.0


def _is_upkeep(title: str, paths: list[str]) -> bool:
    """Only lock files, translations, or dependency versions."""
    if all(is_generated_file(path) for path in paths) or all(is_translation(path) for path in paths):
        return True
    return _OF_VERSIONS.search(title) is not None and all(
        is_supporting_file(path) or is_manifest(path) for path in paths
    )


def _names_a_thing(title: str, paths: list[str]) -> bool:
    """Short, but about product source, and it names what it is about."""
    return touches_source(paths) and len(content_terms(title) - _UNNAMED) >= 2
