"""Generates the OpenAPI 3.1 document from the routes."""

from __future__ import annotations

import re
import types
import typing
from typing import Any

import msgspec

from loremark.base import errors
from loremark.base.errors import ErrorKind
from loremark.web.authentication import Needs
from loremark.web.response import Response, Stream
from loremark.web.routes import Route
from loremark.web.validation import without_none

_REF = "#/components/schemas/{name}"
_ERROR_SCHEMA = {
    "type": "object",
    "properties": {"error": {"type": "string", "description": "Human-readable message."}},
    "required": ["error"],
    "additionalProperties": False,
}
_LIMIT_HEADERS = {
    "X-RateLimit-Limit": "Requests allowed in the window.",
    "X-RateLimit-Remaining": "Requests left in the window.",
    "X-RateLimit-Reset": "When the window ends, in Unix seconds.",
}


def document(routes: list[Route], *, version: str, server: str, cookie_name: str) -> dict[str, Any]:
    """Return the OpenAPI document."""
    routes = [route for route in routes if route.in_openapi]
    schemas = _schemas(routes)
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Loremark",
            "version": version,
            "summary": "Shared project memory for coding agents.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": server}],
        "paths": paths,
        "components": {
            "schemas": {"Error": _ERROR_SCHEMA, **schemas},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "An API key, service_sk_…"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": cookie_name},
                "signature": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-Service-Signature",
                    "description": "HMAC-SHA256 over timestamp and body; see the documentation on signing.",
                },
            },
        },
    }


def _kinds(routes: list[Route]) -> list[Any]:
    """Return every type used in requests and responses."""
    found: list[Any] = []
    for route in routes:
        found += [kind for kind in (route.body, route.raw_body, route.query) if kind is not None]
        found += _structs_in(_answer_kind(route))
    return found


def _schemas(routes: list[Route]) -> dict[str, Any]:
    _, components = msgspec.json.schema_components(_kinds(routes), ref_template=_REF)
    answers = {kind.__name__ for route in routes for kind in _structs_in(_answer_kind(route))}
    queries = {route.query.__name__ for route in routes if route.query is not None}
    for name in answers & set(components):
        components[name]["additionalProperties"] = False
    return {name: _portable(schema) for name, schema in components.items() if name not in queries}


def _structs_in(kind: Any, above: frozenset[type] = frozenset()) -> list[type[msgspec.Struct]]:
    """Return the structs inside a type; recursive ones are listed once."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if kind in above:
            return []
        inner = [part for field in msgspec.structs.fields(kind) for part in _structs_in(field.type, above | {kind})]
        return [kind, *inner]
    return [part for argument in typing.get_args(kind) for part in _structs_in(argument, above)]


def _portable(schema: Any) -> Any:
    """Rewrite Python-specific regular expressions for other languages."""
    if isinstance(schema, dict):
        return {
            key: _portable_pattern(value) if key == "pattern" else _portable(value) for key, value in schema.items()
        }
    if isinstance(schema, list):
        return [_portable(entry) for entry in schema]
    return schema


def _portable_pattern(pattern: str) -> str:
    return re.sub(r"\\x([0-9a-f]{2})", r"\\u00\1", pattern)


def _schema_of(kind: Any) -> dict[str, Any]:
    """Return the schema of a type; a union of structs becomes ``anyOf``."""
    parts = typing.get_args(kind)
    if typing.get_origin(kind) is list:
        return {"type": "array", "items": _schema_of(parts[0])}
    if typing.get_origin(kind) is types.UnionType and len(_structs_in(kind)) > 1:
        return {"anyOf": [_schema_of(part) for part in parts]}
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=_REF)
    portable: dict[str, Any] = _portable(schema)
    return portable


def _answer_kind(route: Route) -> Any:
    """Return the type of the JSON response, or None if the response is not JSON or empty."""
    parts = typing.get_args(route.answer) if not isinstance(route.answer, type) else ()
    if Response in parts:
        return next(part for part in parts if part is not Response)
    return None if route.answer in (type(None), None, Response, Stream) else route.answer


def _operation(route: Route) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.name.replace(".", "_"),
        "tags": [route.group],
        "summary": route.summary,
        "parameters": _parameters(route),
        "responses": _responses(route),
        "security": _security(route.needs),
    }
    body = route.body or route.raw_body
    if body is not None:
        operation["requestBody"] = {
            "required": not route.body_optional,
            "content": {"application/json": {"schema": _schema_of(body)}},
        }
    return operation


def _security(needs: Needs) -> list[dict[str, list[str]]]:
    if needs.credentials is None:
        return []
    accepted = (("bearer", needs.by_key), ("cookie", needs.by_login), ("signature", needs.by_signature))
    return [{name: []} for name, accepts in accepted if accepts]


def _parameters(route: Route) -> list[dict[str, Any]]:
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in re.findall(r"\{(\w+)\}", route.path)
    ]
    if route.query is not None:
        parameters += [
            {
                "name": field.encode_name,
                "in": "query",
                "required": field.required,
                "schema": _schema_of_query(field),
            }
            for field in msgspec.structs.fields(route.query)
        ]
    return parameters


def _schema_of_query(field: msgspec.structs.FieldInfo) -> dict[str, Any]:
    """A required string must not be empty either: ``?projectId=`` is invalid."""
    schema = _schema_of(without_none(field.type))
    if field.required and schema.get("type") == "string":
        return {"minLength": 1, **schema}
    return schema


def _responses(route: Route) -> dict[str, Any]:
    success: dict[str, Any] = {"description": route.summary}
    answer = _answer_kind(route)
    if answer is not None:
        success["content"] = {route.content_type: {"schema": _schema_of(answer)}}
    elif route.status != 204:
        success["content"] = {route.content_type: {"schema": {}}}
    if route.alternate_type is not None:
        success["content"][route.alternate_type] = {"schema": {"type": "string"}}
    if route.counted:
        success["headers"] = {
            name: {"description": text, "schema": {"type": "integer"}} for name, text in _LIMIT_HEADERS.items()
        }
    responses: dict[str, Any] = {str(route.status): success}
    texts: dict[int, list[str]] = {}
    for kind in _possible_errors(route):
        text = "A field is missing or invalid; the message names it" if kind is errors.INVALID else kind.text
        texts.setdefault(kind.status, []).append(text)
    for status in sorted(texts):
        responses[str(status)] = {
            "description": " / ".join(dict.fromkeys(texts[status])),
            "content": {"application/json": {"schema": {"$ref": _REF.format(name="Error")}}},
        }
    return responses


def _possible_errors(route: Route) -> list[ErrorKind]:
    """Return the errors raised by the framework for this route, then those declared by the route."""
    kinds: list[ErrorKind] = []
    if route.needs.credentials is not None:
        kinds.append(route.unauthorized)
        if route.needs.roles is not None or route.needs.scopes:
            kinds.append(errors.FORBIDDEN)
        if route.method != "GET" and route.needs.by_login:
            kinds.append(errors.CROSS_SITE)
    if route.query is not None or route.body is not None:
        kinds.append(errors.INVALID)
    if route.body is not None:
        kinds += [errors.MALFORMED_JSON, errors.BODY_INCOMPLETE, errors.BODY_TOO_LARGE, errors.UNSUPPORTED_MEDIA_TYPE]
    if route.counted:
        kinds.append(route.rate_limited)
    return [*kinds, *route.errors, errors.UNAVAILABLE]
