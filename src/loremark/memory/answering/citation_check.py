"""Checks a model's answer against the passages: keeps valid citations and marks what no passage supports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from loremark.memory.answering.records import CheckedAnswer, Passage
from loremark.memory.answering.sentences import MAX_PASSAGE_CHARS, escape_tags, split_line
from loremark.memory.quantities import NUMBER_WORDS
from loremark.memory.ranking.terms import read_question

MAX_ANSWER_CHARS = 20_000
NOT_IN_MEMORY_MARK = "(not in memory)"
_MARK = re.compile(r"[ \t]?\[\^?(\d{1,9}(?:\s{0,3}[,;]\s{0,3}\d{1,9}){0,20})\](?!\()")
_NUMBER = re.compile(r"\d+")
_FIGURE = re.compile(r"(?<![\w.])\d[\d,_]*(?:\.\d+)*")
_IMAGE = re.compile(r"!\[([^\[\]]{0,200})\]\([^()]{0,500}\)")
_LINK = re.compile(r"\[([^\[\]]{1,200})\]\(([^()\s]{1,500})\)")
_CODE = re.compile(r"`([^`\n]{1,200})`")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-zà-ÿ]{2,}(?: [A-Z][a-zà-ÿ]+)*")
_IDENTIFIER = re.compile(r"[^\W_]+(?:[_./:#@+-]+[^\W_]+)*")
_IS_IDENTIFIER = re.compile(r"[_/]|\w\.\w|::|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|[A-Z]{2}")
_MAX_IDENTIFIER_CHARS = 120
_MAX_FIELD_CHARS = 300
_MAX_FILES = 12
_DENIAL = re.compile(
    r"\b(?:passages?|memory|sources?|it|they|information|context)\b.{0,40}\b(?:not|n't|no|nothing|doesn't|don't|lacks?)\b"
    r"|\b(?:no|nothing|not)\b.{0,60}\b(?:passages?|memory|sources?|information|covered?s?|mention(?:s|ed)?)\b",
    re.IGNORECASE,
)
_MIN_WORDS = 3
_MIN_SHARED = 0.34
_FENCE = ("```", "~~~")


@dataclass(frozen=True)
class _Source:
    """A parsed passage."""

    lower: str
    figures: frozenset[str]
    words: frozenset[int]


def check_citations(text: str, passages: Sequence[Passage]) -> CheckedAnswer:
    """Return the answer with valid citations only, the cited passages, and the unsupported sentences."""
    checking = _AnswerChecker([_read(passage) for passage in passages])
    lines = []
    for line in _plain(text[:MAX_ANSWER_CHARS]).split("\n"):
        is_fence = line.lstrip().startswith(_FENCE)
        lines.append(line if is_fence else "".join(checking.checked(piece) for piece in _pieces(line)))
    used = tuple(dict.fromkeys(passages[place].item_id for place in checking.used))
    return CheckedAnswer("\n".join(lines), used, tuple(checking.unsupported))


def _read(passage: Passage) -> _Source:
    files = (file[:_MAX_FIELD_CHARS] for file in passage.files[:_MAX_FILES])
    place = passage.schema_key[:_MAX_FIELD_CHARS].replace("/", " ")
    text = "\n".join((passage.title[:_MAX_FIELD_CHARS], passage.content[:MAX_PASSAGE_CHARS], place, *files))
    return _Source(text.lower(), frozenset(_figures(text)), frozenset(read_question(text).words))


def _plain(text: str) -> str:
    """Replace images and links by their text: their addresses could leak words of the answer."""
    return escape_tags(_LINK.sub(r"\1 (\2)", _IMAGE.sub(r"\1", text)).replace("](", "] ("))


def _pieces(line: str) -> list[str]:
    """Split a line into sentences; citations after a full stop belong to the sentence before."""
    pieces: list[str] = []
    for piece in split_line(line):
        lead = 0
        while pieces and (mark := _MARK.match(piece, lead)):
            lead = mark.end()
        if lead:
            space = len(piece[lead:]) - len(piece[lead:].lstrip())
            pieces[-1] += piece[: lead + space]
            piece = piece[lead + space :]
        if piece:
            pieces.append(piece)
    return pieces


class _AnswerChecker:
    """Collects the citations and unsupported sentences of one answer."""

    def __init__(self, sources: Sequence[_Source]) -> None:
        self._sources = sources
        self.used: dict[int, None] = {}
        self.unsupported: list[str] = []

    def checked(self, piece: str) -> str:
        """Return the sentence with its valid citations, marked if no source supports it."""
        cited: dict[int, None] = {}

        def kept(mark: re.Match[str]) -> str:
            places = [int(number) - 1 for number in _NUMBER.findall(mark.group(1))]
            known = [place for place in places if 0 <= place < len(self._sources)]
            cited.update(dict.fromkeys(known))
            space = " " if mark.group()[0] in " \t" else ""
            return space + "".join(f"[{place + 1}]" for place in known) if known else ""

        checked_text = _MARK.sub(kept, piece)
        self.used.update(cited)
        text_only = _MARK.sub("", piece).strip()
        if not text_only or _supported(text_only, [self._sources[place] for place in cited] or self._sources):
            return checked_text
        self.unsupported.append(text_only)
        end = len(checked_text.rstrip())
        return f"{checked_text[:end]} {NOT_IN_MEMORY_MARK}{checked_text[end:]}"


def _supported(sentence: str, sources: Sequence[_Source]) -> bool:
    """Whether the sources contain each number, name and code of a sentence, and enough of its other words."""
    if _DENIAL.search(sentence) and not _FIGURE.search(sentence):
        return True
    if not _figures(sentence) <= frozenset().union(*(source.figures for source in sources)):
        return False
    names = {
        *_identifiers(sentence),
        *(name.lower() for name in (*_CODE.findall(sentence), *_NAME.findall(sentence))),
    }
    if not all(any(name in source.lower for source in sources) for name in names):
        return False
    words = read_question(sentence).words
    shared = sum(any(word in source.words for source in sources) for word in words)
    return len(words) < _MIN_WORDS or shared >= _MIN_SHARED * len(words)


def _identifiers(text: str) -> set[str]:
    """Identifiers, paths and abbreviations, lowercased."""
    return {
        token.lower()
        for token in _IDENTIFIER.findall(text)
        if len(token) <= _MAX_IDENTIFIER_CHARS and _IS_IDENTIFIER.search(token)
    }


def _figures(text: str) -> set[str]:
    """Numbers, in digits or words."""
    found = {figure.replace(",", "").replace("_", "").rstrip(".") for figure in _FIGURE.findall(text)}
    return found | {str(NUMBER_WORDS[word]) for word in re.findall(r"[a-z]+", text.lower()) if word in NUMBER_WORDS}
