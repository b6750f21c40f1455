"""Public-key encryption of a short text, as in libsodium's sealed boxes.

An ephemeral X25519 key, HKDF-SHA256 over the shared secret bound to both public keys, and AES-256-GCM. Each key is
used once, so the nonce can be all zeros.
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


class SealedBoxError(Exception):
    """The input is not a public key, or not a box sealed for this recipient."""


class Recipient:
    """Holds a private key. Others seal texts for it with ``public_key``."""

    def __init__(self) -> None:
        self._private = X25519PrivateKey.generate()
        self._public = self._private.public_key().public_bytes_raw()
        self.public_key = _text(self._public)

    def open(self, letter: str) -> str:
        try:
            raw = _bytes(letter)
            writer, sealed = raw[:_KEY_BYTES], raw[_KEY_BYTES:]
            shared = self._private.exchange(X25519PublicKey.from_public_bytes(writer))
            return AESGCM(_derive(shared, writer, self._public)).decrypt(_NONCE, sealed, None).decode()
        except (ValueError, InvalidTag) as error:
            raise SealedBoxError from error


def seal(public_key: str, text: str) -> str:
    """Encrypt a text for the owner of this public key."""
    ephemeral = X25519PrivateKey.generate()
    writer = ephemeral.public_key().public_bytes_raw()
    try:
        reader = _bytes(public_key)
        shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(reader))
    except ValueError as error:
        raise SealedBoxError from error
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
