"""Finds the commits that a commit reverts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from loremark.memory.extraction import titles
from loremark.memory.extraction.commit_parser import Commit
from loremark.memory.extraction.facts import cut_quote
from loremark.memory.extraction.results import Revert

_MESSAGE_CHARS = 100_000
_MAX_REVERTS = 20
_SUBJECT_CHARS = 300
_SHA = r"(?=[a-f]{0,39}\d)[0-9a-f]{7,40}\b"
_SHAS = rf"(?P<shas>{_SHA}(?:(?:,|\s?and|\s?&|,\s?and)\s{_SHA}){{0,9}})"
_VERB = r"(?:revert(?:s|ed|ing)?|back(?:s|ed|ing)? out|undo(?:es)?|roll(?:s|ed)? back)"
_AREA = r"(?:[\w./`-]{1,30}(?: [\w./`-]{1,30}){0,2}: ?)?"
# "This reverts commit <sha>, reversing …", "Back out 1234abcd", "rewrite: revert commits a and b".
_NAMED = re.compile(
    rf"^[ \t]{{0,8}}(?:[*-] )?(?:{_AREA}|this (?:commit |change |patch |pr )?){_VERB}\s"
    rf"(?:the\s)?(?:commits?:?\s)?(?:https?://\S{{1,200}}/commits?/)?{_SHAS}",
    re.IGNORECASE | re.MULTILINE,
)
_FOOTER = re.compile(rf"^Refs?: {_SHAS}[ \t]*$", re.IGNORECASE | re.MULTILINE)
_QUOTED = re.compile(
    rf"^{_AREA}(?:{_VERB}|(?P<again>re-?(?:apply|land)))(?: [0-9a-f]{{7,40}})?:? ?[\"“](?P<subject>.{{3,300}})[\"”]",
    re.IGNORECASE,
)
_CONVENTIONAL = re.compile(r"^revert(?:\([^()]{0,60}\))?!?: (?P<subject>\S.{2,300})$", re.IGNORECASE)
_REVERT_OF = re.compile(r"^(?:revert|back out) [\"“](?P<subject>.+)[\"”]$", re.IGNORECASE)


def parse_reverts(commits: Iterable[Commit], event_id: str, branch: str | None = None) -> Iterator[Revert]:
    """What these commits revert: by hash if the message names one, and by the quoted subject."""
    for commit in commits:
        yield from _reverts_of(commit, event_id, branch)


def _reverts_of(commit: Commit, event_id: str, branch: str | None) -> Iterator[Revert]:
    subject = reverted_subject(commit.subject)
    message = f"{commit.subject}\n{commit.body}"[:_MESSAGE_CHARS]
    named: dict[str, str] = {}
    for form in (_NAMED, _FOOTER) if _CONVENTIONAL.match(commit.subject) else (_NAMED,):
        for found in form.finditer(message):
            for sha in _hashes(found):
                named.setdefault(sha, found.group().strip())
    by_subject = cut_quote(commit.subject)
    for sha, words in list(named.items())[:_MAX_REVERTS]:
        undone = subject if len(named) == 1 else ""
        yield Revert(event_id, commit.sha, cut_quote(words), sha, undone, by_subject, branch)
    if subject and not named:
        yield Revert(event_id, commit.sha, by_subject, "", subject, by_subject, branch)


def named_shas(words: str) -> list[str]:
    """The commits that the words of a revert name."""
    return [sha for form in (_NAMED, _FOOTER) for found in form.finditer(words) for sha in _hashes(found)]


def _hashes(found: re.Match[str]) -> list[str]:
    return [sha.lower() for sha in re.findall(_SHA, found["shas"], re.IGNORECASE)]


def reverted_subject(subject: str) -> str:
    """The subject of the reverted commit, or an empty string. What is applied again is a reverted revert."""
    seen = subject[:_SUBJECT_CHARS]
    quoted = _QUOTED.match(seen)
    if quoted is not None:
        inner = quoted["subject"].strip()
        return f'Revert "{inner}"' if quoted["again"] else inner
    found = _CONVENTIONAL.match(seen)
    return titles.without_prefix(found["subject"]) if found else ""


def subject_of_revert(subject: str) -> str:
    """What ``Revert "…"`` quotes, or an empty string."""
    found = _REVERT_OF.match(titles.without_prefix(subject.strip()))
    return found["subject"].strip() if found else ""
