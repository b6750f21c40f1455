"""Parses commit messages: the kind, scope and subject, and what the body adds."""

from __future__ import annotations

import re
from dataclasses import dataclass

from loremark.memory.extraction import titles
from loremark.memory.extraction.commit_body import Block, parse_body, split_escaped
from loremark.memory.extraction.commit_merges import is_branch_update
from loremark.memory.extraction.commit_parser import CONTROL, Commit
from loremark.memory.extraction.commit_types import BUILDS, FIXES, UPKEEP
from loremark.memory.extraction.sentence_splitter import strip_markdown
from loremark.memory.extraction.type_rules import label_type
from loremark.memory.extraction.word_patterns import content_terms, words_from

_SUBJECT_CHARS = 140
_BODY_CHARS = 100_000
_SCOPE_CHARS = 40
_KNOWN = FIXES | BUILDS | UPKEEP | {"revert"}
_HEADER = re.compile(r"^([A-Za-z]{2,15})(?:\(([^()]{0,60})\))?(!)?:\s{0,10}(?=\S)")
_TAG = re.compile(r"^\[([A-Za-z]{3,11})\]:?\s{0,10}(?=\S)")
# "ecs: raise the grace period", "core,gtk: …", "pkg/sub: …": an area, as many projects write it.
_AREA = re.compile(r"^(?!CVE-)([A-Za-z][\w./+-]{1,30}(?:, ?[\w./+-]{1,30}){0,3}): {1,3}(?=\S)")
_VALUE = re.compile(r"(?:true|false|null|none|nil)\b|[\"']|\d[\d.]*(?:%|px|em|rem|vh|vw)(?=\W|$)", re.IGNORECASE)
_VERBS = words_from("add allow avoid change disable drop enable ensure fix handle make remove replace set show use")
# "mt#12", "#12", "PROJ-7": a ticket names the work, not its subject.
_TICKET = re.compile(r"(?:[A-Za-z]{0,10}[#!-])?\d+(?:[,/ ]+(?:[A-Za-z]{0,10}[#!-])?\d+)*")
_LEADING_REFERENCE = re.compile(
    r"^(?:\[(?:\d{1,2}/\d{1,2}|(?:fix(?:es)?|closes?|refs?)? ?#\d{1,8})\]|"
    r"(?:PR|MR|pull request|issue|GH) ?[-#!]{0,2}\d{1,8})[\s:,—–-]{1,4}(?=\S)",
    re.IGNORECASE,
)
_SQUASHED = re.compile(r"\([#!]\d{1,8}\)$|\(pull request #\d{1,8}\)$")
_MERGE = re.compile(
    r"^Merge (?:remote-tracking )?(?:branch(?:es)?|pull request|tag|commit|changes)\b|^Merged? (?:in|PR) \S|"
    r"^Merge \S+ into \S|^Merge [\w.-]{1,40}/\S{1,200}$",
    re.IGNORECASE,
)
_TITLED_MERGE = re.compile(r"^Merged PR \d{1,9}: (?=\S)")
_BLANK_LINE = re.compile(r"(?:^|\n)[ \t\r]*\n")
_LIST_MARK = re.compile(r"^[*+•-] +")


@dataclass(frozen=True)
class CommitMessage:
    """A parsed message. ``subject`` is its first line without kind and scope; empty if it names only a branch."""

    kind: str
    scope: str
    subject: str
    title: str
    blocks: tuple[Block, ...]
    is_breaking: bool

    @property
    def explanation(self) -> list[Block]:
        """The text without code, headings, lists of commits, and notes on how it was tested."""
        return [
            one
            for one in self.blocks
            if one.kind != "code" and not (one.is_verification or one.is_heading or one.is_step)
        ]


def parse_message(commit: Commit) -> CommitMessage:
    """Parse a commit's message. A merge or squash merge is read as one change, by the title of its pull request."""
    subject, body = _split_subject(commit)
    subject = _TITLED_MERGE.sub("", subject)
    is_merge = _MERGE.match(subject) is not None
    if is_merge:
        subject, body = ("", "") if is_branch_update(subject) else _subject_of_merge(body)
    whole, subject = subject, _LEADING_REFERENCE.sub("", subject)
    header, tag = _HEADER.match(subject), _TAG.match(subject)
    kind, scope = "", ""
    if header and header.group(1).lower() in _KNOWN:
        kind, scope = header.group(1).lower(), (header.group(2) or "").strip()
        subject = subject[header.end() :]
    elif tag and tag.group(1).lower() in _KNOWN:
        kind, subject = tag.group(1).lower(), subject[tag.end() :]
    area = _AREA.match(subject) if label_type(subject) is None else None
    if area is not None and _is_area(area.group(1), subject[area.end() :]):
        subject, scope = subject[area.end() :], scope or area.group(1)
    subject = _LEADING_REFERENCE.sub("", titles.without_prefix(subject))
    scope = "" if _TICKET.fullmatch(scope) else scope
    blocks = parse_body(body, f"{scope} {subject}", is_squash=is_merge or _SQUASHED.search(whole) is not None)
    is_breaking = bool(header and header.group(3)) or any(block.is_breaking for block in blocks)
    return CommitMessage(kind, scope, subject, _title(scope, subject), blocks, is_breaking)


def _split_subject(commit: Commit) -> tuple[str, str]:
    """The first line, which may be wrapped, and what comes after the first paragraph.

    A line right below the subject belongs to it, as Git has it: an explanation stands after a blank line.
    """
    first, rest = split_escaped(commit.subject)
    if rest:
        return first, f"{rest}\n{commit.body}"
    paragraph, body = _split_paragraph(commit.body[:_BODY_CHARS])
    below = " ".join(CONTROL.split(paragraph, maxsplit=1)[0].split())
    return (f"{first} {below}" if below[:1].islower() else first), body


def _split_paragraph(body: str) -> tuple[str, str]:
    end = _BLANK_LINE.search(body)
    return (body[: end.start()], body[end.end() :]) if end else (body, "")


def _title(scope: str, subject: str) -> str:
    """The subject with its scope, unless it already says it."""
    subject = strip_markdown(subject.replace("`", "")).rstrip(".! ")
    if titles.is_generic(subject):
        return ""
    if not scope or len(scope) > _SCOPE_CHARS or content_terms(scope) <= content_terms(subject):
        return capitalize(subject)
    return f"{scope}: {subject}"


def capitalize(subject: str) -> str:
    """The subject as a sentence begins, unless it begins with an identifier or a label."""
    is_sentence = subject.split(" ", 1)[0].isalpha() and ": " not in subject[:_SCOPE_CHARS]
    return subject[:1].upper() + subject[1:] if is_sentence else subject


def _is_area(name: str, rest: str) -> bool:
    """Whether a prefix is an area, not the start of a sentence."""
    return not _VALUE.match(rest) and name.lower() not in _VERBS


def _subject_of_merge(body: str) -> tuple[str, str]:
    """The first line of a merge's body if it is a title, and the rest."""
    first, _, rest = body.lstrip().partition("\n")
    text = first.strip()
    is_title = not rest.strip() or not rest.split("\n", 1)[0].strip()
    if not is_title or _LIST_MARK.match(text) or text.endswith(":") or len(text) > _SUBJECT_CHARS or _MERGE.match(text):
        return "", body
    return text, rest
