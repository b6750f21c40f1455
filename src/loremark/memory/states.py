"""The states of each resource and the transitions between them. A test compares them with ``contract.toml``."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class States:
    """The states of a resource, the initial ones, and the allowed transitions."""

    values: frozenset[str]
    initial: frozenset[str]
    transitions: frozenset[tuple[str, str]]

    def allows(self, before: str, after: str) -> bool:
        return (before, after) in self.transitions


def _between_all(values: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    return frozenset((before, after) for before in values for after in values if before != after)


def _states(values: tuple[str, ...], initial: tuple[str, ...], transitions: frozenset[tuple[str, str]]) -> States:
    return States(frozenset(values), frozenset(initial), transitions)


_ITEM = ("approved", "draft", "deprecated")
_SCAN_ORDER = (
    "fetch_tree",
    "fetch_files",
    "build_chunks",
    "analyze",
    "synthesize",
    "security_audit",
    "assemble",
    "complete",
)
_SCAN_RUNNING = _SCAN_ORDER[:-1]

PROJECT = _states(("active", "archived"), ("active",), _between_all(("active", "archived")))
ITEM = _states(_ITEM, ("approved", "draft"), _between_all(_ITEM))
CONTEXT = _states(
    ("draft", "approved", "deprecated"),
    ("draft",),
    frozenset(
        (
            ("draft", "approved"),
            ("draft", "deprecated"),
            ("approved", "deprecated"),
            ("deprecated", "approved"),
        )
    ),
)
SESSION = _states(
    ("active", "completed", "enriching", "failed"),
    ("active",),
    frozenset(
        (
            ("active", "enriching"),
            ("completed", "enriching"),
            ("enriching", "completed"),
            ("enriching", "failed"),
            ("failed", "enriching"),
            ("active", "completed"),
            ("completed", "active"),
        )
    ),
)
SCAN = _states(
    (*_SCAN_ORDER, "failed", "cancelled"),
    ("fetch_tree",),
    frozenset(pairwise(_SCAN_ORDER))
    | frozenset((phase, end) for phase in _SCAN_RUNNING for end in ("failed", "cancelled")),
)
CHAT = _states(("active", "archived"), ("active",), frozenset((("active", "archived"),)))
