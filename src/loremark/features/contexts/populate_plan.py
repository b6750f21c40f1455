"""Planning a populate request: which contexts to create, and the parent of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from loremark.base import errors, limits
from loremark.memory import schema_keys
from loremark.storage.database import Row
from loremark.wire.contexts import PopulateNode


@dataclass(slots=True)
class PopulatePlan:
    """By schema key: ids of missing ancestors and of new nodes, and the parent ids to set."""

    ancestors: dict[str, str] = field(default_factory=dict)
    new: dict[str, str] = field(default_factory=dict)
    parents: dict[str, str | None] = field(default_factory=dict)


def build_plan(
    nodes: Sequence[PopulateNode], existing: Sequence[Row], own_key: str, new_id: Callable[[], str]
) -> PopulatePlan:
    """Plan changes to the existing tree. Contexts of project ``own_key`` take precedence over team-wide ones."""
    shared = {row["schema_key"]: row["id"] for row in existing if row["project_key"] != own_key}
    own = {row["schema_key"]: row["id"] for row in existing if row["project_key"] == own_key}
    _reject_duplicates(nodes)
    given = {node.schema_key for node in nodes}
    wanted_parents = {
        node.schema_key: node.parent_schema_key or schema_keys.parent(node.schema_key)
        for node in nodes
        if node.schema_key not in own or node.parent_schema_key is not None
    }
    plan = PopulatePlan()
    known = own.keys() | shared.keys() | given
    for parent in list(wanted_parents.values()):
        missing = parent
        while missing is not None and missing not in known and missing not in wanted_parents:
            wanted_parents[missing] = schema_keys.parent(missing)
            missing = wanted_parents[missing]
    for key in sorted(wanted_parents.keys() - given, key=lambda key: (key.count("/"), key)):
        plan.ancestors[key] = new_id()
    plan.new = {node.schema_key: new_id() for node in nodes if node.schema_key not in own}
    ids_by_key = {**shared, **own, **plan.ancestors, **plan.new}
    plan.parents = {key: ids_by_key[parent] if parent is not None else None for key, parent in wanted_parents.items()}
    _reject_cycles(
        nodes, {row["id"]: row["parent_id"] for row in existing}, {ids_by_key[key]: key for key in ids_by_key}, plan
    )
    return plan


def _reject_duplicates(nodes: Sequence[PopulateNode]) -> None:
    seen: set[str] = set()
    for number, node in enumerate(nodes):
        if node.schema_key in seen:
            raise errors.invalid(f"nodes[{number}].schemaKey is a duplicate")
        seen.add(node.schema_key)


def _reject_cycles(
    nodes: Sequence[PopulateNode], parents: dict[str, str | None], keys: Mapping[str, str], plan: PopulatePlan
) -> None:
    """Reject cycles and trees deeper than a response may be nested."""
    ids = {key: context_id for context_id, key in keys.items()}
    parents |= {ids[key]: parent for key, parent in plan.parents.items()}
    below = _levels_below(parents)
    for number, node in enumerate(nodes):
        here = ids[node.schema_key]
        current: str | None = here
        steps = below.get(here, 0) if node.schema_key in plan.parents else 0
        while current is not None and steps < limits.CONTEXT_LEVELS:
            current, steps = parents.get(current), steps + 1
        if current is not None:
            raise errors.invalid(
                f"nodes[{number}].parentSchemaKey creates a cycle or more than {limits.CONTEXT_LEVELS} levels"
            )


def _levels_below(parents: Mapping[str, str | None]) -> dict[str, int]:
    """Return the number of levels below each context, capped just above the limit."""
    below: dict[str, int] = {}
    for start in parents:
        current, level = parents[start], 1
        while current is not None and level <= limits.CONTEXT_LEVELS and below.get(current, 0) < level:
            below[current] = level
            current, level = parents.get(current), level + 1
    return below
