"""A model's answer against the passages: citations that exist count, and what no passage says is marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from loremark.memory.answering.clues import whole
from loremark.memory.answering.evidence import Bag, bag_of, names_in
from loremark.memory.answering.records import Checked, Passage
from loremark.memory.answering.sentences import cut, without_tags
from loremark.memory.measures import NUMBER_WORDS

LONGEST_ANSWER = 20_000
NOT_IN_MEMORY = "(not in memory)"
_MARK = re.compile(r"[ \t]?\[\^?(\d{1,9}(?:\s{0,3}[,;]\s{0,3}\d{1,9}){0,20})\](?!\()")
_NUMBER = re.compile(r"\d+")
_FIGURE = re.compile(r"(?<![\w.])\d[\d,_]*(?:\.\d+)*")
_IMAGE = re.compile(r"!\[([^\[\]]{0,200})\]\([^()]{0,500}\)")
_LINK = re.compile(r"\[([^\[\]]{1,200})\]\(([^()\s]{1,500})\)")
_CODE = re.compile(r"`([^`\n]{1,200})`")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-zà-ÿ]{2,}(?: [A-Z][a-zà-ÿ]+)*")
_DENIAL = re.compile(
    r"\b(?:passages?|memory|sources?|it|they|information|context)\b.{0,40}\b(?:not|n't|no|nothing|doesn't|don't|lacks?)\b"
    r"|\b(?:no|nothing|not)\b.{0,60}\b(?:passages?|memory|sources?|information|covered?s?|mention(?:s|ed)?)\b",
    re.IGNORECASE,
)
_FEWEST_WORDS = 3
_ENOUGH_SHARED = 0.34
_FENCE = ("```", "~~~")


@dataclass(frozen=True)
class _Source:
    """A passage, read once."""

    lower: str
    figures: frozenset[str]
    bag: Bag


def check(text: str, passages: Sequence[Passage]) -> Checked:
    """What was cited and what is not in memory; no mark is left that points nowhere."""
    checking = _Checking([_read(passage) for passage in passages])
    lines = []
    for line in _plain(text[:LONGEST_ANSWER]).split("\n"):
        is_fence = line.lstrip().startswith(_FENCE)
        lines.append(line if is_fence else "".join(checking.checked(piece) for piece in _pieces(line)))
    used = tuple(dict.fromkeys(passages[place].item_id for place in checking.used))
    return Checked("\n".join(lines), used, tuple(checking.unsupported))


def _read(passage: Passage) -> _Source:
    text = whole(passage)
    return _Source(text.lower(), frozenset(_figures(text)), bag_of(text))


def _plain(text: str) -> str:
    """A picture or a link may carry words away to its address: only what they say stays."""
    return without_tags(_LINK.sub(r"\1 (\2)", _IMAGE.sub(r"\1", text)).replace("](", "] ("))


def _pieces(line: str) -> list[str]:
    """Sentences; marks after a full stop belong to the sentence before."""
    pieces: list[str] = []
    for piece in cut(line):
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


class _Checking:
    """One answer: what it has cited so far, and what it could not."""

    def __init__(self, sources: Sequence[_Source]) -> None:
        self._sources = sources
        self.used: dict[int, None] = {}
        self.unsupported: list[str] = []

    def checked(self, piece: str) -> str:
        """The sentence with the marks that hold, and a word behind it if nobody wrote that down."""
        cited: dict[int, None] = {}

        def kept(mark: re.Match[str]) -> str:
            places = [int(number) - 1 for number in _NUMBER.findall(mark.group(1))]
            known = [place for place in places if 0 <= place < len(self._sources)]
            cited.update(dict.fromkeys(known))
            space = " " if mark.group()[0] in " \t" else ""
            return space + "".join(f"[{place + 1}]" for place in known) if known else ""

        told = _MARK.sub(kept, piece)
        self.used.update(cited)
        bare = _MARK.sub("", piece).strip()
        if not bare or _supported(bare, [self._sources[place] for place in cited] or self._sources):
            return told
        self.unsupported.append(bare)
        end = len(told.rstrip())
        return f"{told[:end]} {NOT_IN_MEMORY}{told[end:]}"


def _supported(sentence: str, sources: Sequence[_Source]) -> bool:
    """Each figure, name and code stands in a source, and enough of the other words."""
    if _DENIAL.search(sentence) and not _FIGURE.search(sentence):
        return True
    if not _figures(sentence) <= frozenset().union(*(source.figures for source in sources)):
        return False
    names = {*names_in(sentence), *(name.lower() for name in (*_CODE.findall(sentence), *_NAME.findall(sentence)))}
    if not all(any(name in source.lower for source in sources) for name in names):
        return False
    words = bag_of(sentence).words
    shared = sum(any(word in source.bag for source in sources) for word in words)
    return len(words) < _FEWEST_WORDS or shared >= _ENOUGH_SHARED * len(words)


def _figures(text: str) -> set[str]:
    """Numbers, in figures or in words."""
    found = {figure.replace(",", "").replace("_", "").rstrip(".") for figure in _FIGURE.findall(text)}
    return found | {str(NUMBER_WORDS[word]) for word in re.findall(r"[a-z]+", text.lower()) if word in NUMBER_WORDS}
