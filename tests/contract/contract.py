"""Loads and validates contract.toml; its header comment explains the format."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import msgspec
from msgspec import Struct, structs

CONTRACT_FILE: Final = Path(__file__).resolve().parents[2] / "contract.toml"
ANY: Final = "any"
MOVERS: Final = frozenset({"pipeline", "sweeper", "dispatcher"})
PLAIN_TYPES: Final = frozenset({"string", "number", "boolean", "object", "time"})

Number = int | float
Scalar = str | int | float | bool
Source = Literal["interface", "gaps", "run", "ours", "proposed"]
Method = Literal["GET", "POST", "PATCH", "PUT", "DELETE"]
AuthMethod = Literal["bearer", "cookie", "hmac", "ticket"]
Role = Literal["owner", "admin", "member"]
Presence = Literal["required", "optional"]
EventKind = Literal["ingest", "stream", "webhook", "live"]
Direction = Literal["request", "response", "delivery"]
T = TypeVar("T")


class ContractError(ValueError):
    """contract.toml is invalid or inconsistent."""


class Row(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    source: Source = "interface"
    note: str = ""


class Shape(Row, frozen=True, kw_only=True):
    name: str
    fields: dict[str, str]
    optional: tuple[str, ...] = ()


class Endpoint(Row, frozen=True, kw_only=True):
    name: str
    base: Literal["api", "worker"] = "api"
    method: Method
    path: str
    auth: tuple[AuthMethod, ...] = ("bearer", "cookie")
    roles: tuple[Role, ...] = ()
    status: int = 200
    content_type: str = "application/json"
    array: bool = False
    keys: tuple[str, ...] = ()
    optional_keys: tuple[str, ...] = ()
    alternatives: tuple[tuple[str, ...], ...] = ()
    keys_from: Literal["documented", "proposed", "open"] = "documented"
    shape: str = ""
    types: dict[str, str] = {}
    request: dict[str, Presence] = {}
    query: dict[str, Presence] = {}
    defaults: dict[str, Scalar] = {}

    @property
    def group(self) -> str:
        return self.name.partition(".")[0]


class Header(Row, frozen=True, kw_only=True):
    name: str
    direction: Direction
    where: tuple[str, ...] = (ANY,)
    status: int | None = None
    value: str


class Error(Row, frozen=True, kw_only=True):
    where: tuple[str, ...] = (ANY,)
    except_groups: tuple[str, ...] = ()
    status: int
    text: str = ""
    default: bool = False
    cause: str

    @property
    def text_fixed(self) -> bool:
        return bool(self.text) or self.status == 304


class Limit(Row, frozen=True, kw_only=True):
    name: str
    value: Number | None = None
    min: Number | None = None
    max: Number | None = None
    default: Number | None = None
    steps: tuple[int, ...] = ()
    unit: str
    applies_to: tuple[str, ...] = (ANY,)
    field: str = ""


class Event(Row, frozen=True, kw_only=True):
    kind: EventKind
    name: str
    fields: tuple[str, ...]
    optional: tuple[str, ...] = ()
    nested: dict[str, tuple[str, ...]] = {}


class State(Row, frozen=True, kw_only=True):
    name: str
    values: tuple[str, ...]
    initial: tuple[str, ...]
    terminal: tuple[str, ...] = ()
    moves: tuple[tuple[str, str, str], ...] = ()

    def allows(self, start: str, end: str) -> bool:
        return any(first in (start, "*") and last == end for first, last, _ in self.moves)

    def steps(self) -> frozenset[tuple[str, str]]:
        """All transitions, with "*" expanded."""
        pairs = ((start, end) for start in self.values for end in self.values if start != end)
        return frozenset((start, end) for start, end in pairs if self.allows(start, end))


class Enum(Row, frozen=True, kw_only=True):
    name: str
    values: tuple[str | int, ...]
    nullable: bool = False
    figures: dict[str, dict[str, Scalar]] = {}


class Contract(Struct, frozen=True):
    constants: Mapping[str, str]
    endpoints: tuple[Endpoint, ...]
    headers: tuple[Header, ...]
    errors: tuple[Error, ...]
    all_events: tuple[Event, ...]
    shapes: Mapping[str, Shape]
    limits: Mapping[str, Limit]
    states: Mapping[str, State]
    enums: Mapping[str, Enum]

    def endpoint(self, name: str) -> Endpoint:
        return next(endpoint for endpoint in self.endpoints if endpoint.name == name)

    def limit(self, name: str) -> Limit:
        return self.limits[name]

    def states_of(self, thing: str) -> State:
        return self.states[thing]

    def enum(self, name: str) -> Enum:
        return self.enums[name]

    def shape(self, name: str) -> Shape:
        return self.shapes[name]

    def events(self, kind: EventKind) -> tuple[Event, ...]:
        return tuple(event for event in self.all_events if event.kind == kind)

    def types_of(self, endpoint_name: str) -> dict[str, str]:
        """The types of all possible keys of the success body."""
        endpoint = self.endpoint(endpoint_name)
        known = {**(self.shapes[endpoint.shape].fields if endpoint.shape else {}), **endpoint.types}
        return {key: known[key] for key in endpoint.keys + endpoint.optional_keys}

    def errors_of(self, endpoint_name: str) -> tuple[Error, ...]:
        """The endpoint's own rows, then those of "any" that apply to it."""
        group = self.endpoint(endpoint_name).group
        own = tuple(error for error in self.errors if endpoint_name in error.where)
        taken = {error.status for error in own}
        shared = (error for error in self.errors if ANY in error.where and group not in error.except_groups)
        return own + tuple(error for error in shared if not (error.default and error.status in taken))


@cache
def load(path: Path = CONTRACT_FILE) -> Contract:
    file = tomllib.loads(path.read_text(encoding="utf-8"))
    shapes = _by_name(_rows(Shape, file["shape"]))
    contract = Contract(
        constants=file["constants"],
        endpoints=tuple(_with_keys(row, shapes) for row in _endpoints(file["endpoint"])),
        headers=tuple(
            _read(Header, {"direction": direction, **row}) for direction, rows in file["header"].items() for row in rows
        ),
        errors=tuple(_read(Error, row) for rows in file["error"].values() for row in rows),
        all_events=tuple(
            _read(Event, {"kind": kind, "name": name, **row})
            for kind, rows in file["event"].items()
            for name, row in rows.items()
        ),
        shapes=shapes,
        limits=_by_name(
            _read(Limit, {"name": f"{group}.{name}", **row})
            for group, rows in file["limit"].items()
            for name, row in rows.items()
        ),
        states=_by_name(_rows(State, file["state"])),
        enums=_by_name(_rows(Enum, file["enum"])),
    )
    _check_types(contract)
    _check_endpoints(contract)
    _check_places(contract)
    _check_values(contract)
    return contract


def _read(kind: type[T], raw: Mapping[str, Any]) -> T:
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        raise ContractError(f"{kind.__name__} {raw.get('name', raw)}: {error}") from error


def _rows(kind: type[T], table: Mapping[str, Any]) -> list[T]:
    return [_read(kind, {"name": name, **row}) for name, row in table.items()]


def _by_name(rows: Iterable[Any]) -> dict[str, Any]:
    return {row.name: row for row in rows}


def _endpoints(table: Mapping[str, Any]) -> Iterator[Endpoint]:
    for group, rows in table.items():
        for name, row in rows.items():
            method, _, path = row.pop("call").partition(" ")
            yield _read(Endpoint, {"name": f"{group}.{name}", "method": method, "path": path, **row})


def _with_keys(endpoint: Endpoint, shapes: Mapping[str, Shape]) -> Endpoint:
    """The endpoint with its keys filled in from alternatives, shape and types."""
    if endpoint.alternatives:
        forms = endpoint.alternatives
        shared = tuple(key for key in forms[0] if all(key in form for form in forms))
        rest = tuple(dict.fromkeys(key for form in forms for key in form if key not in shared))
        return structs.replace(endpoint, keys=shared, optional_keys=rest)
    if endpoint.keys or endpoint.status == 204 or endpoint.keys_from == "open":
        return endpoint
    shape = shapes.get(endpoint.shape)
    optional = endpoint.optional_keys + (shape.optional if shape else ())
    keys = tuple(key for key in (*(shape.fields if shape else ()), *endpoint.types) if key not in optional)
    return structs.replace(endpoint, keys=keys, optional_keys=optional)


def _check_types(contract: Contract) -> None:
    typed = [(shape.name, shape.fields) for shape in contract.shapes.values()]
    typed += [(endpoint.name, endpoint.types) for endpoint in contract.endpoints]
    for where, fields in typed:
        bare = (value.removesuffix("?").rstrip("[]") for value in fields.values())
        _known(f"types of {where}", bare, PLAIN_TYPES | contract.shapes.keys())
    for shape in contract.shapes.values():
        _known(f"shape {shape.name} optional", shape.optional, shape.fields)


def _check_endpoints(contract: Contract) -> None:
    _unique("method and path", ((row.base, row.method, row.path) for row in contract.endpoints))
    for endpoint in contract.endpoints:
        name, keys = endpoint.name, endpoint.keys + endpoint.optional_keys
        _known(f"{name} defaults", endpoint.defaults, {**endpoint.request, **endpoint.query})
        _known(f"{name} shape", [endpoint.shape] if endpoint.shape else [], contract.shapes)
        _require(endpoint.path.startswith("/"), f"{name}: path must start with /")
        _require(200 <= endpoint.status < 300, f"{name}: status is not a success")
        _unique(f"{name} keys", keys)
        shape = contract.shapes[endpoint.shape].fields if endpoint.shape else {}
        _known(f"{name} keys without a type", keys, {**shape, **endpoint.types})
        empty = endpoint.status == 204 or endpoint.keys_from == "open"
        _require(empty != bool(keys), f"{name}: keys do not fit status and keys_from")


def _check_places(contract: Contract) -> None:
    places = {ANY, *(endpoint.name for endpoint in contract.endpoints)}
    groups = {endpoint.group for endpoint in contract.endpoints}
    _unique("error", ((place, row.status, row.text, row.cause) for row in contract.errors for place in row.where))
    for error in contract.errors:
        _known(f"error {error.text or error.cause} where", error.where, places)
        _known(f"error {error.text or error.cause} except_groups", error.except_groups, groups)
    for header in contract.headers:
        _known(f"header {header.name} where", header.where, places)
    for limit in contract.limits.values():
        _known(f"limit {limit.name} applies_to", limit.applies_to, places)
        figures = (limit.value, limit.min, limit.max, limit.default)
        _require(any(figure is not None for figure in figures), f"limit {limit.name} has no figure")


def _check_values(contract: Contract) -> None:
    movers = {*MOVERS, *(endpoint.name for endpoint in contract.endpoints)}
    for event in contract.all_events:
        _known(f"event {event.name} optional and nested", [*event.optional, *event.nested], event.fields)
    for state in contract.states.values():
        _known(f"state {state.name} initial and terminal", state.initial + state.terminal, state.values)
        _known(f"state {state.name} moves from", (move[0] for move in state.moves), {"*", *state.values})
        _known(f"state {state.name} moves to", (move[1] for move in state.moves), state.values)
        _known(f"state {state.name} moves by", (move[2] for move in state.moves), movers)
    for enum in contract.enums.values():
        _unique(f"enum {enum.name}", enum.values)
        _known(f"enum {enum.name} figures", enum.figures, {str(value) for value in enum.values})


def _require(holds: bool, complaint: str) -> None:
    if not holds:
        raise ContractError(complaint)


def _known(what: str, values: Iterable[str], allowed: Collection[str]) -> None:
    unknown = sorted(set(values) - set(allowed))
    _require(not unknown, f"{what}: unknown {', '.join(unknown)}")


def _unique(what: str, values: Iterable[object]) -> None:
    seen: set[object] = set()
    for value in values:
        _require(value not in seen, f"{what}: {value} is there twice")
        seen.add(value)
