"""Validation errors are one plain sentence that names the field."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Meta, UnsetType

from loremark.base import errors
from loremark.base.errors import Refusal
from loremark.web.paging import Cursor, Page
from loremark.web.request import Message, Request
from loremark.web.validation import explain, read_json, read_query
from loremark.wire.projects import RepoToken
from loremark.wire.shapes import Email, ProjectName, Shape, Token


class Inner(Shape):
    title: Annotated[str, Meta(min_length=2)]
    kind: Literal["system", "memory"] = "system"


class Order(Shape):
    """A field of every type that our shapes use."""

    name: ProjectName = "x"
    project_id: str = "x"
    files: Annotated[list[str], Meta(max_length=2)] = msgspec.field(default_factory=list)
    tags: list[Annotated[str, Meta(max_length=3)]] = msgspec.field(default_factory=list)
    count: Annotated[int, Meta(ge=1, le=10)] = 1
    share: Annotated[float, Meta(ge=0, le=1.01)] = 0
    seats: Annotated[float, Meta(ge=1, le=9, multiple_of=1)] | None = None
    flag: bool = False
    role: Literal["admin", "member"] = "member"
    level: Literal[1, 2, 3] = 1
    tier: Literal["small", "medium"] | UnsetType | None = UNSET
    note: str | None = None
    email: Email = "a@b"
    inner: Inner | None = None
    nodes: list[Inner] = msgspec.field(default_factory=list)
    payload: dict[str, Any] = msgspec.field(default_factory=dict)


class Strict(Shape):
    first_name: str
    last_name: str


SENTENCES = {
    '{"name": 5}': "name must be a string",
    '{"name": null}': "name must be a string",
    '{"name": "%s"}' % ("x" * 101): "name must have at most 100 characters",
    '{"name": " \\t "}': "name has an invalid format",
    '{"projectId": []}': "projectId must be a string",
    '{"files": {}}': "files must be an array",
    '{"files": ["a", "b", "c"]}': "files must have at most 2 entries",
    '{"files": ["a", 5]}': "files[1] must be a string",
    '{"tags": ["long"]}': "tags[0] must have at most 3 characters",
    '{"count": 0}': "count must be at least 1",
    '{"count": 11}': "count must be at most 10",
    '{"count": 1.5}': "count must be a whole number",
    '{"count": "1"}': "count must be a whole number",
    '{"count": true}': "count must be a whole number",
    '{"share": 2}': "share must be at most 1.01",
    '{"share": "half"}': "share must be a number",
    '{"seats": 1.5}': "seats must be a whole number",
    '{"seats": "1"}': "seats must be a number or null",
    '{"share": 1e999}': "share is out of range",
    '{"count": 1e999}': "count is out of range",
    '{"nodes": [{"title": 1e999}]}': "nodes[0].title is out of range",
    '{"payload": {"a": [{"b": 1e999}]}}': "payload contains a number that is out of range",
    '{"flag": 1}': "flag must be true or false",
    '{"flag": "true"}': "flag must be true or false",
    '{"role": "owner"}': "role must be one of admin, member",
    '{"role": 5}': "role must be one of admin, member",
    '{"role": null}': "role must be one of admin, member",
    '{"level": 4}': "level must be one of 1, 2, 3",
    '{"level": "1"}': "level must be one of 1, 2, 3",
    '{"tier": "large"}': "tier must be one of small, medium",
    '{"note": 5}': "note must be a string or null",
    '{"email": "nobody"}': "email has an invalid format",
    '{"email": "a b@c"}': "email has an invalid format",
    '{"inner": 5}': "inner must be an object or null",
    '{"inner": {}}': "inner.title is required",
    '{"inner": {"title": 5}}': "inner.title must be a string",
    '{"nodes": [{"title": "ok"}, {}]}': "nodes[1].title is required",
    '{"nodes": [{"title": "x"}]}': "nodes[0].title must have at least 2 characters",
    '{"nodes": [5]}': "nodes[0] must be an object",
    '{"payload": []}': "payload must be an object",
    "[]": "Request body must be a JSON object",
    "5": "Request body must be a JSON object",
    "null": "Request body must be a JSON object",
}


@pytest.mark.parametrize(("body", "sentence"), SENTENCES.items())
def test_error_sentence(body: str, sentence: str) -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.json.decode(body, type=Order)
    assert explain(caught.value, Order) == sentence


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("{}", "firstName is required"),
        ('{"first_name": "x"}', "firstName is required"),
        ('{"firstName": "x"}', "lastName is required"),
        ('{"lastName": "x"}', "firstName is required"),
    ],
)
def test_missing_fields_use_their_api_names(body: str, sentence: str) -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.json.decode(body, type=Strict)
    assert explain(caught.value, Strict) == sentence


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NAMES = [field.encode_name for field in msgspec.structs.fields(Order)]
MARK = "zqx` - at `$.secret"


@given(fields=st.dictionaries(st.sampled_from(NAMES), JSON, min_size=1))
def test_any_error_is_one_sentence_naming_the_field(fields: dict[str, Any]) -> None:
    try:
        msgspec.json.decode(json.dumps(fields), type=Order)
    except msgspec.ValidationError as error:
        sentence = explain(error, Order)
        assert re.split(r"[ .\[]", sentence)[0] in fields
        assert re.fullmatch(r"[\w.\[\]]+ (must|is|has) [^`$\n]+", sentence)
        assert "  " not in sentence


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [MARK, [MARK], {MARK: MARK}])
def test_errors_never_echo_the_input(name: str, value: object) -> None:
    try:
        msgspec.json.decode(json.dumps({name: value}), type=Order)
    except msgspec.ValidationError as error:
        sentence = explain(error, Order)
        assert sentence.startswith(name)
        assert "zqx" not in sentence
        assert "secret" not in sentence


async def _no_body() -> Message:
    raise AssertionError("the body should not be read")


def _request(query: bytes = b"", content_type: bytes | None = b"application/json") -> Request:
    headers = [] if content_type is None else [(b"content-type", content_type)]
    return Request({"method": "POST", "path": "/", "query_string": query, "headers": headers}, _no_body)


def _read(raw: bytes, *, optional: bool = False, content_type: bytes | None = b"application/json") -> Any:
    return read_json(_request(content_type=content_type), raw, Order, optional=optional)


def test_empty_body_is_an_empty_object_when_optional() -> None:
    assert _read(b"", optional=True, content_type=None) == Order()
    with pytest.raises(Refusal) as caught:
        _read(b"")
    assert caught.value.kind == errors.BODY_REQUIRED


OUT_OF_RANGE = (b"1e999", b"-1e999", b"9" * 5_000)


@pytest.mark.parametrize("number", OUT_OF_RANGE, ids=["high", "low", "long"])
@pytest.mark.parametrize("around", [b"%s", b"[%s]", b'{"a": [1, {"b": %s}]}'])
def test_out_of_range_number_is_ignored_in_unknown_fields(number: bytes, around: bytes) -> None:
    value = around % number
    assert _read(b'{"count": 3, "unknown": %s, "name": "n"}' % value) == Order(count=3, name="n")
    assert _read(b'{"unknown": %s}' % value) == Order()
    for field, predicate in ((b"payload", "contains a number that is"), (b"share", "is"), (b"count", "is")):
        if field == b"payload" or around == b"%s":
            field_value = b'{"a": %s}' % value if field == b"payload" else value
            with pytest.raises(Refusal) as caught:
                _read(b'{"unknown": %s, "%s": %s}' % (value, field, field_value))
            assert (caught.value.status, caught.value.text) == (400, f"{field.decode()} {predicate} out of range")


@pytest.mark.parametrize(
    "rest",
    [b"", b"]", b'}, "count": 1}', b', "x": NaN}', b', "x": -Infinity}', b', "x": "\xff"}', b', "x": 01}', b"} {}"],
)
def test_out_of_range_number_does_not_excuse_other_errors(rest: bytes) -> None:
    with pytest.raises(Refusal) as caught:
        _read(b'{"unknown": 1e999' + rest)
    assert caught.value.kind == errors.MALFORMED_JSON


@pytest.mark.parametrize(
    "content_type", [None, b"", b"text/plain", b"application/jsonx", b"application/json-patch+json"]
)
def test_only_json_is_accepted(content_type: bytes | None) -> None:
    with pytest.raises(Refusal) as caught:
        _read(b"{}", content_type=content_type)
    assert caught.value.kind == errors.UNSUPPORTED_MEDIA_TYPE


@pytest.mark.parametrize(
    ("raw", "refused"),
    [
        (rb'{"projectId": "\u0000"}', True),
        (rb'{"projectId": "a\u0000b"}', True),
        (rb'{"projectId": "\\\u0000"}', True),
        (rb'{"\u0000": 1}', True),
        (rb'{"payload": {"deep": ["\u0000"]}}', True),
        (rb'{"projectId": "\\u0000"}', False),
        (rb'{"projectId": "\\\\u0000"}', False),
        (rb'{"projectId": "u0000"}', False),
    ],
)
def test_escaped_nul_is_distinguished_from_an_escaped_backslash(raw: bytes, refused: bool) -> None:
    if refused:
        with pytest.raises(Refusal) as caught:
            _read(raw)
        assert caught.value.kind == errors.NUL_CHARACTER
    else:
        assert _read(raw).project_id == json.loads(raw)["projectId"]


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_text_is_refused_exactly_when_it_contains_nul(text: str) -> None:
    raw = json.dumps({"note": text}).encode()
    if "\0" in text:
        with pytest.raises(Refusal) as caught:
            _read(raw)
        assert caught.value.kind == errors.NUL_CHARACTER
    else:
        assert _read(raw).note == text


@pytest.mark.parametrize(
    ("kind", "text"),
    [(Email, "a@example.com"), (Token, "abc.def-1"), (RepoToken, "ghp_abc"), (Cursor, "prj_" + "0" * 26)],
    ids=["email", "token", "repoHostToken", "cursor"],
)
def test_patterns_reject_trailing_characters(kind: Any, text: str) -> None:
    """Python's ``$`` also matches before a trailing newline, which would allow header injection."""
    assert msgspec.convert(text, kind) == text
    for end in ("\n", "\r\n", " ", "\0", "\u2028"):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(text + end, kind)


@pytest.mark.parametrize(
    ("query", "limit", "cursor"),
    [
        (b"", 1000, None),
        (b"limit=5", 5, None),
        (b"limit=5&limit=7", 7, None),
        (b"limit=5&unknown=x", 5, None),
        (b"cursor=prj_00000000000000000000000000&limit=1", 1, "prj_00000000000000000000000000"),
        (b"&&limit=2&", 2, None),
    ],
)
def test_valid_queries(query: bytes, limit: int, cursor: str | None) -> None:
    page = read_query(_request(query), Page)
    assert (page.limit, page.cursor) == (limit, cursor)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (b"limit=0", "limit must be at least 1"),
        (b"limit=1001", "limit must be at most 1000"),
        (b"limit=-1", "limit must be at least 1"),
        (b"limit=", "limit must be a whole number"),
        (b"limit", "limit must be a whole number"),
        (b"limit=x", "limit must be a whole number"),
        (b"limit=1.5", "limit must be a whole number"),
        (b"limit=null", "limit must be a whole number"),
        (b"limit=true", "limit must be a whole number"),
        (b"cursor=", "cursor has an invalid format"),
        (b"cursor=null", "cursor has an invalid format"),
        (b"cursor=prj_1", "cursor has an invalid format"),
        (b"x=%00", "Text must not contain NUL characters"),
        (b"%00=x", "Text must not contain NUL characters"),
        (b"x=%ff", "The query string is not valid UTF-8"),
        (b"%ff", "The query string is not valid UTF-8"),
        (b"x=\xff", "The query string is not valid UTF-8"),
    ],
)
def test_invalid_queries(query: bytes, sentence: str) -> None:
    with pytest.raises(Refusal) as caught:
        read_query(_request(query), Page)
    assert (caught.value.status, caught.value.text) == (400, sentence)


def _status(read: Callable[[], object]) -> int:
    try:
        read()
    except Refusal as refusal:
        return refusal.status
    return 200


@given(query=st.binary(max_size=60))
def test_any_query_is_read_or_refused(query: bytes) -> None:
    assert _status(lambda: read_query(_request(query), Page)) in (200, 400)


@given(raw=st.binary(max_size=60))
def test_any_body_is_read_or_refused(raw: bytes) -> None:
    assert _status(lambda: _read(raw)) in (200, 400)
