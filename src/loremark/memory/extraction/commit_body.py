"""Parses the body of a commit message into blocks, without trailers, references, checklists and generated text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from loremark.memory.extraction import salience
from loremark.memory.extraction.word_patterns import content_terms, coverage

BlockKind = Literal["text", "item", "code"]
Section = Literal["", "template", "verification"]

_BODY_CHARS = 100_000
_MAX_BLOCKS = 200
_LINE_CHARS = 1_000
_STEP_CHARS = 80
_REPEATED = 0.9
_REPEATED_STEP = 0.7
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LINE_END = re.compile(r"\r\n|[\n\r\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# Line breaks that a shell did not expand: git commit -m "title\n\nbody".
_ESCAPED_LINE_END = re.compile(rf"{_LINE_END.pattern}|\\n")
_BULLET = re.compile(r"([ \t]{0,20})([-*+•–]|\d{1,2}[.)])[ \t]+(?=\S)")
_CHECKBOX = re.compile(r"[ \t]{0,20}(?:[-*+•–][ \t]+)?\[[ xX]?\](?=\s)")
_COMMIT = re.compile(r"(?:[*-] )?(?:feat|fix|refactor|perf|test|chore|docs|style|ci|build)(?:\([^()]{1,60}\))?!?: \S")
_FENCE = re.compile(r"[ \t]{0,20}(```|~~~)")
_HEADING = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]+(\S.{0,200})|(?:\*\*|__)([^*_]{1,80})(?:\*\*|__):?[ \t]{0,3})$")
_RULE = re.compile(r"[ \t]{0,3}(?:-{3,}|={3,}|\*{3,}|_{3,})[ \t]{0,10}$")
_BREAKING = re.compile(r"[ \t*_]{0,6}BREAKING[ -]CHANGES?[*_]{0,2}:[ \t*_]{0,6}(?=\S)")
_SIGNED_OFF = re.compile(r"[ \t]{0,4}[A-Z][A-Za-z]{1,20}(?:-[A-Za-z]{1,20}){0,3}-[Bb]y:[ \t]{1,4}\S")
_METADATA = re.compile(r"[A-Z][A-Za-z]{1,20}(?:-[A-Za-z]{1,20})?: \S{1,30}$")
_REVERTED = re.compile(
    r"\W{0,3}This reverts (?:commits? )?[0-9a-f]{7,40}(?:(?:,| and|, and) [0-9a-f]{7,40}){0,9}"
    r"(?:, reversing changes made to [0-9a-f]{7,40})?\W{0,3}$",
    re.IGNORECASE,
)
# As Git defines them: a paragraph of nothing but these lines.
_TRAILER = re.compile(r"[ \t]{0,4}(?:[A-Z][A-Za-z]{1,20}(?:-[A-Za-z]{1,20}){0,4}: \S|[ \t]+\S)")
_LABEL = re.compile(r"[A-Z][A-Za-z-]{1,20}: ")
_REFERENCE = (
    r"(?:https?://\S{1,300}|[\w./-]{0,60}[#!](?:\d{1,8}|[a-z]{3,20})\b|GH-\d{1,8}|[A-Z]{2,10}-\d{1,6}|@[\w-]{1,40}|"
    r"(?=[a-f]{0,39}\d)[0-9a-f]{7,40}\b|\[[^\]]{1,80}\]\([^)]{1,300}\))"
)
# "Fixes #12 and #13", "See also https://…", "Explainer: https://…": at most a few words before the references.
_ONLY_REFERENCES = re.compile(
    rf"\W{{0,4}}(?:[\w'-]{{1,20}}:? ){{0,5}}<?{_REFERENCE}>?"
    rf"(?:(?:,|;|\.| and| or| &)? (?:[A-Za-z]{{2,10}} )?<?{_REFERENCE}>?){{0,12}}[\W_]{{0,4}}$"
)
_MARKUP = re.compile(r"[ \t]{0,4}(?:!\[[^\]]{0,200}\]\(|\[!\[|</?[a-zA-Z!][^>]{0,300}>?)")
_FROM_GIT = re.compile(
    r"\W{0,3}(?:cherry[ -]picked from|Conflicts:|commit [0-9a-f]{7,40}$|Author: .{0,80}<|Date:   |"
    r"Reverts? \S{0,60}#\d)",
    re.IGNORECASE,
)
# "🤖 Generated with …", "AI usage: …", "This commit was written with the help of …": what tools sign with.
_MADE_BY_TOOL = re.compile(
    r"\W{0,4}(?:(?:this|the) (?:pr|commit|patch|code|change) was )?(?:generated|written|drafted|authored|co-?authored|"
    r"assisted) (?:with|by|using) \S|\W{0,4}(?:ai|llm)[ -]?(?:usage|disclosure|assistance)?:",
    re.IGNORECASE,
)
# What a pull request template tells its author.
_INSTRUCTION = re.compile(
    r".{0,300}\b(?:your (?:pr|pull request|changes)|(?:before|after) (?:opening|submitting|merging) (?:this|a|the) |"
    r"replace this text|contribut(?:ing|ion) (?:guide|document)\w*|link to (?:a |the )?(?:bug report|issue) )",
    re.IGNORECASE,
)
_COURTESY = re.compile(r"\W{0,4}(?:thanks|thank you|kudos|props|sorry|cc|ptal)\b.{0,160}$", re.IGNORECASE)
# Sections of pull request templates that say nothing about the change.
_TEMPLATE_SECTION = re.compile(
    r"\W{0,6}(?:pr |final )?(?:check ?lists?|types? of change|screenshots?|ai (?:usage|disclosure)|"
    r"(?:special )?notes? (?:to|for) .{0,20}reviewers?|(?:related|linked) (?:issues?|prs?|tickets?))\b",
    re.IGNORECASE,
)
_VERIFICATION_SECTION = re.compile(
    r"\W{0,6}(?:how .{0,40}\btest|tests?\b|testing\b|verif|validat|qa\b|evidence\b)", re.IGNORECASE
)
_VERIFIED = re.compile(
    r"\W{0,4}(?:(?:also|and|manually|locally|i|we|was|have) ){0,4}(?:tested|verified|reproduced|validated)\b|"
    r".{0,80}\b(?:tests?|specs?|suites?|type ?check\w*|lint\w*|tsc|ci|build)\b.{0,60}\b(?:pass(?:e[sd]|ing)?|green|"
    r"clean)\b|"
    r"\W{0,4}(?:also )?(?:add|includ|updat|extend)\w* (?:\S+ ){0,5}(?:tests?|specs?|coverage)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or list item with its lines joined, or code as written. ``raw`` is the exact source.

    ``is_step``: one of the commits that a squash merge lists.
    """

    kind: BlockKind
    text: str
    raw: str
    depth: int = 0
    is_breaking: bool = False
    is_verification: bool = False
    is_heading: bool = False
    is_step: bool = False


@dataclass(slots=True)
class _Open:
    """A block that is still being read."""

    kind: BlockKind
    start: int
    end: int
    depth: int = 0
    is_breaking: bool = False


def split_escaped(message: str) -> tuple[str, str]:
    """A first line and the rest of a message whose line breaks were not expanded."""
    subject, separator, rest = message.partition("\\n")
    return (subject, rest) if separator and rest.startswith("\\n") else (message, "")


def parse_body(body: str, subject: str, *, is_squash: bool = False) -> tuple[Block, ...]:
    """The blocks that say something besides the subject, in order."""
    named = content_terms(subject)
    found: list[Block] = []
    for block in _blocks(_without_comments(body[:_BODY_CHARS]), is_squash=is_squash):
        if block.is_heading:
            found = [*(found[:-1] if found and found[-1].is_heading else found), block]
        elif block.is_breaking or not _adds_nothing(block, named):
            found.append(block)
        if len(found) == _MAX_BLOCKS:
            break
    return tuple(_without_dangling(found))


def _without_dangling(blocks: Sequence[Block]) -> Iterator[Block]:
    """Leave out the commits of a squash merge that no explanation follows, and a heading at the end."""
    for place, block in enumerate(blocks, 1):
        is_followed = place < len(blocks) and not blocks[place].is_step
        if is_followed or not (block.is_step or block.is_heading):
            yield block


def _adds_nothing(block: Block, named: frozenset[str]) -> bool:
    """Courtesies, signatures and metadata, and what only repeats the subject."""
    if block.kind == "code":
        return not block.text.strip()
    forms = (_COURTESY, _MADE_BY_TOOL, _METADATA, _REVERTED, _INSTRUCTION)
    if any(form.match(block.text) for form in forms) or salience.targets_model(block.text):
        return True
    said = content_terms(block.text)
    is_label = block.text.rstrip("*_").endswith(":")
    repeats = coverage(said, named) >= (_REPEATED_STEP if block.is_step else _REPEATED)
    return not is_label and (repeats or (len(said) < 2 and block.text.isascii()))


def _without_comments(body: str) -> str:
    """Blank out comments, which are instructions of a template, without moving the other text."""
    return _COMMENT.sub(lambda found: re.sub(r"[^\n]", "\n", found.group()), body)


def _blocks(source: str, *, is_squash: bool) -> Iterator[Block]:
    section: Section = ""
    step: Block | None = None
    in_list = False
    margin = _margin(source)
    for chunk, is_fenced in _chunks(source):
        first = source[chunk[0][0] : chunk[0][1]]
        if is_fenced or (not in_list and _is_indented_code(source, chunk, margin)) or first.lstrip().startswith("|"):
            whole = source[chunk[0][0] : chunk[-1][1]]
            yield Block("code", _CONTROL.sub("", whole).rstrip(), whole)
            continue
        found = list(_blocks_of_chunk(source, chunk, in_list=in_list))
        only = found[0][0] if len(found) == len(chunk) == 1 else None
        if only is not None and (_COMMIT.match(first) or (is_squash and _is_step(first))):
            step = replace(only, kind="text", is_step=True)  # it matters only with an explanation
            continue
        for block, heading in found:
            if block is None:
                section = _section_of(heading)
                if section != "template":
                    label = heading.strip().strip("*_#: ")
                    yield Block("text", f"{label}:", label, is_heading=True)
            elif section != "template":
                if step is not None:
                    yield step
                step, in_list = None, block.kind == "item"
                shown = _with_section(block, section)
                if shown.is_verification and block.text.endswith(":"):
                    section = "verification"  # what follows is the output
                yield shown


def _is_step(line: str) -> bool:
    """Whether a line is a commit of the squashed branch: an entry of the list, or no sentence."""
    return line.startswith("* ") or (len(line) <= _STEP_CHARS and line.rstrip()[-1:] not in ".!?:;")


def _section_of(heading: str) -> Section:
    if _TEMPLATE_SECTION.match(heading):
        return "template"
    return "verification" if _VERIFICATION_SECTION.match(heading) else ""


def _with_section(block: Block, section: Section) -> Block:
    verifies = section == "verification" or _VERIFIED.match(block.text) is not None
    return replace(block, is_verification=verifies)


def _chunks(source: str) -> Iterator[tuple[list[tuple[int, int]], bool]]:
    """Groups of lines between blank lines, and whether they are a fenced block of code."""
    lines: list[tuple[int, int]] = []
    fence = ""
    for start, end in _lines(source):
        line = source[start : min(end, start + _LINE_CHARS)]
        marker = _FENCE.match(line)
        if marker and not fence:
            if lines:
                yield lines, False
            lines, fence = [(start, end)], marker.group(1)
        elif fence:
            lines.append((start, end))
            if marker and marker.group(1) == fence:
                yield lines, True
                lines, fence = [], ""
        elif line.strip():
            lines.append((start, end))
        elif lines:
            yield lines, False
            lines = []
    if lines:
        yield lines, bool(fence)


def _lines(source: str) -> Iterator[tuple[int, int]]:
    start = 0
    form = _ESCAPED_LINE_END if "\\n\\n" in source else _LINE_END
    for ending in form.finditer(source):
        yield start, ending.start()
        start = ending.end()
        if ending.group() not in ("\n", "\r\n", "\r", "\\n"):
            yield start, start  # a control character separates like a blank line, so that no quote contains one
    yield start, len(source)


def _is_indented_code(source: str, chunk: Sequence[tuple[int, int]], margin: int) -> bool:
    lines = [source[start:end].expandtabs(4) for start, end in chunk]
    return all(line.startswith(" " * (margin + 2)) for line in lines) and not _BULLET.match(lines[0])


def _margin(source: str) -> int:
    """How far the whole text is indented."""
    lines = (line.expandtabs(4) for line in source.splitlines() if line.strip())
    return min((len(line) - len(line.lstrip()) for line in lines), default=0)


def _blocks_of_chunk(
    source: str, chunk: Sequence[tuple[int, int]], *, in_list: bool
) -> Iterator[tuple[Block | None, str]]:
    """The blocks of a chunk, or None with a heading."""
    lines = [source[start : min(end, start + _LINE_CHARS)] for start, end in chunk]
    if all(map(_TRAILER.match, lines)) and any(map(_SIGNED_OFF.match, lines)):
        return
    current: _Open | None = None
    skipped = False
    for place, ((start, end), line) in enumerate(zip(chunk, lines, strict=True)):
        heading, bullet, breaking = _HEADING.match(line), _BULLET.match(line), _BREAKING.match(line)
        checkbox = _CHECKBOX.match(line)
        is_waste = _is_waste(line, lines[place + 1 : place + 2], begins=current is None and not skipped)
        if heading or bullet or breaking or checkbox or is_waste:
            if current is not None:
                yield _closed(current, source), ""
            current, skipped = None, checkbox is not None
            if heading:
                yield None, heading.group(1) or heading.group(2)
            elif breaking:
                current = _Open("text", start + breaking.end(), end, is_breaking=True)
            elif bullet and not checkbox and not is_waste:
                depth = len(bullet.group(1).expandtabs(4)) // 2
                current = _Open("item", start + bullet.end(), end, depth)
        elif current is not None:
            current.end = end
        elif not skipped:
            current = _Open("text", start, end, int(in_list and line[:1].isspace()))
    if current is not None:
        yield _closed(current, source), ""


def _is_waste(line: str, following: Sequence[str], *, begins: bool) -> bool:
    """Signatures and what Git writes; at the start of a paragraph also references and markup."""
    if _RULE.match(line) or _SIGNED_OFF.match(line) or _FROM_GIT.match(line):
        return True
    bullet = _BULLET.match(line)
    text = line[bullet.end() :] if bullet else line.strip()
    if _LABEL.match(text) and _ONLY_REFERENCES.match(text):
        return True
    goes_on = bool(following) and following[0].strip()[:1].islower()
    if goes_on or not (begins or bullet):
        return False
    return _ONLY_REFERENCES.match(text) is not None or _MARKUP.match(text) is not None


def _closed(block: _Open, source: str) -> Block:
    raw = source[block.start : block.end]
    return Block(block.kind, " ".join(raw.split()), raw, block.depth, block.is_breaking)
