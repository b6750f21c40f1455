"""Extracts heading, lead and features from READMEs, without badges, markup and links."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

_MAX_CHARS = 40_000
_MAX_LINES = 1_500
_LEAD_CHARS = 480
_COMMENT = ("<!--", "-->")
_TAG = re.compile(r"</?[A-Za-z!][^<>]{0,600}>")
_AUTOLINK = re.compile(r"<https?://[^<>\s]{1,300}>")
_IMAGE = re.compile(r"!\[[^\[\]]{0,300}\](?:\([^()]{0,600}\)|\[[^\[\]]{0,100}\])")
_LINK = re.compile(r"\[([^\[\]]{0,300})\](?:\([^()]{0,600}\)|\[[^\[\]]{0,100}\])")
_REFERENCE = re.compile(r"^\s{0,3}\[[^\[\]]{1,100}\]:\s")
_RST_LINK = re.compile(r"`([^`<>]{1,200}?)\s{0,3}<[^<>`]{1,300}>`_{1,2}")
_RST_ROLE = re.compile(r":[a-z:]{1,30}:`~?([^`]{1,100})`")
_EMPHASIS = re.compile(r"(\*\*|__|~~)(?=\S)([^*_~]{1,300}?)\1|(?<![\w*])\*(?=\S)([^*]{1,300}?)\*(?![\w*])")
_SPACES = re.compile(r"\s+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_SHORTCODE = re.compile(r"(?<!\w):[a-z0-9_+-]{2,30}:(?!\w)")
_PICTURES = re.compile(r"[\U0001f000-\U0001faff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u20e3]+")
_UNDERLINE = re.compile(r"[=\-~^*#+\"]{3,200}\s*$")
_ATX = re.compile(r"^\s{0,3}#{1,6}\s{1,4}(\S.{0,1500})$")
_HTML_HEADING = re.compile(r"<h1[^<>]{0,300}>(.{1,300}?)</h1>", re.IGNORECASE)
_BULLET = re.compile(r"^\s{0,4}(?:[-*+•]|\d{1,2}[.)])\s{1,4}(.{1,400})$")
_FEATURES = re.compile(r"(?:(?:key|main|core|top|all|our) )?(?:features|highlights|capabilities)\b", re.IGNORECASE)
_NOT_LEAD = re.compile(
    r"^(?:note|see|click|check out|follow|thanks?|thank you|hi|hello|welcome"
    r"|notice|warning|important|tip|caution|table of contents|contents|news|sponsors?|copyright|translations?"
    r"|documentation|docs|website|homepage|demo|english|license|read this|see also|this (?:repo(?:sitory)? )?is (?:no "
    r"longer|archived)|supported by|sponsored|powered by|build status|\[?!)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?。])\s+(?=[A-Z\"'`(0-9])")


def plain(text: str) -> str:
    """One line of plain text from Markdown, HTML or reStructuredText."""
    text = _CONTROL.sub(" ", text[:4_000])
    text = _AUTOLINK.sub(" ", _RST_LINK.sub(r"\1", text))
    text = _TAG.sub(" ", _IMAGE.sub(" ", text))
    text = _LINK.sub(r"\1", _LINK.sub(r"\1", text))
    text = _RST_ROLE.sub(r"`\1`", text).replace("``", "`")
    text = _EMPHASIS.sub(lambda found: found.group(2) or found.group(3), text)
    text = _PICTURES.sub(" ", _SHORTCODE.sub(" ", text))
    for entity, char in (("&nbsp;", " "), ("&mdash;", "—"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(entity, char)
    return _SPACES.sub(" ", text).strip().strip("|").strip()


def cut(text: str, most: int) -> str:
    """The complete sentences that fit, else the words that fit."""
    if len(text) <= most:
        return text
    kept = ""
    for sentence in _SENTENCE_END.split(text):
        if len(kept) + len(sentence) + 1 > most:
            break
        kept = f"{kept} {sentence}".strip()
    return kept or text[: most - 1].rpartition(" ")[0].rstrip(",;:–—-( ") + "…"


def heading_and_lead(content: str) -> tuple[str, str]:
    """The title of a document and its first real paragraph; empty if there is none."""
    heading = ""
    found = _HTML_HEADING.search(content[:_MAX_CHARS].replace("\n", " ")[:6_000])
    if found is not None:
        heading = plain(found.group(1))
    short = ""
    for title, block in _blocks(content):
        if not heading and title:
            heading = title
        words = plain(" ".join(block))
        if not block or _is_no_prose(block, words):
            continue
        if len(words) >= 40 and words.count(" ") >= 5 and words[-1] in ".!?:。`)":
            return heading[:120], cut(_finished(words), _LEAD_CHARS)
        if not short and len(words) >= 15 and words.count(" ") >= 2:
            short = words
    return heading[:120], cut(short, _LEAD_CHARS)


def paragraphs(content: str) -> Iterator[str]:
    """Paragraphs and list items as plain text."""
    for _, block in _blocks(content):
        points = [place for place, line in enumerate(block) if _BULLET.match(line)]
        for start, end in itertools.pairwise((*([0] if 0 not in points and block else []), *points, len(block))):
            bullet = _BULLET.match(block[start])
            yield plain(" ".join((bullet.group(1) if bullet else block[start], *block[start + 1 : end])))


def _finished(words: str) -> str:
    """Drops a last sentence that only introduces a list."""
    if not words.endswith(":"):
        return words
    return " ".join(_SENTENCE_END.split(words)[:-1]) or words.rstrip(":") + "."


def features(content: str) -> list[str]:
    """At most 12 list items below a heading such as “Features”."""
    points: list[str] = []
    is_inside = False
    for title, block in _blocks(content):
        if title:
            is_inside = len(title) < 40 and _FEATURES.match(title) is not None and not points
        if not is_inside:
            continue
        for line in block:
            found = _BULLET.match(line)
            words = plain(found.group(1)) if found else ""
            if 6 <= len(words) <= 160 and len(points) < 12:
                points.append(words.rstrip(".;,"))
    return points


def _is_no_prose(block: list[str], words: str) -> bool:
    first = block[0].lstrip()
    if not words or _NOT_LEAD.match(words) or first.startswith(("|", "+-", "=", "$ ", "[!")) or _BULLET.match(first):
        return True
    letters = sum(char.isalpha() for char in words)
    links = sum(line.count("](") + line.count("<a ") for line in block)
    return letters < len(words) * 0.6 or links > 2 + len(words) // 40 or words.count("|") + words.count("•") > 2


def _blocks(content: str) -> Iterator[tuple[str, list[str]]]:
    """Each paragraph with the heading just above it, or an empty one."""
    title, block = "", list[str]()
    for line in _lines(content):
        atx = _ATX.match(line)
        is_rule = _UNDERLINE.match(line[:210]) is not None
        underlined = is_rule and len(block) == 1 and len(block[0]) < 120
        if atx is None and not is_rule and line.strip():
            block.append(line)
            continue
        if underlined:
            heading = plain(block[0])
            block = []
        else:
            heading = plain(atx.group(1)).rstrip("# ") if atx else ""
        if block or title:
            yield title, block
            title, block = "", []
        title = heading or title
    yield title, block


def _lines(content: str) -> Iterator[str]:
    """The text lines, without comments, code, front matter and directives."""
    lines = _without_comments(content[:_MAX_CHARS]).splitlines()[:_MAX_LINES]
    if lines and lines[0].strip() == "---":
        ends = [place for place, line in enumerate(lines[1:60], 1) if line.strip() == "---"]
        lines = lines[ends[0] + 1 :] if ends else lines
    is_code = is_directive = False
    for raw in lines:
        line = raw.lstrip().lstrip("> ") if raw.lstrip()[:1] == ">" else raw
        stripped = line.strip()
        if stripped.startswith(("```", "~~~")):
            is_code = not is_code
            yield ""
            continue
        if is_directive and (not stripped or line[:1] in " \t"):
            continue
        is_directive = stripped.startswith((".. ", "|")) and "::" in stripped
        if is_code or is_directive or stripped.startswith(".. _") or _REFERENCE.match(line[:200]):
            continue
        yield line[:4_000]


def _without_comments(content: str) -> str:
    opening, closing = _COMMENT
    kept: list[str] = []
    start = 0
    while (place := content.find(opening, start)) >= 0:
        end = content.find(closing, place)
        if end < 0:
            break
        kept.append(content[start:place])
        start = end + len(closing)
    return "".join((*kept, content[start:]))
