"""Redaction finds secrets, leaves ordinary text alone, is idempotent and stays subquadratic."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loremark.base.redaction.redactor import redact, redact_payload
from tests.growth import assert_subquadratic_on
from tests.memory.redaction_samples import LEAKED, ORDINARY
from tests.memory.secret_samples import ALNUM, HIDDEN, INNOCENT, SECRETS, made_up
from tests.support.properties import examples

PROPERTY = settings(max_examples=examples(200), deadline=None, database=None)
MARKER_CHARS = 40
WORST_CHARS = 200_000

_PIECES = (
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
PIECES = st.integers(0, len(_PIECES) - 1).map(lambda number: _PIECES[number])
TEXTS = st.lists(PIECES | st.text(max_size=12), max_size=8).map("".join)


def test_there_are_enough_samples() -> None:
    assert len({line for line, _ in SECRETS}) >= 120
    assert len(set(INNOCENT)) >= 120


def test_recall_on_lines_with_a_secret() -> None:
    missed = [line for line, secret in SECRETS if secret in redact(line)[0] or redact(line)[1] == 0]
    assert len(missed) <= len(SECRETS) * 0.02, missed


def test_hidden_secrets_are_found() -> None:
    assert [line for line, secret in HIDDEN if secret in redact(line)[0]] == []
    leaked = {part for line, secret in HIDDEN for part in secret.split("\n") if part.strip() in redact(line)[0]}
    assert leaked == set()


@pytest.mark.parametrize("sign", ["\u200b", "\u200c", "\u2060", "\ufeff", "\u00ad", "\u202e"])
def test_invisible_characters_do_not_hide_secrets(sign: str) -> None:
    key = "service" + "_sk_" + made_up(ALNUM, 40, "unseen")
    for hidden in (key[:11] + sign + key[11:], sign.join(key), key[:5] + sign + key[5:20] + sign * 3 + key[20:]):
        assert redact(f"It is {hidden}.") == ("It is [redacted:loremark-key].", 1)
    # Elsewhere it is kept, because some scripts and emoji need it.
    assert redact(f"a{sign}b") == (f"a{sign}b", 0)
    clean, found = redact(f"a{sign}b {sign}AKIA" + made_up(ALNUM.upper(), 16, "unseen"))
    assert (clean, found) == (f"a{sign}b {sign}[redacted:aws-key]", 1)


def test_ordinary_lines_are_unchanged() -> None:
    changed = [(line, redact(line)[0]) for line in (*INNOCENT, *ORDINARY) if redact(line) != (line, 0)]
    assert changed == []


def test_no_secret_of_documents_settings_and_code_is_missed() -> None:
    assert [line for line, secret in LEAKED if secret in redact(line)[0]] == []


def test_text_around_a_secret_is_kept() -> None:
    token = "ghp_" + made_up(ALNUM, 36, "around")
    assert redact(f"Rotate {token}, then push.") == ("Rotate [redacted:github-token], then push.", 1)
    assert redact("postgres://app:s3cr3tPw@db:5432/x") == ("postgres://app:[redacted:url-password]@db:5432/x", 1)
    assert redact("DB_PASSWORD='hunter2' make") == ("DB_PASSWORD='[redacted:password]' make", 1)
    assert redact(f"{token} {token}")[1] == 2


@PROPERTY
@given(text=TEXTS)
def test_redaction_is_idempotent_and_bounds_the_length(text: str) -> None:
    clean, found = redact(text)
    assert redact(clean) == (clean, 0)
    assert (found == 0) == (clean == text)
    assert len(clean) <= len(text) + MARKER_CHARS * found


PAYLOADS = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "password",
                    "apiKey",
                    "note",
                    "name",
                    "value",
                    "token",
                    "x",
                    "pass",
                    "secrets",
                    "auth",
                    "tokens",
                    "user",
                    "db",
                    "sha",
                ]
            )
            | PIECES,
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@PROPERTY
@given(payload=PAYLOADS)
def test_payload_keeps_its_structure(payload: Any) -> None:
    clean, found = redact_payload(payload)
    assert redact_payload(clean) == (clean, 0)
    assert (found == 0) == (clean == payload)
    assert _shape(clean) == _shape(payload)


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return [_shape(each) for each in value.values()]
    # A numeric password becomes a text marker.
    return [_shape(each) for each in value] if isinstance(value, list) else isinstance(value, int | str)


def test_value_of_a_secret_key_is_redacted() -> None:
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
    "payload",
    [
        {"DB_PASS": "simpleword"},
        {"smtpPass": 12345678},
        {"pass": "hunter2"},
        {"secrets": ["hunter2"]},
        {"secrets": {"db": {"main": "hunter2"}}},
        {"secrets": [{"name": "db", "value": "hunter2"}]},
        {"token": {"value": "hunter2"}},
        {"token": [{"value": "hunter2"}]},
        {"tokens": {"access": made_up(ALNUM, 40, "access")}},
        {"credentials": {"x": "hunter2"}},
        {"PASSWORD": 12345678},
        {"passcode": 4711},
        {"password": {"value": 12345678}},
        {"password": ["hunter2"]},
        {"auth": "dXNlcm5hbWU6c3VwZXJzZWNyZXRwYXNz"},
        {"auths": {"r.example.com": {"auth": "dTpwYXNz"}}},
        {"_auth": "dTpwYXNz"},
        {"passphrase": "correct horse battery staple under the bridge"},
        {"password": "Correct Horse Battery Staple Bridge Seven"},
        {"name": "DB_PASS", "value": "simpleword"},
        {"name": "pass", "value": "hunter2"},
        {"results": {"pass": "hunter2", "smtp_user": "ada"}},
        {"results": {"pass": "hunter2!x"}},
        {"db": [{"pass": "hunter2"}]},
        {"credentials": {"pass": "hunter2"}},
        {"pwd": "simpleword"},
        {"db_pwd": "/simpleword"},
        {"secrets": {"MAIN_SHA": "hunter2"}},
        {"password": {"hash": made_up("0123456789abcdef", 40, "hash")}},
        {"secret": "correct horse battery staple under the bridge"},
    ],
)
def test_everything_under_a_secret_key_is_redacted(payload: dict[str, Any]) -> None:
    clean, found = redact_payload({"env": payload})
    assert found == 1
    assert "[redacted:secret]" in str(clean)
    assert redact_payload(clean) == (clean, 0)


@pytest.mark.parametrize(
    "payload",
    [
        {"tokens": 1234, "totalTokens": 123456, "maxTokens": 4096, "token": 12345678, "tokenCount": 99999},
        {"usage": {"tokens": {"input": 123456, "output": 2048}, "cached_tokens": 1000}},
        {"tokens": ["def", "identifier", "x12", "function_2"]},
        {"tokens": {"color-primary": "#ff00aa", "space-2": "0.5rem"}},
        {"auth": "oauth2"},
        {"auth": {"type": "basic", "user": "ada", "url": "https://a.example.com"}},
        {"auth": True, "basicAuth": "disabled"},
        {"pass": True},
        {"pass": 12, "fail": 2, "passed": 123456},
        {"pass": 123456},
        {"pass": ["test_login_12", "tests/shop/test_api.py::test_cart2", "src/a.py:12"]},
        {"render_pass": "opaque", "firstPass": "inline"},
        {"secret": False, "password": None, "token": True},
        {"password": 12},
        {"secrets": "inherit"},
        {"secrets": ["DB_PASSWORD", "api_key", "src/config.py:12"], "count": 3},
        {"secrets": 12345, "passwords": 12000, "credentials": 1200},
        {"password": {"type": "string", "minLength": 12, "maxLength": 1024, "description": "At least 12 letters"}},
        {"password": "Das Passwort muss mindestens zwölf Zeichen haben"},
        {"password": "the password must be at least twelve letters"},
        {"token": {"type": "bearer", "expiresIn": 3600, "scope": "repo:read"}},
        {"credentials": {"user": "ada", "host": "db.internal", "port": 5432, "mode": "include"}},
        {"client_key": 123456, "account_key": 10023},
        {"tokens": {"model": "gpt-4o-mini-2024-07-18"}},
        {"secrets": {"GITHUB_SHA": made_up("0123456789abcdef", 40, "sha"), "baseRevision": "0a1b2c3d4e5f"}},
        {"pass": "LoginFlow2"},
        {"pass": ["ok-123abc"]},
        {"login": {"pass": ["ok-123abc"], "fail": []}, "db": {"pass": ["Migrates2"]}},
        {"password": {"rules": ["min12Chars"], "strength": "Strong1"}},
        {"secret": {"created_by": "alice2024", "client": "web2app", "issued": "2024w31", "owner": "team42x"}},
        {"api_key": 2048, "secret": 123456},
        {"pwd": "/home/u/project"},
        {"env": {"PWD": "/srv/app", "HOME": "/root"}, "pwd": "C:\\Users\\Ada"},
        {"credentials": "include"},
        {"credentials": "same-origin"},
        {"fetch": {"credentials": "omit"}},
        {"compass": "north-12", "bypass": "cache2go", "author": "ada99lovelace"},
    ],
)
def test_keys_that_only_look_secret_are_left_alone(payload: dict[str, Any]) -> None:
    assert redact_payload(payload) == (payload, 0)


@pytest.mark.parametrize(
    "unit",
    [
        "a", "eyJ", "eyJaaaaaaaa.", "sk-", "a://b:", "http://", "password=", "token: ", "'token': '", "Bearer ",
        "Cookie: a=b; ", "-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA\n",
        "mysql ", " -u a:", "login x ", "M.", "hooks.slack.com/services/", "secret_key_key", "?sig=", "xoxb-", "AKIA",
        "password is ", "authorization: ", "1//0", "A" * 26 + ".", "token=" + "Aa1" * 12 + " ", "[redacted:x]",
        "password='", "x_pass_auth", "LS0tLS1CRUdJTi", "LS0tLS1CRUdJTiAAAA\n" + "A" * 40 + "\n", "Private-Lines: 1\n",
        "Private-Lines: 1\n" + "A" * 64 + "\n", "a://b:c@", "a://b:c/", " a://b:" + "c" * 250, ":5432:a:b:c", "a:5432:",
        " *:*:*:*:", "$6$", "$6$a$", "$1$aaaaaaaa$", "$argon2id$m=1$", "aws secret ", "aws " + "aA1/" * 10 + " ",
        "mot de passe ", "contraseña: ", "service_sk_", "\u200b", "service_sk_\u200b", "\u200btoken: ", '"auth": "',
        "redis://b:c/", " redis://b:" + "c/" * 125, " a:5432:a:b:cccc",
    ],
)  # fmt: skip
@pytest.mark.sampled
def test_worst_case_texts_stay_subquadratic(unit: str) -> None:
    assert_subquadratic_on(unit * (WORST_CHARS // len(unit)), redact)
