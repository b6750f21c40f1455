"""Extracts items from documents: one per rule, decision, known issue or described part of the system.

What a statement is for is decided by the section it stands in, and the heading is part of the title, so that each item
can be understood alone. Pointers, inventories, reports of work and placeholders are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from loremark.memory.extraction import confidence, salience
from loremark.memory.extraction.decision_records import (
    DecisionRecord,
    has_part,
    is_decision_entry,
    read_decision_record,
    split_parts,
)
from loremark.memory.extraction.document_statements import SHELLS, Statement, find_statements, is_rule
from loremark.memory.extraction.document_text import (
    is_about_document,
    is_placeholder,
    is_pointer,
    render,
    shorten,
)
from loremark.memory.extraction.document_titles import clean_heading, make_title
from loremark.memory.extraction.facts import (
    MAX_CONTENT_CHARS,
    MAX_QUOTE_CHARS,
    MAX_QUOTES,
    EventContext,
    files_of,
    find_files,
    merge_files,
)
from loremark.memory.extraction.markdown_blocks import Block, Section, parse_sections
from loremark.memory.extraction.payloads import first_text
from loremark.memory.extraction.schema_key_rules import infer_schema_key, parse_schema_key
from loremark.memory.extraction.section_roles import TYPE_OF_ROLE, Role, role_of
from loremark.memory.extraction.sentence_splitter import strip_markdown
from loremark.memory.extraction.type_rules import classify_type, explicit_type
from loremark.memory.extraction.word_patterns import content_terms
from loremark.memory.items import TIER_OF_TYPE, Item, Quote
from loremark.wire.items import ItemType

_IMPORTED_TYPES: tuple[ItemType, ...] = ("convention", "decision")
"""Types that words alone can give an imported statement. Descriptions of any kind are architecture."""
_CODE_CHARS = 1_200
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_VAGUE_TERMS = 7
_PROGRAMS = (
    "js",
    "javascript",
    "jsx",
    "ts",
    "typescript",
    "tsx",
    "python",
    "py",
    "java",
    "kotlin",
    "go",
    "rust",
    "csharp",
)
_FIRM = re.compile(
    r"\b(?:must|never|always|don'?t|do not|not|no|only|avoid|instead|rather|shall|requires?|required|forbidden"
    r"|mandatory|prefer(?:red)?|ensure|without)\b|❌|⛔|🚫|⚠",
    re.IGNORECASE,
)
_LITERAL = re.compile(r"`[^`]+`|\d|[a-z][A-Z]|[a-z]_[a-z]|\w\.\w{1,5}\b|(?<!\w)--\w")
_PROPER = re.compile(r"(?<=[a-z,] )[A-Z][a-z]")
_TICKET = re.compile(r"(?<![A-Za-z])[A-Za-z]{2,8}-\d{1,6}(?!\d)")
_REVERSES = re.compile(
    r"\b(?:don'?ts?|do not|never|avoid|anti-?patterns?|wrong|bad|incorrect|forbidden)\b|❌|🚫", re.IGNORECASE
)
_ORDERS = re.compile(r"\W{0,4}(?:always|never|avoid|prefer|only|ensure|keep|do not|don'?t|must)\b", re.IGNORECASE)
_LABEL = re.compile(r"[\w ()/&'-]{2,40}:\s+(?=[A-Z])")
_NOT_DECIDED = re.compile(r"(?:context|background|status|date|problem|deciders?)\s{0,2}:", re.IGNORECASE)
_LABELS: tuple[tuple[ItemType, str], ...] = (
    ("decision", "decision|decided"),
    ("todo", "todo|fixme|to do"),
    ("bug", "known (?:issue|bug|limitation)|bug|gotcha|pitfall|caveat"),
    ("convention", "rule|convention|important|note|warning"),
)
_LABEL_TYPES = tuple(
    (kind, re.compile(rf"[\W_]{{0,4}}(?:{words})s?\b[\W_]{{0,4}}:", re.IGNORECASE)) for kind, words in _LABELS
)


def document_items(payload: dict[str, Any], origin: EventContext, *, is_committed: bool = False) -> Iterator[Item]:
    """The items of a document, in order; each text once. ``is_committed``: a commit of the repository contains it."""
    source = first_text(payload, "content")
    name = strip_markdown(first_text(payload, "name", "title")[:200])
    sections = parse_sections(source)
    reader = _Reader(payload, origin, source, is_committed=is_committed)
    record = read_decision_record(sections) if _is_one_record(sections) else None
    if record is not None:
        yield reader.of_record(record, name)
    if record is not None or reader.is_record:
        return  # a file among decision records that decides nothing is a template or an index
    file = _file_of(payload)
    seen: set[str] = set()
    for _, group in groupby(sections, key=lambda section: split_parts(section.headings)):
        entries, rest = _split_decisions(list(group))
        record = read_decision_record(rest)
        if record is not None:
            yield reader.of_record(record, name)
        for section in entries if record is not None else (*rest, *entries):
            role = role_of((name, *section.headings), file)
            if role == "overview" and not reader.is_import:
                role = "architecture"
            if role in ("report", "overview"):
                continue  # agents read what a project is about in its README
            for statement in find_statements(section, role, source):
                item = reader.of_statement(statement, role, name)
                if item is not None and (said := _folded(item.content)) not in seen:
                    seen.add(said)
                    yield item


def _is_one_record(sections: Sequence[Section]) -> bool:
    """Whether all parts of a decision record stand directly below the title of the document."""
    above = {split_parts(section.headings) for section in sections if has_part(section.headings)}
    if not above:
        return len(sections) == 1
    path = min(above)
    return len(above) == 1 and all(section.headings[: len(path)] == path for section in sections)


def _split_decisions(sections: Sequence[Section]) -> tuple[list[Section], list[Section]]:
    """The lists of decisions that each state their reason, and the sections without them."""
    entries, rest = [], []
    for section in sections:
        listed = [
            block for block in section.blocks if block.kind == "list" and any(map(is_decision_entry, block.blocks))
        ]
        entries += [Section(section.headings, listed)] if listed else []
        rest.append(Section(section.headings, [block for block in section.blocks if block not in listed]))
    return entries, [section for section in rest if section.blocks]


def _file_of(payload: dict[str, Any]) -> str:
    """The path of the file that a document was imported from, in words; a file about one ticket is a report."""
    path = first_text(payload, "origin").partition("#")[0].rpartition(".")[0][-200:]
    return re.sub(r"[-_]+", " ", _TICKET.sub("report", path))


class _Reader:
    """Turns statements of one document into items."""

    def __init__(self, payload: dict[str, Any], origin: EventContext, source: str, *, is_committed: bool) -> None:
        self._payload, self._origin, self._source = payload, origin, source
        self._key = parse_schema_key(payload.get("schemaKey"))
        self._is_vouched_for = is_committed or origin.actor_id is not None
        self._files = files_of(payload, origin.roots)
        self._is_memory_bank = first_text(payload, "source") == "import:cline"
        self.is_record = first_text(payload, "source") == "import:adr"
        self.is_import = first_text(payload, "source").startswith("import:")

    def of_record(self, record: DecisionRecord, name: str) -> Item:
        title = make_title((record.title or name,), "") or make_title((), record.decided[0].text)
        item = self._item(title, record.content, "decision", record.decided, margin=None)
        sure = confidence.of_decision_record(
            self._payload, is_vouched_for=self._is_vouched_for, is_proposed=record.status == "proposed"
        )
        return replace(item, confidence=sure, status="deprecated" if record.status == "outdated" else "draft")

    def of_statement(self, statement: Statement, role: Role, name: str) -> Item | None:
        content = render(statement.blocks)
        if sum(len(block.text) for block in _leaves(statement.blocks) if block.kind == "code") > _CODE_CHARS:
            content = render(block for block in statement.blocks if block.kind != "code") or content
        title = make_title(statement.headings or (name,), statement.said)
        if not title or not _says_something(statement, content, role):
            return None
        if self._is_memory_bank and not _is_concrete(statement):
            return None
        kind, margin = _type_of(statement, role, name)
        if margin is not None and self.is_import:
            kind, margin = kind if kind in _IMPORTED_TYPES else "architecture", None
        return self._item(
            title, shorten(_in_context(statement, content), MAX_CONTENT_CHARS), kind, statement.blocks, margin
        )

    def _item(self, title: str, content: str, kind: ItemType, blocks: Sequence[Block], margin: float | None) -> Item:
        files = merge_files(find_files([content], self._origin.roots)) or tuple(self._files)
        return Item(
            title=title,
            content=content,
            type=kind,
            schema_key=self._key or infer_schema_key(kind, files, "", f"{title}. {content}"),
            confidence=confidence.of_statement(kind, self._payload),
            files=files,
            evidence=tuple(Quote(self._origin.event_id, quote) for quote in self._quotes(blocks)),
            branch=self._origin.branch,
            tier=TIER_OF_TYPE[kind],
            type_margin=margin,
        )

    def _quotes(self, blocks: Sequence[Block]) -> list[str]:
        quotes: list[str] = []
        for block in sorted(_leaves(blocks), key=lambda block: block.kind in ("code", "table")):
            quote = _quote(self._source[block.start : block.end])
            if quote and quote not in quotes:
                quotes.append(quote)
            if len(quotes) == MAX_QUOTES:
                break
        return quotes


def _leaves(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if block.kind != "list" and block.lines:
            yield block
        yield from _leaves(block.blocks)


def _quote(raw: str) -> str:
    """The words of a source, verbatim: as many whole sentences or lines as fit a quote."""
    raw = next((piece for part in _CONTROL.split(raw) if (piece := part.strip())), "")
    if len(raw) <= MAX_QUOTE_CHARS:
        return raw
    ends = [found.end() for found in re.finditer(r"[.!?](?=\s)|(?=\n)", raw[:MAX_QUOTE_CHARS])]
    return (
        raw[: ends[-1]].strip() if ends else raw[:MAX_QUOTE_CHARS].rpartition(" ")[0].strip() or raw[:MAX_QUOTE_CHARS]
    )


def _says_something(statement: Statement, content: str, role: Role) -> bool:
    """Whether a statement is worth an item."""
    lead = _lead_of(statement)
    if salience.targets_model(content) or salience.is_question(lead) or len(content_terms(content)) < 2:
        return False
    if lead and (
        is_placeholder(lead) or is_about_document(lead) or (len(statement.blocks) == 1 and is_pointer(content))
    ):
        return False
    if role == "decisions" and _NOT_DECIDED.match(lead):
        return False
    if role == "tasks":
        return _LITERAL.search(" ".join(_texts_of(statement))) is not None and salience.is_substantial(content)
    if role == "inventory" and (not lead or not is_rule(lead)):
        return False
    if role == "other" and salience.is_small_talk(lead):
        return False
    if _FIRM.search(content) is not None or salience.has_reason(content):
        return True
    is_specific = salience.is_specific(content) or _PROPER.search(content) is not None
    return is_specific or len(content_terms(content)) >= _VAGUE_TERMS - (role in ("rules", "commands"))


def _is_concrete(statement: Statement) -> bool:
    """Whether a statement of a memory bank names something exactly, or orders something or gives a reason.

    Agents fill these with descriptions that fit any project.
    """
    if any(one.kind == "code" and one.language in _PROGRAMS for one in statement.blocks) and not _lead_of(statement):
        return False
    texts = _texts_of(statement)
    named = sum(_LITERAL.search(text) is not None for text in texts)
    if not statement.said:
        return 2 * named >= len(texts)
    text = " ".join(texts)
    return named > 0 or _FIRM.search(text) is not None or salience.has_reason(text)


def _lead_of(statement: Statement) -> str:
    first = statement.blocks[0]
    return strip_markdown(first.text) if first.kind in ("paragraph", "item") else ""


def _texts_of(statement: Statement) -> list[str]:
    return [block.text for block in _leaves(statement.blocks)]


def _in_context(statement: Statement, content: str) -> str:
    """The content, after its heading if that reverses it: "Don't", "Anti-patterns"."""
    heading = statement.headings[-1] if statement.headings else ""
    return f"{clean_heading(heading)}: {content}" if _REVERSES.search(heading) else content


def _type_of(statement: Statement, role: Role, name: str) -> tuple[ItemType, float | None]:
    """The type, and the margin by which the words decide it; None if the section or a label does."""
    labeled = next((kind for kind, form in _LABEL_TYPES if form.match(statement.said)), None)
    if labeled is not None or statement.is_decision:
        return labeled or "decision", None
    text = _LABEL.sub("", strip_markdown(statement.said), count=1)
    if role == "issues" and _ORDERS.match(text or strip_markdown(next(_leaves(statement.blocks)).text)):
        return "convention", None
    if role in ("decisions", "issues", "tasks", "rules", "commands"):
        return TYPE_OF_ROLE[role], None
    if explicit_type(text) == "decision":
        return "decision", None
    has_steps = any(block.kind == "list" and block.ordered for block in statement.blocks)
    if (
        is_rule(text)
        or (role == "other" and has_steps)
        or (statement.blocks[-1].kind == "code" and statement.blocks[-1].language in SHELLS)
    ):
        return "convention", None
    if role == "other" and (not text or not _is_english(text)):
        is_rule_like = statement.blocks[-1].kind == "code" or not _is_english(render(statement.blocks))
        return ("convention" if is_rule_like else "architecture"), None
    if role != "other":
        return TYPE_OF_ROLE[role], None
    verdict = classify_type("", [text], statement.headings[-1:], about=name, default="architecture")
    if verdict.type in ("bug", "todo"):
        return "architecture", None
    return verdict.type, verdict.margin


def _is_english(text: str) -> bool:
    """Whether the words can be read at all: most letters are ASCII."""
    letters = sum(map(str.isalpha, text))
    return 2 * sum(letter.isascii() and letter.isalpha() for letter in text) >= letters


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
