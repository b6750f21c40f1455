"""Sealed secrets open only with the right key, in the right place, unaltered."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loremark.base.crypto import Sealer, SealError

SEALER = Sealer(b"k" * 32)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


@given(text=TEXTS, context=TEXTS)
def test_what_was_sealed_opens_again(text: str, context: str) -> None:
    sealed = SEALER.seal(text, context)
    assert sealed.isascii()
    assert SEALER.open(sealed, context) == text


@given(context=TEXTS, other=TEXTS)
def test_a_row_copied_elsewhere_does_not_open_there(context: str, other: str) -> None:
    sealed = SEALER.seal("secret", context)
    if context != other:
        with pytest.raises(SealError):
            SEALER.open(sealed, other)


@given(text=TEXTS, data=st.data())
def test_one_altered_bit_anywhere_is_noticed(text: str, data: st.DataObject) -> None:
    sealed = SEALER.seal(text, "hmac:prj_1")
    raw = bytearray(base64.urlsafe_b64decode(sealed.removeprefix("v1.")))
    bit = data.draw(st.integers(0, len(raw) * 8 - 1))
    raw[bit // 8] ^= 1 << bit % 8
    with pytest.raises(SealError):
        SEALER.open("v1." + base64.urlsafe_b64encode(raw).decode(), "hmac:prj_1")


@given(length=st.integers(0, 40))
def test_a_text_cut_short_is_noticed(length: int) -> None:
    raw = base64.urlsafe_b64decode(SEALER.seal("secret", "c").removeprefix("v1."))
    if length < len(raw):
        with pytest.raises(SealError):
            SEALER.open("v1." + base64.urlsafe_b64encode(raw[:length]).decode(), "c")


@pytest.mark.parametrize("text", ["", "v1.", "v1.x", "plain text that was never sealed", "v1.é", "v9.AAAA", "\0"])
def test_what_was_never_sealed_does_not_open(text: str) -> None:
    with pytest.raises(SealError):
        SEALER.open(text, "c")


def test_another_installation_cannot_open_it_and_the_error_tells_nothing() -> None:
    sealed = SEALER.seal("hunter2", "c")
    with pytest.raises(SealError) as caught:
        Sealer(b"K" * 32).open(sealed, "c")
    assert "hunter2" not in str(caught.value)
    assert sealed not in str(caught.value)


def test_the_same_text_never_looks_the_same_twice() -> None:
    assert len({SEALER.seal("secret", "c") for _ in range(100)}) == 100


def test_each_purpose_has_a_key_of_its_own() -> None:
    keys = {SEALER.derive(purpose) for purpose in ("seal", "invitation", "ticket", "fingerprint")}
    assert len(keys) == 4
    assert all(len(key) == 32 for key in keys)
    assert SEALER.derive("ticket") == Sealer(b"k" * 32).derive("ticket")
    assert SEALER.derive("ticket") != Sealer(b"K" * 32).derive("ticket")


def test_the_fingerprint_tells_keys_apart_and_nothing_about_them() -> None:
    assert SEALER.fingerprint == Sealer(b"k" * 32).fingerprint
    assert SEALER.fingerprint != Sealer(b"K" * 32).fingerprint
    assert SEALER.fingerprint not in SEALER.derive("fingerprint").hex()


@pytest.mark.parametrize("size", [0, 16, 31, 33, 64])
def test_a_key_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="must be 32 bytes"):
        Sealer(b"k" * size)
