"""Parses commit messages: the parts of the subject, and the body without references, boilerplate and steps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from loremark.memory.extraction import salience, titles
from loremark.memory.extraction.commit_parser import Commit
from loremark.memory.extraction.commit_types import BUILDS, FIXES, UPKEEP
from loremark.memory.extraction.sentence_splitter import Sentence, split_sentences
from loremark.memory.extraction.type_rules import explicit_type, label_type
from loremark.memory.extraction.word_patterns import CaseInsensitivePattern, content_terms, coverage, words_from

_BODY_SENTENCES = 30
_SUBJECT_CHARS = 140
_WASTE_CHARS = 600
_BODY_CHARS = 100_000
_HEADER = re.compile(r"^([A-Za-z]{2,15})(?:\(([^()]{0,60})\))?(!)?:\s{0,10}(?=\S)")
_TAG = re.compile(r"^\[([A-Za-z]{3,11})\]:?\s{0,10}(?=\S)")
_KNOWN = FIXES | BUILDS | UPKEEP | {"revert"}
# "ecs: raise the grace period", "core,gtk: …", "pkg/sub: …": an area prefix, as many projects write it.
_AREA = re.compile(r"^(?!CVE-)([A-Za-z][\w./+-]{1,30}(?:, ?[\w./+-]{1,30}){0,3}(?: [\w./-]{1,20})?): {1,3}(?=\S)")
_VALUE = re.compile(r"(?:true|false|null|none|nil)\b|[\"']|\d[\d.]*(?:%|px|em|rem|vh|vw)(?=\W|$)", re.IGNORECASE)
_VERBS = words_from(
    """
    add adds added allow apply avoid bump change check clean clear close convert disable do don't drop enable ensure
    expose fix fixes handle hide implement improve increase keep limit lower make mark merge move only pass prevent
    raise reduce reject remove rename replace report respect return revert rework send set show skip sort split start
    stop support switch update upgrade use validate wrap write
    """
)
_MERGE = re.compile(
    r"^Merge (?:remote-tracking )?(?:branch|branches|pull request|tag|commit)\b|^Merged? in \S|^Merge \S+ into \S",
    re.IGNORECASE,
)
_FROM_FORK = re.compile(r"^Merge (?:commit from fork|pull request from GHSA-)", re.IGNORECASE)
_LIST_MARK = re.compile(r"^[*+•-] +")
_REVERTED = re.compile(r"^This reverts commit [0-9a-f]{7,40}", re.IGNORECASE)
_BREAKING = re.compile(r"\bBREAKING[ -]CHANGES?\b")
_TRAILER = re.compile(r"^[A-Z][A-Za-z-]{2,30}(?:-by)?: \S")
_STEP = re.compile(
    r"^(?:[\w./-]+: )?(?:tests?|style|chore|lint|fmt|format|docs?|ci|wip|nits?|typos?|build|deps|bench|todo)"
    r"(?:\([^()]{0,60}\))?!?:\s",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)  # instructions in a template
_MARKUP = re.compile(r"^(?:!?\[[^\]]{0,200}\]\(|<[a-z!/][^>]{0,300}>|<!--)", re.IGNORECASE)
_LINK = re.compile(
    r"<?https?://\S+|(?<!\S)\S{0,80}#\d{1,8}\b|\b(?:GH|gh)-\d{1,8}\b|\b[0-9a-f]{7,40}\b|@[\w-]+|\[\d{1,2}\]:?"
)
_ONLY_A_LINK = re.compile(r"(?:[^\s:]+ ){0,5}[^\s:]+:? <?https?://\S+|<?https?://\S+(?: \S+){0,4}")
_ONLY_CODE = re.compile(r"\W*`[^`]+`\W*")
_REFERENCE = words_from(
    """
    fix fixes fixed close closes closed ref refs reference references resolve resolves resolved see also and the issue
    issues pr prs discussion discussions part of related relates to from in for more details info context follow up
    followup supersedes superseded upstream bug ticket link links docs documentation here addresses towards continues
    commit this is as a on demo screenshot screenshots video before after cc thanks by replaces per implements spec
    changelog release notes full thread comment comments source sources session
    """
)
_CEREMONY = CaseInsensitivePattern(
    r"^\W{0,4}(?:(?:🤖 ?)?(?:generated|assisted|created|written|co-?written|authored|drafted) (?:with|by|using)\b|"
    r"(?:this |the |my )?(?:pr|commit|patch|change|code|description|fix|message)s? (?:was|is|were) "
    r"(?:\w+ ){0,3}(?:generated|written|made|created|drafted|assisted|authored|found) (?:\w+ ){0,3}(?:with|by|using)\b|"
    r"(?:ai|llm)[ -](?:usage|use|disclosure|assist\w*|generated|policy|disclaimer)\b|(?:ai|llm|disclosure|"
    r"assistance disclosure)\s?:|no (?:ai|llm)s?\b|i (?:have |'ve )?(?:used|consulted|asked|worked with) "
    r"(?:\w+ ){0,3}(?:ai|llms?|claude|codex|copilot|chatgpt|gpt|gemini|amp|cursor|opus|sonnet)\b|"
    r"(?:claude|codex|copilot|chatgpt|gemini|amp|opus|sonnet)\b.{0,60}\b(?:wrote|did|found|changed|helped|assisted|used|session|"
    r"transcript|reviewed|generated)\b|(?:\w+ )?sessions?: ?http|amp-thread|prompts?:|"
    r"(?:manually |locally |i |we |i've |was |also )*(?:tested|verified|reproduced|confirmed|validated|checked) "
    r"(?:\w+ ){0,2}(?:on|with|in|locally|manually|using|that|by|against|via|under|it|this|both|and)\b|"
    r"confirmed the\b|(?:also |and )?add(?:s|ed)? (?:an? |some |the |new |more |unit |regression )*(?:\w+ )?tests?\b|"
    r"tests? (?:added|cover|included|updated)\b|"
    r"(?:tests?|verification|validation|testing)(?: plan| steps| notes)?\s?:|how (?:to|i) (?:test|verif)|"
    r"(?:addresse?[sd]?|appl(?:y|ied|ies)|incorporated?) (?:\w+ ){0,3}"
    r"(?:review|feedback|suggestions?|comments?|nits?)\b|"
    r"(?:per|after|from|as (?:suggested|requested|discussed|mentioned|noted)(?: by| in)?|suggested by|reported by|"
    r"thanks(?: to| for)?|kudos|props|hat tip|cc|h/t|ptal|credits?) ?:?(?: (?:review|@\S+|the review|code review)|@)|"
    r"(?:thanks|thank you|kudos|props)\b|please (?:let me know|review|see|note that this pr)|let me know\b|"
    r"(?:sorry|apologies)\b|(?:i'?m|i am) (?:not sure|happy|open|new)\b|(?:this|the) pr (?:is|was) "
    r"(?:ready|based|stacked|a draft|split|best reviewed|merged|squashed)|"
    r"(?:best )?review(?:ed)? commit by commit|\(?cherry[ -]picked|"
    r"update(?:d)? (?:by|on) @|triggered by\b|signed-off|co-authored|(?:hey|hi|hello)[ ,!]|closes? as\b|conflicts:?$|"
    r"(?:before|after|screenshots?|demo|video)\W*$|n/?a\W*$|"
    r"see (?:the )?(?:commits?|pr|linked|individual|above|below)\b)",
)
_TEMPLATE = CaseInsensitivePattern(
    r"^(?:i(?:'ve| have| am|'m| did| will| understand| agree| used)?|my|tests?|docs?|documentation|this pr|the pr|"
    r"changelog|added|updated|no|yes|bug ?fix|new feature|breaking change|read|checked|confirm\w*|have you|does this|"
    r"is this|self)\b",
)


@dataclass(frozen=True)
class CommitMessage:
    """The kind and scope of a commit, its subject without the area, and the sentences its body adds."""

    kind: str
    scope: str
    subject: str
    title: str
    sentences: tuple[Sentence, ...]
    breaking: bool
    is_merge: bool


def is_merge_commit(commit: Commit) -> bool:
    """Whether it only merges a branch, whose commits speak for themselves."""
    return _MERGE.match(commit.subject) is not None and _FROM_FORK.match(commit.subject) is None


def parse_message(commit: Commit, *, alone: bool = True) -> CommitMessage:
    """Parse a commit's message.

    A merge without the commits of its branch (``alone``) takes its subject from the first line of the body, unless that
    is only the branch's name. Next to its commits, a merge nearly always repeats one of them.
    """
    subject, body = commit.subject, commit.body
    from_fork = _FROM_FORK.match(subject) is not None
    is_merge = from_fork or is_merge_commit(commit)
    if is_merge and (alone or from_fork):
        found = _subject_below(body, from_fork=from_fork)
        subject, is_merge = (found, False) if found else ("" if from_fork else subject, not from_fork)
    header = _HEADER.match(subject)
    kind = header.group(1).lower() if header else ""
    scope = (header.group(2) or "").strip() if header else ""
    if header and kind not in _KNOWN:
        kind = ""
    elif tag := _TAG.match(subject):
        kind = tag.group(1).lower() if tag.group(1).lower() in _KNOWN else ""
    whole = subject
    for _ in range(2):  # "modules: hal: …"
        area = _AREA.match(subject) if not kind and label_type(subject) is None else None
        if area is not None and _is_area(area.group(1), subject[area.end() :]):
            subject, scope = subject[area.end() :], scope or area.group(1)
    breaking = bool(header and header.group(3)) or bool(_BREAKING.search(body[:20_000]))
    title = "" if is_merge else titles.without_prefix(subject)
    return CommitMessage(kind, scope, subject, title, _body_of(body, whole), breaking, is_merge)


def _is_area(name: str, rest: str) -> bool:
    """Whether a prefix is an area: one name or several with commas, not starting with a verb."""
    words = name.split(" ")
    if _VALUE.match(rest):
        return False
    return (len(words) == 1 or words[0].endswith(",") or words[0].lower() not in _VERBS) and not (
        len(words) == 1 and name.lower() in _VERBS
    )


def _subject_below(body: str, *, from_fork: bool) -> str:
    lines = [line.strip() for line in body[:20_000].split("\n")]
    first = next((number for number, line in enumerate(lines) if line), None)
    if first is None:
        return ""
    if from_fork and _LIST_MARK.match(lines[first]):  # the steps of a branch: take the first that is more than a test
        steps = (_LIST_MARK.sub("", line) for line in lines if _LIST_MARK.match(line))
        return next((step for step in steps if not _is_step(step)), "")
    text = lines[first]
    goes_on = first + 1 < len(lines) and bool(lines[first + 1])
    is_name = " " not in text or len(content_terms(text)) < 2
    is_other = (
        text.endswith(":")
        or _LIST_MARK.match(text)
        or _TRAILER.match(text)
        or _MERGE.match(text)
        or _CEREMONY.match(text)
    )
    return "" if goes_on or is_name or is_other or len(text) > _SUBJECT_CHARS else text


def _is_step(text: str) -> bool:
    """One of the steps towards a change, such as its tests."""
    return _STEP.match(text) is not None or salience.is_chore(_without_area(titles.without_prefix(text)))


def _without_area(text: str) -> str:
    area = _AREA.match(text)
    return text[area.end() :] if area else text


def _body_of(body: str, subject: str) -> tuple[Sentence, ...]:
    """What the body adds to the subject, without the list of steps of a squashed branch."""
    named = content_terms(subject)
    found = split_sentences(_without_waste_lines(_COMMENT.sub("\n\n", body[:_BODY_CHARS])), _BODY_SENTENCES)
    kept = (one for one in found if not _adds_nothing(one, named))
    return tuple(replace(one, text=titles.without_prefix(one.text)) if one.is_bullet else one for one in kept)


def _without_waste_lines(body: str) -> str:
    """Blank out boilerplate lines, so that they separate sentences even without a full stop."""
    lines = body.split("\n")
    lines_kept: list[str] = []
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        begins = not lines_kept or not lines_kept[-1].strip() or lines_kept[-1].rstrip().endswith((".", "!", "?"))
        lines_kept.append("" if begins and not after.strip()[:1].islower() and _is_waste_line(line.strip()) else line)
    return "\n".join(lines_kept)


def _is_waste_line(line: str) -> bool:
    return len(line) <= _WASTE_CHARS and bool(_ONLY_A_LINK.fullmatch(line) or _CEREMONY.match(line))


def _adds_nothing(one: Sentence, named: frozenset[str]) -> bool:
    if _TRAILER.match(one.raw) and "\n" not in one.raw and len(one.raw) < 120 and label_type(one.text) is None:
        return True
    if _is_waste(one) or _MERGE.match(one.raw) or _REVERTED.match(one.raw):
        return True
    text = _without_area(titles.without_prefix(one.text)) if one.is_bullet else one.text
    if salience.is_small_talk(text) or salience.is_chore(text):
        return True
    said = content_terms(one.text)
    is_step = one.is_bullet and len(said) < 5 and not salience.has_reason(one.text) and not explicit_type(one.text)
    return is_step or coverage(said, named) >= 0.9


def _is_waste(one: Sentence) -> bool:
    """References, images, attributions, test notes, review talk and template checkboxes."""
    if len(one.raw) > _WASTE_CHARS:
        return False
    if one.is_bullet and (_STEP.match(one.text) or (one.raw.startswith("[") and _TEMPLATE.match(one.text))):
        return True
    if _MARKUP.match(one.raw) and len(content_terms(_MARKUP.sub("", one.text))) < 6:
        return True
    if _CEREMONY.match(one.text) or _ONLY_CODE.fullmatch(one.text) or _ONLY_A_LINK.fullmatch(one.text):
        return True
    if not _LINK.search(one.raw):
        return False
    left = re.findall(r"[a-z']+", _LINK.sub(" ", one.raw).lower())
    return sum(word not in _REFERENCE for word in left) < 2


def joined_text(sentences: Sequence[Sentence]) -> str:
    return " ".join(one.text for one in sentences)
