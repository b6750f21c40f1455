"""Evidence in item and revision rows: reading it, and dropping events that do not exist."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import msgspec

from loremark.features.history.store import encode

_Evidence = list[dict[str, str]]
_evidence = msgspec.json.Decoder(_Evidence)


class _Snapshot(msgspec.Struct):
    """The evidence of a snapshot; contexts have none."""

    evidence: _Evidence = []


_snapshot = msgspec.json.Decoder(_Snapshot)


def parse_evidence(evidence: str) -> list[tuple[str, str, str]]:
    """Event ids, quotes and commits of an item's evidence column."""
    return [(quoted["eventId"], quoted["quote"], quoted.get("commitSha", "")) for quoted in _evidence.decode(evidence)]


def event_ids_in_snapshot(snapshot: str) -> list[str]:
    """Event ids in the evidence of a revision's snapshot."""
    return [quoted["eventId"] for quoted in _snapshot.decode(snapshot).evidence]


def filter_evidence(evidence: str, known: Container[str]) -> str:
    return encode([quoted for quoted in _evidence.decode(evidence) if quoted["eventId"] in known])


def filter_snapshot(snapshot: str, known: Container[str]) -> str:
    state: dict[str, Any] = msgspec.json.decode(snapshot)
    if "evidence" in state:
        state["evidence"] = [quoted for quoted in state["evidence"] if quoted["eventId"] in known]
    return encode(state)
