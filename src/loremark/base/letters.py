"""A short text that only one reader can open: sealed to a public key, by whoever has it.

An ephemeral X25519 key, HKDF-SHA256 over the shared secret bound to both public keys, and AES-256-GCM. The key is
used once, so its nonce can be all zero.
"""

from __future__ import annotations

import base64
import binascii

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_KEY_BYTES = 32
_NONCE = bytes(12)
_PURPOSE = b"loremark/letter/1"


class NotOurs(Exception):
    """What was given is no letter to this reader."""


class Reader:
    """Who can open letters: ``address`` is what others need to write one."""

    def __init__(self) -> None:
        self._private = X25519PrivateKey.generate()
        self._public = self._private.public_key().public_bytes_raw()
        self.address = _text(self._public)

    def open(self, letter: str) -> str:
        try:
            raw = _bytes(letter)
            writer, sealed = raw[:_KEY_BYTES], raw[_KEY_BYTES:]
            shared = self._private.exchange(X25519PublicKey.from_public_bytes(writer))
            return AESGCM(_derive(shared, writer, self._public)).decrypt(_NONCE, sealed, None).decode()
        except (ValueError, InvalidTag) as error:
            raise NotOurs from error


def write(address: str, text: str) -> str:
    """A letter to whoever has this address; NotOurs where it is none."""
    ephemeral = X25519PrivateKey.generate()
    writer = ephemeral.public_key().public_bytes_raw()
    try:
        reader = _bytes(address)
        shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(reader))
    except ValueError as error:
        raise NotOurs from error
    return _text(writer + AESGCM(_derive(shared, writer, reader)).encrypt(_NONCE, text.encode(), None))


def _derive(shared: bytes, writer: bytes, reader: bytes) -> bytes:
    return HKDF(SHA256(), _KEY_BYTES, salt=None, info=_PURPOSE + writer + reader).derive(shared)


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, UnicodeEncodeError) as error:
        raise ValueError("not base64") from error
