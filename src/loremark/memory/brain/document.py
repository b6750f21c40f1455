"""The document itself: put together from blocks whose tokens add up, and never over its budget.

A block begins with a visible character that is no slash and ends with a line break. There the tokenizer's own first
cut (into words, before any of them is divided) falls between two blocks, whatever stands in them; so the tokens of
the whole are the sum of the tokens of its blocks. Very long texts are counted in pieces, which may cut a word; for
that, and should a tokenizer ever differ, the whole is counted at the end, and what was wanted least goes until it fits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from loremark.memory.brain.entries import LAYERS, Count, Entry, Text
from loremark.memory.brain.head import Project, layer_zero, left_out
from loremark.memory.brain.neutral import in_code, lines_of, one_line
from loremark.memory.brain.planning import AT_HAND, Choice, choose_again, short_tokens
from loremark.memory.brain.shortening import longest
from loremark.memory.brain.telling import repeats

_MOST_CHARS = 1_000_000
"""Up to here texts are really counted; beyond it counts are estimates."""
_FILES_SHOWN = 3
_LEAST_TOKENS = 48
"""A shorter beginning tells nothing."""
_MARKS = {"stale": "stale", "conflict": "in conflict", "low_confidence": "low confidence", "quality": "poor quality"}
_PLACES = {
    AT_HAND: "## At hand: the files asked for, and their neighbours\n\n",
    1: "## Layer 1: architecture, conventions, tech stack\n\n",
    2: "## Layer 2: implementation journal, decisions, bugs\n\n",
    3: "## Layer 3: todos, session logs, supplementary data\n\n",
}


@dataclass(frozen=True, slots=True)
class Document:
    """The brain, and what is told of it. All of it follows from the markdown."""

    markdown: str
    tokens: int
    item_count: int
    schema_keys: tuple[str, ...]
    omitted: dict[int, int]


@dataclass(slots=True)
class _Block:
    choice: Choice
    text: Text
    markdown: str
    tokens: int
    shortened: bool = False

    @property
    def section(self) -> tuple[int, str]:
        return self.choice.place, self.choice.entry.schema_key


@dataclass(frozen=True, slots=True)
class Part:
    """An entry as it stands in the document."""

    entry: Entry
    title: str
    tokens: int
    shortened: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """A document and what it is made of."""

    document: Document
    parts: tuple[Part, ...]
    """In the order of the document."""
    headings: dict[int, int]
    """What the headings of each place cost, and those of the sections in it."""


Wholes = dict[str, tuple[str, int]]
"""Entries written whole, with their tokens, by id: the same in every document of the same memory."""


def compose(
    project: Project, all_entries: Sequence[Entry], chosen: Sequence[tuple[Choice, Text]], budget: int, count: Count
) -> Document:
    """The document of what was chosen, the most wanted first, as far as the budget goes."""
    return _write(project, all_entries, chosen, budget, count, {})[0]


def lay_out(
    project: Project,
    all_entries: Sequence[Entry],
    chosen: Sequence[tuple[Choice, Text]],
    budget: int,
    count: Count,
    wholes: Wholes,
) -> Layout:
    """The same document and its parts. ``wholes`` is looked into and added to."""
    document, writing = _write(project, all_entries, chosen, budget, count, wholes)
    return Layout(document, writing.parts(), writing.headings())


def _write(
    project: Project,
    all_entries: Sequence[Entry],
    chosen: Sequence[tuple[Choice, Text]],
    budget: int,
    count: Count,
    wholes: Wholes,
) -> tuple[Document, _Writing]:
    chosen = choose_again(chosen, budget)
    items = sum(entry.kind == "item" for entry in all_entries)
    head = layer_zero(project, items, len(all_entries) - items, budget, count)
    by_layer = Counter(entry.tier for entry in all_entries)
    room = budget - count(head)
    note = count(left_out(by_layer))
    writing = _Writing(room if len(chosen) == len(all_entries) else room - note, budget, count, wholes)
    writing.write(chosen)
    if len(writing.taken) < len(chosen) == len(all_entries):
        writing = _Writing(room - note, budget, count, wholes)
        writing.write(chosen)
    while True:
        omitted = by_layer - Counter(block.choice.entry.tier for block in writing.taken)
        markdown = (head + writing.markdown() + left_out(omitted)).rstrip("\n") + "\n"
        tokens = count(markdown)
        if (tokens <= budget and len(markdown) <= _MOST_CHARS) or not writing.taken:
            break
        writing.give_back(tokens - budget)
    document = Document(
        markdown,
        tokens,
        sum(block.choice.entry.kind == "item" for block in writing.taken),
        tuple(sorted({block.choice.entry.schema_key for block in writing.taken})),
        {layer: omitted[layer] for layer in LAYERS},
    )
    return document, writing


class _Writing:
    """Blocks taken one by one, with the headings they need, while there is room."""

    def __init__(self, room: int, budget: int, count: Count, wholes: Wholes) -> None:
        self.taken: list[_Block] = []
        self._wholes = wholes
        self._room = room
        self._chars = _MOST_CHARS - 10_000
        self._short = short_tokens(budget)
        self._count = count
        # What a heading costs, until it stands.
        self._places = {place: count(heading) for place, heading in _PLACES.items()}
        self._sections: set[tuple[int, str]] = set()

    def write(self, chosen: Sequence[tuple[Choice, Text]]) -> None:
        """Place after place: what fits, then the beginnings of what does not; at the end, longer beginnings."""
        for _, group in groupby(chosen, key=lambda told: told[0].place):
            self._write_place([told for told in group if not self._take_at_first(*told)])
        for block in [block for block in self.taken if block.shortened and block.choice.whole]:
            self._lengthen(block)

    def _take_at_first(self, choice: Choice, text: Text) -> bool:
        return self._take(self._shortened(choice, text, self._short) if choice.short else self._whole(choice, text))

    def _write_place(self, waiting: Sequence[tuple[Choice, Text]]) -> None:
        for choice, text in waiting:
            most = min(self._short, self._room - self._headings(choice))
            if self._room < _LEAST_TOKENS:
                return
            if most >= _LEAST_TOKENS:
                self._take(self._shortened(choice, text, most))

    def markdown(self) -> str:
        """Places in their order, sections by their keys, contexts before items, older before newer."""
        parts: list[str] = []
        place, section = -1, (-1, "")
        for block in self._ordered():
            if block.choice.place != place:
                place = block.choice.place
                parts.append(_PLACES[place])
            if block.section != section:
                section = block.section
                parts.append(_section(section[1]))
            parts.append(block.markdown)
        return "".join(parts)

    def parts(self) -> tuple[Part, ...]:
        """What was taken, in the order of the document."""
        return tuple(
            Part(block.choice.entry, block.text.title, block.tokens, block.shortened) for block in self._ordered()
        )

    def headings(self) -> dict[int, int]:
        """What the headings cost, by place."""
        sections = {block.section for block in self.taken}
        tokens = {place: self._count(_PLACES[place]) for place, _ in sections}
        for place, schema_key in sections:
            tokens[place] += self._count(_section(schema_key))
        return tokens

    def _ordered(self) -> list[_Block]:
        return sorted(self.taken, key=lambda block: (*block.section, block.choice.entry.kind, block.choice.entry.id))

    def give_back(self, tokens: int) -> None:
        """Do without the last ones taken, at least one, for so many tokens."""
        tokens -= self.taken.pop().tokens
        while self.taken and tokens > 0:
            tokens -= self.taken.pop().tokens

    def _headings(self, choice: Choice) -> int:
        """What the headings cost that are still to be written for it."""
        section = (choice.place, choice.entry.schema_key)
        if section in self._sections:
            return 0
        return self._places.get(choice.place, 0) + self._count(_section(choice.entry.schema_key))

    def _take(self, block: _Block) -> bool:
        needed = block.tokens + self._headings(block.choice)
        if needed > self._room or len(block.markdown) > self._chars:
            return False
        self._room -= needed
        self._chars -= len(block.markdown) + (0 if block.section in self._sections else len(_section(block.section[1])))
        self._sections.add(block.section)
        self._places.pop(block.choice.place, None)
        self.taken.append(block)
        return True

    def _whole(self, choice: Choice, text: Text) -> _Block:
        written = self._wholes.get(choice.entry.id)
        if written is None:
            markdown = _entry(choice.entry, text, text.content, shortened=False)
            written = self._wholes[choice.entry.id] = markdown, self._count(markdown)
        return _Block(choice, text, *written)

    def _shortened(self, choice: Choice, text: Text, most: int) -> _Block:
        def fits(content: str) -> bool:
            return self._count(_entry(choice.entry, text, content, shortened=True)) <= most

        markdown = _entry(choice.entry, text, longest(text.content, fits, most), shortened=True)
        return _Block(choice, text, markdown, self._count(markdown), shortened=True)

    def _lengthen(self, block: _Block) -> None:
        """What is left at the end goes to those that were shortened, the most wanted first."""
        if self._room < self._short // 4:
            return
        most = block.tokens + self._room
        longer = block
        if block.choice.entry.token_count <= most:
            longer = self._whole(block.choice, block.text)
        if longer.shortened or longer.tokens > most:
            longer = self._shortened(block.choice, block.text, most)
        if block.tokens < longer.tokens <= most and len(longer.markdown) <= self._chars:
            self._room -= longer.tokens - block.tokens
            self._chars -= len(longer.markdown) - len(block.markdown)
            self.taken[self.taken.index(block)] = longer


def _section(schema_key: str) -> str:
    return f"### {one_line(schema_key)}\n\n"


def _entry(entry: Entry, text: Text, content: str, *, shortened: bool) -> str:
    """One entry of a list: its title, what to know of it, its text if that is not the title again."""
    told = [] if entry.kind == "context" else [entry.type]
    told += [_MARKS[flag] for flag in entry.flags if flag in _MARKS]
    told += ["on this branch"] if entry.on_branch else []
    told += ["shortened"] if shortened else []
    told += [in_code(path) for path in text.files[:_FILES_SHOWN]]
    more = len(text.files) - _FILES_SHOWN
    told += [f"{more} more files" if more > 1 else "1 more file"] if more > 0 else []
    known = f" ({', '.join(told)})" if told else ""
    title = f"- **{one_line(text.title) or 'Untitled'}**{known}"
    lines = [] if repeats(text.title, content) else lines_of(content)
    body = [f"  {line}" if line else "" for line in lines]
    return "\n".join([title, "", *body, "", ""] if body else [title, "", ""])
