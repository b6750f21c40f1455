"""Splits prose and lists into sentences with their exact source text. Code, logs and tables are left out."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from loremark.memory.emphasis import find_emphasis, remove_spans, strip_emphasis

MAX_SENTENCES = 400
_LINE_END = re.compile(r"\r\n|[\n\r\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029]")
_NEW_LINE = ("\n", "\r\n", "\r")
_BULLET = re.compile(
    r"[ \t]{0,40}(?:[-*+•–]|\d{1,2}[.)]|commit [0-9a-f]{1,40}:)[ \t]+(?=\S)|[ \t]{0,40}(?=\[[ xX]\] \S)"
)
_DONE = re.compile(r"\[[xX]\] ")
_OPEN = "Todo"  # an empty checkbox counts as this heading
_CHECKBOX = re.compile(r"\[[ xX]\][ \t]{0,10}")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(.{1,200})$")
_BOLD_HEADING = re.compile(r"[ \t]{0,3}(?:\*\*|__)([^*_]{1,100})(?:\*\*|__):?[ \t]{0,10}$")
_LABEL_HEADING = re.compile(r"[ \t]{0,3}([A-Za-z][A-Za-z /&'-]{2,50}):[ \t]{0,10}$")
# Program output: traces, logs, test reports, diffs, tables, trailers.
_NOISE_FORMS = (
    r"Traceback \(most|File \"[^\"]{1,200}\", line|at [\w.$<>/]{1,200} ?\(|\^+$|\.\.\. +\d+ more$",
    r"panic: |goroutine \d+|thread '[^']{1,80}' panicked|Caused by: [\w.]{1,200}(?:Exception|Error)",
    r"[\w.]{3,200}(?:Exception|Error): ",
    r"={3,}|-{3,}(?:$| \w+:)|\+{3} |@@ |diff --git |index [0-9a-f]{7,}\.\.|\|.*\|[ \t]*$|\$ \S|>>> ",
    r"npm (?:WARN|ERR|notice)\b",
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:|(?:INFO|DEBUG|WARN|WARNING|ERROR|FATAL)\b.{0,20}[\]:|]",
    r"\[\w{1,30}\] \[[A-Za-z]{4,8}\]|(?:PASS|FAIL|ok) +\S+/\S|[✓✗✔✘√] |collected \d+ items|test result:|[Ee]poch \d+",
    r"(?:=+ )?\d+ (?:passed|failed)\b|Finished in \d|Randomized with seed|Plan: \d+ to \w+|No changes\. ",
    r".{0,60}\b\d+ (?:examples?|tests?|assertions?|specs?|suites?),? .{0,20}\b\d+ (?:failures?|failed|passed|total)",
    r".{0,40}(?:Failed|Passed|Skipped):? +\d+, |Tool (?:call|use|result|output): |Thinking about ",
    r"(?:Co-[Aa]uthored-[Bb]y|Signed-off-by|Reviewed-by|Acked-by|Tested-by|Reported-by|Cc|Change-Id|git-svn-id): ",
    r"(?:Refs?|Closes|Fixes|Resolves|See-also|\(cherry picked):? (?:\S{0,40}#\d|https?:|from commit)",
    r"\[(?:info|warn(?:ing)?|error|debug|trace|fatal|\d\d?:\d\d)[^\]]{0,20}\]|[IWEF]\d{4} \d\d:\d\d|\d\d:\d\d:\d\d\b",
    r"(?:TRACE|INFO|DEBUG|WARN|WARNING|ERROR|FATAL)\s+[\w.]+\.\w+\s|(?:TASK|PLAY|RUNNING HANDLER) [\[R]",
    r"fatal: |(?:Fatal )?[Ee]rror: ",
    r"\w+ (?:>>>|<<<) |[\w@.-]{1,40}:\S{0,40}[$#] |\[[\w/.-]{1,60} [0-9a-f]{7,12}\] ",
    r"\d+ files? changed, |(?:added|removed|changed|audited|found) \d+ (?:packages?|vulnerabilities)|\d+ packages? ",
    r"(?:\S{1,60}[ \t]*:?[ \t]+)?(?:[\w.-]{1,30}=\S{1,40}[ \t,]+){2}[\w.-]{1,30}=\S",  # name=value name=value …
    r"(?:\S{1,60}[ \t]{2,20}){2}\S|(?:[A-Z]{2,20}[ \t]+){3}[A-Z]{2,20}$",  # columns
    r"(?:\*\*)?(?:Status|Date|Author|Deciders|Owner|Ticket)(?:\*\*)?:(?:\*\*)? \S+(?: \S+)?$",
    r"commit [0-9a-f]{7,40}$|Author: .{0,80}<|Date:   |Memory-Session: ",
)
_NOISE = re.compile(rf"[ \t]{{0,20}}(?:{'|'.join(_NOISE_FORMS)})")
_STOP = re.compile(r"[.!?](?=[\"')\]`*_]{0,4}(?:\s|$))")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|fig|dr|mr|ms|st|ca|al|[A-Z])$", re.IGNORECASE
)
# "…was removed. read_all() is gone": starts in lowercase, but a new sentence.
_IDENTIFIER = re.compile(r"\s+[\"'(\[]?(?:`|[a-z]\S{0,80}?(?:[_\d]|\(\)|\.[a-z]|::|->))")
_LINK = re.compile(r"\[([^\[\]]{1,200})\]\([^()\s]{1,300}\)")
_MARK = re.compile(r"^(?:#{1,6}|>{1,3}) ")
_SPACE = re.compile(r"[\s\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: ``raw`` is the exact source text, ``text`` the same as one plain line."""

    raw: str
    text: str
    block: int
    is_bullet: bool
    heading: str


@dataclass(slots=True)
class _Block:
    start: int
    end: int
    is_bullet: bool
    heading: str


def strip_markdown(text: str) -> str:
    """Return one line without strong emphasis, links, checkboxes and heading marks. Code spans stay."""
    return _strip_line(strip_emphasis(text))


def _strip_line(text: str) -> str:
    text = _LINK.sub(r"\1", _SPACE.sub(" ", text).strip())
    text = _CHECKBOX.sub("", _MARK.sub("", text), count=1) if text[:1] in "[#>" else text
    return text.strip()


def split_sentences(source: str, most: int = MAX_SENTENCES) -> list[Sentence]:
    """The first sentences of a text, in order."""
    found: list[Sentence] = []
    for index, block in enumerate(_blocks(source)):
        whole = source[block.start : block.end]
        emphasis = find_emphasis(whole)  # of the block: emphasis may span several sentences
        for start, end in _sentence_spans(whole):
            raw = whole[start:end]
            inside = emphasis[bisect_left(emphasis, (start, 0)) : bisect_left(emphasis, (end, 0))]
            inside = [(left - start, right - start) for left, right in inside]
            text = _strip_line(remove_spans(raw, inside))
            if text and not _DONE.match(raw):
                found.append(
                    Sentence(raw, text, index, block.is_bullet, _OPEN if raw.startswith("[ ]") else block.heading)
                )
        if len(found) >= most:
            break
    return found[:most]


def _lines(source: str) -> Iterator[tuple[int, int]]:
    start = 0
    for ending in _LINE_END.finditer(source):
        yield start, ending.start()
        start = ending.end()
        if ending.group() not in _NEW_LINE:
            yield start, start  # a control character separates like a blank line, so that no quote contains one
    yield start, len(source)


def _blocks(source: str) -> Iterator[_Block]:
    """Paragraphs and list items, including their wrapped lines."""
    current: _Block | None = None
    heading = ""
    in_code = False
    for start, end in _lines(source):
        line = source[start : min(end, start + 1_000)]
        blank = not line.strip()
        fence = line.lstrip().startswith(("```", "~~~"))
        title = None if blank or fence else _heading_of(line)
        bullet = None if blank or fence else _BULLET.match(line)
        if fence or in_code or blank or title is not None or _NOISE.match(line):
            if current is not None:
                yield current
                current = None
            in_code = in_code != fence
            heading = title if title is not None else heading
        elif bullet is not None:
            if current is not None:
                yield current
            current = _Block(start + bullet.end(), end, is_bullet=True, heading=heading)
        elif current is None:
            current = _Block(start, end, is_bullet=False, heading=heading)
        else:
            current.end = end
    if current is not None:
        yield current


def _heading_of(line: str) -> str | None:
    for form in (_HEADING, _BOLD_HEADING, _LABEL_HEADING):
        found = form.match(line)
        if found:
            return found.group(1).strip().strip("*_#: ")
    return None


def _sentence_spans(block: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence, without surrounding whitespace."""
    start = 0
    # An author who starts in lowercase also does so after a full stop.
    small = block.lstrip("\"'([`*_ ")[:1].islower()
    for stop in _STOP.finditer(block):
        end = stop.end()
        while end < len(block) and block[end] in "\"')]`*_":
            end += 1
        after = block[end : end + 40].lstrip()[:1]
        goes_on = after.islower() and not small and not _IDENTIFIER.match(block, end)
        if after and (goes_on or _ABBREVIATION.search(block[max(start, stop.start() - 12) : stop.start()])):
            continue
        if block[start:end].strip():
            yield _trim(block, start, end)
        start = end
    if block[start:].strip():
        yield _trim(block, start, len(block))


def _trim(block: str, start: int, end: int) -> tuple[int, int]:
    text = block[start:end]
    return start + len(text) - len(text.lstrip()), start + len(text.rstrip())
