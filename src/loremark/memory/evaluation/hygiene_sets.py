"""Measures hygiene on a memory with labeled problems: what it finds, and what it proposes wrongly.

Secrets and personal data are generated from each line's id when the set is loaded, so no file contains realistic
values.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from loremark.memory.evaluation.labeled_sets import CHECKOUT_SETS, InvalidLineError, Split, read_files
from loremark.memory.hygiene.analysis import analyze
from loremark.memory.hygiene.personal_data import is_luhn_valid
from loremark.memory.hygiene.proposals import HygieneItem, Proposal
from loremark.memory.hygiene.redaction import clean_item
from loremark.memory.items import TIER_OF_TYPE, Item, Quote
from loremark.wire.items import ItemType

Label = Literal[
    "clean", "contradiction", "successor", "duplicate", "vague", "retag", "superseded", "secret", "personal", "junk"
]
UNTOUCHED = frozenset(("clean", "contradiction", "successor"))
"""Labels of items that need no proposal."""
WANTED = {
    "vague": "RENAME_TITLE",
    "retag": "RETAG",
    "superseded": "DEPRECATE_MEMORY",
    "secret": "REDACT",
    "personal": "REDACT",
    "junk": "FLAG_QUALITY",
}
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An item and its problem. ``{{kind}}`` in its texts stands for a generated value of that kind."""

    id: str
    label: Label
    type: ItemType
    key: str
    title: str
    content: str
    files: tuple[str, ...] = ()
    status: Literal["approved", "draft"] = "approved"
    conf: float = 0.9
    flags: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    group: str = ""
    quote: str = ""
    bare: bool = False
    where: str = "content"
    expects: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """A line as hygiene sees it, and the values planted in it."""

    line: Line
    seen: HygieneItem
    planted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Counts over a set. ``false`` lists (label, id, proposal) for items that need no proposal."""

    items: int
    untouched: int
    false: tuple[tuple[str, str, Proposal], ...]
    missed: tuple[tuple[str, str], ...]
    found: dict[str, tuple[int, int]]
    merges: int
    right_merges: int
    pairs: int
    found_pairs: int
    planted: int
    proposed: int
    gone: int

    @property
    def merge_precision(self) -> float:
        return self.right_merges / self.merges if self.merges else 1.0

    @property
    def false_per_hundred(self) -> float:
        return 100 * len({item_id for _, item_id, _ in self.false}) / self.untouched if self.untouched else 0.0

    def to_table(self) -> str:
        """The figures as text."""
        rows = [
            ("items", str(self.items)),
            ("merge precision", f"{self.merge_precision:.3f} ({self.right_merges} of {self.merges} pairs)"),
            ("duplicates found", f"{self.found_pairs} of {self.pairs} pairs"),
            ("planted values in items proposed for redaction", f"{self.proposed} of {self.planted}"),
            ("planted values removed by redaction", f"{self.gone} of {self.planted}"),
            *((f"{label} found", f"{found} of {all_of}") for label, (found, all_of) in sorted(self.found.items())),
            ("false proposals", f"{self.false_per_hundred:.2f} per 100 items ({self.untouched} items)"),
        ]
        return "\n".join(f"{name:<50} {value}" for name, value in rows)


def load(split: Split, sets: Path = CHECKOUT_SETS) -> list[Case]:
    """Load the labeled memory of a split, oldest item first."""
    (text,) = read_files(sets / f"hygiene-{split}", "memory.jsonl")
    lines = [msgspec.json.decode(each, type=Line) for each in text.splitlines()]
    if len({line.id for line in lines}) < len(lines):
        raise InvalidLineError(f"hygiene-{split}: duplicate id")
    return [_case(line, number) for number, line in enumerate(lines)]


def evaluate(cases: Sequence[Case], vectors: NDArray[np.float32] | None, *, judged_by_vector: bool = True) -> Report:
    """Analyze the whole memory and compare with the labels. ``vectors``: those of the cases' items, in order."""
    proposals = analyze([case.seen for case in cases], vectors, judged_by_vector=judged_by_vector)
    by_item: dict[str, list[Proposal]] = {}
    for proposal in proposals:
        for item_id in proposal.item_ids:
            by_item.setdefault(item_id, []).append(proposal)
    merges = [
        (stays, other)
        for proposal in proposals
        if proposal.type == "MERGE_MEMORIES"
        for stays in proposal.item_ids[:1]
        for other in proposal.item_ids[1:]
    ]
    group_of = {case.seen.item.id: case.line.group for case in cases if case.line.label == "duplicate"}
    right = [pair for pair in merges if group_of.get(pair[0]) and group_of.get(pair[0]) == group_of.get(pair[1])]
    sizes = Counter(group_of.values())
    planted = [(case, value) for case in cases for value in case.planted]
    redacted = {item_id for proposal in proposals if proposal.type == "REDACT" for item_id in proposal.item_ids}
    return Report(
        items=len(cases),
        untouched=sum(case.line.label in UNTOUCHED for case in cases),
        false=_false(cases, by_item),
        missed=_missed(cases, by_item),
        found=_found(cases, by_item),
        merges=len(merges),
        right_merges=len(right),
        pairs=sum(size - 1 for size in sizes.values()),
        found_pairs=len(right),
        planted=len(planted),
        proposed=sum(case.seen.item.id in redacted for case, _ in planted),
        gone=sum(value not in str(clean_item(case.seen.item)) for case, value in planted),
    )


def _false(cases: Sequence[Case], by_item: dict[str, list[Proposal]]) -> tuple[tuple[str, str, Proposal], ...]:
    return tuple(
        (case.line.label, case.line.id, proposal)
        for case in cases
        if case.line.label in UNTOUCHED
        for proposal in by_item.get(case.seen.item.id, [])
    )


def _is_found(case: Case, by_item: dict[str, list[Proposal]]) -> bool:
    wanted = WANTED[case.line.label]
    return any(
        proposal.type == wanted and (case.line.expects != "key" or proposal.new_key is not None)
        for proposal in by_item.get(case.seen.item.id, [])
    )


def _found(cases: Sequence[Case], by_item: dict[str, list[Proposal]]) -> dict[str, tuple[int, int]]:
    asked = {label: [case for case in cases if case.line.label == label] for label in WANTED}
    return {label: (sum(_is_found(case, by_item) for case in of), len(of)) for label, of in asked.items()}


def _missed(cases: Sequence[Case], by_item: dict[str, list[Proposal]]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (case.line.label, case.line.id) for case in cases if case.line.label in WANTED and not _is_found(case, by_item)
    )


def _case(line: Line, number: int) -> Case:
    planted: list[str] = []

    def put(match: re.Match[str]) -> str:
        value = make_value(match.group(1), f"{line.id}-{len(planted)}")
        # In a URL with a password, only the password is the secret.
        planted.append(
            value.partition("//")[2].partition(":")[2].partition("@")[0] if "://" in value and "@" in value else value
        )
        return value

    title, content, quote = (_PLACE.sub(put, text) for text in (line.title, line.content, line.quote))
    quoted = quote or content[:120]
    item = Item(
        title=title,
        content=content,
        type=line.type,
        schema_key=line.key,
        confidence=line.conf,
        files=line.files,
        evidence=()
        if line.bare
        else (Quote(f"evt_{number:04}", quoted if quote else _PLACE.sub("", line.content[:60])),),
        flags=line.flags,
        tier=TIER_OF_TYPE[line.type],
        id=f"itm_{number:04}",
        status=line.status,
    )
    return Case(line, HygieneItem(item, deleted_files=line.deleted), tuple(planted))


def make_value(kind: str, seed: str) -> str:
    """A fictional value of this kind, the same for the same seed."""

    def some(count: int, letters: str = _ALNUM) -> str:
        digest = hashlib.sha512(f"{kind} {seed}".encode()).digest() * (1 + count // 64)
        return "".join(letters[byte % len(letters)] for byte in digest[:count])

    match kind:
        case "aws_key":
            return "AKIA" + some(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        case "stripe":
            return "sk_" + "live_" + some(24)
        case "github":
            return "ghp" + "_" + some(36)
        case "openai":
            return "sk-" + "proj-" + some(40)
        case "npm":
            return "npm" + "_" + some(36)
        case "pg_url":
            return f"postgres://report:{some(18)}7q@db.internal:5432/main"
        case "slack_hook":
            return "https://hooks.slack.com/" + f"services/T{some(8).upper()}/B{some(8).upper()}/{some(24)}"
        case "jwt":
            return f"ey{'J'}{some(20)}.{some(40)}.{some(30)}"
        case "password":
            return f"{some(6)}-{some(4, '0123456789')}!{some(5)}"
        case "hex_token":
            return some(40, "0123456789abcdef")
        case "pem":
            return f"-----BEGIN {'PRIVATE'} KEY-----\n{some(64)}\n-----END {'PRIVATE'} KEY-----"
        case "person_email":
            return f"{some(5, 'abcdefghiklmnoprstu')}.{some(7, 'abcdefghiklmnoprstu')}@{some(6, 'bcdfgklmnaeo')}mail.de"
        case "phone":
            return f"+49 17{some(1, '05679')} {some(3, '2346789')} {some(4, '0234578')}"
        case "iban":
            return _iban(some(18, "0123456789"))
        case "card":
            return _card("4" + some(14, "1356789"))
        case "street":
            return f"Lindenstraße {some(2, '123456789')}, 8{some(4, '0123456789')} München"
    raise InvalidLineError(f"unknown value kind {kind}")


def _iban(account: str) -> str:
    check = 98 - int(f"{account}131400") % 97
    return f"DE{check:02}{account}"


def _card(digits: str) -> str:
    whole = next(digits + last for last in "0123456789" if is_luhn_valid(digits + last))
    return " ".join(whole[start : start + 4] for start in range(0, 16, 4))
