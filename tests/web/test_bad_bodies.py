"""Every route with a body: invalid bodies get an error in the documented form and do no harm.

What the parser refuses by itself is tested in this process for all routes and fields; a real server gets one body of
each kind for every route, and all that the parser lets through.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import msgspec
import pytest

from loremark.base import errors
from loremark.base.errors import Refusal
from loremark.web.request import Message, Request
from loremark.web.routes import Route
from loremark.web.validation import read_json
from tests.web.running import BODY_ROUTES, PLAIN_ROUTES, RunningServer, assert_refused, name_of, path_of, sample_body

every_body_route = pytest.mark.parametrize("route", BODY_ROUTES, ids=name_of)

DEEP = 10_000
DEEP_ARRAY = b"[" * DEEP + b"]" * DEEP
DEEP_OBJECT = b'{"a":' * DEEP + b"1" + b"}" * DEEP
TOO_LARGE = 5 * 1024 * 1024

NOT_JSON = {
    "cut off": b'{"name": "x"',
    "a word": b"hello",
    "single quotes": b"{'name': 'x'}",
    "a comma too many": b'{"name": "x",}',
    "text after it": b'{"name": "x"} x',
    "two of them": b'{"name": "x"}{"name": "y"}',
    "NaN": b'{"name": NaN}',
    "a byte order mark": b'\xef\xbb\xbf{"name": "x"}',
    "UTF-16": '{"name": "x"}'.encode("utf-16"),
    "form fields": b"name=x&role=member",
    "a raw NUL": b'{"name": "a\0b"}',
    "only NUL": b"\0",
    "random bytes": bytes(range(128, 256)),
}
NOT_AN_OBJECT = {
    "array": b"[]",
    "array of objects": b'[{"name": "x"}]',
    "text": b'"name"',
    "number": b"5",
    "true": b"true",
    "null": b"null",
}
OVERSIZED = {
    "huge number": b"1" * 5_000,
    "float beyond range": b"1e400",
    "nested arrays": DEEP_ARRAY,
    "nested arrays left open": b"[" * DEEP,
}
"""Not an object, and too large or too deep."""
INVALID_ANYWHERE = {
    "an escaped NUL": b'"a\\u0000b"',
    "a lone surrogate": b'"\\ud800"',
    "surrogates in the wrong order": b'"\\udc00\\ud800"',
    "invalid UTF-8": b'"\xff\xfe"',
    "a surrogate in UTF-8": b'"\xed\xa0\x80"',
    "an overlong encoding": b'"\xc0\xaf"',
    "nested arrays": DEEP_ARRAY,
    "nested objects": DEEP_OBJECT,
}
"""Values that make the whole body invalid, in known and unknown fields."""

VALUES = {
    "whole number": b"5",
    "negative": b"-1",
    "fraction": b"0.25",
    "beyond float": b"1e400",
    "beyond any integer": b"9" * 5_000,
    "true": b"true",
    "null": b"null",
    "text": b'"text"',
    "empty text": b'""',
    "long text": b'"' + b"x" * 300_000 + b'"',
    "blank": b'" \\t\\n"',
    "a line break at the end": b'"a@example.com\\n"',
    "controls": b'"\\u0001\\u007f\\u0085\\u2028"',
    "quotes": b'"\'; drop table projects; --"',
    "array": b"[]",
    "array of texts": b'["a", "b"]',
    "object": b"{}",
    "object with prototype": b'{"__proto__": {"admin": true}}',
}


def _parse(route: Route, body: bytes, content_type: str | None = "application/json") -> str | None:
    """Parse a body like the server does; return the error's text, or None if it is valid."""
    headers = [] if content_type is None else [(b"content-type", content_type.encode())]
    scope = {"method": route.method, "path": route.path, "query_string": b"", "headers": headers}
    request = Request(scope, _nothing)
    try:
        read_json(request, body, route.body, optional=route.body_optional)  # type: ignore[arg-type]
    except Refusal as refusal:
        refused = refusal
    else:
        return None
    assert refused.kind.status in (400, 415)
    assert refused.text
    assert "\n" not in refused.text
    return refused.text


async def _nothing() -> Message:
    raise AssertionError("the body was read again")


def _fields(route: Route) -> Iterator[msgspec.structs.FieldInfo]:
    assert route.body is not None
    yield from msgspec.structs.fields(route.body)


@every_body_route
def test_malformed_json(server: RunningServer, route: Route) -> None:
    for body in NOT_JSON.values():
        assert_refused(server.send(route, body), 400)
    assert assert_refused(server.send(route, b"{"), 400) == errors.MALFORMED_JSON.text


@every_body_route
def test_json_that_is_not_an_object(server: RunningServer, route: Route) -> None:
    for why, body in NOT_AN_OBJECT.items():
        assert assert_refused(server.send(route, body), 400) == errors.BODY_REQUIRED.text, why
    for body in (*OVERSIZED.values(), DEEP_OBJECT):
        assert_refused(server.send(route, body), 400)


@every_body_route
def test_empty_body(server: RunningServer, route: Route) -> None:
    response = server.send(route, b"")
    if route.body_optional:
        assert response.status_code < 500
        assert errors.BODY_REQUIRED.text not in response.text
    else:
        assert assert_refused(response, 400) == errors.BODY_REQUIRED.text


@every_body_route
def test_missing_required_fields(server: RunningServer, route: Route) -> None:
    required = [field.encode_name for field in _fields(route) if field.required]
    if required:
        assert assert_refused(server.send(route, b"{}"), 400) == f"{required[0]} is required"
        assert assert_refused(server.send(route, b'{"unknown": 1}'), 400) == f"{required[0]} is required"


@every_body_route
def test_every_kind_of_value_in_every_field(server: RunningServer, route: Route) -> None:
    for field in _fields(route):
        for why, value in VALUES.items():
            body = b'{"%s": %s}' % (field.encode_name.encode(), value)
            if _fits(value, field):
                response = server.send(route, body)
                assert response.status_code < 500, (field.encode_name, why, response.text)
                continue
            text = _parse(route, body)
            assert text is not None, (field.encode_name, why)
            if _is_json(value):
                assert re.match(rf"{field.encode_name}[ .\[]", text), (field.encode_name, why, text)
                assert "`" not in text


def _is_json(value: bytes) -> bool:
    """Whether the value can be decoded at all; out-of-range numbers cannot."""
    try:
        msgspec.json.decode(value)
    except msgspec.DecodeError:
        return False
    return True


def _fits(value: bytes, field: msgspec.structs.FieldInfo) -> bool:
    try:
        msgspec.json.decode(value, type=field.type)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


@every_body_route
def test_values_that_are_invalid_in_any_field(route: Route) -> None:
    prefix = _sample_prefix(route)
    for why, value in INVALID_ANYWHERE.items():
        for name in ("unknown", *(field.encode_name for field in _fields(route))):
            assert _parse(route, prefix + b'"%s": %s}' % (name.encode(), value)) is not None, (name, why)
        assert _parse(route, prefix + b'"unknown": {"a": [%s]}}' % value) is not None, why


def _sample_prefix(route: Route) -> bytes:
    """A valid body, open for another field."""
    assert route.body is not None
    prefix = json.dumps(sample_body(route.body)).encode().removesuffix(b"}")
    return prefix if prefix == b"{" else prefix + b", "


@every_body_route
def test_out_of_range_numbers_in_unknown_fields(route: Route) -> None:
    """Ignored, like any other unknown field."""
    baseline = _parse(route, b'{"unknown": 1}')
    for number in (
        b"9" * 5_000,
        b"-" + b"9" * 5_000,
        b"1e400",
        b"-1e400",
        b"1e-400",
        b"0." + b"1" * 5_000,
        b"1e99999999999",
    ):
        for value in (number, b'{"a": [%s]}' % number):
            assert _parse(route, b'{"unknown": %s}' % value) == baseline, value[:20]


@every_body_route
def test_invalid_field_names(route: Route) -> None:
    for name in (b'"\\u0000"', b'"\\ud800"', b'"\xff"'):
        assert _parse(route, _sample_prefix(route) + name + b": 1}") is not None


@every_body_route
def test_last_duplicate_field_wins(route: Route) -> None:
    for field in _fields(route):
        name = field.encode_name.encode()
        for first, last in ((b"[[]]", b'"x"'), (b'"x"', b"[[]]")):
            both, alone = b'{"%s": %s, "%s": %s}' % (name, first, name, last), b'{"%s": %s}' % (name, last)
            assert _parse(route, both) == _parse(route, alone)


@every_body_route
def test_body_too_large(server: RunningServer, route: Route) -> None:
    headers = {**server.credentials(route), "Content-Type": "application/json"}
    with server.process.client() as http:
        refused = http.request(route.method, path_of(route), content=b" " * TOO_LARGE, headers=headers)
    assert assert_refused(refused, 413) == errors.BODY_TOO_LARGE.text


def test_body_too_large_in_chunks(server: RunningServer) -> None:
    """The length is not declared."""
    route = BODY_ROUTES[0]
    headers = {**server.credentials(route), "Content-Type": "application/json"}
    chunks = (b" " * 65_536 for _ in range(TOO_LARGE // 65_536))
    with server.process.client() as http:
        refused = http.request(route.method, path_of(route), content=chunks, headers=headers)
    assert assert_refused(refused, 413) == errors.BODY_TOO_LARGE.text
    server.assert_healthy()


@every_body_route
def test_media_types(server: RunningServer, route: Route) -> None:
    for content_type in (
        None,
        "",
        "text/plain",
        "text/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "application/jsonp",
        "json",
        ";application/json",
        "*/*",
    ):
        assert _parse(route, b"{", content_type) == errors.UNSUPPORTED_MEDIA_TYPE.text, content_type
    for content_type in ("application/json; charset=utf-8", "Application/JSON", "application/json ;x=y"):
        assert _parse(route, b"{", content_type) == errors.MALFORMED_JSON.text, content_type
    refused = server.send(route, b"{", "text/plain")
    assert assert_refused(refused, 415) == errors.UNSUPPORTED_MEDIA_TYPE.text


@pytest.mark.parametrize("route", PLAIN_ROUTES, ids=name_of)
def test_routes_without_a_body_ignore_one(server: RunningServer, route: Route) -> None:
    """The body is never read, so the response is the same as without one."""
    headers = server.credentials(route)
    if route.needs.by_login and not route.needs.by_key:
        headers["Cookie"] = "loremark_login=unknown"  # logging out would end the login that other tests use
    without = server.http.request(route.method, path_of(route), headers=headers)
    for body in (b"{", b"\xff\0", DEEP_ARRAY, b" " * TOO_LARGE):
        with server.process.client() as http:
            response = http.request(route.method, path_of(route), content=body, headers=headers)
        assert response.status_code == without.status_code < 500
