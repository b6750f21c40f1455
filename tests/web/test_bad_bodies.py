"""Every route that takes a body, over a real server: whatever is sent, a refusal in the agreed form and no harm."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import msgspec
import pytest

from loremark.base import errors
from loremark.web.routes import Route
from tests.web.running import BODY_ROUTES, PLAIN_ROUTES, Running, assert_refused, name_of, path_of, sample_body

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
ENDLESS = {
    "huge number": b"1" * 5_000,
    "float beyond range": b"1e400",
    "nested arrays": DEEP_ARRAY,
    "nested arrays left open": b"[" * DEEP,
}
"""Not an object, or too much of one."""
ANYWHERE = {
    "an escaped NUL": b'"a\\u0000b"',
    "a lone surrogate": b'"\\ud800"',
    "surrogates in the wrong order": b'"\\udc00\\ud800"',
    "invalid UTF-8": b'"\xff\xfe"',
    "a surrogate in UTF-8": b'"\xed\xa0\x80"',
    "an overlong encoding": b'"\xc0\xaf"',
    "nested arrays": DEEP_ARRAY,
    "nested objects": DEEP_OBJECT,
}
"""Values that make the whole body unusable, in a field that is known or not."""

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
def test_what_is_not_json(running: Running, route: Route) -> None:
    for body in NOT_JSON.values():
        assert_refused(running.send(route, body), 400)
    assert assert_refused(running.send(route, b"{"), 400) == errors.MALFORMED_JSON.text


@every_body_route
def test_json_that_is_not_an_object(running: Running, route: Route) -> None:
    for why, body in NOT_AN_OBJECT.items():
        assert assert_refused(running.send(route, body), 400) == errors.BODY_REQUIRED.text, why
    for body in (*ENDLESS.values(), DEEP_OBJECT):
        assert_refused(running.send(route, body), 400)


@every_body_route
def test_an_empty_body(running: Running, route: Route) -> None:
    answer = running.send(route, b"")
    if route.body_optional:
        assert answer.status_code < 500
        assert errors.BODY_REQUIRED.text not in answer.text
    else:
        assert assert_refused(answer, 400) == errors.BODY_REQUIRED.text


@every_body_route
def test_an_object_without_the_required_fields(running: Running, route: Route) -> None:
    required = [field.encode_name for field in _fields(route) if field.required]
    if required:
        assert assert_refused(running.send(route, b"{}"), 400) == f"{required[0]} is required"
        assert assert_refused(running.send(route, b'{"unknown": 1}'), 400) == f"{required[0]} is required"


@every_body_route
def test_values_of_every_kind_in_every_field(running: Running, route: Route) -> None:
    for field in _fields(route):
        for why, value in VALUES.items():
            answer = running.send(route, b'{"%s": %s}' % (field.encode_name.encode(), value))
            assert answer.status_code < 500, (field.encode_name, why, answer.text)
            if not _fits(value, field):
                text = assert_refused(answer, 400)
                if not _is_json(value):
                    continue
                assert re.match(rf"{field.encode_name}[ .\[]", text), (field.encode_name, why, text)
                assert "`" not in text


def _is_json(value: bytes) -> bool:
    """Whether the value can be read at all; numbers beyond all bounds cannot."""
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
def test_values_that_no_text_may_hold(running: Running, route: Route) -> None:
    assert route.body is not None
    fitting = json.dumps(sample_body(route.body)).encode().removesuffix(b"}")
    separator = b"" if fitting == b"{" else b", "
    for why, value in ANYWHERE.items():
        for name in ("unknown", *(field.encode_name for field in _fields(route))):
            answer = running.send(route, fitting + separator + b'"%s": %s}' % (name.encode(), value))
            assert answer.status_code == 400, (name, why, answer.status_code, answer.text)
            assert_refused(answer)
        inside = running.send(route, fitting + separator + b'"unknown": {"a": [%s]}}' % value)
        assert inside.status_code == 400, (why, inside.text)


@every_body_route
def test_numbers_beyond_all_bounds_in_fields_that_nobody_knows(running: Running, route: Route) -> None:
    """Ignored, like anything else there."""
    plain = running.send(route, b'{"unknown": 1}')
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
            answer = running.send(route, b'{"unknown": %s}' % value)
            assert answer.status_code == plain.status_code < 500, (value[:20], answer.text)


@every_body_route
def test_names_that_no_text_may_hold(running: Running, route: Route) -> None:
    assert route.body is not None
    fitting = json.dumps(sample_body(route.body)).encode().removesuffix(b"}")
    separator = b"" if fitting == b"{" else b", "
    for name in (b'"\\u0000"', b'"\\ud800"', b'"\xff"'):
        assert_refused(running.send(route, fitting + separator + name + b": 1}"), 400)


@every_body_route
def test_of_a_name_that_is_there_twice_the_last_one_counts(running: Running, route: Route) -> None:
    for field in _fields(route):
        name = field.encode_name.encode()
        for first, last in ((b"[[]]", b'"x"'), (b'"x"', b"[[]]")):
            answer = running.send(route, b'{"%s": %s, "%s": %s}' % (name, first, name, last))
            assert answer.status_code < 500
            if last == b"[[]]" and not _fits(last, field):
                assert assert_refused(answer, 400).startswith(field.encode_name)


@every_body_route
def test_a_body_that_is_too_large(running: Running, route: Route) -> None:
    """Declared or in chunks: refused in the same words."""
    bodies: tuple[bytes | Iterator[bytes], ...] = (
        b" " * TOO_LARGE,
        (b" " * 65_536 for _ in range(TOO_LARGE // 65_536)),
    )
    headers = {**running.credentials(route), "Content-Type": "application/json"}
    for body in bodies:
        with running.process.client() as http:
            refused = http.request(route.method, path_of(route), content=body, headers=headers)
        assert assert_refused(refused, 413) == errors.BODY_TOO_LARGE.text
        running.assert_well()


@every_body_route
def test_other_media_types(running: Running, route: Route) -> None:
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
        refused = running.send(route, b"{", content_type)
        assert assert_refused(refused, 415) == errors.UNSUPPORTED_MEDIA_TYPE.text, content_type
    for content_type in ("application/json; charset=utf-8", "Application/JSON", "application/json ;x=y"):
        read = running.send(route, b"{", content_type)
        assert assert_refused(read, 400) == errors.MALFORMED_JSON.text, content_type


@pytest.mark.parametrize("route", PLAIN_ROUTES, ids=name_of)
def test_routes_that_take_no_body_are_not_upset_by_one(running: Running, route: Route) -> None:
    """What nobody reads cannot be wrong: the answer is the same as without it."""
    headers = running.credentials(route)
    if route.needs.by_login and not route.needs.by_key:
        headers["Cookie"] = "loremark_login=unknown"  # logging out would end the login of the other tests
    without = running.http.request(route.method, path_of(route), headers=headers)
    for body in (b"{", b"\xff\0", DEEP_ARRAY, b" " * TOO_LARGE):
        with running.process.client() as http:
            answer = http.request(route.method, path_of(route), content=body, headers=headers)
        assert answer.status_code == without.status_code < 500
