"""The OpenAPI document: valid, complete, and consistent with the code that decodes requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from schemathesis.specs.openapi.definitions import OPENAPI_31

from loremark.entry.application import ROUTES
from loremark.web.openapi import document
from loremark.web.routes import Route
from tests.web.running import API_ROUTES, BODY_ROUTES, RunningServer, name_of, sample_body

DOCUMENT = document(ROUTES, version="1", server="http://127.0.0.1:8000", cookie_name="loremark_login")
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]

TEXTS = (
    "",
    " ",
    "x",
    "text",
    "a@example.com",
    "a@example.com\n",
    "a b@example.com",
    "ä@example.com",
    "a\u0085@example.com",
    "a\u00a0@example.com",
    "\ufeffa@example.com",
    "a@exam\u2028ple.com",
    "\u0085",
    "\u00a0",
    "\ufeff",
    "\u200b",
    "\x1c",
    "correct horse battery",
    "owner",
    "admin",
    "member",
    "private",
    "small",
    "line\nbreak",
    "abc.def_-1",
    "abc\n",
    "é",
    "🗿",
    "x" * 100,
    "x" * 101,
    "🗿" * 100,
    "x" * 501,
)
VALUES: tuple[Any, ...] = (*TEXTS, None, True, False, 0, 1, -1, 1.0, 0.5, 1.01, 1.02, 2, [], ["x"], {}, {"a": 1})


def _operation(route: Route) -> dict[str, Any]:
    found: dict[str, Any] = DOCUMENT["paths"][route.path][route.method.lower()]
    return found


def test_document_is_openapi_3_1() -> None:
    problems = [
        f"{list(error.instance_path)}: {error.message}" for error in jsonschema_rs.iter_errors(OPENAPI_31, DOCUMENT)
    ]
    assert problems == []
    assert DOCUMENT["openapi"].startswith("3.1.")


def test_document_lists_every_documented_route_and_no_other() -> None:
    described = {(method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods}
    assert {(route.method, route.path) for route in API_ROUTES} <= described
    assert described == {(route.method, route.path) for route in ROUTES if route.in_openapi}


def test_operation_ids_are_unique() -> None:
    names = [operation["operationId"] for methods in DOCUMENT["paths"].values() for operation in methods.values()]
    assert len(set(names)) == len(names)


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        for name, value in part.items():
            if name == "$ref":
                yield value
            else:
                yield from _references(value)
    elif isinstance(part, list):
        for value in part:
            yield from _references(value)


def test_references_resolve_and_every_schema_is_used() -> None:
    referred = {reference.removeprefix("#/components/schemas/") for reference in _references(DOCUMENT)}
    assert referred == set(SCHEMAS)


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_valid_and_free_of_python_details(name: str) -> None:
    jsonschema_rs.meta.validate(SCHEMAS[name])
    text = json.dumps(SCHEMAS[name])
    assert "\\\\x" not in text, "a pattern that only Python understands"
    assert "loremark." not in text
    assert "NoneType" not in text


@pytest.mark.parametrize("route", API_ROUTES, ids=name_of)
def test_operation_matches_its_route(route: Route) -> None:
    operation = _operation(route)
    responses = operation["responses"]
    assert str(route.status) in responses
    assert operation["summary"]
    for kind in route.errors:
        assert str(kind.status) in responses, kind
    schemes = [next(iter(scheme)) for scheme in operation["security"]]
    needs = route.needs
    assert schemes == [
        name
        for name, accepted in (("bearer", needs.by_key), ("cookie", needs.by_login), ("signature", needs.by_signature))
        if accepted
    ]
    assert ("401" in responses) == bool(schemes) or any(kind.status == 401 for kind in route.errors)
    assert ("content" in responses[str(route.status)]) == (route.status != 204)
    for status, response in responses.items():
        if int(status) >= 400:
            assert response["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Error"}
    body = route.body or route.raw_body
    assert ("requestBody" in operation) == (body is not None)
    if body is not None:
        assert operation["requestBody"]["required"] == (not route.body_optional)
        assert {"400", "413", "415"} <= set(responses)
    parameters = {(parameter["in"], parameter["name"]) for parameter in operation["parameters"]}
    queries = msgspec.structs.fields(route.query) if route.query is not None else ()
    assert {name for where, name in parameters if where == "query"} == {field.encode_name for field in queries}
    assert sum(where == "path" for where, _ in parameters) == len(route.path_parameters)


@pytest.mark.parametrize("route", BODY_ROUTES, ids=name_of)
def test_schema_and_code_agree_on_every_value_of_every_field(route: Route) -> None:
    """The decoder accepts what the schema allows and rejects what it forbids."""
    assert route.body is not None
    schema = {**SCHEMAS[route.body.__name__], "components": {"schemas": SCHEMAS}}
    validator = jsonschema_rs.validator_for(schema, validate_formats=True)
    decoder = msgspec.json.Decoder(route.body)
    sample = sample_body(route.body)
    assert validator.is_valid(sample)
    disagreements = []
    for field in msgspec.structs.fields(route.body):
        for value in VALUES:
            name = field.encode_name
            body = {**sample, name: value}
            allowed = validator.is_valid(body)
            if allowed and isinstance(value, float) and not validator.is_valid({**body, name: value - 0.5}):
                continue  # JSON Schema counts 1.0 as an integer, the decoder does not
            if allowed != _decodes(decoder, body):
                disagreements.append((field.encode_name, value, "allowed" if allowed else "forbidden"))
    assert disagreements == []


def _decodes(decoder: msgspec.json.Decoder[Any], body: dict[str, Any]) -> bool:
    try:
        decoder.decode(json.dumps(body))
    except msgspec.DecodeError:
        return False
    return True


def test_server_serves_the_document(server: RunningServer) -> None:
    served = server.http.get("/openapi.json")
    assert served.headers["content-type"] == "application/json"
    content = served.json()
    assert content["servers"] == [{"url": server.process.url}]
    assert content["paths"] == DOCUMENT["paths"]
    assert content["components"] == DOCUMENT["components"]
    page = server.http.get("/docs")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert all(f"<code>{route.path}</code>" in page.text for route in API_ROUTES)
