"""Commits: a subject in the usual form or in plain words, a body that says why, and the files they touch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loremark.memory.extraction import confidence, titles, worth
from loremark.memory.extraction.commit_log import Commit
from loremark.memory.extraction.commit_texts import Told, is_arrival, told_by
from loremark.memory.extraction.commit_types import type_of_commit
from loremark.memory.extraction.commit_worth import KINDS, SQUASHED, is_worth
from loremark.memory.extraction.drafting import Fact, Origin, files_in, joined_files
from loremark.memory.extraction.sentences import Sentence, plain
from loremark.memory.extraction.typing_rules import label_of, outright_type, stated
from loremark.memory.paths import is_machine_written


def facts_of_commits(commits: Sequence[Commit], origin: Origin) -> Iterator[Fact]:
    alone = all(map(is_arrival, commits))
    for commit in commits:
        yield from _facts_of_commit(commit, told_by(commit, alone=alone), origin)


def _facts_of_commit(commit: Commit, told: Told, origin: Origin) -> Iterator[Fact]:
    if not is_worth(told, commit):
        return
    title = told.title
    if titles.is_generic(title) or worth.is_chore(title) or SQUASHED.match(title):
        title = ""
    listed = [one for one in told.sentences if one.is_bullet]
    if not title and len({one.block for one in listed}) > 1:
        yield from _facts_of_list(listed, commit, told.scope, origin)
        return
    main, others = _apart(told.sentences)
    said = " ".join((plain(title), *(one.text for one in main)))
    files = _item_files(commit, (title, *(one.raw for one in main)), origin)
    kind = told.kind or told.scope.lower()
    found, margin = type_of_commit(kind, plain(title), [one.text for one in main], files, breaking=told.breaking)
    yield Fact(
        type=found,
        lead=title,
        sentences=tuple(main),
        files=files,
        confidence=confidence.of_commit(said, has_body=bool(main), conventional=told.kind in KINDS),
        scope=told.scope,
        capital=told.subject != title or bool(told.scope),
        tags=("breaking",) if told.breaking else (),
        type_margin=margin,
    )
    for one in others:
        outright = outright_type(one.text)
        if outright is not None and worth.says_something(one.text):
            yield Fact(
                type=outright,
                lead="",
                sentences=(one,),
                files=files,
                confidence=confidence.of_change(outright, one.text, explicit=outright == "todo", sentences=1),
                scope=told.scope,
                type_margin=stated(outright).margin,
            )


def _facts_of_list(listed: Sequence[Sentence], commit: Commit, scope: str, origin: Origin) -> Iterator[Fact]:
    """A commit without a subject of its own: each entry of its list is a fact."""
    for one in listed:
        found, margin = type_of_commit("", one.text, ())
        yield Fact(
            type=found,
            lead="",
            sentences=(one,),
            files=_item_files(commit, (one.raw,), origin),
            confidence=confidence.of_commit(one.text, has_body=worth.has_reason(one.text), conventional=False),
            scope=scope,
            type_margin=margin,
        )


def _apart(sentences: Sequence[Sentence]) -> tuple[list[Sentence], list[Sentence]]:
    """What belongs to the commit, and what it leaves for later or lays down for all."""
    main: list[Sentence] = []
    others: list[Sentence] = []
    for one in sentences:
        label = label_of(one.text)
        stated = outright_type(one.text)
        is_apart = stated == "todo" or label in ("convention", "todo") or (stated == "convention" and one.is_bullet)
        (others if is_apart else main).append(one)
    return main, others


def _item_files(commit: Commit, texts: Sequence[str], origin: Origin) -> tuple[str, ...]:
    touched = [file.path for file in commit.files if not is_machine_written(file.path)]
    return joined_files(touched, () if touched else files_in(texts, origin.roots))
