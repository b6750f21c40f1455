"""Extracts facts from commits: the subject, a body that explains it, and the files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loremark.memory.extraction import confidence, salience, titles
from loremark.memory.extraction.commit_messages import CommitMessage, is_merge_commit, parse_message
from loremark.memory.extraction.commit_parser import Commit
from loremark.memory.extraction.commit_salience import SQUASHED, is_salient_commit
from loremark.memory.extraction.commit_types import classify_commit
from loremark.memory.extraction.facts import EventContext, Fact, find_files, merge_files
from loremark.memory.extraction.sentence_splitter import Sentence, strip_markdown
from loremark.memory.extraction.type_rules import explicit_type, explicit_verdict, label_type
from loremark.memory.paths import is_generated_file


def commit_facts(commits: Sequence[Commit], origin: EventContext) -> Iterator[Fact]:
    alone = all(map(is_merge_commit, commits))
    for commit in commits:
        yield from _facts_of_commit(commit, parse_message(commit, alone=alone), origin)


def _facts_of_commit(commit: Commit, message: CommitMessage, origin: EventContext) -> Iterator[Fact]:
    if not is_salient_commit(message, commit):
        return
    title = message.title
    if titles.is_generic(title) or salience.is_chore(title) or SQUASHED.match(title):
        title = ""
    listed = [one for one in message.sentences if one.is_bullet]
    if not title and len({one.block for one in listed}) > 1:
        yield from _facts_of_list(listed, commit, message.scope, origin)
        return
    main, others = _separate_statements(message.sentences)
    files = _item_files(commit, (title, *(one.raw for one in main)), origin)
    kind = message.kind or message.scope.lower()
    found, margin = classify_commit(
        kind, strip_markdown(title), [one.text for one in main], files, breaking=message.breaking
    )
    yield Fact(
        type=found,
        lead=title,
        sentences=tuple(main),
        files=files,
        confidence=confidence.COMMIT_WITH_BODY if main else confidence.COMMIT_SUBJECT,
        scope=message.scope,
        capitalize=message.subject != title or bool(message.scope),
        tags=("breaking",) if message.breaking else (),
        type_margin=margin,
    )
    for one in others:
        outright = explicit_type(one.text)
        if outright is not None and salience.is_substantial(one.text):
            yield Fact(
                type=outright,
                lead="",
                sentences=(one,),
                files=files,
                confidence=confidence.COMMIT_WITH_BODY,
                scope=message.scope,
                type_margin=explicit_verdict(outright).margin,
            )


def _facts_of_list(listed: Sequence[Sentence], commit: Commit, scope: str, origin: EventContext) -> Iterator[Fact]:
    """A commit without a subject of its own: each entry of its list is a fact."""
    for one in listed:
        found, margin = classify_commit("", one.text, ())
        yield Fact(
            type=found,
            lead="",
            sentences=(one,),
            files=_item_files(commit, (one.raw,), origin),
            confidence=confidence.COMMIT_WITH_BODY if salience.has_reason(one.text) else confidence.COMMIT_SUBJECT,
            scope=scope,
            type_margin=margin,
        )


def _separate_statements(sentences: Sequence[Sentence]) -> tuple[list[Sentence], list[Sentence]]:
    """Separate what belongs to the commit from follow-up work and general rules."""
    main: list[Sentence] = []
    others: list[Sentence] = []
    for one in sentences:
        label = label_type(one.text)
        stated = explicit_type(one.text)
        is_apart = stated == "todo" or label in ("convention", "todo") or (stated == "convention" and one.is_bullet)
        (others if is_apart else main).append(one)
    return main, others


def _item_files(commit: Commit, texts: Sequence[str], origin: EventContext) -> tuple[str, ...]:
    touched = [file.path for file in commit.files if not is_generated_file(file.path)]
    return merge_files(touched, () if touched else find_files(texts, origin.roots))
