"""Every route, over a real server: paths, queries, methods and headers that nobody in their right mind would send."""

from __future__ import annotations

import json

import msgspec
import pytest

from loremark.base import errors
from loremark.web.routes import Route
from tests.web.raw import Answer, request
from tests.web.running import API_ROUTES, QUERY_ROUTES, Running, name_of, path_of, sample_body

every_route = pytest.mark.parametrize("route", API_ROUTES, ids=name_of)

SEGMENTS = {
    "NUL": "%00",
    "NUL inside": "prj_%00",
    "invalid UTF-8": "%ff%fe",
    "a surrogate": "%ED%A0%80",
    "a broken escape": "%",
    "not hexadecimal": "%zz",
    "up": "..",
    "up, escaped": "%2e%2e",
    "a slash, escaped": "..%2f..%2fetc%2fpasswd",
    "a backslash": "%5c..%5c",
    "quotes": "'%20or%20'1'='1",
    "another script": "%D0%B6%F0%9F%97%BF",
    "a line break": "prj_00000000000000000000000000%0a",
    "the router's own sign": "{}",
    "a semicolon": "x;y=z",
    "long": "a" * 8_000,
    "very long": "a" * 30_000,
}
PATHS = {
    "two slashes in front": b"//api/projects",
    "two slashes inside": b"/api//projects",
    "a slash at the end": b"/api/projects/",
    "up and down": b"/api/../api/projects",
    "up and down, escaped": b"/api/%2e%2e/api/projects",
    "a dot": b"/api/./projects",
    "upper case": b"/API/projects",
    "a parameter": b"/api/projects;a=b",
    "NUL at the end": b"/api/projects%00",
    "NUL": b"/%00",
    "another file": b"/../../../../etc/passwd",
    "another file, escaped": b"/assets/..%2f..%2f..%2fetc%2fpasswd",
    "a file of ours": b"/assets/%2e%2e%2froutes.py",
    "star": b"*",
    "very many segments": b"/" + b"a/" * 4_000,
}
VALUES = {
    "empty": "",
    "null": "null",
    "word": "x",
    "negative": "-1",
    "zero": "0",
    "beyond the bound": "1001",
    "fraction": "1.5",
    "exponent": "1e400",
    "not a number": "NaN",
    "huge": "9" * 5_000,
    "quotes": "'%20or%201=1",
    "an identifier and a line break": "prj_00000000000000000000000000%0a",
    "long": "a" * 20_000,
    "object": "%7B%7D",
}
HEADERS = {
    "no scheme": b"Authorization: garbage",
    "no key": b"Authorization: Bearer",
    "blank": b"Authorization: ",
    "another scheme": b"Authorization: Basic b3duZXI6cGFzc3dvcmQ=",
    "not ASCII": "Authorization: Bearer schlüssel".encode(),
    "not UTF-8": b"Authorization: Bearer \xff\xfe",
    "long": b"Authorization: Bearer service_sk_" + b"a" * 60_000,
    "a strange cookie": b"Cookie: loremark_login=\xff; ;=;;loremark_login",
    "a long cookie": b"Cookie: loremark_login=" + b"a" * 60_000,
    "many cookies": b"Cookie: " + b"a=b; " * 10_000,
}


def call(running: Running, route: Route, target: str, *lines: bytes, method: str | None = None) -> Answer:
    """The owner calls this target of the route with a body that fits."""
    body = json.dumps(sample_body(route.body)).encode() if route.body is not None else b""
    headers = {**running.credentials(route, body), "Content-Type": "application/json", "Connection": "close"}
    with running.connect() as connection:
        connection.send(request((method or route.method).encode(), target.encode(), headers, *lines, body=body))
        answer = connection.read(head_only=method == "HEAD")
    assert answer is not None
    return answer


@pytest.mark.parametrize("route", [route for route in API_ROUTES if route.path_parameters], ids=name_of)
def test_strange_identifiers_are_of_nothing(running: Running, route: Route) -> None:
    for why, segment in SEGMENTS.items():
        answer = call(running, route, path_of(route, segment))
        assert answer.status in (400, 404), (why, answer)
        assert answer.error


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_strange_paths_lead_nowhere(running: Running, method: str) -> None:
    for why, path in PATHS.items():
        with running.connect() as connection:
            bearer = {"Authorization": f"Bearer {running.key}", "Connection": "close"}
            answer = connection.send(request(method.encode(), path, bearer)).read()
        assert answer is not None
        assert (answer.status, answer.error) == (404, "Not found"), why


def _with(route: Route, name: str, value: str) -> str:
    """The path with this parameter, and something for every other that may not be left out."""
    assert route.query is not None
    needed = [field.encode_name for field in msgspec.structs.fields(route.query) if field.required]
    fitting = {"at": "2026-01-01T00:00:00Z"}
    others = (f"&{other}={fitting.get(other, 'xyz')}" for other in needed if other != name)
    return f"{path_of(route)}?{name}={value}" + "".join(others)


@pytest.mark.parametrize("route", QUERY_ROUTES, ids=name_of)
def test_values_of_every_kind_in_every_query_parameter(running: Running, route: Route) -> None:
    assert route.query is not None
    for field in msgspec.structs.fields(route.query):
        for why, value in VALUES.items():
            answer = call(running, route, _with(route, field.encode_name, value))
            if answer.status != 200:
                assert answer.status in (400, 404), (field.encode_name, why, answer)
                assert answer.error.startswith(field.encode_name) or answer.status == 404


@pytest.mark.parametrize("route", QUERY_ROUTES, ids=name_of)
def test_what_no_query_may_hold(running: Running, route: Route) -> None:
    assert route.query is not None
    names = [field.encode_name for field in msgspec.structs.fields(route.query)]
    for name in (*names, "unknown"):
        for value, text in (
            ("%00", errors.NUL_CHARACTER.text),
            ("a%00b", errors.NUL_CHARACTER.text),
            ("%ff", "The query string is not valid UTF-8"),
            ("%ED%A0%80", "The query string is not valid UTF-8"),
            ("%C0%AF", "The query string is not valid UTF-8"),
        ):
            answer = call(running, route, f"{path_of(route)}?{name}={value}")
            assert (answer.status, answer.error) == (400, text), (name, value)
    assert call(running, route, f"{path_of(route)}?%ff=1").status == 400


@pytest.mark.parametrize("route", QUERY_ROUTES, ids=name_of)
def test_a_closed_set_of_words_is_closed_in_queries_too(running: Running, route: Route) -> None:
    """``null`` is a word like any other there: a parameter is given or not, it is never null."""
    assert route.query is not None
    for field in msgspec.structs.fields(route.query):
        info = msgspec.inspect.type_info(field.type)
        kinds = info.types if isinstance(info, msgspec.inspect.UnionType) else (info,)
        if any(isinstance(kind, msgspec.inspect.LiteralType) for kind in kinds):
            for word in ("null", "None", "", "x"):
                answer = call(running, route, _with(route, field.encode_name, word))
                assert answer.status == 400, (field.encode_name, word)
                assert answer.error.startswith(f"{field.encode_name} must be one of ")


@every_route
def test_methods_that_are_not_there(running: Running, route: Route) -> None:
    """Refused before anything else, with the methods that are."""
    there = {other.method for other in API_ROUTES if path_of(other) == path_of(route)}
    allowed = ", ".join(sorted(there) + (["HEAD"] if "GET" in there else []))
    for method in {"TRACE", "OPTIONS", "PUT", "PROPFIND"} - there:
        answer = call(running, route, path_of(route), method=method)
        assert (answer.status, answer.headers.get("allow")) == (405, allowed), method
        assert answer.error == errors.METHOD_NOT_ALLOWED.text
    for word in ("FOO", "get", "A" * 1_000):
        answer = call(running, route, path_of(route), method=word)
        assert answer.status in (400, 405), "the server may not even take it for a method"
        assert answer.error


@every_route
def test_strange_credentials_are_none(running: Running, route: Route) -> None:
    for why, line in HEADERS.items():
        with running.connect() as connection:
            answer = connection.send(
                request(route.method.encode(), path_of(route).encode(), {"Connection": "close"}, line)
            ).read()
        assert answer is not None
        if route.needs.credentials is None and route.method == "GET":
            assert answer.status == route.status, (why, answer)  # nobody is asked who they are
        elif route.needs.credentials is None:
            assert 400 <= answer.status < 500, (why, answer)
            assert answer.error
        else:
            expected = errors.MISSING_HEADER if route.needs.by_signature else route.unauthorized
            assert (answer.status, answer.error) == (401, expected.text), why


@pytest.mark.parametrize("method", [b"GET", b"POST"])
def test_strange_headers_that_matter_to_nobody(running: Running, method: bytes) -> None:
    """The answer is that of the same request without them."""
    bearer = {"Authorization": f"Bearer {running.key}", "Connection": "close"}
    expected = 200 if method == b"GET" else 400
    for line in (
        b"X-Request-Id: \xff\xff\xff\xff\xff\xff\xff\xff",
        b"X-Request-Id: " + b"a" * 60_000,
        b"X-Forwarded-For: \xff, 1.2.3.4, ::, garbage",
        b"X-Forwarded-Proto: https, http",
        b"Accept: \xff",
        b"Accept-Encoding: gzip, br, \xff",
        b"If-None-Match: \xff",
        b"If-Match: " + b'"x", ' * 5_000,
        b"Origin: null",
        b"Range: bytes=-1",
        b"Expect: something-else",
        b"X-HTTP-Method-Override: DELETE",
        b"Host: evil.example.com",
    ):
        with running.connect() as connection:
            answer = connection.send(request(method, b"/api/projects", bearer, line)).read()
        assert answer is not None
        assert answer.status == expected, (line[:60], answer)
