"""Signatures checked against values computed with other programs."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loremark.base import signing

BODY = b'{"a":1}'
# printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac 'a secret'
SIGNATURE = "sha256=b4c5d5c08194254de18b80695176335ee482a5907fb5e68f7bd993b1b00b018d"


def test_request_signature_follows_the_documented_scheme() -> None:
    assert signing.sign_request("a secret", "1700000000", BODY) == SIGNATURE
    assert signing.request_signature_matches("a secret", "1700000000", BODY, SIGNATURE)


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "sha256=",
        SIGNATURE.removeprefix("sha256="),
        SIGNATURE.upper(),
        "sha256=" + SIGNATURE.removeprefix("sha256=").upper(),
        SIGNATURE[:-1],
        SIGNATURE + "0",
        SIGNATURE.replace("sha256=", "sha512="),
        "ÿ" * len(SIGNATURE),
        "\ud800" * len(SIGNATURE),
    ],
)
def test_other_signatures_are_rejected(signature: str) -> None:
    assert not signing.request_signature_matches("a secret", "1700000000", BODY, signature)


@given(body=st.binary(min_size=1, max_size=300), data=st.data())
def test_changing_one_body_byte_invalidates_the_signature(body: bytes, data: st.DataObject) -> None:
    signature = signing.sign_request("s", "1700000000", body)
    at = data.draw(st.integers(0, len(body) - 1))
    altered = bytearray(body)
    altered[at] ^= data.draw(st.integers(1, 255))
    assert signing.request_signature_matches("s", "1700000000", body, signature)
    assert not signing.request_signature_matches("s", "1700000000", bytes(altered), signature)


def test_different_timestamp_or_secret_invalidates_the_signature() -> None:
    assert not signing.request_signature_matches("a secret", "1700000001", BODY, SIGNATURE)
    assert not signing.request_signature_matches("another secret", "1700000000", BODY, SIGNATURE)


def test_missing_body_is_signed_as_empty() -> None:
    assert signing.sign_request("s", "1700000000", b"") == "sha256=" + _hmac("s", b"1700000000.")


def _hmac(secret: str, data: bytes) -> str:
    """HMAC-SHA256 computed from its definition, without the library function."""
    key = secret.encode().ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + data).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in key) + inner).hexdigest()


def test_text_signatures_are_unpadded_base64url() -> None:
    # printf 'payload' | openssl dgst -sha256 -hmac key -binary | base64 | tr '+/' '-_' | tr -d =
    assert signing.sign_text(b"key", "payload") == "XZi0XJCiB_qZjOY5_qbwLsyMw_Nv74HWlPuFa00KKMo"


@given(text=st.text(st.characters(exclude_categories=["Cs"])), other=st.text(), key=st.binary(min_size=1))
def test_text_matches_only_its_own_signature(text: str, other: str, key: bytes) -> None:
    signature = signing.sign_text(key, text)
    assert signing.text_signature_matches(key, text, signature)
    assert not signing.text_signature_matches(key, text + "x", signature)
    assert not signing.text_signature_matches(key + b"x", text, signature)
    if other != signature:
        assert not signing.text_signature_matches(key, text, other)


def test_text_hashes_use_utf8_bytes() -> None:
    expected = "8285d1ad84c6b6e475d3b50dbf90389c8c7a07a278d9ae46d5698cbe872e3834"  # printf 'grüße' | sha256sum
    assert signing.sha256_hex("grüße") == signing.sha256_hex("grüße".encode()) == expected
