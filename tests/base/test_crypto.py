"""Sealed secrets open only with the right key and context, and only if unmodified."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loremark.base.crypto import Sealer, SealError

SEALER = Sealer(b"k" * 32)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


@given(text=TEXTS, context=TEXTS)
def test_seal_and_open_round_trip(text: str, context: str) -> None:
    sealed = SEALER.seal(text, context)
    assert sealed.isascii()
    assert SEALER.open(sealed, context) == text


@given(context=TEXTS, other=TEXTS)
def test_open_rejects_a_different_context(context: str, other: str) -> None:
    sealed = SEALER.seal("secret", context)
    if context != other:
        with pytest.raises(SealError):
            SEALER.open(sealed, other)


@given(text=TEXTS, data=st.data())
def test_open_rejects_any_flipped_bit(text: str, data: st.DataObject) -> None:
    sealed = SEALER.seal(text, "hmac:prj_1")
    raw = bytearray(base64.urlsafe_b64decode(sealed.removeprefix("v1.")))
    bit = data.draw(st.integers(0, len(raw) * 8 - 1))
    raw[bit // 8] ^= 1 << bit % 8
    with pytest.raises(SealError):
        SEALER.open("v1." + base64.urlsafe_b64encode(raw).decode(), "hmac:prj_1")


@given(length=st.integers(0, 40))
def test_open_rejects_truncated_text(length: int) -> None:
    raw = base64.urlsafe_b64decode(SEALER.seal("secret", "c").removeprefix("v1."))
    if length < len(raw):
        with pytest.raises(SealError):
            SEALER.open("v1." + base64.urlsafe_b64encode(raw[:length]).decode(), "c")


@pytest.mark.parametrize("text", ["", "v1.", "v1.x", "plain text that was never sealed", "v1.é", "v9.AAAA", "\0"])
def test_open_rejects_text_that_was_never_sealed(text: str) -> None:
    with pytest.raises(SealError):
        SEALER.open(text, "c")


def test_open_with_another_key_fails_without_leaking_data() -> None:
    sealed = SEALER.seal("hunter2", "c")
    with pytest.raises(SealError) as caught:
        Sealer(b"K" * 32).open(sealed, "c")
    assert "hunter2" not in str(caught.value)
    assert sealed not in str(caught.value)


def test_sealing_the_same_text_twice_gives_different_output() -> None:
    assert len({SEALER.seal("secret", "c") for _ in range(100)}) == 100


def test_derived_keys_differ_by_purpose() -> None:
    keys = {SEALER.derive(purpose) for purpose in ("seal", "invitation", "ticket", "fingerprint")}
    assert len(keys) == 4
    assert all(len(key) == 32 for key in keys)
    assert SEALER.derive("ticket") == Sealer(b"k" * 32).derive("ticket")
    assert SEALER.derive("ticket") != Sealer(b"K" * 32).derive("ticket")


def test_fingerprint_identifies_the_key_without_revealing_it() -> None:
    assert SEALER.fingerprint == Sealer(b"k" * 32).fingerprint
    assert SEALER.fingerprint != Sealer(b"K" * 32).fingerprint
    assert SEALER.fingerprint not in SEALER.derive("fingerprint").hex()


@pytest.mark.parametrize("size", [0, 16, 31, 33, 64])
def test_sealer_rejects_wrong_key_sizes(size: int) -> None:
    with pytest.raises(ValueError, match="must be 32 bytes"):
        Sealer(b"k" * size)
