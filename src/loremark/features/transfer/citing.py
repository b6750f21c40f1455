"""Which events items and their earlier states rest on, and taking out those that are not there."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import msgspec

from loremark.features.history.store import encode

_Evidence = list[dict[str, str]]
_evidence = msgspec.json.Decoder(_Evidence)


class _Snapshot(msgspec.Struct):
    """As much of one as tells what it rests on; a context rests on nothing."""

    evidence: _Evidence = []


_snapshot = msgspec.json.Decoder(_Snapshot)


def cited(evidence: str) -> list[tuple[str, str]]:
    """Events and their words, of an item's column."""
    return [(quoted["eventId"], quoted["quote"]) for quoted in _evidence.decode(evidence)]


def cited_in(snapshot: str) -> list[str]:
    """The events of a revision's column."""
    return [quoted["eventId"] for quoted in _snapshot.decode(snapshot).evidence]


def keep_known(evidence: str, known: Container[str]) -> str:
    return encode([quoted for quoted in _evidence.decode(evidence) if quoted["eventId"] in known])


def keep_known_in(snapshot: str, known: Container[str]) -> str:
    state: dict[str, Any] = msgspec.json.decode(snapshot)
    if "evidence" in state:
        state["evidence"] = [quoted for quoted in state["evidence"] if quoted["eventId"] in known]
    return encode(state)
