"""Extracts facts from saved sessions: saved changes, and what the free text adds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from loremark.memory.extraction import (
    category_trust,
    confidence,
    conversations,
    durability,
    salience,
    sentence_grouping,
    titles,
)
from loremark.memory.extraction.facts import EventContext, Fact, files_of, find_files, merge_files
from loremark.memory.extraction.payloads import as_list, first_text
from loremark.memory.extraction.sentence_splitter import Sentence, split_sentences, strip_markdown
from loremark.memory.extraction.type_rules import (
    TypeVerdict,
    classify_type,
    exact_category_type,
    explicit_type,
    explicit_verdict,
    is_action,
    score_types,
    type_for_category,
)
from loremark.memory.extraction.word_patterns import content_terms, coverage
from loremark.wire.items import ItemType

MAX_CHANGES = 200
"""How many saved changes of one event are processed."""
_CHANGE_SENTENCES = 60
_COVERED = 0.6
_COVERED_LOOSELY = 0.35
_SHARED_FILES = 10
_AMONG_TALK = 2.0
_BESIDE_FILED = 2.0
_STATED_BESIDE = 8
_STUB_TERMS = 6
_FAULT = 1.5
_DOCUMENT = re.compile(r"\s{0,20}#{1,2} {1,4}([A-Za-z][A-Za-z-]{2,20})\b(?!s?[ \t]*$)", re.MULTILINE)
_DOCUMENT_WEIGHT = 3.0
_CHANGE_FIELDS = ("changes", "items", "entries", "observations", "facts")
_SUMMARY_FIELDS = ("summary", "description", "notes", "text", "message")
_CATEGORY_FIELDS = ("category", "type", "kind")
_CONTENT_FIELDS = ("content", "description", "body", "details", "text", "narrative", "summary")


def session_facts(payload: dict[str, Any], origin: EventContext) -> Iterator[Fact]:
    """The facts of a saved session, saved changes first."""
    talk = conversations.is_conversation(payload)
    outline = content_terms(first_text(payload, *_SUMMARY_FIELDS))
    changes = list(islice(_changes_of(payload), MAX_CHANGES))
    stubs = {place for place, (change, _) in enumerate(changes) if _is_stub(content_terms(_words_of(change)), outline)}
    about = strip_markdown(first_text(payload, "summary")[:300]) if len(changes) - len(stubs) == 1 else ""
    found = [list(_facts_of_change(change, category, about, origin)) for change, category in changes]
    full = [facts for place, facts in enumerate(found) if place not in stubs]
    shared = files_of(payload, origin.roots)
    shared = shared if len(shared) <= _SHARED_FILES else []
    described = frozenset[str]().union(
        *(content_terms(_words_of(change)) for place, (change, _) in enumerate(changes) if place not in stubs)
    )
    summed = [
        fact
        for field in _SUMMARY_FIELDS
        if isinstance(summary := payload.get(field), str) and not talk
        for fact in _facts_of_summary(summary, described, shared, origin, liberal=not any(full))
    ]
    said = [content_terms(fact.words()) for fact in summed]
    for place in sorted(stubs):
        named = content_terms(_words_of(changes[place][0]))
        at = next((at for at, words in enumerate(said) if coverage(named, words) >= _COVERED), None)
        if at is not None:
            # Saved in few words and described in the summary: take the full description, with the confidence of a saved
            # change.
            sure = max((fact.confidence for fact in found[place]), default=0.0)
            summed[at] = replace(summed[at], confidence=max(summed[at].confidence, sure))
            found[place] = []
    alone = sum(map(bool, found)) == 1
    for facts in found:
        for fact in facts:
            # The session's files belong to its only change, or to a change that names none.
            yield replace(fact, files=merge_files(fact.files, shared)) if alone or not fact.files else fact
    yield from summed
    if talk:
        yield from conversations.settled_facts(payload, origin)


def is_fact_field(field: str) -> bool:
    """Whether facts are extracted from this field of a saved session."""
    return field in _SUMMARY_FIELDS or field in _CHANGE_FIELDS or _is_list_of_type(field)


def exceeds_change_limit(payload: dict[str, Any]) -> bool:
    """Whether more changes were saved than are processed."""
    return next(islice(_changes_of(payload), MAX_CHANGES, None), None) is not None


def _is_list_of_type(field: str) -> bool:
    """Lists such as "decisions" or "nextSteps" next to the changes."""
    named = type_for_category(field)
    return named is not None and named[1] > 1.5


def _changes_of(payload: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Saved changes, each with the category implied by the name of its list."""
    for field, value in payload.items():
        if field not in _CHANGE_FIELDS and not (_is_list_of_type(field) and isinstance(value, list)):
            continue
        category = "" if field in _CHANGE_FIELDS else field
        for change in as_list(value):
            if isinstance(change, str):
                change = {"content": change}
            if isinstance(change, dict):
                yield change, category


def _words_of(change: dict[str, Any]) -> str:
    return first_text(change, "title", "name", "subject") + " " + first_text(change, *_CONTENT_FIELDS)


def _is_stub(said: frozenset[str], outline: frozenset[str]) -> bool:
    """Whether a saved change only names what the summary may describe in full."""
    return len(said) < _STUB_TERMS and len(outline) >= 2 * _STUB_TERMS and coverage(said, outline) >= _COVERED


def _facts_of_change(change: dict[str, Any], category: str, about: str, origin: EventContext) -> Iterator[Fact]:
    own_category = first_text(change, *_CATEGORY_FIELDS).strip()
    is_open_work = not own_category and category_trust.is_todo(category)  # an entry of "nextSteps" or "todos"
    category = own_category or category
    lead = first_text(change, "title", "name", "subject")
    if len(lead) > 1_000 or "\n" in lead.strip():
        lead = ""
    content = first_text(change, *_CONTENT_FIELDS)
    trusted = category_trust.is_trusted(category, lead, content)
    if strip_markdown(content) == strip_markdown(lead):
        content = ""
    hints = [category]
    if titles.is_generic(lead) and not (trusted and category_trust.is_meaningful_title(lead)):
        if sentence_grouping.is_section(strip_markdown(lead)):
            hints.append(strip_markdown(lead))  # "Decisions", "Next steps": not a title, but it says what follows
        lead, content = "", content or lead
    lead_text = strip_markdown(lead)
    whole = split_sentences(content, _CHANGE_SENTENCES)
    trusted = trusted and bool(whole or not content)  # not program output
    sentences = [one for one in whole if not _is_passing(one)]
    if is_open_work:
        sentences = [one for one in whole if not category_trust.says_nothing_left(one.text)]
    elif trusted and not sentences:
        sentences = [one for one in whole if not salience.is_small_talk(one.text)]
    if not is_open_work and not category_trust.is_salient_change(category, lead_text, sentences, trusted=trusted):
        return
    titled = bool(lead_text) and not salience.is_small_talk(lead_text)
    verdict = classify_type(
        lead_text,
        [one.text for one in sentences],
        (*hints, *_headings(sentences)),
        about=about,
        saved=exact_category_type(category),
    )
    verdict = replace(explicit_verdict("todo"), given=True) if is_open_work else verdict
    kind = verdict.type
    named = files_of(change, origin.roots)
    around = merge_files(named, find_files((lead, content), origin.roots))
    category_type = type_for_category(category)
    saved = category_type is None or category_type[0] == kind
    groups = sentence_grouping.group_change(sentences, kind, titled=titled, saved=saved)
    is_heading = not groups[0] and any(one.is_bullet for group in groups[1:] for one in group)
    for place, group in enumerate(groups):
        if place == 0 and is_heading:
            continue
        is_main = place == 0
        own_lead = lead if is_main else ""
        own = verdict if is_main else _verdict_on_group(group, category)
        own_kind = own.type
        said = " ".join((strip_markdown(own_lead), *(one.text for one in group)))
        asks = own_kind != "todo" and salience.is_question(said)
        if asks or not category_trust.has_enough_words(said, trusted=trusted and is_main, least=2):
            continue
        inside = find_files((own_lead, *(one.raw for one in group)), origin.roots)
        yield Fact(
            type=own_kind,
            lead=own_lead,
            sentences=tuple(group),
            files=merge_files(named, inside) if place == 0 or not inside else merge_files(inside),
            confidence=confidence.of_change(
                own_kind,
                said,
                explicit=_is_explicit(own_kind, category, own_lead, group),
                sentences=len(group),
                filed=trusted or category_trust.implies_memory(category),
            ),
            type_margin=None if own.given or (is_main and _is_filed_as(own_kind, category)) else own.margin,
            nearby_files=around,
            tags=(category,) if type_for_category(category) is None and len(category) <= 30 else (),
            keep_title=trusted and is_main,
        )


def _is_passing(one: Sentence) -> bool:
    return salience.is_small_talk(one.text) or (durability.is_transient(one.text) and explicit_type(one.text) is None)


def _is_filed_as(kind: ItemType, category: str) -> bool:
    """Whether the sender filed it as a decision or rule, and its words do not speak against that."""
    return kind in ("decision", "convention") and exact_category_type(category) == kind


def _verdict_on_group(group: Sequence[Sentence], category: str) -> TypeVerdict:
    outright = explicit_type(group[0].text) if group else None
    named = type_for_category(category)
    if outright is not None:
        return explicit_verdict(outright)
    if named is not None and named[1] >= 2.0:
        return explicit_verdict(named[0])
    return classify_type("", [one.text for one in group], (category, *_headings(group)))


def _action_first(group: Sequence[Sentence]) -> list[Sentence]:
    """Actions indicate a fact's type better than its first sentence, unless that clearly describes a bug."""
    if score_types(group[0].text)["bug"] >= _FAULT:
        return list(group)
    return sorted(group, key=lambda one: not is_action(one.text))


def _headings(sentences: Sequence[Sentence]) -> list[str]:
    return list(dict.fromkeys(one.heading for one in sentences if one.heading))[:1]


def _is_explicit(kind: ItemType, category: str, lead: str, group: Sequence[Sentence]) -> bool:
    named = type_for_category(category)
    if named is not None and named[0] == kind and named[1] >= 2.0:
        return True
    return any(explicit_type(text) == kind for text in (strip_markdown(lead), *(one.text for one in group)))


def _document_type(summary: str) -> ItemType | None:
    """The type of a document whose heading starts with it: ``# Incident …``, ``# ADR 7 …``."""
    heading = _DOCUMENT.match(summary)
    named = type_for_category(heading.group(1)) if heading is not None else None
    if named is None or named[1] < _DOCUMENT_WEIGHT or named[0] not in ("bug", "decision"):
        return None
    return named[0]


def _facts_of_summary(
    summary: str, described: frozenset[str], shared: Sequence[str], origin: EventContext, *, liberal: bool
) -> Iterator[Fact]:
    whole = split_sentences(summary)
    sentences = [one for one in whole if not _is_passing(one) and not salience.is_question(one.text)]
    # Facts in a text that mostly reports the day must be clearer.
    least = category_trust.MIN_DURABILITY_IN_PROSE + _AMONG_TALK * (1 - len(sentences) / len(whole)) if whole else 0.0
    document = _document_type(summary)
    groups = sentence_grouping.group_prose(sentences) if document is None else [list(sentences)]
    for group in filter(None, groups):
        said = " ".join(one.text for one in group)
        clear = explicit_type(group[0].text) is not None or any(map(sentence_grouping.is_section, _headings(group)))
        if not any(sentence_grouping.is_self_contained(one, liberal=True) for one in group) or len(
            content_terms(said)
        ) < (2 if clear else 4):
            continue
        # With saved changes, the rest of the text mostly introduces them, unless it is as clear.
        beside = 0.0 if liberal or salience.has_reason(said) else _BESIDE_FILED
        if durability.durability_score(said) < (category_trust.MIN_DURABILITY_STATED if clear else least + beside):
            continue
        if coverage(content_terms(said), described) >= (_COVERED if clear else _COVERED_LOOSELY):
            continue
        inside = find_files((one.raw for one in group), origin.roots)
        if not (
            liberal or inside or (clear and (salience.has_reason(said) or len(content_terms(said)) >= _STATED_BESIDE))
        ):
            continue
        verdict = explicit_verdict(document) if document is not None else _verdict_on_group(_action_first(group), "")
        yield Fact(
            type=verdict.type,
            lead="",
            sentences=tuple(group),
            files=merge_files(inside or (shared if liberal else ())),
            confidence=confidence.SUMMARY_SENTENCE,
            type_margin=verdict.margin,
            nearby_files=tuple(shared),
        )
