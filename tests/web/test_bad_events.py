"""Ingest over a real server: whatever is sent, signed and all, is kept as it is or refused in the agreed words."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from loremark.base import errors, ids
from tests.web.running import SIGNED_ROUTES, Running, assert_refused, path_of
from tests.web.test_bad_bodies import DEEP, DEEP_ARRAY, DEEP_OBJECT, ENDLESS, NOT_AN_OBJECT, NOT_JSON, TOO_LARGE

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
"""What a payload may hold."""
UNREADABLE = {
    "invalid UTF-8": b'"\xff\xfe"',
    "a surrogate in UTF-8": b'"\xed\xa0\x80"',
    "beyond float": b"1e400",
    "too deep": b"[" * 200 + b"]" * 200,
    "nested arrays": DEEP_ARRAY,
    "nested objects": DEEP_OBJECT,
    "NaN": b"NaN",
}
"""What no payload may hold."""


def test_the_other_signed_routes_have_tests_like_these() -> None:
    assert {route.group for route in SIGNED_ROUTES} == {"ingest", "genesis"}, "see test_bad_scans.py"


def _refused(running: Running, body: bytes, **headers: str) -> None:
    answer = running.send(INGEST, body, "application/json", **headers)
    assert assert_refused(answer, 400) == errors.INVALID_BODY.text, body[:60]


def test_what_is_no_event_is_refused_in_one_wording(running: Running) -> None:
    for body in (*NOT_JSON.values(), *NOT_AN_OBJECT.values(), *ENDLESS.values(), DEEP_OBJECT, b"", b"{}"):
        _refused(running, body)
        _refused(running, gzip.compress(body), **{"Content-Encoding": "gzip"})
    for event in ('"unheard_of"', "null", "5", "[]", '"SESSION_SAVE"', '"session_save\\u0000"'):
        _refused(running, f'{{"event": {event}, "payload": {{}}}}'.encode())
    for payload in ("null", "5", "[]", '"text"', "[{}]", "true"):
        _refused(running, f'{{"event": "session_save", "payload": {payload}}}'.encode())
    for why, value in UNREADABLE.items():
        for where in (b'"payload": {"a": %s}', b'"payload": {"a": [{"b": %s}]}', b'"unknown": %s, "payload": {}'):
            if b"unknown" not in where or why not in ("beyond float", "too deep"):  # nobody reads it there
                _refused(running, b'{"event": "session_save", ' + where % value + b"}")


@pytest.mark.parametrize("why", VALUES)
def test_a_payload_may_hold_anything_and_is_given_back_as_it_was(running: Running, why: str) -> None:
    nonce = ids.new("evt")
    body = f'{{"event": "session_save", "payload": {{"nonce": "{nonce}", "value": {VALUES[why]}}}}}'.encode()
    kept = running.send(INGEST, body)
    assert kept.status_code == 202, kept.text
    again = running.send(INGEST, gzip.compress(body), "application/json", **{"Content-Encoding": "gzip"})
    assert again.json() == {**kept.json(), "duplicate": True}
    payload = _payload(running, kept.json())
    assert payload == json.loads(body)["payload"]


def _payload(running: Running, kept: dict[str, Any]) -> Any:
    """The payload of a kept event, whole."""
    url = f"/api/v2/sessions/{kept['sessionId']}/events?blobs=inline"
    listed = running.http.get(url, headers={"Authorization": f"Bearer {running.key}"})
    assert listed.status_code == 200, listed.text
    return next(entry["payload"] for entry in listed.json() if entry["id"] == kept["eventId"])


@pytest.mark.parametrize("source", ["a\\u0000b", "\\u0000", " ", "x" * 5_000, "\u0436" * 60, "'; --"])
def test_a_source_may_be_any_text(running: Running, source: str) -> None:
    body = f'{{"event": "session_save", "payload": {{"nonce": "{ids.new("evt")}", "source": "{source}"}}}}'.encode()
    kept = running.send(INGEST, body)
    assert kept.status_code == 202, kept.text
    assert _payload(running, kept.json()) == json.loads(body)["payload"]


def test_names_that_are_there_twice_or_known_to_nobody(running: Running) -> None:
    nonce = ids.new("evt")
    twice = b'"event": "git_digest", "event": "session_save", "payload": {"first": 1}, "payload": {"last": "%s"}'
    kept = running.send(INGEST, b"{%s, %s}" % (twice % nonce.encode(), b'"unknown": []'))
    assert kept.status_code == 202, kept.text
    assert _payload(running, kept.json()) == {"last": nonce}


def test_bodies_that_are_too_large_however_they_come(running: Running) -> None:
    chunks = (b" " * 65_536 for _ in range(TOO_LARGE // 65_536))
    bomb = gzip.compress(b" " * (200 * 1024 * 1024), 9)
    for body, encoding in ((b" " * TOO_LARGE, "identity"), (chunks, "identity"), (bomb, "gzip")):
        covered = body if isinstance(body, bytes) else b""
        headers = {**running.credentials(INGEST, covered), "Content-Type": "application/json"}
        with running.process.client() as http:
            refused = http.post(path_of(INGEST), content=body, headers={**headers, "Content-Encoding": encoding})
        assert assert_refused(refused, 413) == errors.BODY_TOO_LARGE.text


def test_what_is_neither_json_nor_gzip(running: Running) -> None:
    for content_type in (None, "", "text/plain", "application/jsonp", "application/x-www-form-urlencoded"):
        refused = running.send(INGEST, b"{", content_type)
        assert assert_refused(refused, 415) == errors.UNSUPPORTED_MEDIA_TYPE.text, content_type
    for encoding in ("br", "deflate", "gzip, gzip", "x"):
        refused = running.send(INGEST, b"{}", "application/json", **{"Content-Encoding": encoding})
        assert assert_refused(refused, 415) == errors.UNSUPPORTED_ENCODING.text, encoding
    packed = gzip.compress(b'{"event": "session_save", "payload": {}}')
    for broken in (packed[:-1], packed[: len(packed) // 2], packed + packed, b"\x1f\x8b", b"plain", DEEP * b"\0"):
        _refused(running, broken, **{"Content-Encoding": "gzip"})
