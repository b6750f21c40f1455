"""What has to be made so that the wanted contexts are there: which are new, and where all of them hang."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from loremark.base import errors, limits
from loremark.memory import schema_keys
from loremark.storage.database import Row
from loremark.wire.contexts import PopulateNode


@dataclass(slots=True)
class Plan:
    """By schema key: the ids of those to make (ancestors first), and the parents they and others get."""

    ancestors: dict[str, str] = field(default_factory=dict)
    new: dict[str, str] = field(default_factory=dict)
    parents: dict[str, str | None] = field(default_factory=dict)


def make_plan(nodes: Sequence[PopulateNode], places: Sequence[Row], own_key: str, new_id: Callable[[], str]) -> Plan:
    """``places`` are where contexts stand by now; those of ``own_key`` come before those of the whole team."""
    shared = {row["schema_key"]: row["id"] for row in places if row["project_key"] != own_key}
    own = {row["schema_key"]: row["id"] for row in places if row["project_key"] == own_key}
    _refuse_twice(nodes)
    given = {node.schema_key for node in nodes}
    wanted_parents = {
        node.schema_key: node.parent_schema_key or schema_keys.parent(node.schema_key)
        for node in nodes
        if node.schema_key not in own or node.parent_schema_key is not None
    }
    plan = Plan()
    there = own.keys() | shared.keys() | given
    for parent in list(wanted_parents.values()):
        missing = parent
        while missing is not None and missing not in there and missing not in wanted_parents:
            wanted_parents[missing] = schema_keys.parent(missing)
            missing = wanted_parents[missing]
    for key in sorted(wanted_parents.keys() - given, key=lambda key: (key.count("/"), key)):
        plan.ancestors[key] = new_id()
    plan.new = {node.schema_key: new_id() for node in nodes if node.schema_key not in own}
    at = {**shared, **own, **plan.ancestors, **plan.new}
    plan.parents = {key: at[parent] if parent is not None else None for key, parent in wanted_parents.items()}
    _refuse_circles(nodes, {row["id"]: row["parent_id"] for row in places}, {at[key]: key for key in at}, plan)
    return plan


def _refuse_twice(nodes: Sequence[PopulateNode]) -> None:
    seen: set[str] = set()
    for number, node in enumerate(nodes):
        if node.schema_key in seen:
            raise errors.invalid(f"nodes[{number}].schemaKey is there twice")
        seen.add(node.schema_key)


def _refuse_circles(
    nodes: Sequence[PopulateNode], parents: dict[str, str | None], keys: Mapping[str, str], plan: Plan
) -> None:
    """Every way up must end, and after not too many steps: answers are nested as deep as the tree is."""
    ids = {key: context_id for context_id, key in keys.items()}
    parents |= {ids[key]: parent for key, parent in plan.parents.items()}
    below = _levels_below(parents)
    for number, node in enumerate(nodes):
        here = ids[node.schema_key]
        at: str | None = here
        steps = below.get(here, 0) if node.schema_key in plan.parents else 0
        while at is not None and steps < limits.CONTEXT_LEVELS:
            at, steps = parents.get(at), steps + 1
        if at is not None:
            raise errors.invalid(
                f"nodes[{number}].parentSchemaKey leads in a circle or over {limits.CONTEXT_LEVELS} levels"
            )


def _levels_below(parents: Mapping[str, str | None]) -> dict[str, int]:
    """How many levels hang below each context that has any, as far as that matters."""
    below: dict[str, int] = {}
    for start in parents:
        at, level = parents[start], 1
        while at is not None and level <= limits.CONTEXT_LEVELS and below.get(at, 0) < level:
            below[at] = level
            at, level = parents.get(at), level + 1
    return below
