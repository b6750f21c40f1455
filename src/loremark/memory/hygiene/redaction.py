"""Proposes to redact secrets and personal data from an item's text, quotes and tags."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from loremark.base import limits
from loremark.base.redaction.redactor import MARKER, redact
from loremark.memory.hygiene.personal_data import redact_personal_data
from loremark.memory.hygiene.proposals import HygieneItem, Proposal, quote_title
from loremark.memory.items import Item

FLAG = "redacted"
_PERSONAL = {
    "email": "email address",
    "phone": "phone number",
    "iban": "bank account",
    "card": "card number",
    "national-id": "national ID number",
    "address": "street address",
}
_SURE_SECRET = 0.95
_SURE_PERSONAL = 0.88
_CUT_MARKER = re.compile(r"\[redacted:[a-z-]*$")


def clean(text: str) -> str:
    """The text without secrets and personal data. Idempotent."""
    without, _ = redact(text)
    return redact_personal_data(without)[0]


def clean_item(item: Item) -> Item:
    """The item without them; the same object if there is nothing to redact."""
    cleaned = replace(
        item,
        title=_clean_title(item.title),
        content=clean(item.content),
        tags=tuple(tag if clean(tag) == tag else "redacted" for tag in item.tags),
        evidence=tuple(replace(quote, quote=clean(quote.quote)) for quote in item.evidence),
    )
    return item if cleaned == item else cleaned


def clean_snapshot(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    """The same for an item's state in a revision."""
    return {
        **snapshot,
        "title": _clean_title(snapshot["title"]),
        "content": clean(snapshot["content"]),
        "tags": [tag if clean(tag) == tag else "redacted" for tag in snapshot["tags"]],
        "evidence": [{**quote, "quote": clean(quote["quote"])} for quote in snapshot["evidence"]],
    }


def propose(seen: HygieneItem, cleaned: Item) -> Proposal | None:
    """Propose a redaction. ``cleaned``: the redacted item."""
    item = seen.item
    if cleaned is item:
        return None
    places = [
        place
        for place, differs in (
            ("the title", item.title != cleaned.title),
            ("the content", item.content != cleaned.content),
            ("the quotes", item.evidence != cleaned.evidence),
            ("the tags", item.tags != cleaned.tags),
        )
        if differs
    ]
    kinds = _kinds(item, cleaned)
    findings = (
        _join([f"{count} {_pluralize_kind(kind, count)}" for kind, count in sorted(kinds.items())]) or "sensitive data"
    )
    verb = "contain" if _is_plural(places) else "contains"
    is_secret = any(kind not in _PERSONAL for kind in kinds) or not kinds
    return Proposal(
        type="REDACT",
        item_ids=(item.id,),
        description=(
            f"{_capital(_join(places))} of {quote_title(cleaned)} {verb} {findings}. "
            "Each will be replaced by a marker, in the memory and all of its versions. Reverting restores everything "
            "except the redacted values. Captured events are not changed."
            + (" Rotate the secret as well." if is_secret else "")
        ),
        confidence=_SURE_SECRET if is_secret else _SURE_PERSONAL,
    )


def _kinds(item: Item, cleaned: Item) -> Counter[str]:
    """The number of new markers by kind."""
    before, after = (Counter(MARKER.findall("\n".join(_texts(each)))) for each in (item, cleaned))
    new = after - before
    return Counter({marker[len("[redacted:") : -1]: count for marker, count in new.items()})


def _texts(item: Item) -> Iterable[str]:
    return (item.title, item.content, *(quote.quote for quote in item.evidence))


def _pluralize_kind(kind: str, count: int) -> str:
    word = _PERSONAL.get(kind) or kind.replace("-", " ")
    if count == 1:
        return word
    return f"{word}es" if word.endswith("ss") else f"{word}s"


def _join(parts: list[str]) -> str:
    return " and ".join(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _is_plural(places: list[str]) -> bool:
    return len(places) > 1 or places[0].endswith("s")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _clean_title(title: str) -> str:
    """A marker may be longer than what it replaces; the title stays within its limit."""
    cleaned = clean(title)
    if cleaned == title or len(cleaned) <= limits.ITEM_TITLE_CHARS:
        return cleaned
    return _CUT_MARKER.sub("", cleaned[: limits.ITEM_TITLE_CHARS]).rstrip() or "Redacted"
