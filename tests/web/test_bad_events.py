"""Ingest on a real server: any signed body is stored unchanged or refused with the documented error."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from loremark.base import errors, ids
from tests.web.running import SIGNED_ROUTES, RunningServer, assert_refused, path_of
from tests.web.test_bad_bodies import DEEP, DEEP_ARRAY, DEEP_OBJECT, NOT_AN_OBJECT, NOT_JSON, OVERSIZED, TOO_LARGE

INGEST = next(route for route in SIGNED_ROUTES if route.name == "ingest.send")

VALUES = {
    "NUL": '"a\\u0000b"',
    "a lone NUL": '"\\u0000"',
    "controls": '"\\u0001\\u007f\\u0085\\u2028\\t\\n"',
    "quotes": '"\'; drop table events; --"',
    "a backslash before u": '"\\\\u0000"',
    "another script": '"\u0436\U0001f5ff"',
    "long": '"' + "x" * 300_000 + '"',
    "long with NUL": '"' + "\\u0000x" * 10_000 + '"',
    "a mark of ours": '{"$blob": "../../etc/passwd", "size": 1}',
    "numbers": "[0, -1, 0.5, 1e300, 9007199254740993]",
    "null": "null",
    "empty": '{"": {}}',
    "deep": "[" * 199 + "]" * 199,
    "prototype": '{"__proto__": {"admin": true}}',
}
"""Values that a payload may contain."""
UNREADABLE = {
    "invalid UTF-8": b'"\xff\xfe"',
    "a surrogate in UTF-8": b'"\xed\xa0\x80"',
    "beyond float": b"1e400",
    "too deep": b"[" * 200 + b"]" * 200,
    "nested arrays": DEEP_ARRAY,
    "nested objects": DEEP_OBJECT,
    "NaN": b"NaN",
}
"""Values that no payload may contain."""


def test_other_signed_routes_have_similar_tests() -> None:
    assert {route.group for route in SIGNED_ROUTES} == {"ingest", "genesis"}, "see test_bad_scans.py"


def _assert_invalid_body(server: RunningServer, body: bytes, **headers: str) -> None:
    response = server.send(INGEST, body, "application/json", **headers)
    assert assert_refused(response, 400) == errors.INVALID_BODY.text, body[:60]


def test_invalid_events_get_one_error(server: RunningServer) -> None:
    for body in (*NOT_JSON.values(), *NOT_AN_OBJECT.values(), *OVERSIZED.values(), DEEP_OBJECT, b"", b"{}"):
        _assert_invalid_body(server, body)
        _assert_invalid_body(server, gzip.compress(body), **{"Content-Encoding": "gzip"})
    for event in ('"unheard_of"', "null", "5", "[]", '"SESSION_SAVE"', '"session_save\\u0000"'):
        _assert_invalid_body(server, f'{{"event": {event}, "payload": {{}}}}'.encode())
    for payload in ("null", "5", "[]", '"text"', "[{}]", "true"):
        _assert_invalid_body(server, f'{{"event": "session_save", "payload": {payload}}}'.encode())
    for why, value in UNREADABLE.items():
        for where in (b'"payload": {"a": %s}', b'"payload": {"a": [{"b": %s}]}', b'"unknown": %s, "payload": {}'):
            if b"unknown" not in where or why not in ("beyond float", "too deep"):  # not decoded there
                _assert_invalid_body(server, b'{"event": "session_save", ' + where % value + b"}")


@pytest.mark.parametrize("why", VALUES)
def test_payload_may_contain_anything_and_is_returned_unchanged(server: RunningServer, why: str) -> None:
    nonce = ids.new("evt")
    body = f'{{"event": "session_save", "payload": {{"nonce": "{nonce}", "value": {VALUES[why]}}}}}'.encode()
    stored = server.send(INGEST, body)
    assert stored.status_code == 202, stored.text
    again = server.send(INGEST, gzip.compress(body), "application/json", **{"Content-Encoding": "gzip"})
    assert again.json() == {**stored.json(), "duplicate": True}
    payload = _payload(server, stored.json())
    assert payload == json.loads(body)["payload"]


def _payload(server: RunningServer, stored: dict[str, Any]) -> Any:
    """The full payload of a stored event."""
    url = f"/api/v2/sessions/{stored['sessionId']}/events?blobs=inline"
    listed = server.http.get(url, headers={"Authorization": f"Bearer {server.key}"})
    assert listed.status_code == 200, listed.text
    return next(entry["payload"] for entry in listed.json() if entry["id"] == stored["eventId"])


@pytest.mark.parametrize("source", ["a\\u0000b", "\\u0000", " ", "x" * 5_000, "\u0436" * 60, "'; --"])
def test_source_may_be_any_text(server: RunningServer, source: str) -> None:
    body = f'{{"event": "session_save", "payload": {{"nonce": "{ids.new("evt")}", "source": "{source}"}}}}'.encode()
    stored = server.send(INGEST, body)
    assert stored.status_code == 202, stored.text
    assert _payload(server, stored.json()) == json.loads(body)["payload"]


def test_duplicate_and_unknown_fields(server: RunningServer) -> None:
    nonce = ids.new("evt")
    duplicates = b'"event": "git_digest", "event": "session_save", "payload": {"first": 1}, "payload": {"last": "%s"}'
    stored = server.send(INGEST, b"{%s, %s}" % (duplicates % nonce.encode(), b'"unknown": []'))
    assert stored.status_code == 202, stored.text
    assert _payload(server, stored.json()) == {"last": nonce}


def test_body_too_large_in_any_encoding(server: RunningServer) -> None:
    chunks = (b" " * 65_536 for _ in range(TOO_LARGE // 65_536))
    bomb = gzip.compress(b" " * (200 * 1024 * 1024), 9)
    for body, encoding in ((b" " * TOO_LARGE, "identity"), (chunks, "identity"), (bomb, "gzip")):
        signed = body if isinstance(body, bytes) else b""
        headers = {**server.credentials(INGEST, signed), "Content-Type": "application/json"}
        with server.process.client() as http:
            refused = http.post(path_of(INGEST), content=body, headers={**headers, "Content-Encoding": encoding})
        assert assert_refused(refused, 413) == errors.BODY_TOO_LARGE.text


def test_unsupported_media_types_and_encodings(server: RunningServer) -> None:
    for content_type in (None, "", "text/plain", "application/jsonp", "application/x-www-form-urlencoded"):
        refused = server.send(INGEST, b"{", content_type)
        assert assert_refused(refused, 415) == errors.UNSUPPORTED_MEDIA_TYPE.text, content_type
    for encoding in ("br", "deflate", "gzip, gzip", "x"):
        refused = server.send(INGEST, b"{}", "application/json", **{"Content-Encoding": encoding})
        assert assert_refused(refused, 415) == errors.UNSUPPORTED_ENCODING.text, encoding
    packed = gzip.compress(b'{"event": "session_save", "payload": {}}')
    for broken in (packed[:-1], packed[: len(packed) // 2], packed + packed, b"\x1f\x8b", b"plain", DEEP * b"\0"):
        _assert_invalid_body(server, broken, **{"Content-Encoding": "gzip"})
