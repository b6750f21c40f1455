"""Groups the blocks of a section into statements: one per rule, with the reason and examples that belong to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from loremark.memory.extraction import salience
from loremark.memory.extraction.decision_records import is_decision, is_decision_entry
from loremark.memory.extraction.document_text import (
    are_attributes,
    are_commands,
    are_fragments,
    is_about_document,
    is_drawing,
    is_inventory,
    is_inventory_table,
    is_placeholder,
    render,
)
from loremark.memory.extraction.markdown_blocks import Block, Section
from loremark.memory.extraction.section_roles import Role, role_of
from loremark.memory.extraction.sentence_splitter import split_sentences, strip_markdown
from loremark.memory.extraction.type_rules import explicit_type, is_anaphoric, is_imperative

SHELLS = ("sh", "bash", "shell", "zsh", "console", "powershell", "cmd")
_MAX_ENTRIES = 400
_LABEL_WORDS = 7
_WHOLE_CHARS = 700
_STEPS_CHARS = 1_400
_SPLIT_ROLES: tuple[Role, ...] = ("decisions", "issues", "tasks", "rules")
_CONDITION = re.compile(
    r"\W{0,4}(?:when(?:ever)?|before|after|if|for|to|while|during|every|each|once|on)\b", re.IGNORECASE
)
_STEPS = re.compile(
    r"\b(?:workflows?|process|steps?|how to|adding|creating|making|writing|set ?up|procedures?|releas\w+|deploy\w*"
    r"|sequence|flows?|lifecycle|pipeline|runbook|getting started|checklist)\b",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"(?:^|[.!?] )\W{0,4}(?:always|avoid|prefer|only|ensure|keep|do not|don'?t)\b|\b(?:must|never|should)\b|❌|🚫",
    re.IGNORECASE,
)
_PART = re.compile(r"[*_]{0,3}(?:decision|change|pattern|rule)[*_]{0,3}:[*_]{0,3}\s{0,3}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Statement:
    """Blocks that state one thing, and the words that name it; without them its heading does."""

    headings: tuple[str, ...]
    blocks: tuple[Block, ...]
    said: str
    is_decision: bool = False


def find_statements(section: Section, role: Role, source: str) -> Iterator[Statement]:
    """What a section states, in order. What refers to the statement before belongs to it: "This script does …"."""
    last: Statement | None = None
    for one in _statements(section, role, source):
        lead = strip_markdown(one.blocks[0].text) if one.blocks[0].kind == "paragraph" else ""
        if last is not None and is_anaphoric(lead) and not is_about_document(lead):
            last = replace(last, blocks=(*last.blocks, *one.blocks))
            continue
        if last is not None:
            yield last
        last = one
    if last is not None:
        yield last


def is_rule(text: str) -> bool:
    """Whether a text orders or forbids something."""
    return is_imperative(text) or _RULE.search(text) is not None


def _statements(section: Section, role: Role, source: str) -> Iterator[Statement]:
    headings, blocks = section.headings, section.blocks
    place = 0
    while place < len(blocks):
        block = blocks[place]
        following = blocks[place + 1] if place + 1 < len(blocks) else None
        place += 1
        if block.kind == "list":
            yield from _of_list(headings, block, role)
        elif block.kind == "table":
            if role != "overview" and not is_inventory_table(block):
                yield Statement(headings, (block,), "")
        elif block.kind == "code":
            codes = [block]
            while place < len(blocks) and blocks[place].kind == "code":
                codes.append(blocks[place])
                place += 1
            commands = _commands_in(codes)
            if role != "overview" and commands:  # other code without words around it says nothing
                yield Statement(headings, tuple(codes), commands)
        elif _is_intro(block) and following is not None and following.kind in ("list", "code", "table"):
            place += 1
            yield from _introduced(headings, block, following, role)
        elif following is not None and following.kind == "code" and not is_drawing(following):
            place += 1
            yield Statement(headings, (block, following), block.text)
        elif not _is_intro(block) and not is_drawing(block):
            yield from (Statement(headings, (piece,), piece.text) for piece in _pieces(block, source))


def _commands_in(codes: Sequence[Block]) -> str:
    """The first command, if the code is for a shell."""
    if any(code.language not in SHELLS for code in codes):
        return ""
    lines = [line.strip().removeprefix("$ ") for code in codes for line in code.lines]
    commands = [line.partition("  #")[0].strip() for line in lines if line and not line.startswith("#")]
    return f"`{commands[0]}`{', …' if len(commands) > 1 else ''}" if commands and "`" not in commands[0] else ""


def _is_intro(block: Block) -> bool:
    return block.text.rstrip("*_ ").endswith((":", "："))


def _introduced(headings: tuple[str, ...], intro: Block, block: Block, role: Role) -> Iterator[Statement]:
    """What follows an opening sentence: together with it, unless it is a list of rules."""
    label = strip_markdown(intro.text).rstrip(": ")
    is_short = len(label.split()) <= _LABEL_WORDS
    if block.kind != "list":
        if not is_drawing(block) and not (block.kind == "table" and is_inventory_table(block)):
            yield Statement(headings, (intro, block), label)
        return
    items = _open_items(block)
    if not items or is_inventory(items) or role == "overview":
        return
    depends = block.ordered or _CONDITION.match(label) is not None or is_anaphoric(label)
    is_split = _are_rules(items) or any(item.blocks for item in items)
    if len(render([block])) <= _STEPS_CHARS and (depends or not is_split):
        yield Statement(headings, (intro, block), label)
    else:
        yield from _of_list((*headings, label) if is_short else headings, block, role)


def _of_list(headings: tuple[str, ...], block: Block, role: Role) -> Iterator[Statement]:
    """One statement per entry; steps and attributes of one thing stay together."""
    items = _open_items(block)
    if not items or role == "overview" or is_inventory(items):
        return
    is_procedure = block.ordered and role != "tasks" and _STEPS.search(" ".join(headings[-2:])) is not None
    is_about_one = role == "commands" and are_commands(items)
    if not _are_rules(items) and not any(map(is_decision_entry, items)):
        own = role_of(headings[-1:])
        is_about_one = is_about_one or (are_attributes(items) and own not in _SPLIT_ROLES)
        is_about_one = is_about_one or (are_fragments(items) and own == "rules")
    if (is_procedure or is_about_one) and len(render([block])) <= _STEPS_CHARS:
        yield Statement(headings, (block,), "")
        return
    for item in items:
        yield from _of_item(headings, item, role)


def _open_items(block: Block) -> list[Block]:
    return [
        item
        for item in block.blocks[:_MAX_ENTRIES]
        if item.checked is not True and not salience.is_question(item.text) and not is_placeholder(item.text)
    ]


def _of_item(headings: tuple[str, ...], item: Block, role: Role) -> Iterator[Statement]:
    """An entry with what is nested below it; a label above a long list is a heading."""
    label = strip_markdown(item.text).rstrip(": ")
    nested = next((block for block in item.blocks if block.kind == "list" and block.blocks), None)
    if nested is None or len(label.split()) > _LABEL_WORDS:
        yield Statement(headings, (item,), item.text)
    elif role == "decisions" or is_decision(nested) or len(render([item])) <= _WHOLE_CHARS:
        said = _PART.sub("", strip_markdown(nested.blocks[0].text))
        yield Statement((*headings, label), (item,), said, is_decision=is_decision(nested))
    else:
        yield from _of_list((*headings, label), nested, role)


def _are_rules(items: Sequence[Block]) -> bool:
    return 2 * sum(is_rule(strip_markdown(item.text)) for item in items) >= len(items)


def _pieces(paragraph: Block, source: str) -> Iterator[Block]:
    """The statements of a paragraph: each rule starts a new one."""
    raw = source[paragraph.start : paragraph.end]
    spans: list[tuple[int, int]] = []
    place = 0
    for one in split_sentences(raw):
        place = raw.index(one.raw, place)
        begins = (is_imperative(one.text) or explicit_type(one.text) is not None) and not is_anaphoric(one.text)
        if spans and not (begins and salience.is_substantial(one.text)):
            spans[-1] = (spans[-1][0], place + len(one.raw))
        else:
            spans.append((place, place + len(one.raw)))
        place += len(one.raw)
    if len(spans) == 1:
        yield paragraph
        return
    for start, end in spans:
        text = " ".join(raw[start:end].split())
        yield replace(paragraph, start=paragraph.start + start, end=paragraph.start + end, lines=[text])
