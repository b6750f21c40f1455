"""Redaction: finds secrets in everyday lines, leaves ordinary text alone, changes nothing twice, and stays linear."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.base.redaction.redacting import redact, redact_payload
from tests.memory.secret_samples import ALNUM, INNOCENT, SECRETS, made_up

PROPERTY = settings(max_examples=200, deadline=None, database=None)
MARKER_CHARS = 40
WORST_CHARS = 200_000

PIECES = st.sampled_from(
    [line for line, _ in SECRETS]
    + [secret for _, secret in SECRETS]
    + INNOCENT
    + [
        "password=",
        "token: ",
        "'",
        '"',
        "://",
        "@",
        ":",
        "[redacted:",
        "]",
        "\n",
        "=",
        "-----BEGIN PRIVATE KEY-----",
        " ",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=12), max_size=8).map("".join)


def test_the_samples_are_many() -> None:
    assert len({line for line, _ in SECRETS}) >= 120
    assert len(set(INNOCENT)) >= 120


def test_recall_on_lines_with_a_secret() -> None:
    missed = [line for line, secret in SECRETS if secret in redact(line)[0] or redact(line)[1] == 0]
    assert len(missed) <= len(SECRETS) * 0.02, missed


def test_ordinary_lines_stay_as_they_are() -> None:
    touched = [(line, redact(line)[0]) for line in INNOCENT if redact(line) != (line, 0)]
    assert touched == []


def test_what_stands_around_a_secret_stays() -> None:
    token = "ghp_" + made_up(ALNUM, 36, "around")
    assert redact(f"Rotate {token}, then push.") == ("Rotate [redacted:github-token], then push.", 1)
    assert redact("postgres://app:s3cr3tPw@db:5432/x") == ("postgres://app:[redacted:url-password]@db:5432/x", 1)
    assert redact("DB_PASSWORD='hunter2' make") == ("DB_PASSWORD='[redacted:password]' make", 1)
    assert redact(f"{token} {token}")[1] == 2


@PROPERTY
@given(text=TEXTS)
def test_twice_is_once_and_the_length_is_bounded(text: str) -> None:
    clean, found = redact(text)
    assert redact(clean) == (clean, 0)
    assert (found == 0) == (clean == text)
    assert len(clean) <= len(text) + MARKER_CHARS * found


PAYLOADS = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["password", "apiKey", "note", "name", "value", "token", "x"]) | PIECES, inner, max_size=3
        )
    ),
    max_leaves=8,
)


@PROPERTY
@given(payload=PAYLOADS)
def test_a_payload_keeps_its_form(payload: Any) -> None:
    clean, found = redact_payload(payload)
    assert redact_payload(clean) == (clean, 0)
    assert (found == 0) == (clean == payload)
    assert _shape(clean) == _shape(payload)


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return [_shape(each) for each in value.values()]
    return [_shape(each) for each in value] if isinstance(value, list) else type(value)


def test_a_key_that_names_a_secret_takes_its_value() -> None:
    payload = {
        "password": "simpleword",
        "db": {"clientSecret": "abcdef", "host": "db.internal", "port": 5432},
        "apiKey": "your-api-key",
        "env": [{"name": "API_TOKEN", "value": "plainvalue"}, {"name": "REGION", "value": "eu-west-1"}],
        "maxTokens": "4096",
        "token": None,
        "note": "password: Tr0ub4dor&3",
    }
    clean, found = redact_payload(payload)
    assert found == 4
    assert clean == {
        "password": "[redacted:secret]",
        "db": {"clientSecret": "[redacted:secret]", "host": "db.internal", "port": 5432},
        "apiKey": "your-api-key",
        "env": [{"name": "API_TOKEN", "value": "[redacted:secret]"}, {"name": "REGION", "value": "eu-west-1"}],
        "maxTokens": "4096",
        "token": None,
        "note": "password: [redacted:password]",
    }


@pytest.mark.parametrize(
    "unit",
    [
        "a", "eyJ", "eyJaaaaaaaa.", "sk-", "a://b:", "http://", "password=", "token: ", "'token': '", "Bearer ",
        "Cookie: a=b; ", "-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA\n",
        "mysql ", " -u a:", "login x ", "M.", "hooks.slack.com/services/", "secret_key_key", "?sig=", "xoxb-", "AKIA",
        "password is ", "authorization: ", "1//0", "A" * 26 + ".", "token=" + "Aa1" * 12 + " ", "[redacted:x]",
        "password='", "x_pass_auth",
    ],
)  # fmt: skip
def test_the_worst_texts_take_no_time(unit: str) -> None:
    text = unit * (WORST_CHARS // len(unit))
    started = time.process_time()
    redact(text)
    assert time.process_time() - started < 1.0
