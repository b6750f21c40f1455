"""Titles of statements in documents: the heading they stand under and what they say, without cutting literals."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loremark.memory.extraction.section_roles import is_generic
from loremark.memory.extraction.sentence_splitter import split_sentences, strip_markdown
from loremark.memory.extraction.word_patterns import content_terms

_MAX_CHARS = 140
_MIN_CHARS = 30
_ABOUT_CHARS = 40
_NUMBER = re.compile(r"^(?:(?:step|phase|part|rule|regla) )?#?\d{1,3}(?:\.\d{1,3})*[.):]?\s+(?=\S)", re.IGNORECASE)
_DATE = re.compile(r"^(?:\d{4}-\d\d-\d\d|[A-Z][a-z]{2,8} \d{1,2},? \d{4}|\[\d{4}-\d\d-\d\d\])\W+(?=\w)")
_SYMBOLS = re.compile(r"^[^\w`'\"(\[{<$#@/.*~+-]+|[\s:*_]+$")
_LEAD = re.compile(r"^(?:then|next|also|finally|first|now),?\s+(?=\w)", re.IGNORECASE)
_END = re.compile(r"(?<=[.!?;:])\s|,? (?:[–—-]|because|so that|since|which|unless|except)\s|;\s| \(")
_COMMA = re.compile(r",\s|\s(?:and|or|with|for|in|to|when|if)\s")
_SPACE = re.compile(r"\s")
_OPEN = {"(": ")", "[": "]", "{": "}", "“": "”"}


def make_title(headings: Sequence[str], said: str) -> str:
    """A title from the headings above a statement, outermost first, and its text; without a text from the headings."""
    context = [name for heading in headings if (name := clean_heading(heading)) and not is_generic(name)]
    lead = first_sentence(said)
    nearest = clean_heading(headings[-1]) if headings else ""
    if not lead:
        return _fit(": ".join(context[-2:]) or nearest)
    context = context or [nearest]
    about = [name for name in context[-2:] if name and not _is_repeated(name, lead)]
    if len(about) == 2 and (" " in about[1] or len(": ".join(about)) > _ABOUT_CHARS):
        about = about[1:]
    prefix = "".join(f"{name}: " for name in about)
    if len(prefix) > _MAX_CHARS // 2:
        prefix = ""
    fitted = _fit(lead, _MAX_CHARS - len(prefix))
    if fitted.endswith("…") and ":" in lead[:_ABOUT_CHARS]:
        return _fit(lead)  # it names its own subject
    return prefix + fitted


def clean_heading(heading: str) -> str:
    """A heading without numbers, symbols and a closing colon."""
    text = strip_markdown(heading)
    for _ in range(2):
        text = _DATE.sub("", _NUMBER.sub("", _SYMBOLS.sub("", text).strip()))
    return text.rstrip(" .")


def first_sentence(said: str) -> str:
    """The first sentence of a text in plain words."""
    text = strip_markdown(said[:1_200])
    if text.startswith("`"):
        return text.rstrip(".")
    found = split_sentences(text, 2)
    lead = found[0].text if found and text.startswith(found[0].text[:20]) else text
    if lead.count("`") % 2:
        lead = text  # cut inside code
    shorter = _LEAD.sub("", _SYMBOLS.sub("", lead), count=1).rstrip(".!").strip()
    return shorter[:1].upper() + shorter[1:] if shorter[:1].islower() and not lead.startswith(shorter[:1]) else shorter


def _is_repeated(heading: str, lead: str) -> bool:
    terms = content_terms(heading)
    return not terms or terms <= content_terms(lead)


def _fit(text: str, room: int = _MAX_CHARS) -> str:
    """The text, or its beginning up to a clause that fits; literals and brackets stay whole."""
    if len(text) <= room:
        return text
    least = min(_MIN_CHARS, room // 2)
    for form, mark, start in ((_END, "", least), (_COMMA, "…", least), (_SPACE, "…", least), (_SPACE, "…", least // 2)):
        cuts = [found.start() for found in form.finditer(text, start, room)]
        whole = [cut for cut in cuts if _is_balanced(text[:cut])]
        if whole:
            return text[: whole[-1]].rstrip(" ,;:.–—-") + mark
    return text[: room - 1].rstrip() + "…"


def _is_balanced(text: str) -> bool:
    return text.count("`") % 2 == 0 and all(text.count(left) == text.count(right) for left, right in _OPEN.items())
