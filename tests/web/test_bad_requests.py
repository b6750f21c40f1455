"""Every route on a real server: malformed paths, queries, methods and headers."""

from __future__ import annotations

import json

import msgspec
import pytest

from loremark.base import errors
from loremark.web.routes import Route
from tests.web.raw import RawResponse, request
from tests.web.running import API_ROUTES, QUERY_ROUTES, RunningServer, name_of, path_of, sample_body

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


def call(server: RunningServer, route: Route, target: str, *lines: bytes, method: str | None = None) -> RawResponse:
    """Call this target as the owner, with a valid body."""
    body = json.dumps(sample_body(route.body)).encode() if route.body is not None else b""
    headers = {**server.credentials(route, body), "Content-Type": "application/json", "Connection": "close"}
    with server.connect() as connection:
        connection.send(request((method or route.method).encode(), target.encode(), headers, *lines, body=body))
        response = connection.read(head_only=method == "HEAD")
    assert response is not None
    return response


@pytest.mark.parametrize("route", [route for route in API_ROUTES if route.path_parameters], ids=name_of)
def test_malformed_ids_are_rejected(server: RunningServer, route: Route) -> None:
    for why, segment in SEGMENTS.items():
        response = call(server, route, path_of(route, segment))
        assert response.status in (400, 404), (why, response)
        assert response.error


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_malformed_paths_are_not_found(server: RunningServer, method: str) -> None:
    for why, path in PATHS.items():
        with server.connect() as connection:
            bearer = {"Authorization": f"Bearer {server.key}", "Connection": "close"}
            response = connection.send(request(method.encode(), path, bearer)).read()
        assert response is not None
        assert (response.status, response.error) == (404, "Not found"), why


def _path_with(route: Route, name: str, value: str) -> str:
    """The path with this query parameter, plus a value for every other required one."""
    assert route.query is not None
    needed = [field.encode_name for field in msgspec.structs.fields(route.query) if field.required]
    samples = {"at": "2026-01-01T00:00:00Z"}
    others = (f"&{other}={samples.get(other, 'xyz')}" for other in needed if other != name)
    return f"{path_of(route)}?{name}={value}" + "".join(others)


@pytest.mark.parametrize("route", QUERY_ROUTES, ids=name_of)
def test_every_kind_of_value_in_every_query_parameter(server: RunningServer, route: Route) -> None:
    assert route.query is not None
    for field in msgspec.structs.fields(route.query):
        for why, value in VALUES.items():
            response = call(server, route, _path_with(route, field.encode_name, value))
            if response.status != 200:
                assert response.status in (400, 404), (field.encode_name, why, response)
                assert response.error.startswith(field.encode_name) or response.status == 404


@pytest.mark.parametrize("route", QUERY_ROUTES, ids=name_of)
def test_nul_and_invalid_utf8_in_queries(server: RunningServer, route: Route) -> None:
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
            response = call(server, route, f"{path_of(route)}?{name}={value}")
            assert (response.status, response.error) == (400, text), (name, value)
    assert call(server, route, f"{path_of(route)}?%ff=1").status == 400


@pytest.mark.parametrize("route", QUERY_ROUTES, ids=name_of)
def test_enum_query_parameters_reject_other_words(server: RunningServer, route: Route) -> None:
    """``null`` is an ordinary word in a query: a parameter is present or absent, never null."""
    assert route.query is not None
    for field in msgspec.structs.fields(route.query):
        info = msgspec.inspect.type_info(field.type)
        kinds = info.types if isinstance(info, msgspec.inspect.UnionType) else (info,)
        if any(isinstance(kind, msgspec.inspect.LiteralType) for kind in kinds):
            for word in ("null", "None", "", "x"):
                response = call(server, route, _path_with(route, field.encode_name, word))
                assert response.status == 400, (field.encode_name, word)
                assert response.error.startswith(f"{field.encode_name} must be one of ")


@every_route
def test_unsupported_methods(server: RunningServer, route: Route) -> None:
    """Refused before any other check, listing the allowed methods."""
    supported = {other.method for other in API_ROUTES if path_of(other) == path_of(route)}
    allowed = ", ".join(sorted(supported) + (["HEAD"] if "GET" in supported else []))
    for method in {"TRACE", "OPTIONS", "PUT", "PROPFIND"} - supported:
        response = call(server, route, path_of(route), method=method)
        assert (response.status, response.headers.get("allow")) == (405, allowed), method
        assert response.error == errors.METHOD_NOT_ALLOWED.text
    for word in ("FOO", "get", "A" * 1_000):
        response = call(server, route, path_of(route), method=word)
        assert response.status in (400, 405), "the HTTP parser may reject it first"
        assert response.error


@every_route
def test_malformed_credentials_count_as_missing(server: RunningServer, route: Route) -> None:
    for why, line in HEADERS.items():
        with server.connect() as connection:
            response = connection.send(
                request(route.method.encode(), path_of(route).encode(), {"Connection": "close"}, line)
            ).read()
        assert response is not None
        takes_body = route.body is not None or route.raw_body is not None
        if route.needs.credentials is None and route.method == "GET":
            assert response.status == route.status, (why, response)  # public, so credentials are not checked
        elif route.needs.credentials is None and response.status == route.status:
            assert not takes_body, (why, response)  # only a public route without a body can succeed without one
        elif route.needs.credentials is None:
            assert 400 <= response.status < 500, (why, response)
            assert response.error
        else:
            expected = errors.MISSING_HEADER if route.needs.by_signature else route.unauthorized
            assert (response.status, response.error) == (401, expected.text), why


@pytest.mark.parametrize("method", [b"GET", b"POST"])
def test_malformed_irrelevant_headers_are_ignored(server: RunningServer, method: bytes) -> None:
    """The response is the same as without them."""
    bearer = {"Authorization": f"Bearer {server.key}", "Connection": "close"}
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
    ):
        with server.connect() as connection:
            response = connection.send(request(method, b"/api/projects", bearer, line)).read()
        assert response is not None
        assert response.status == expected, (line[:60], response)
