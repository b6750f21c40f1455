"""Decides whether a commit is worth an item: only if its body states more than what was done.

What was added, moved or renamed is in the diff, so sentences that narrate it do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from loremark.memory.extraction.commit_body import Block
from loremark.memory.extraction.commit_files import is_supporting_file
from loremark.memory.extraction.commit_messages import CommitMessage
from loremark.memory.extraction.commit_parser import Commit
from loremark.memory.extraction.commit_reverts import reverted_subject
from loremark.memory.extraction.commit_types import UPKEEP
from loremark.memory.extraction.sentence_splitter import Sentence, split_sentences
from loremark.memory.extraction.word_patterns import CaseInsensitivePattern, content_terms

# Content words that the subject does not have, in sentences that state something.
_MIN_TERMS = 4
_MIN_TERMS_OF_UPKEEP = 8
"""Upkeep, tests and documents, unless a reason is given."""
_DOCUMENTS = (".md", ".mdx", ".rst", ".adoc", ".txt")
# Unfinished work, and releases: "Release 1.2.0", "core v0.4".
_NO_CHANGE = re.compile(r"wip\b|(?:[\w@/.-]{1,60} ){0,3}v?\d+\.\d+(?:\.\d+)?[\w.+-]{0,20}\W*$", re.IGNORECASE)
_BUMP = re.compile(r"(?:bump|upgrade|update|pin) .{0,60}\bversion|bump\b", re.IGNORECASE)
# Automation writes release notes and lists of versions. Coding agents write like their users.
_AUTOMATION = re.compile(
    r"(?i:\[bot\]|(?<![^\W_])(?:bot|ci|bors|deployer|weblate|crowdin)$|"
    r"^(?:dependabot|renovate|github-actions|semantic-release))|[a-z]Bot$"
)
_AGENT = re.compile(r"claude|copilot|codex|cursor|devin|jules|gemini|openhands|sweep", re.IGNORECASE)
_REASON = (
    r"because|(?<!have )(?<!has )since|so that|due to|caused? by|root cause|the reason|otherwise|therefore|hence|"
    r"turn(?:s|ed) out|which (?:means|meant|broke|caused|led|made)|to (?:avoid|prevent|stop|reduce)|(?<=, )so"
)
_STATED_REASON = CaseInsensitivePattern(rf"\b(?:{_REASON})\b")
_REASON_OR_RULE = CaseInsensitivePattern(rf"\b(?:{_REASON}|must|never|should(?: not|n't)|do(?: not|n't))\b")
# "Added …", "Updates …", "This commit introduces …".
_NARRATION = CaseInsensitivePattern(
    r"^\W{0,6}(?:(?:also|and|then|now|this|it|should) ){0,2}(?:"
    r"(?:th(?:is|ese)|the) (?:commit|change|pr|patch|pull request|update|fix|enhancement|improvement|refactor)s?\b|"
    r"(?:re-?)?(?:add|allow|append|apply|bump|chang|clean|clear|consolidat|convert|creat|defin|delet|document|drop|"
    r"enabl|enhanc|ensur|establish|expand|export|expos|extend|extract|fix|handl|implement|import|improv|includ|increas|"
    r"initializ|integrat|introduc|mak|migrat|modif|mov|optimiz|pass|provid|refactor|refin|remov|renam|replac|resolv|"
    r"restor|restructur|rework|rewrit|set|show|simplif|split|standardiz|streamlin|support|switch|tweak|updat|upgrad|us|"
    r"wire|wrap|writ)(?:e|y)?(?:s|es|d|ed|ies|ied)?\b|no functional|new[ :])"
)
# "Binary size: 3.2 MB", and lines that start with a pictogram.
_FIGURE = re.compile(
    r"\W{0,6}[\w ./*`-]{2,50}: (?=.{0,40}\d)\S+(?: \S+){0,5}$|\W{0,4}[\u2190-\u2bff\U0001f000-\U0001faff]"
)
_PAST = CaseInsensitivePattern(r"^\W{0,6}\w{2,14}ed\b")
_FINITE = CaseInsensitivePattern(
    r"\w\W+(?:is|are|was|were|be|been|has|have|had|can|could|cannot|will|would|should|must|may|might|does|did|do|now|"
    r"needs?|gets?|stays?|already|still|\w+n't|it's|that's)\b"
)
_ENGLISH = CaseInsensitivePattern(r"\b(?:the|of|and|to|for|with|from|by|is|are|that|this)\b")
_OTHER_LANGUAGE = CaseInsensitivePattern(
    r"\b(?:el|los|las|del|que|una|por|para|como|der|die|das|und|ist|nicht|mit|wird|von|les|des|et|est|pour|une|dans|"
    r"não|uma|che|è)\b|[^\W\d_a-zà-ÿ]{2}"
)
_URL = re.compile(r"https?://\S+")


def is_salient_commit(message: CommitMessage, commit: Commit) -> bool:
    """Whether a commit's body says something that neither its subject nor its diff does."""
    if is_automation(commit.author) or message.kind == "wip":
        return False
    if _NO_CHANGE.match(message.subject) and not message.is_breaking:  # "drop Python 3.9" reads like a release
        return False
    said = [(one, block) for block in message.explanation for one in split_sentences(block.raw)]
    known = content_terms(f"{message.scope} {message.subject}")
    if message.is_breaking:
        return bool(_terms(one.text for one, _ in said) - known)
    stated = [one.text for one, block in said if _states(one.text, is_item=block.kind == "item")]
    if reverted_subject(commit.subject):
        return len(_terms(stated)) >= _MIN_TERMS
    told = len(_terms(stated) - known)
    is_upkeep = message.kind in UPKEEP or _BUMP.match(message.subject) or _is_beside(commit)
    if is_upkeep and not any(map(_REASON_OR_RULE.search, stated)):
        return told >= _MIN_TERMS_OF_UPKEEP
    return told >= _MIN_TERMS


def find_explanation(blocks: Sequence[Block]) -> Sentence | None:
    """The sentence that gives a reason, else the first that states something, else the first one."""
    said = [(one, block) for block in blocks for one in split_sentences(block.raw)]
    stated = [one for one, block in said if _states(one.text, is_item=block.kind == "item")]
    reasons = [one for one in stated if _STATED_REASON.search(one.text)]
    return next(iter([*reasons, *stated, *(one for one, _ in said)]), None)


def is_automation(author: str) -> bool:
    """Whether a program other than a coding agent made the commit."""
    return _AUTOMATION.search(author[:100]) is not None and _AGENT.search(author[:100]) is None


def _states(sentence: str, *, is_item: bool) -> bool:
    """Whether a sentence says more than what was done. An entry of a list needs a verb of its own for that."""
    if _FIGURE.match(sentence) or sum(map(_has_digit, sentence.split())) * 3 > len(sentence.split()):
        return False
    if _NARRATION.match(sentence):
        return not is_item and _STATED_REASON.search(sentence) is not None
    if not is_item or len(_OTHER_LANGUAGE.findall(sentence)) > len(_ENGLISH.findall(sentence)):
        return True
    return _PAST.match(sentence) is None and _FINITE.search(sentence) is not None


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _terms(texts: Iterable[str]) -> frozenset[str]:
    return content_terms(_URL.sub(" ", " ".join(texts)))


def _is_beside(commit: Commit) -> bool:
    """Whether it touches only tests, documents and the like."""
    return bool(commit.files) and all(
        is_supporting_file(file.path) or file.path.endswith(_DOCUMENTS) for file in commit.files
    )
