"""Titles: what a person would write above a fact."""

from __future__ import annotations

import re

from loremark.memory.extraction.sentence_splitter import strip_markdown
from loremark.memory.extraction.word_patterns import content_terms

MAX_TITLE_CHARS = 100
_MIN_CHARS = 12
_PREFIX = re.compile(
    r"^(?:build|chore|ci|docs?|feat|feature|fix|hotfix|bugfix|perf|refactor|revert|style|test|tests|security|"
    r"improvement)"
    r"(?:\([^()]{0,60}\))?!?:\s{0,10}|"
    r"^\[(?:feature|feat|enhancement|bug ?fix|fix|change|chore|perf|performance|security|docs?|refactor|"
    r"improvement|ref|imp|added|changed|fixed|removed|deprecated)\]:?\s{0,10}",
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
    r"overall|basically|for now|after (?:some |a |much )?(?:discussion|debate)|as discussed|"
    r"(?:it )?turns out(?: that)?|apparently),?\s+|"
    r"(?:h+m+|oh|ah|oops|well|ok|okay|ugh|huh|yeah|sigh|whoops|actually),\s+)",
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
# "closes #12", "(Fixes #3, #4)", ", refs ABC-7": a group of references with its brackets, comma and verb.
_CITING = r"(?:fix(?:e[sd])?|close[sd]?|refs?|resolve[sd]?|see|part of|for|re|towards|related to)"
_NUMBER = (
    r"(?:[\w./-]{0,60}#\d{1,7}|(?<![\w-])(?!(?:UTF|SHA|ISO|RFC|CVE|AES|TLS|HTTP|MD|KOI|CP|GTK|IEC|EN)-)[A-Z]{2,10}-\d{1,6}|"
    r"https?://\S{1,200}/(?:issues|pull|discussions|merge_requests)/\d{1,8}\S{0,40})"
)
_CITED = rf"(?:(?i:{_CITING}):? )?{_NUMBER}"
_ISSUE = re.compile(
    rf"[\s,;]{{0,10}}[(\[]?(?<!\w){_CITED}(?:(?:,|;| and| &|/){{1,3}} ?{_CITED}){{0,8}}[)\]]?[\s.]{{0,10}}$"
)
_PREPOSITION = re.compile(r"\b(?:in|of|for|from|to|by|with|on|and|per|after|before|since|like|as|the)$")
_TICKET = re.compile(r"^\[?[A-Z]{2,10}-\d{1,6}\]?:?\s+")
_TAIL_CHARS = 240
_EMPHASIS = re.compile(r"^(\*{1,2}|_{1,2})(?=\S)([^*_]*\s[^*_]*)(?<=\S)\1$")
_EDGE_BEFORE = re.compile(r"^(?:[*#>–—-]+\s+|[:;,–—]+\s*)+")
_EDGE_AFTER = re.compile(r"(?<![\s:;,–—])(?:\s{1,9}[*#>_-]{1,9}|[\s:;,–—]|(?<=\w)-){1,20}$")
_OPENED = re.compile(r"\s[(\[](?=\w)[^()\[\]]{0,80}$")
_GENERIC = re.compile(
    r"^(?:the\s)?(?:\w+\s)?(?:changes?|updates?|fix(?:es)?|bug ?fix(?:es)?|bugs?|decisions?|conventions?|todos?|"
    r"notes?|summary|misc|work|"
    r"session|implementation|refactor(?:ing)?|feature|architecture|codemap|progress|cleanup|improvements?|"
    r"next steps?|follow[- ]?ups?|"
    r"untitled|title|change \d+|item \d+|general|details|overview|status|learnings?|remaining(?: work)?|code changes)$",
    re.IGNORECASE,
)


def without_prefix(subject: str) -> str:
    """A commit subject without its ``feat(x):`` prefix, ticket and issue number."""
    text = _PREFIX.sub("", subject.strip(), count=1)
    for _ in range(3):
        shorter = _TICKET.sub("", text[:-_TAIL_CHARS] + _ISSUE.sub("", text[-_TAIL_CHARS:], count=1)).strip()
        if _PREPOSITION.search(shorter) and not _PREPOSITION.search(text):
            break  # "Revert the change in #12": its sentence needs the number
        text = shorter
    return text or subject.strip()


def is_generic(title: str) -> bool:
    """Whether a title says nothing without its text."""
    text = strip_markdown(title).strip(" .:#*")
    few = len(content_terms(text)) < 2 and (text.count(" ") < 2 or not content_terms(text))
    return few or _GENERIC.match(text) is not None


def headline(text: str, *, capital: bool = False) -> str:
    """A title made from a given title or a sentence; empty if nothing is left."""
    text = strip_markdown(text[:2_000])
    is_code = text.startswith("`")
    original = text = text.replace("`", "").strip()
    text = without_prefix(text)
    for form in (_LABEL, _LEAD, _LABEL, _LEAD, _DECIDED, _TODO, _SUBJECT):
        shorter = form.sub("", text, count=1).strip()
        if len(shorter) >= 8:
            text = shorter
    reason = _REASON.search(text, _MIN_CHARS)
    if reason is not None and len(text) > 60:
        text = text[: reason.start()]
    text = _shortened(text)
    if not is_code and (capital or text != original) and text[:1].islower() and text.split(" ", 1)[0].isalpha():
        text = text[0].upper() + text[1:]
    return text


def _trimmed(text: str) -> str:
    """Without punctuation at the edges, unless it belongs to a name or has a counterpart."""
    text = _EDGE_AFTER.sub("", _EDGE_BEFORE.sub("", text.strip())).rstrip(".!").strip()
    text = _EMPHASIS.sub(r"\2", text)
    left = _OPENED.sub("", text)
    return left if len(left) >= _MIN_CHARS else text


def _shortened(text: str) -> str:
    text = _trimmed(text)
    if len(text) <= MAX_TITLE_CHARS:
        return text
    cuts = [found.start() for found in _CLAUSE.finditer(text, 0, MAX_TITLE_CHARS) if found.start() >= 40]
    if cuts:
        return text[: cuts[-1]].rstrip(" ,;:.-–—")
    return (
        text[: MAX_TITLE_CHARS - 1].rpartition(" ")[0].rstrip(" ,;:.-–—") + "…" if " " in text[:99] else text[:99] + "…"
    )
