"""Every route with a body, on a real server: invalid bodies get an error in the documented form and do no harm."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import msgspec
import pytest

from loremark.base import errors
from loremark.web.routes import Route
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
            response = server.send(route, b'{"%s": %s}' % (field.encode_name.encode(), value))
            assert response.status_code < 500, (field.encode_name, why, response.text)
            if not _fits(value, field):
                text = assert_refused(response, 400)
                if not _is_json(value):
                    continue
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
def test_values_that_are_invalid_in_any_field(server: RunningServer, route: Route) -> None:
    assert route.body is not None
    prefix = json.dumps(sample_body(route.body)).encode().removesuffix(b"}")
    separator = b"" if prefix == b"{" else b", "
    for why, value in INVALID_ANYWHERE.items():
        for name in ("unknown", *(field.encode_name for field in _fields(route))):
            response = server.send(route, prefix + separator + b'"%s": %s}' % (name.encode(), value))
            assert response.status_code == 400, (name, why, response.status_code, response.text)
            assert_refused(response)
        inside = server.send(route, prefix + separator + b'"unknown": {"a": [%s]}}' % value)
        assert inside.status_code == 400, (why, inside.text)


@every_body_route
def test_out_of_range_numbers_in_unknown_fields(server: RunningServer, route: Route) -> None:
    """Ignored, like any other unknown field."""
    baseline = server.send(route, b'{"unknown": 1}')
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
            response = server.send(route, b'{"unknown": %s}' % value)
            assert response.status_code == baseline.status_code < 500, (value[:20], response.text)


@every_body_route
def test_invalid_field_names(server: RunningServer, route: Route) -> None:
    assert route.body is not None
    prefix = json.dumps(sample_body(route.body)).encode().removesuffix(b"}")
    separator = b"" if prefix == b"{" else b", "
    for name in (b'"\\u0000"', b'"\\ud800"', b'"\xff"'):
        assert_refused(server.send(route, prefix + separator + name + b": 1}"), 400)


@every_body_route
def test_last_duplicate_field_wins(server: RunningServer, route: Route) -> None:
    for field in _fields(route):
        name = field.encode_name.encode()
        for first, last in ((b"[[]]", b'"x"'), (b'"x"', b"[[]]")):
            response = server.send(route, b'{"%s": %s, "%s": %s}' % (name, first, name, last))
            assert response.status_code < 500
            if last == b"[[]]" and not _fits(last, field):
                assert assert_refused(response, 400).startswith(field.encode_name)


@every_body_route
def test_body_too_large(server: RunningServer, route: Route) -> None:
    """The error is the same for a declared length and for chunks."""
    bodies: tuple[bytes | Iterator[bytes], ...] = (
        b" " * TOO_LARGE,
        (b" " * 65_536 for _ in range(TOO_LARGE // 65_536)),
    )
    headers = {**server.credentials(route), "Content-Type": "application/json"}
    for body in bodies:
        with server.process.client() as http:
            refused = http.request(route.method, path_of(route), content=body, headers=headers)
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
        refused = server.send(route, b"{", content_type)
        assert assert_refused(refused, 415) == errors.UNSUPPORTED_MEDIA_TYPE.text, content_type
    for content_type in ("application/json; charset=utf-8", "Application/JSON", "application/json ;x=y"):
        accepted = server.send(route, b"{", content_type)
        assert assert_refused(accepted, 400) == errors.MALFORMED_JSON.text, content_type


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
