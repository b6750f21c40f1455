"""Checks of responses against the contract: keys, types, headers and errors."""

from __future__ import annotations

import re
from typing import Any

import httpx

from loremark.web.routes import Route
from tests.contract.contract import Contract, Endpoint, Error

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_LIMIT_HEADERS = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")
_FILLED_IN = {r"\{n\}": r"\d+", r"\{counter\}": r"\w+", r"\{checks\}": r"\w+(, \w+)*"}


def body_faults(contract: Contract, endpoint: Endpoint, body: Any) -> list[str]:
    """Unexpected, missing and mistyped keys of a success body."""
    if endpoint.array and not isinstance(body, list):
        return ["not an array"]
    types = contract.types_of(endpoint.name)
    entries = body if endpoint.array else [body]
    return [fault for entry in entries for fault in _entry_faults(contract, endpoint, types, entry)]


def _entry_faults(contract: Contract, endpoint: Endpoint, types: dict[str, str], entry: dict[str, Any]) -> list[str]:
    keys = set(entry)
    if endpoint.alternatives and keys not in [set(form) for form in endpoint.alternatives]:
        return [f"{sorted(keys)} is none of the forms"]
    faults = [f"{key} is missing" for key in endpoint.keys if key not in keys]
    faults += [f"{key} is not in the contract" for key in sorted(keys - types.keys())]
    return faults + [
        fault for key in sorted(keys & types.keys()) for fault in type_faults(contract, key, types[key], entry[key])
    ]


def type_faults(contract: Contract, where: str, kind: str, value: Any) -> list[str]:
    """Mismatches between a value and a contract type."""
    if kind.endswith("?"):
        return [] if value is None else type_faults(contract, where, kind[:-1], value)
    if kind.endswith("[]"):
        if not isinstance(value, list):
            return [f"{where} is not an array"]
        return [fault for entry in value for fault in type_faults(contract, f"{where}[]", kind[:-2], entry)]
    if kind in contract.shapes:
        return _shape_faults(contract, where, kind, value)
    fits = {
        "string": isinstance(value, str),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
        "boolean": isinstance(value, bool),
        "object": isinstance(value, dict),
        "time": isinstance(value, str) and _TIME.fullmatch(value) is not None,
    }
    return [] if fits[kind] else [f"{where} is not a {kind}: {value!r}"]


def _shape_faults(contract: Contract, where: str, kind: str, value: Any) -> list[str]:
    shape = contract.shapes[kind]
    if not isinstance(value, dict):
        return [f"{where} is not an object"]
    if not shape.fields.keys() - set(shape.optional) <= value.keys() <= shape.fields.keys():
        return [f"{where} has {sorted(value)}, not {sorted(shape.fields)}"]
    return [
        fault
        for key, entry in value.items()
        for fault in type_faults(contract, f"{where}.{key}", shape.fields[key], entry)
    ]


def header_faults(answer: httpx.Response, route: Route | None) -> list[str]:
    """Mismatches in the headers every response carries."""
    faults = [] if answer.headers.get("x-request-id") else ["no X-Request-Id"]
    given = [answer.headers.get(name) for name in _LIMIT_HEADERS]
    if route is not None and not route.counted:
        return faults + ([] if given == [None, None, None] else ["counted, though outside the limit"])
    if not all(value is not None and value.isdigit() for value in given):
        faults.append(f"rate limit headers {given}")
    return faults


def error_faults(answer: httpx.Response, row: Error, names: str = "") -> list[str]:
    """Mismatches between a response and an error row. ``names`` is the field a free text must mention."""
    if answer.status_code != row.status:
        return [f"{answer.status_code} {answer.text[:100]}, not {row.status}"]
    if row.status == 304:
        return [] if not answer.content and "content-type" not in answer.headers else ["a body, though nothing is new"]
    if answer.headers["content-type"] != "application/json" or list(answer.json()) != ["error"]:
        return [f"not just an error: {answer.text[:100]}"]
    text: str = answer.json()["error"]
    if row.text:
        pattern = re.escape(row.text)
        for placeholder, filling in _FILLED_IN.items():
            pattern = pattern.replace(re.escape(placeholder.replace("\\", "")), filling)
        return [] if re.fullmatch(pattern, text) else [f"{text!r}, not {row.text!r}"]
    return [] if names and names in text and "\n" not in text else [f"{text!r} does not name {names!r}"]
