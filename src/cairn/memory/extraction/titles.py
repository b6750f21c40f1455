"""Titles: what a person would write above a fact."""

from __future__ import annotations

import re

from cairn.memory.extraction.sentences import plain
from cairn.memory.extraction.words import terms

MAX_TITLE_CHARS = 100
_LEAST_CHARS = 12
_PREFIX = re.compile(
    r"^(?:build|chore|ci|docs?|feat|feature|fix|hotfix|bugfix|perf|refactor|revert|style|test|tests|security|"
    r"improvement)"
    r"(?:\([^()]{0,60}\))?!?:\s{0,10}",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^(?:decision|decided|adr(?:[- ]?\d{1,5})?|convention|rule|todo|fixme|bug ?fix|bug|fix|root cause|"
    r"architecture|codemap|code map|"
    r"implementation|feature|note|notes|important|fyi|gotcha|warning|follow[- ]?up|next steps?|next|summary|"
    r"update|remaining|"
    r"open question|tech(?:nical)? debt|design|known issue|issue|problem)\s?(?:\([^()]{0,60}\))?\s?(?::|—|–|"
    r" - )\s{0,10}",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:also|and|so|then|finally|additionally|furthermore|moreover|however|note that|remember(?: that|"
    r" to)?|in addition|today|"
    r"overall|basically|for now|after (?:some |a |much )?(?:discussion|debate)|as discussed),?\s+)",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"^(?:we|i|the team|team)(?:'ve| have)?(?: all| also| now| finally| therefore)? (?:decided|agreed|"
    r"opted) (?:to|that|on)\s+",
    re.IGNORECASE,
)
_TODO = re.compile(
    r"^(?:we |i )?(?:still )?(?:need|have) to\s+|^(?:we|i) (?:should|must)(?: still| also)?\s+|"
    r"^still to do\s*[:,-]?\s*",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"^(?:we|i)(?:'ve| have)?(?: also| now)? (?=(?:add|implement|fix|built|creat|introduc|refactor|extract|mov|"
    r"renam|replac|chose|pick|switch|remov|updat|rewrote|wrote|wired|split|cach|use|keep|store|run)\w*\b)",
    re.IGNORECASE,
)
_REASON = re.compile(r",?\s+(?:because|so that|since|in order to|due to)\s", re.IGNORECASE)
_CLAUSE = re.compile(r"(?:;|\s[—–-]|,?\s(?:which|so|but|and then|while|as)|,|:|\.)\s")
_ISSUE = re.compile(
    r"\s*[(\[]?(?:(?:fix(?:es)?|closes?|refs?|resolves?):? )?(?:#\d{1,7}|"
    r"[A-Z]{2,10}-\d{1,6})(?:,\s*#\d{1,7}){0,5}[)\]]?\s*$|^\[?[A-Z]{2,10}-\d{1,6}\]?:?\s+"
)
_GENERIC = re.compile(
    r"^(?:the\s)?(?:\w+\s)?(?:changes?|updates?|fix(?:es)?|bug ?fix(?:es)?|bugs?|decisions?|conventions?|todos?|"
    r"notes?|summary|misc|work|"
    r"session|implementation|refactor(?:ing)?|feature|architecture|codemap|progress|cleanup|improvements?|"
    r"next steps?|follow[- ]?ups?|"
    r"untitled|title|change \d+|item \d+|general|details|overview|status|learnings?|remaining(?: work)?|code changes)$",
    re.IGNORECASE,
)


def without_prefix(subject: str) -> str:
    """A commit's subject without its ``feat(x):``, its ticket and its number."""
    text = _PREFIX.sub("", subject.strip(), count=1)
    for _ in range(3):
        text = _ISSUE.sub("", text).strip()
    return text or subject.strip()


def is_generic(title: str) -> bool:
    """Whether a title says nothing without the text below it."""
    text = plain(title).strip(" .:#*")
    few = len(terms(text)) < 2 and (text.count(" ") < 2 or not terms(text))
    return few or _GENERIC.match(text) is not None


def headline(text: str, *, capital: bool = False) -> str:
    """A title made of a given title or of a sentence; empty when nothing is left."""
    text = plain(text[:2_000])
    is_code = text.startswith("`")
    original = text = text.replace("`", "").strip()
    text = without_prefix(text)
    for form in (_LABEL, _LEAD, _LABEL, _DECIDED, _TODO, _SUBJECT):
        shorter = form.sub("", text, count=1).strip()
        if len(shorter) >= 8:
            text = shorter
    reason = _REASON.search(text, _LEAST_CHARS)
    if reason is not None and len(text) > 60:
        text = text[: reason.start()]
    text = _shortened(text)
    if not is_code and (capital or text != original) and text[:1].islower() and text.split(" ", 1)[0].isalpha():
        text = text[0].upper() + text[1:]
    return text


def _shortened(text: str) -> str:
    text = text.strip(" \t*_#>-–—:;,").rstrip(".!").strip()
    if len(text) <= MAX_TITLE_CHARS:
        return text
    cuts = [found.start() for found in _CLAUSE.finditer(text, 0, MAX_TITLE_CHARS) if found.start() >= 40]
    if cuts:
        return text[: cuts[-1]].rstrip(" ,;:.-–—")
    return (
        text[: MAX_TITLE_CHARS - 1].rpartition(" ")[0].rstrip(" ,;:.-–—") + "…" if " " in text[:99] else text[:99] + "…"
    )
