"""Extracts facts from commits: one for each commit whose body explains it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace

from loremark.memory.extraction import confidence, titles
from loremark.memory.extraction.commit_body import Block
from loremark.memory.extraction.commit_messages import CommitMessage, capitalize, parse_message
from loremark.memory.extraction.commit_parser import Commit
from loremark.memory.extraction.commit_reverts import reverted_subject
from loremark.memory.extraction.commit_salience import find_explanation, is_salient_commit
from loremark.memory.extraction.commit_types import classify_commit
from loremark.memory.extraction.facts import EventContext, Fact, cut_quote, find_files, merge_files
from loremark.memory.extraction.sentence_splitter import split_sentences
from loremark.memory.paths import is_generated_file

_CONTENT_CHARS = 1_500
"""Readers skip long texts. The whole message stays in the event."""
_TITLE_SENTENCES = 3


def commit_facts(commits: Sequence[Commit], origin: EventContext) -> Iterator[Fact]:
    for commit in commits:
        message = parse_message(commit)
        title = _title(commit, message) if is_salient_commit(message, commit) else ""
        if title:
            yield _fact_of(commit, message, title, origin)


def _fact_of(commit: Commit, message: CommitMessage, title: str, origin: EventContext) -> Fact:
    texts = [block.text for block in message.blocks if block.kind != "code"]
    touched = [file.path for file in commit.files if not is_generated_file(file.path)]
    files = merge_files(touched, () if touched else find_files([message.subject, *texts], origin.roots))
    kind = "revert" if reverted_subject(commit.subject) else message.kind or message.scope.lower()
    found, margin = classify_commit(kind, message.subject, texts, files)
    return Fact(
        type=found,
        lead=title,
        sentences=(),
        files=files,
        confidence=confidence.COMMIT_WITH_BODY,
        scope=message.scope,
        tags=("breaking",) if message.is_breaking else (),
        type_margin=margin,
        keep_title=True,
        verbatim=_content(message, _change(commit, message)),
        quotes=tuple(_quotes(commit, message)),
        commit_sha=commit.sha,
    )


def _change(commit: Commit, message: CommitMessage) -> str:
    """What the commit did, without its scope; empty if its subject says nothing."""
    undone = reverted_subject(commit.subject)
    if not undone:
        return capitalize(message.subject) if message.title else ""
    reverted = parse_message(replace(commit, subject=undone, body="")).title
    return f'Reverted "{titles.headline(reverted or undone)}"'


def _title(commit: Commit, message: CommitMessage) -> str:
    """The subject with its scope, or the first sentence of the body that can stand alone."""
    if not reverted_subject(commit.subject):
        return message.title or _first_title(message)
    change = _change(commit, message)
    whole = f"{change}: {_first_title(message)}"
    return whole if len(whole) <= titles.MAX_TITLE_CHARS else change


def _first_title(message: CommitMessage) -> str:
    sentences = [one for block in message.explanation for one in split_sentences(block.raw, 1)][:_TITLE_SENTENCES]
    found = (titles.headline(one.text) for one in sentences)
    return next((title for title in found if not titles.is_generic(title)), "")


def _quotes(commit: Commit, message: CommitMessage) -> Iterator[str]:
    """The subject, the sentence that explains it best, and a breaking change."""
    yield cut_quote(commit.subject)
    said = message.explanation
    best = find_explanation(said)
    if best is not None:
        yield cut_quote(best.raw)
    yield from (cut_quote(block.raw) for block in said if block.is_breaking)


def _content(message: CommitMessage, change: str) -> str:
    """What was done, and the body as Markdown: whole blocks and sentences that fit, and every breaking change.

    An explanation that begins with "It" says little alone, to readers and to the comparison with other items.
    """
    blocks = list(message.blocks)
    if blocks and blocks[0].is_heading:
        blocks.pop(0)
    if change:
        blocks.insert(0, Block("text", change.rstrip(". ") + ".", ""))
    room = _CONTENT_CHARS - sum(len(block.text) for block in blocks if block.is_breaking)
    kept: list[Block] = []
    for block in blocks:
        if block.is_breaking:
            kept.append(block)
        elif block.kind == "code":  # whole or not at all
            kept += [block] if len(block.text) <= room else []
            room -= len(block.text) if len(block.text) <= room else 0
        elif room > 0:
            shown = _beginning(block, room)
            room = room - len(block.text) if shown is block else 0
            kept += [shown] if shown is not None else []
    while kept and kept[-1].text.rstrip("*_").endswith(":"):  # a label whose text did not fit
        kept.pop()
    return _render(kept)


def _beginning(block: Block, room: int) -> Block | None:
    """The block, or its first whole sentences if it is too long."""
    if len(block.text) <= room:
        return block
    text = ""
    for one in split_sentences(block.text):
        if len(text) + len(one.raw) >= room:
            break
        text = f"{text} {one.raw}".strip()
    return replace(block, text=text) if text else None


def _render(blocks: Sequence[Block]) -> str:
    parts: list[str] = []
    before: Block | None = None
    for block in blocks:
        text = block.text
        if block.kind == "item":
            text = f"{'  ' * block.depth}- {text}"
        elif block.kind == "code" and not text.lstrip().startswith(("```", "~~~", "|")):
            text = f"```\n{textwrap.dedent(text)}\n```"
        elif block.is_breaking:
            text = f"Breaking change: {text}"
        is_tight = before is not None and block.kind == "item" and (before.kind == "item" or before.text.endswith(":"))
        parts += [("\n" if is_tight else "\n\n") if before is not None else "", text]
        before = block
    return "".join(parts)
