"""Saved sessions and contexts: what an agent filed, and what its free text says beyond that."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from loremark.memory.extraction import confidence, durability, filing, grouping, titles, worth
from loremark.memory.extraction.drafting import Fact, Origin, files_in, files_of, joined_files
from loremark.memory.extraction.payloads import entries, first_text
from loremark.memory.extraction.sentences import Sentence, plain, split
from loremark.memory.extraction.typing_rules import (
    Verdict,
    exact_type,
    is_action,
    outright_type,
    stated,
    type_of_category,
    verdict,
    weigh,
)
from loremark.memory.extraction.words import share_covered, terms
from loremark.wire.items import ItemType

MAX_CHANGES = 200
"""How many filed changes of one event are looked at."""
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


def facts_of_save(payload: dict[str, Any], origin: Origin) -> Iterator[Fact]:
    """What a saved session tells, the filed changes first."""
    outline = terms(first_text(payload, *_SUMMARY_FIELDS))
    changes = list(islice(_changes_of(payload), MAX_CHANGES))
    stubs = {place for place, (change, _) in enumerate(changes) if _is_stub(terms(_words_of(change)), outline)}
    about = plain(first_text(payload, "summary")[:300]) if len(changes) - len(stubs) == 1 else ""
    found = [list(_facts_of_change(change, category, about, origin)) for change, category in changes]
    full = [facts for place, facts in enumerate(found) if place not in stubs]
    shared = files_of(payload, origin.roots)
    shared = shared if len(shared) <= _SHARED_FILES else []
    told = frozenset[str]().union(
        *(terms(_words_of(change)) for place, (change, _) in enumerate(changes) if place not in stubs)
    )
    summed = [
        fact
        for field in _SUMMARY_FIELDS
        if isinstance(summary := payload.get(field), str)
        for fact in _facts_of_summary(summary, told, shared, origin, liberal=not any(full))
    ]
    said = [terms(fact.words()) for fact in summed]
    for place in sorted(stubs):
        named = terms(_words_of(changes[place][0]))
        at = next((at for at, words in enumerate(said) if share_covered(named, words) >= _COVERED), None)
        if at is not None:
            # Filed in few words and told in full: the full words are taken, and are as sure as what was filed.
            sure = max((fact.confidence for fact in found[place]), default=0.0)
            summed[at] = replace(summed[at], confidence=max(summed[at].confidence, sure))
            found[place] = []
    alone = sum(map(bool, found)) == 1
    for facts in found:
        for fact in facts:
            # The files of the whole session are those of its only change, or of a change that names none.
            yield replace(fact, files=joined_files(fact.files, shared)) if alone or not fact.files else fact
    yield from summed


def facts_of_context(payload: dict[str, Any], origin: Origin) -> Iterator[Fact]:
    """What a context lays down: each statement is a fact, under the context's own name."""
    name = plain(first_text(payload, "name", "title")[:200])
    sentences = [one for one in split(first_text(payload, "content")) if not worth.is_talk(one.text)]
    for group in grouping.by_statement(sentences):
        said = " ".join(one.text for one in group)
        if not worth.says_something(said) or worth.is_question(said):
            continue
        judged = verdict("", [one.text for one in group], _headings(group), about=name, default="architecture")
        yield Fact(
            type=judged.type,
            lead="",
            sentences=tuple(group),
            files=joined_files(files_in((one.raw for one in group), origin.roots)),
            confidence=confidence.of_change(judged.type, said, explicit=True, sentences=len(group)),
            type_margin=judged.margin,
        )


def tells(field: str) -> bool:
    """Whether facts are read out of a field of a saved session."""
    return field in _SUMMARY_FIELDS or field in _CHANGE_FIELDS or _is_list_of_type(field)


def has_more_changes(payload: dict[str, Any]) -> bool:
    """Whether more was filed than is looked at."""
    return next(islice(_changes_of(payload), MAX_CHANGES, None), None) is not None


def _is_list_of_type(field: str) -> bool:
    """Lists such as "decisions" or "nextSteps" beside the changes."""
    named = type_of_category(field)
    return named is not None and named[1] > 1.5


def _changes_of(payload: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """What was filed, each with the category that the name of its list gives it."""
    for field, value in payload.items():
        if field not in _CHANGE_FIELDS and not (_is_list_of_type(field) and isinstance(value, list)):
            continue
        category = "" if field in _CHANGE_FIELDS else field
        for change in entries(value):
            if isinstance(change, str):
                change = {"content": change}
            if isinstance(change, dict):
                yield change, category


def _words_of(change: dict[str, Any]) -> str:
    return first_text(change, "title", "name", "subject") + " " + first_text(change, *_CONTENT_FIELDS)


def _is_stub(said: frozenset[str], outline: frozenset[str]) -> bool:
    """Whether a filed change only names what the summary may tell in full."""
    return len(said) < _STUB_TERMS and len(outline) >= 2 * _STUB_TERMS and share_covered(said, outline) >= _COVERED


def _facts_of_change(change: dict[str, Any], category: str, about: str, origin: Origin) -> Iterator[Fact]:
    own_category = first_text(change, *_CATEGORY_FIELDS).strip()
    is_open_work = not own_category and filing.is_todo(category)  # an entry of "nextSteps" or "todos"
    category = own_category or category
    lead = first_text(change, "title", "name", "subject")
    if len(lead) > 1_000 or "\n" in lead.strip():
        lead = ""
    content = first_text(change, *_CONTENT_FIELDS)
    believed = filing.is_believed(category, lead, content)
    if plain(content) == plain(lead):
        content = ""
    hints = [category]
    if titles.is_generic(lead) and not (believed and filing.is_own_title(lead)):
        if grouping.is_section(plain(lead)):
            hints.append(plain(lead))  # "Decisions", "Next steps": no title, but it says what follows
        lead, content = "", content or lead
    lead_text = plain(lead)
    whole = split(content, _CHANGE_SENTENCES)
    believed = believed and bool(whole or not content)  # not what a program put out
    sentences = [one for one in whole if not _is_passing(one)]
    if is_open_work:
        sentences = [one for one in whole if not filing.is_nothing(one.text)]
    elif believed and not sentences:
        sentences = [one for one in whole if not worth.is_talk(one.text)]
    if not is_open_work and not filing.is_worth(category, lead_text, sentences, believed=believed):
        return
    titled = bool(lead_text) and not worth.is_talk(lead_text)
    judged = verdict(
        lead_text,
        [one.text for one in sentences],
        (*hints, *_headings(sentences)),
        about=about,
        filed=exact_type(category),
    )
    judged = replace(stated("todo"), given=True) if is_open_work else judged
    kind = judged.type
    named = files_of(change, origin.roots)
    around = joined_files(named, files_in((lead, content), origin.roots))
    category_type = type_of_category(category)
    filed = category_type is None or category_type[0] == kind
    groups = grouping.within_change(sentences, kind, titled=titled, filed=filed)
    is_heading = not groups[0] and any(one.is_bullet for group in groups[1:] for one in group)
    for place, group in enumerate(groups):
        if place == 0 and is_heading:
            continue
        is_main = place == 0
        own_lead = lead if is_main else ""
        own = judged if is_main else _verdict_on_group(group, category)
        own_kind = own.type
        said = " ".join((plain(own_lead), *(one.text for one in group)))
        asks = own_kind != "todo" and worth.is_question(said)
        if asks or not filing.says_enough(said, believed=believed and is_main, least=2):
            continue
        inside = files_in((own_lead, *(one.raw for one in group)), origin.roots)
        yield Fact(
            type=own_kind,
            lead=own_lead,
            sentences=tuple(group),
            files=joined_files(named, inside) if place == 0 or not inside else joined_files(inside),
            confidence=confidence.of_change(
                own_kind,
                said,
                explicit=_is_explicit(own_kind, category, own_lead, group),
                sentences=len(group),
                filed=believed or filing.means_memory(category),
            ),
            type_margin=None if own.given else own.margin,
            near=around,
            tags=(category,) if type_of_category(category) is None and len(category) <= 30 else (),
            named=believed and is_main,
        )


def _is_passing(one: Sentence) -> bool:
    return worth.is_talk(one.text) or (durability.is_passing(one.text) and outright_type(one.text) is None)


def _verdict_on_group(group: Sequence[Sentence], category: str) -> Verdict:
    outright = outright_type(group[0].text) if group else None
    named = type_of_category(category)
    if outright is not None:
        return stated(outright)
    if named is not None and named[1] >= 2.0:
        return stated(named[0])
    return verdict("", [one.text for one in group], (category, *_headings(group)))


def _action_first(group: Sequence[Sentence]) -> list[Sentence]:
    """What was done tells the type of a fact better than what it begins with, unless that is plainly a fault."""
    if weigh(group[0].text)["bug"] >= _FAULT:
        return list(group)
    return sorted(group, key=lambda one: not is_action(one.text))


def _headings(sentences: Sequence[Sentence]) -> list[str]:
    return list(dict.fromkeys(one.heading for one in sentences if one.heading))[:1]


def _is_explicit(kind: ItemType, category: str, lead: str, group: Sequence[Sentence]) -> bool:
    named = type_of_category(category)
    if named is not None and named[0] == kind and named[1] >= 2.0:
        return True
    return any(outright_type(text) == kind for text in (plain(lead), *(one.text for one in group)))


def _document_type(summary: str) -> ItemType | None:
    """The type of a whole document whose heading begins with it: ``# Incident …``, ``# ADR 7 …``."""
    heading = _DOCUMENT.match(summary)
    named = type_of_category(heading.group(1)) if heading is not None else None
    if named is None or named[1] < _DOCUMENT_WEIGHT or named[0] not in ("bug", "decision"):
        return None
    return named[0]


def _facts_of_summary(
    summary: str, told: frozenset[str], shared: Sequence[str], origin: Origin, *, liberal: bool
) -> Iterator[Fact]:
    whole = split(summary)
    sentences = [one for one in whole if not _is_passing(one) and not worth.is_question(one.text)]
    # What is left of a text that mostly tells of the day must be the clearer for it.
    least = filing.LEAST_IN_PROSE + _AMONG_TALK * (1 - len(sentences) / len(whole)) if whole else 0.0
    document = _document_type(summary)
    groups = grouping.of_prose(sentences) if document is None else [list(sentences)]
    for group in filter(None, groups):
        said = " ".join(one.text for one in group)
        clear = outright_type(group[0].text) is not None or any(map(grouping.is_section, _headings(group)))
        if not any(grouping.stands_alone(one, liberal=True) for one in group) or len(terms(said)) < (2 if clear else 4):
            continue
        # Whoever filed changes has said what matters: what stands beside them leads up to it, unless it is as clear.
        beside = 0.0 if liberal or worth.has_reason(said) else _BESIDE_FILED
        if durability.lasting(said) < (filing.LEAST_STATED if clear else least + beside):
            continue
        if share_covered(terms(said), told) >= (_COVERED if clear else _COVERED_LOOSELY):
            continue
        inside = files_in((one.raw for one in group), origin.roots)
        if not (liberal or inside or (clear and (worth.has_reason(said) or len(terms(said)) >= _STATED_BESIDE))):
            continue
        judged = stated(document) if document is not None else _verdict_on_group(_action_first(group), "")
        yield Fact(
            type=judged.type,
            lead="",
            sentences=tuple(group),
            files=joined_files(inside or (shared if liberal else ())),
            confidence=confidence.of_summary(said, explicit=clear or worth.has_reason(said)),
            type_margin=judged.margin,
            near=tuple(shared),
        )
