"""Renders the blocks of a document, and recognizes those that say nothing: pointers, inventories and placeholders."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from loremark.memory.extraction.markdown_blocks import Block
from loremark.memory.extraction.sentence_splitter import strip_markdown
from loremark.memory.extraction.word_patterns import content_terms

_LISTED_WORDS = 9
_ATTRIBUTE_WORDS = 8
_FRAGMENT_WORDS = 6
_LEFT_WORDS = 2
_MOSTLY = 0.6
_LINK = re.compile(r"!?\[[^\[\]]{0,200}\]\([^()\s]{1,300}\)|<?https?://[^\s>]{1,300}>?")
_PATH = r"(?:[\w.@~*{}<>-]+/[\w./*@{}<>\[\]-]*|[\w*.-]+\.[A-Za-z]\w{0,9}|\.[a-z]\w*)"
_NAMED_PATH = re.compile(rf"@?`?{_PATH}`?")
_FIRST_PATH = re.compile(rf"{_PATH}(?:\W|$)")
# "`src/app.py` - starts the server", "**`crates/`**: libraries", "[Guide](guide.md) for beginners"
_ENTRY = re.compile(
    rf"[*_]{{0,3}}(?:`{_PATH}(?:[ ,&+]{{1,3}}{_PATH})*`|{_PATH}|\[[^\[\]]{{1,120}}\]\([^()\s]{{1,300}}\))"
    rf"(?:`?[,/ ]{{1,2}}`{_PATH}`)*[*_]{{0,3}}"
    r"\s{0,3}(?:\([^()]{0,60}\)\s{0,2})?(?:[:—–=]|->|→|-\s|$)\s{0,4}(.{0,400})"
)
_SYMBOL = re.compile(r"[*_]{0,3}`[^`\s]{1,60}`[*_]{0,3}\s{0,3}[:—–=-]\s{0,3}(.{0,400})")
_NAMED = re.compile(r"[*_]{2,3}[^*_]{1,60}[*_]{2,3}:?\s{0,3}[:—–-]?\s{0,3}(.{0,400})|[^:`]{1,40}:\s{1,3}(.{0,400})")
_SEE = re.compile(
    r"\W{0,4}(?:(?:please |also )?(?:see|refer to|read|check out|consult|voir|siehe|ver|lee)(?: also)?"
    r"|for (?:\w+ ){0,2}(?:details|information|examples|reference|documentation)|more (?:details|information)"
    r"|details|docs|documentation|reference|source|full list|example)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_LINE_NUMBER = re.compile(r"\blines? \d")
_ABOUT_DOCUMENT = re.compile(
    r"\W{0,4}(?:(?:this|these) (?:file|document|guide|page|section|readme|instructions|rules|memory bank|folder)\b"
    r"|(?:if|when|whenever) (?:you(?:'re| are)? )?(?:us|read|see)\w{0,3} this (?:file|rule|document)\b"
    r"|(?:below|here) (?:is|are)\b|.{0,400}\bmemory[ -]bank\b|.{0,200}\bmemory resets\b"
    r"|(?:auto-?)?generated (?:from|by)\b|(?:you are|act as) (?:an?|the) |welcome\b|.{0,200}claude\.ai/code)",
    re.IGNORECASE,
)
_METADATA = re.compile(
    r"[\W_]{0,4}(?:status|dates?|versions?|last[ -](?:updated?|modified|reviewed)|updated|created|authors?|owners?"
    r"|maintainers?|deciders?|tags?|task id|session(?: id)?|license|priority|complexity|importance(?: score)?)"
    r"[*_]{0,3}:[*_]{0,3}.{0,80}$",
    re.IGNORECASE,
)
_TO_FILL_IN = (
    r"tbd|tbc|todo|n/?a|none|nothing|empty|coming soon|work in progress|to be (?:done|defined|written|decided)"
    r"|\[[^\[\]]{1,80}\]|\{[^{}]{1,80}\}|<[^<>]{1,80}>|\.\.\.|…|_+"
)
_PLACEHOLDER = re.compile(rf"(?:[^:]{{1,60}}: {{1,3}})?[\W_]{{0,4}}(?:{_TO_FILL_IN})[\W_]{{0,4}}", re.IGNORECASE)
_COMMAND = re.compile(r"`[\w./$-]{1,40} [^`]{1,200}`")
_DIAGRAMS = ("mermaid", "plantuml", "dot", "tree")
_DRAWING = re.compile(r"[─-╿▲▼◀▶←↑→↓↔⟶]|[|+`\\]--|^\s*[|v^]\s*$")


def render(blocks: Iterable[Block], indent: str = "") -> str:
    """The blocks as Markdown, with joined lines and no more indentation than needed."""
    return "\n".join(_lines_of(blocks, indent))


def _lines_of(blocks: Iterable[Block], indent: str) -> Iterable[str]:
    for place, block in enumerate(blocks):
        if block.kind == "list":
            for number, item in enumerate(block.blocks, 1):
                mark = f"{number}. " if block.ordered else "- "
                yield f"{indent}{mark}{item.text}"
                yield from _lines_of(item.blocks, indent + " " * len(mark))
            continue
        if place and block.kind == "paragraph":
            yield ""
        if block.kind == "code":
            yield f"{indent}```{block.language}"
            margin = min((len(line) - len(line.lstrip()) for line in block.lines if line.strip()), default=0)
            yield from (f"{indent}{line[margin:]}".rstrip() for line in block.lines)
            yield f"{indent}```"
        elif block.kind == "table":
            yield from (f"{indent}{row}" for row in block.lines)
        else:
            yield f"{indent}{block.text}"
            yield from _lines_of(block.blocks, indent)


def shorten(text: str, room: int) -> str:
    """The beginning of a text, up to a line or sentence that fits."""
    if len(text) <= room:
        return text
    cut = text[:room]
    line, _, last = cut.rpartition("\n")
    ends = [found.end() for found in re.finditer(r"(?<!\d)[.!?](?=\s)", last)]
    kept = f"{line}\n{last[: ends[-1]]}".strip() if ends else line.rstrip()
    if kept.count("```") % 2:
        kept = kept[: kept.rfind("```")].rstrip()
    return kept or cut.rpartition(" ")[0].rstrip() + "…"


def is_pointer(text: str) -> bool:
    """Whether a text only points to another place: ``@AGENTS.md``, "See docs/setup.md for details", a bare link."""
    rest = _LINK.sub(" ", text)
    rest = _NAMED_PATH.sub(" ", rest) if len(rest) < 400 else rest
    names_place = rest.strip() != text.strip() or _LINE_NUMBER.search(text) is not None
    if _SEE.match(text):
        return names_place and len(content_terms(rest)) < _LISTED_WORDS
    return names_place and len(_WORD.findall(rest)) <= _LEFT_WORDS


def is_placeholder(text: str) -> bool:
    """Whether a text, or the value of its label, is still to be filled in."""
    return _PLACEHOLDER.fullmatch(text) is not None or not _WORD.search(text)


def is_about_document(text: str) -> bool:
    """Whether a text is about the document itself or its reader, or states its version, date or author."""
    return _ABOUT_DOCUMENT.match(text) is not None or _METADATA.match(text) is not None


def is_inventory(items: Sequence[Block]) -> bool:
    """Whether a list mostly names files, folders or links with a few words each."""
    return sum(map(_is_entry, items)) >= _MOSTLY * len(items)


def are_attributes(items: Sequence[Block]) -> bool:
    """Whether each entry of a list names a property of one subject: "**Port:** 8080"."""
    if len(items) < 2:
        return False
    return sum(_is_attribute(item.text) for item in items) >= _MOSTLY * len(items)


def are_fragments(items: Sequence[Block]) -> bool:
    """Whether most entries of a list are a few words that need the others."""
    if any(item.blocks for item in items):
        return False
    return sum(len(item.text.split()) <= _FRAGMENT_WORDS - 2 for item in items) > _MOSTLY * len(items)


def are_commands(items: Sequence[Block]) -> bool:
    """Whether most entries of a list are a command with a few words."""
    return sum(_COMMAND.search(item.text) is not None for item in items) >= _MOSTLY * len(items)


def is_drawing(block: Block) -> bool:
    """Whether code is a directory tree or a diagram, or a paragraph a diagram without a fence."""
    if block.kind == "paragraph":
        return block.text.count("-->") > 1
    drawn = sum(_DRAWING.search(line) is not None for line in block.lines)
    return block.language in _DIAGRAMS or drawn >= 2 or (bool(block.lines) and drawn == len(block.lines))


def is_inventory_table(block: Block) -> bool:
    """Whether the first column of a table mostly holds paths."""
    rows = [row.strip().strip("|").split("|") for row in block.lines[2:]]
    first = [row[0].strip(" *`[") for row in rows if row]
    return not first or sum(_FIRST_PATH.match(cell) is not None for cell in first) >= _MOSTLY * len(first)


def _is_entry(item: Block) -> bool:
    found = _ENTRY.match(item.text[:600])
    return found is not None and len(strip_markdown(found[1]).split()) <= _LISTED_WORDS


def _is_attribute(text: str) -> bool:
    found = _NAMED.match(text[:600])
    if found is None:
        symbol = _SYMBOL.match(text[:600])
        return len((symbol[1] if symbol is not None else text).split()) <= (
            _LISTED_WORDS if symbol else _FRAGMENT_WORDS
        )
    return len((found[1] or found[2] or "").split()) <= _ATTRIBUTE_WORDS
