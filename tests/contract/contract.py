"""Loads and checks contract.toml, the HTTP contract as data; the head of that file explains its fields."""

from __future__ import annotations

import tomllib
import types
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

CONTRACT_FILE: Final = Path(__file__).resolve().parents[2] / "contract.toml"
ANY: Final = "any"
GROUPS: Final = frozenset(
    {"auth", "team", "projects", "keys", "audit", "contexts", "items", "sessions", "ingest", "brain"}
    | {"search", "ask", "worker", "chat", "hygiene", "genesis", "billing", "webhooks", "operations"}
)
METHODS: Final = frozenset({"GET", "POST", "PATCH", "PUT", "DELETE"})
AUTH_METHODS: Final = frozenset({"bearer", "cookie", "hmac", "ticket"})
ROLES: Final = frozenset({"owner", "admin", "member"})
BASES: Final = frozenset({"api", "worker"})
SOURCES: Final = frozenset({"interface", "gaps", "run", "ours", "proposed"})
KEYS_FROM: Final = frozenset({"documented", "proposed", "open"})
PRESENCE: Final = frozenset({"required", "optional"})
EVENT_KINDS: Final = frozenset({"ingest", "stream", "webhook"})
DIRECTIONS: Final = frozenset({"request", "response", "delivery"})
PLAIN_TYPES: Final = frozenset({"string", "number", "boolean", "object", "time"})
MOVERS: Final = frozenset({"pipeline", "sweeper", "dispatcher"})

Number: TypeAlias = int | float
Scalar: TypeAlias = str | int | float | bool
T = TypeVar("T")


class ContractError(ValueError):
    """contract.toml contradicts itself or does not have the agreed form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    name: str
    fields: Mapping[str, str]
    optional: tuple[str, ...] = ()
    source: str = "interface"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    name: str
    group: str
    base: str = "api"
    method: str
    path: str
    auth: tuple[str, ...]
    roles: tuple[str, ...] = ()
    status: int
    content_type: str = "application/json"
    array: bool = False
    keys: tuple[str, ...] = ()
    optional_keys: tuple[str, ...] = ()
    alternatives: tuple[tuple[str, ...], ...] = ()
    keys_from: str = "documented"
    shape: str = ""
    types: Mapping[str, str] = field(default_factory=dict)
    request: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Scalar] = field(default_factory=dict)
    source: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    name: str
    direction: str
    where: tuple[str, ...]
    status: int | None = None
    value: str
    source: str = "interface"


@dataclass(frozen=True, slots=True, kw_only=True)
class Error:
    where: tuple[str, ...]
    except_groups: tuple[str, ...] = ()
    status: int
    text: str
    text_fixed: bool = True
    default: bool = False
    cause: str
    source: str = "interface"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    name: str
    value: Number | None = None
    min: Number | None = None
    max: Number | None = None
    default: Number | None = None
    steps: tuple[int, ...] = ()
    unit: str
    applies_to: tuple[str, ...]
    field: str = ""
    source: str = "interface"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    kind: str
    name: str
    fields: tuple[str, ...]
    optional: tuple[str, ...] = ()
    nested: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    source: str = "interface"
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    of: str
    values: tuple[str, ...]
    initial: tuple[str, ...]
    terminal: tuple[str, ...] = ()
    moves: tuple[tuple[str, ...], ...] = ()
    source: str = "interface"
    note: str = ""

    def allows(self, start: str, end: str) -> bool:
        return any(first in (start, "*") and last == end for first, last, _ in self.moves)


@dataclass(frozen=True, slots=True, kw_only=True)
class Enum:
    name: str
    values: tuple[str | int, ...]
    nullable: bool = False
    figures: Mapping[str, Mapping[str, Scalar]] = field(default_factory=dict)
    source: str = "interface"


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """contract.toml as it stands: one field for each of its tables."""

    constants: Mapping[str, str]
    shape: tuple[Shape, ...]
    endpoint: tuple[Endpoint, ...]
    header: tuple[Header, ...]
    error: tuple[Error, ...]
    limit: tuple[Limit, ...]
    event: tuple[Event, ...]
    state: tuple[State, ...]
    enum: tuple[Enum, ...]


@dataclass(frozen=True, slots=True)
class Contract:
    constants: Mapping[str, str]
    endpoints: tuple[Endpoint, ...]
    headers: tuple[Header, ...]
    errors: tuple[Error, ...]
    all_events: tuple[Event, ...]
    shapes: Mapping[str, Shape]
    limits: Mapping[str, Limit]
    states: Mapping[str, State]
    enums: Mapping[str, Enum]
    _by_name: Mapping[str, Endpoint]

    def endpoint(self, name: str) -> Endpoint:
        return self._by_name[name]

    def limit(self, name: str) -> Limit:
        return self.limits[name]

    def states_of(self, thing: str) -> State:
        return self.states[thing]

    def enum(self, name: str) -> Enum:
        return self.enums[name]

    def shape(self, name: str) -> Shape:
        return self.shapes[name]

    def events(self, kind: str) -> tuple[Event, ...]:
        return tuple(event for event in self.all_events if event.kind == kind)

    def types_of(self, endpoint_name: str) -> dict[str, str]:
        """The type of every key the endpoint's success body may hold."""
        endpoint = self.endpoint(endpoint_name)
        known = {**(self.shapes[endpoint.shape].fields if endpoint.shape else {}), **endpoint.types}
        return {key: known[key] for key in endpoint.keys + endpoint.optional_keys}

    def errors_of(self, endpoint_name: str) -> tuple[Error, ...]:
        """The endpoint's own rows, then those of "any" that hold for it."""
        group = self.endpoint(endpoint_name).group
        own = tuple(error for error in self.errors if endpoint_name in error.where)
        taken = {error.status for error in own}
        shared = (error for error in self.errors if ANY in error.where and group not in error.except_groups)
        return own + tuple(error for error in shared if not (error.default and error.status in taken))


@cache
def load(path: Path = CONTRACT_FILE) -> Contract:
    file = _decode(_File, tomllib.loads(path.read_text(encoding="utf-8")), path.name)
    _unique("endpoint", (row.name for row in file.endpoint))
    _unique("method and path", ((row.base, row.method, row.path) for row in file.endpoint))
    contract = Contract(
        constants=file.constants,
        endpoints=file.endpoint,
        headers=file.header,
        errors=file.error,
        all_events=file.event,
        shapes=_index("shape", ((row.name, row) for row in file.shape)),
        limits=_index("limit", ((row.name, row) for row in file.limit)),
        states=_index("state", ((row.of, row) for row in file.state)),
        enums=_index("enum", ((row.name, row) for row in file.enum)),
        _by_name={row.name: row for row in file.endpoint},
    )
    _check_shapes(contract)
    for endpoint in contract.endpoints:
        _check_endpoint(contract, endpoint)
    _check_errors_and_headers(contract)
    _check_limits_and_events(contract)
    _check_states_and_enums(contract)
    return contract


def _check_shapes(contract: Contract) -> None:
    for shape in contract.shapes.values():
        _check_types(contract, shape.name, shape.fields)
        _known(f"shape {shape.name} optional", shape.optional, shape.fields)
        _known(f"shape {shape.name} source", [shape.source], SOURCES)


def _check_types(contract: Contract, where: str, typed: Mapping[str, str]) -> None:
    bare = (value.removesuffix("?").removesuffix("[]") for value in typed.values())
    _known(f"types of {where}", bare, PLAIN_TYPES | contract.shapes.keys())


def _check_endpoint(contract: Contract, endpoint: Endpoint) -> None:
    name, keys, optional = endpoint.name, set(endpoint.keys), set(endpoint.optional_keys)
    _known(f"{name} group", [endpoint.group, name.partition(".")[0]], GROUPS)
    _require(name.startswith(f"{endpoint.group}."), f"{name} is not named after its group")
    _known(f"{name} method", [endpoint.method], METHODS)
    _known(f"{name} auth", endpoint.auth, AUTH_METHODS)
    _known(f"{name} roles", endpoint.roles, ROLES)
    _known(f"{name} base", [endpoint.base], BASES)
    _known(f"{name} source", [endpoint.source], SOURCES)
    _known(f"{name} keys_from", [endpoint.keys_from], KEYS_FROM)
    _known(f"{name} request and query", [*endpoint.request.values(), *endpoint.query.values()], PRESENCE)
    _known(f"{name} defaults", endpoint.defaults, {**endpoint.request, **endpoint.query})
    _known(f"{name} shape", [endpoint.shape] if endpoint.shape else [], contract.shapes)
    _require(endpoint.path.startswith("/"), f"{name}: path must start with /")
    _require(200 <= endpoint.status < 300, f"{name}: status is not a success")
    _unique(f"{name} keys", endpoint.keys + endpoint.optional_keys)
    _check_types(contract, name, endpoint.types)
    shape = contract.shapes[endpoint.shape].fields if endpoint.shape else {}
    _known(f"{name} keys without a type", keys | optional, {**shape, **endpoint.types})
    if endpoint.alternatives:
        forms = [set(form) for form in endpoint.alternatives]
        _require(set.intersection(*forms) == keys, f"{name}: keys is not what the alternatives share")
        _require(set.union(*forms) - keys == optional, f"{name}: optional_keys is not the rest of them")
    empty = endpoint.status == 204 or endpoint.keys_from == "open"
    _require(empty != bool(keys | optional), f"{name}: keys do not fit status and keys_from")


def _check_errors_and_headers(contract: Contract) -> None:
    places = {ANY, *(endpoint.name for endpoint in contract.endpoints)}
    rows = ((place, row.status, row.text, row.cause) for row in contract.errors for place in row.where)
    _unique("error", rows)
    for error in contract.errors:
        label = f"error {error.status} {error.text!r}"
        _known(f"{label} where", error.where, places)
        _known(f"{label} except_groups", error.except_groups, GROUPS)
        _known(f"{label} source", [error.source], SOURCES)
        _require(bool(error.where), f"{label}: where is empty")
        worded = error.text_fixed and error.status != 304
        _require(bool(error.text) == worded, f"{label}: text and text_fixed differ")
    for header in contract.headers:
        _known(f"header {header.name} where", header.where, places)
        _known(f"header {header.name} direction", [header.direction], DIRECTIONS)
        _known(f"header {header.name} source", [header.source], SOURCES)


def _check_limits_and_events(contract: Contract) -> None:
    places = {ANY, *(endpoint.name for endpoint in contract.endpoints)}
    for limit in contract.limits.values():
        _known(f"limit {limit.name} applies_to", limit.applies_to, places)
        _known(f"limit {limit.name} source", [limit.source], SOURCES)
        figures = (limit.value, limit.min, limit.max, limit.default)
        _require(any(figure is not None for figure in figures), f"limit {limit.name} has no figure")
    _unique("event", ((event.kind, event.name) for event in contract.all_events))
    for event in contract.all_events:
        _known(f"event {event.name} kind", [event.kind], EVENT_KINDS)
        _known(f"event {event.name} optional and nested", [*event.optional, *event.nested], event.fields)
        _known(f"event {event.name} source", [event.source], SOURCES)


def _check_states_and_enums(contract: Contract) -> None:
    movers = {*MOVERS, *(endpoint.name for endpoint in contract.endpoints)}
    for state in contract.states.values():
        _require(all(len(move) == 3 for move in state.moves), f"state {state.of}: a move is [from, to, by]")
        _known(f"state {state.of} initial and terminal", state.initial + state.terminal, state.values)
        _known(f"state {state.of} moves from", (move[0] for move in state.moves), {"*", *state.values})
        _known(f"state {state.of} moves to", (move[1] for move in state.moves), state.values)
        _known(f"state {state.of} moves by", (move[2] for move in state.moves), movers)
        _known(f"state {state.of} source", [state.source], SOURCES)
    for enum in contract.enums.values():
        _unique(f"enum {enum.name}", enum.values)
        _known(f"enum {enum.name} figures", enum.figures, map(str, enum.values))
        _known(f"enum {enum.name} source", [enum.source], SOURCES)


def _require(holds: bool, complaint: str) -> None:
    if not holds:
        raise ContractError(complaint)


def _known(what: str, values: Iterable[str], allowed: Iterable[str]) -> None:
    unknown = sorted(set(values) - set(allowed))
    _require(not unknown, f"{what}: unknown {', '.join(unknown)}")


def _unique(what: str, values: Iterable[object]) -> None:
    seen: set[object] = set()
    for value in values:
        _require(value not in seen, f"{what}: {value} is there twice")
        seen.add(value)


def _index(what: str, pairs: Iterable[tuple[str, T]]) -> dict[str, T]:
    rows = tuple(pairs)
    _unique(what, (name for name, _ in rows))
    return dict(rows)


def _decode(kind: type[T], raw: object, where: str) -> T:
    """A TOML table as the dataclass `kind`: no field too many, none too few, each of its type."""
    _require(isinstance(raw, dict), f"{where}: not a table")
    table: dict[str, object] = dict(raw) if isinstance(raw, dict) else {}
    where = f"{where}.{table.get('name', table.get('of', table.get('text', '')))}".rstrip(".")
    hints = get_type_hints(kind)
    _known(f"{where} fields", table, hints)
    for slot in fields(kind):  # type: ignore[arg-type]  # every caller passes a dataclass
        needed = slot.default is MISSING and slot.default_factory is MISSING
        _require(slot.name in table or not needed, f"{where}: {slot.name} is missing")
    return kind(**{name: _value(hints[name], value, f"{where}.{name}") for name, value in table.items()})


def _value(hint: Any, raw: object, where: str) -> object:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is tuple and isinstance(raw, list):
        return tuple(_value(arguments[0], entry, where) for entry in raw)
    if origin is Mapping and isinstance(raw, dict):
        table = {key: _value(arguments[1], entry, f"{where}.{key}") for key, entry in raw.items()}
        return types.MappingProxyType(table)
    if is_dataclass(hint) and isinstance(hint, type):
        return _decode(hint, raw, where)
    allowed = arguments if origin in (Union, types.UnionType) else (hint,)
    _require(type(raw) in allowed, f"{where}: {raw!r} is of the wrong type")
    return raw
