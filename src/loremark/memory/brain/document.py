"""Renders the brain from blocks whose token counts add up, within its budget.

A block starts with a visible character other than a slash and ends with a line break. The tokenizer splits there first,
so the tokens of the document are the sum of those of its blocks. Very long texts are counted in pieces, which may split
a word; for that case, and for tokenizers that differ, the document is counted at the end and the least wanted blocks
are dropped until it fits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from loremark.memory.brain.entries import LAYERS, Count, Entry, Text
from loremark.memory.brain.excerpts import excerpt
from loremark.memory.brain.header import Project, render_layer_zero, render_left_out
from loremark.memory.brain.informativeness import repeats_title
from loremark.memory.brain.markdown_escaping import code_span, collapse_whitespace, escape_block, escape_inline
from loremark.memory.brain.selection import (
    SCANNED,
    WORKING_FILES,
    Choice,
    long_tokens,
    rerank_by_text,
    shortened_tokens,
)
from loremark.memory.brain.truncation import truncate_to_fit

_MAX_CHARS = 1_000_000
"""Texts up to this length are counted exactly; longer ones are estimated."""
_FILES_SHOWN = 3
_MIN_TOKENS = 48
"""A shorter excerpt says nothing."""
_MARKS = {"stale": "stale", "conflict": "in conflict", "low_confidence": "low confidence", "quality": "low quality"}
_PLACES = {
    WORKING_FILES: "## Working files: the requested files and related ones\n\n",
    1: "## Layer 1: architecture, conventions, tech stack\n\n",
    2: "## Layer 2: implementation journal, decisions, bugs\n\n",
    3: "## Layer 3: todos, session logs, supplementary data\n\n",
}


@dataclass(frozen=True, slots=True)
class Document:
    """The rendered brain and its figures."""

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
        return self.choice.section, self.choice.entry.schema_key


@dataclass(frozen=True, slots=True)
class Part:
    """An entry as rendered in the document."""

    entry: Entry
    title: str
    tokens: int
    shortened: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """A document and its parts."""

    document: Document
    parts: tuple[Part, ...]
    """In the order of the document."""
    headings: dict[int, int]
    """Tokens of the headings by section, including those of their subsections."""


RenderedEntries = dict[str, tuple[str, int]]
"""Complete entries with their tokens by id, the same in every document of the same memory."""


def compose(
    project: Project, all_entries: Sequence[Entry], chosen: Sequence[tuple[Choice, Text]], budget: int, count: Count
) -> Document:
    """Render the selected entries, most wanted first, as far as the budget allows."""
    return _write(project, all_entries, chosen, budget, count, {})[0]


def lay_out(
    project: Project,
    all_entries: Sequence[Entry],
    chosen: Sequence[tuple[Choice, Text]],
    budget: int,
    count: Count,
    wholes: RenderedEntries,
) -> Layout:
    """The same document with its parts. ``wholes`` is a cache that is read and extended."""
    document, writing = _write(project, all_entries, chosen, budget, count, wholes)
    return Layout(document, writing.parts(), writing.headings())


def _write(
    project: Project,
    all_entries: Sequence[Entry],
    chosen: Sequence[tuple[Choice, Text]],
    budget: int,
    count: Count,
    wholes: RenderedEntries,
) -> tuple[Document, _Renderer]:
    chosen = rerank_by_text(chosen, budget)
    items = sum(entry.kind == "item" for entry in all_entries)
    head = render_layer_zero(project, items, len(all_entries) - items, budget, count)
    by_layer = Counter(entry.tier for entry in all_entries)
    room = budget - count(head)
    note = count(render_left_out(by_layer))
    saved = sum(entry.origin == "saved" for entry in all_entries)
    writing = _Renderer(room if len(chosen) == len(all_entries) else room - note, budget, count, wholes)
    writing.write(chosen, saved)
    if len(writing.taken) < len(chosen) == len(all_entries):
        writing = _Renderer(room - note, budget, count, wholes)
        writing.write(chosen, saved)
    while True:
        omitted = by_layer - Counter(block.choice.entry.tier for block in writing.taken)
        markdown = (head + writing.markdown() + render_left_out(omitted)).rstrip("\n") + "\n"
        tokens = count(markdown)
        if (tokens <= budget and len(markdown) <= _MAX_CHARS) or not writing.taken:
            break
        writing.drop_last(tokens - budget)
    document = Document(
        markdown,
        tokens,
        sum(block.choice.entry.kind == "item" for block in writing.taken),
        tuple(sorted({block.choice.entry.schema_key for block in writing.taken})),
        {layer: omitted[layer] for layer in LAYERS},
    )
    return document, writing


class _Renderer:
    """Takes blocks and the headings they need, one by one, while there is room."""

    def __init__(self, room: int, budget: int, count: Count, wholes: RenderedEntries) -> None:
        self.taken: list[_Block] = []
        self._wholes = wholes
        self._room = room
        self._chars = _MAX_CHARS - 10_000
        self._short = shortened_tokens(budget)
        self._long = long_tokens(budget)
        self._types: set[str] = set()
        self._count = count
        # Tokens of the headings that are not in the document yet.
        self._places = {place: count(heading) for place, heading in _PLACES.items()}
        self._sections: set[tuple[int, str]] = set()

    def write(self, chosen: Sequence[tuple[Choice, Text]], saved: int) -> None:
        """Group by group: first what fits, then excerpts of the rest; at the end, longer excerpts.

        Findings of scans are only taken if all ``saved`` entries are.
        """
        for number, group in groupby(chosen, key=lambda details: details[0].group):
            if number == SCANNED and sum(block.choice.entry.origin == "saved" for block in self.taken) < saved:
                break
            for choice, text in [details for details in group if not self._take_at_first(*details)]:
                if self._room < _MIN_TOKENS:
                    break
                self._take_excerpt(choice, text)
        for block in [block for block in self.taken if block.shortened and block.choice.whole]:
            self._lengthen(block)

    def _take_at_first(self, choice: Choice, text: Text) -> bool:
        """Take the complete entry, or an excerpt of a long one. The first entry of a type is shortened if need be."""
        if not choice.short:
            block = self._whole(choice, text)
            if block.tokens <= self._long:
                return self._take(block) or (choice.entry.type not in self._types and self._take_excerpt(choice, text))
        return self._take_excerpt(choice, text)

    def _take_excerpt(self, choice: Choice, text: Text) -> bool:
        most = min(self._short, self._room - self._headings(choice))
        return most >= _MIN_TOKENS and self._take(self._shortened(choice, text, most))

    def markdown(self) -> str:
        """Sections in order, then by schema key, contexts before items, older before newer."""
        parts: list[str] = []
        place, section = -1, (-1, "")
        for block in self._ordered():
            if block.choice.section != place:
                place = block.choice.section
                parts.append(_PLACES[place])
            if block.section != section:
                section = block.section
                parts.append(_section(section[1]))
            parts.append(block.markdown)
        return "".join(parts)

    def parts(self) -> tuple[Part, ...]:
        """The rendered entries in document order."""
        return tuple(
            Part(block.choice.entry, block.text.title, block.tokens, block.shortened) for block in self._ordered()
        )

    def headings(self) -> dict[int, int]:
        """Tokens of the headings by section."""
        sections = {block.section for block in self.taken}
        tokens = {place: self._count(_PLACES[place]) for place, _ in sections}
        for place, schema_key in sections:
            tokens[place] += self._count(_section(schema_key))
        return tokens

    def _ordered(self) -> list[_Block]:
        return sorted(self.taken, key=lambda block: (*block.section, block.choice.entry.kind, block.choice.entry.id))

    def drop_last(self, tokens: int) -> None:
        """Drop blocks from the end, at least one, to save this many tokens."""
        tokens -= self.taken.pop().tokens
        while self.taken and tokens > 0:
            tokens -= self.taken.pop().tokens

    def _headings(self, choice: Choice) -> int:
        """Tokens of the headings that this entry would add."""
        section = (choice.section, choice.entry.schema_key)
        if section in self._sections:
            return 0
        return self._places.get(choice.section, 0) + self._count(_section(choice.entry.schema_key))

    def _take(self, block: _Block) -> bool:
        needed = block.tokens + self._headings(block.choice)
        if needed > self._room or len(block.markdown) > self._chars:
            return False
        self._room -= needed
        self._chars -= len(block.markdown) + (0 if block.section in self._sections else len(_section(block.section[1])))
        self._sections.add(block.section)
        self._places.pop(block.choice.section, None)
        self._types.add(block.choice.entry.type)
        self.taken.append(block)
        return True

    def _whole(self, choice: Choice, text: Text) -> _Block:
        written = self._wholes.get(choice.entry.id)
        if written is None:
            markdown = _entry(choice.entry, text, text.content, shortened=False)
            written = self._wholes[choice.entry.id] = markdown, self._count(markdown)
        return _Block(choice, text, *written)

    def _shortened(self, choice: Choice, text: Text, most: int) -> _Block:
        """An excerpt of the text. Files and the end of the title are left out only if the title alone is too long."""

        def render(shown: Text, content: str) -> str:
            return _entry(choice.entry, shown, content, shortened=True)

        shown = text
        if self._count(render(text, "")) > most:
            shown = replace(text, title=collapse_whitespace(text.title), files=())
            title = truncate_to_fit(
                shown.title, lambda title: self._count(render(replace(shown, title=title), "")) <= most, most
            )
            shown = replace(shown, title=title)
        content = truncate_to_fit(
            excerpt(text.content), lambda content: self._count(render(shown, content)) <= most, most
        )
        markdown = render(shown, content)
        return _Block(choice, text, markdown, self._count(markdown), shortened=True)

    def _lengthen(self, block: _Block) -> None:
        """Give the remaining room to shortened entries, most wanted first."""
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
    return f"### {escape_inline(schema_key)}\n\n"


def _entry(entry: Entry, text: Text, content: str, *, shortened: bool) -> str:
    """Render an entry as a list item: title, details, and its text unless it repeats the title."""
    details = [] if entry.kind == "context" else [entry.type]
    details += [f"unreviewed, from {entry.source}"] if entry.source else []
    details += [_MARKS[flag] for flag in entry.flags if flag in _MARKS]
    details += ["on this branch"] if entry.on_branch else []
    details += ["shortened"] if shortened else []
    details += [code_span(path) for path in text.files[:_FILES_SHOWN]]
    more = len(text.files) - _FILES_SHOWN
    details += [f"{more} more files" if more > 1 else "1 more file"] if more > 0 else []
    known = f" ({', '.join(details)})" if details else ""
    title = f"- **{escape_inline(text.title) or 'Untitled'}**{known}"
    lines = [] if repeats_title(text.title, content) else escape_block(content)
    body = [f"  {line}" if line else "" for line in lines]
    return "\n".join([title, "", *body, "", ""] if body else [title, "", ""])
