"""Parses Markdown into sections of paragraphs, lists, code and tables, each with its exact place in the source.

Hard-wrapped lines are joined. Comments, tags on lines of their own and front matter are left out. Runs in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["paragraph", "list", "item", "code", "table"]

_MAX_LINE_CHARS = 60_000
_MAX_DEPTH = 6
_PSEUDO_LEVEL = 7
_LINE_END = re.compile(r"\r\n|[\n\r\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029]")
_PLAIN_ENDS = ("\n", "\r\n", "\r")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.{0,299})")
_UNDERLINE = re.compile(r" {0,3}(=|-)\1{2,}[ \t]*$")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_FENCE = re.compile(r"[ \t]*\\?(`{3,}|~{3,})[ \t]*([\w+.-]{0,30})")
_ITEM = re.compile(r"([ \t]*)([-*+•–]|\d{1,3}[.)])[ \t]+(?=\S)")
# Lines that start with a verdict are a list, also without a list marker.
_VERDICT = re.compile(r"([ \t]*)()(?=[✅❌⛔🚫✔✘✗✓])")
_CHECKBOX = re.compile(r"\[([ xX~-])\][ \t]+")
_TAGS = re.compile(r"[ \t]*(?:</?[A-Za-z][\w:.-]{0,40}(?:[ \t][^<>]{0,200})?/?>[ \t]*)+$")
_BOLD = re.compile(r"(?:\*\*|__)([^*_]{2,80})(?:\*\*|__):?$")
_QUOTE = re.compile(r"[ \t]*>[ \t]?")


@dataclass(slots=True)
class Block:
    """A piece of a section; a list has items, and an item can have further blocks."""

    kind: Kind
    start: int
    end: int
    lines: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    ordered: bool = False
    checked: bool | None = None
    language: str = ""

    @property
    def text(self) -> str:
        """A paragraph or item on one line, code and tables as written."""
        return ("\n" if self.kind in ("code", "table") else " ").join(self.lines)


@dataclass(slots=True)
class Section:
    """A heading path and what stands below it, up to the next heading."""

    headings: tuple[str, ...]
    blocks: list[Block] = field(default_factory=list)


@dataclass(slots=True)
class _Open:
    """An item that following lines may belong to."""

    indent: int
    holder: Block
    item: Block


def parse_sections(source: str) -> list[Section]:
    """The sections of a document in order. Text before the first heading has an empty path."""
    return _Parser(source).parse()


class _Parser:
    def __init__(self, source: str) -> None:
        self._source = source
        self._sections = [Section(())]
        self._path: list[tuple[int, str]] = []
        self._stack: list[_Open] = []
        self._text: Block | None = None
        """The paragraph or item that the next line may continue."""
        self._was_blank = True
        self._is_for_list = False
        """Whether the heading is a line in bold with a colon: it ends with the list below it."""

    def parse(self) -> list[Section]:
        fence, code, comment = "", None, False
        for start, end in _without_front_matter(self._source):
            end = min(end, start + _MAX_LINE_CHARS)
            line = self._source[start:end]
            mark = _FENCE.match(line)
            if code is not None:
                if mark is not None and mark[1].startswith(fence) and not mark[2]:
                    code, self._text = None, None
                else:
                    code.lines.append(line.rstrip())
                    code.end = end
                continue
            if comment or line.lstrip().startswith("<!--"):
                comment = "-->" not in line
                self._break()
            elif mark is not None:
                fence = mark[1]
                self._promote_last()
                code = Block("code", start, end, language=mark[2].lower())
                self._blocks_for_code(_width(line)).append(code)
                self._text = None
            else:
                self._read(line, start, end)
        return [section for section in self._sections if section.blocks]

    def _read(self, line: str, start: int, end: int) -> None:
        heading = _HEADING.match(line)
        if heading is not None:
            self._open_section(len(heading[1]), _without_closing(heading[2]))
        elif not line.strip() or _TAGS.match(line):
            self._break()
        elif self._text is not None and self._text.kind == "paragraph" and _UNDERLINE.match(line):
            self._underline(1 if "=" in line else 2)
        elif _RULE.match(line):
            self._break()
        elif line.lstrip().startswith("|"):
            self._add_row(line, start, end)
        elif (found := _ITEM.match(line) or _VERDICT.match(line)) and not self._is_in_brackets():
            self._add_item(found, line, start, end)
        else:
            self._add_text(line, start, end)

    def _is_in_brackets(self) -> bool:
        """Whether the line before opens a bracket: a plus sign after it is no list marker."""
        last = self._text.lines[-1] if self._text is not None and self._text.kind != "table" else ""
        return last.rfind("(") > last.rfind(")")

    def _break(self) -> None:
        self._promote_last()
        self._text, self._was_blank = None, True

    def _open_section(self, level: int, name: str) -> None:
        self._stack.clear()
        self._is_for_list = False
        self._text, self._was_blank = None, True
        self._path = [(above, known) for above, known in self._path if above < level]
        self._path.append((level, name.strip()))
        self._sections.append(Section(tuple(known for _, known in self._path)))

    def _underline(self, level: int) -> None:
        text = self._text
        if text is None or len(text.lines) > 1 or self._sections[-1].blocks[-1:] != [text]:
            self._break()
            return
        self._sections[-1].blocks.pop()
        self._open_section(level, text.text)

    def _promote_last(self) -> None:
        """Treat a paragraph of one line in bold as a heading."""
        blocks = self._sections[-1].blocks
        if self._text is None or self._text.kind != "paragraph" or blocks[-1:] != [self._text]:
            return
        found = _BOLD.match(self._text.text) if len(self._text.lines) == 1 else None
        if found is not None:
            blocks.pop()
            self._open_section(_PSEUDO_LEVEL, found[1].rstrip(": "))
            self._is_for_list = found.group().rstrip("*_").endswith(":")

    def _close_list_heading(self) -> None:
        blocks = self._sections[-1].blocks
        if self._is_for_list and blocks and blocks[-1].kind == "list":
            self._is_for_list = False
            self._path.pop()
            self._sections.append(Section(tuple(known for _, known in self._path)))

    def _below(self, indent: int) -> list[Block]:
        """The blocks that a block with this indentation belongs to."""
        while self._stack and indent <= self._stack[-1].indent:
            self._stack.pop()
        return self._stack[-1].item.blocks if self._stack else self._sections[-1].blocks

    def _blocks_for_code(self, indent: int) -> list[Block]:
        """Those of the last item if its text announces the code, even if the code is not indented."""
        if self._stack and self._stack[-1].item.text.endswith(":"):
            return self._stack[-1].item.blocks
        return self._below(indent)

    def _add_row(self, line: str, start: int, end: int) -> None:
        if self._text is not None and self._text.kind == "table":
            self._text.lines.append(line.strip())
            self._text.end = end
            return
        self._break()
        self._text = Block("table", start, end, [line.strip()])
        self._below(_width(line)).append(self._text)
        self._was_blank = False

    def _add_item(self, found: re.Match[str], line: str, start: int, end: int) -> None:
        self._promote_last()
        indent, ordered = _width(line), found[2][:1].isdigit()
        while self._stack and indent < self._stack[-1].indent:
            self._stack.pop()
        if self._stack and indent < self._stack[-1].indent + 2:
            holder = self._stack.pop().holder
        elif len(self._stack) < _MAX_DEPTH:
            holder = self._list_in(self._below(indent), start, ordered)
        else:
            holder = self._stack.pop().holder
        if holder.ordered != ordered:
            holder = self._list_in(self._below(indent), start, ordered)
        text = line[found.end() :]
        box = _CHECKBOX.match(text)
        begin = start + found.end() + (box.end() if box else 0)
        item = Block("item", begin, end, [text[box.end() if box else 0 :].strip()])
        item.checked = None if box is None else box[1] != " "
        holder.blocks.append(item)
        holder.end = end
        self._stack.append(_Open(indent, holder, item))
        self._text, self._was_blank = item, False

    def _list_in(self, blocks: list[Block], start: int, ordered: bool) -> Block:
        if blocks and blocks[-1].kind == "list" and blocks[-1].ordered == ordered and not self._was_blank:
            return blocks[-1]
        made = Block("list", start, start, ordered=ordered)
        blocks.append(made)
        return made

    def _add_text(self, line: str, start: int, end: int) -> None:
        quote = _QUOTE.match(line)
        text = line[quote.end() if quote else 0 :]
        if not text.strip():
            self._break()
            return
        if self._text is not None and self._text.kind != "table":
            self._text.lines.append(text.strip())
            self._text.end = end
        else:
            indent = _width(line)
            if self._was_blank and indent < 2:
                self._stack.clear()
                self._close_list_heading()
            begin = start + len(line) - len(line[quote.end() if quote else 0 :].lstrip())
            self._text = Block("paragraph", begin, end, [text.strip()])
            self._below(indent).append(self._text)
        self._was_blank = False
        if line.endswith(("  ", "\\")):  # a hard line break
            self._break()


def _without_closing(heading: str) -> str:
    """A heading without the number signs that may close it."""
    text = heading.rstrip()
    opened = text.rstrip("#")
    return opened.rstrip() if opened.endswith((" ", "\t")) else text


def _width(line: str) -> int:
    blank = line[: len(line) - len(line.lstrip())]
    return len(blank) + 3 * blank.count("\t")


def _without_front_matter(source: str) -> Iterator[tuple[int, int]]:
    lines = list(_lines(source))
    first = lines[0]
    if source[first[0] : first[1]].strip() == "---":
        closing = next((at for at, (start, end) in enumerate(lines[1:60], 1) if source[start:end].strip() == "---"), 0)
        lines = lines[closing + 1 :] if closing else lines
    yield from lines


def _lines(source: str) -> Iterator[tuple[int, int]]:
    """The place of each line. Other control characters separate like a blank line, so that no text contains one."""
    start = 0
    for ending in _LINE_END.finditer(source):
        yield start, ending.start()
        start = ending.end()
        if ending.group() not in _PLAIN_ENDS:
            yield start, start
    yield start, len(source)
