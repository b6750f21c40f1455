"""Encrypts secrets at rest with AES-256-GCM under the installation's key.

The ``context`` is authenticated, so a sealed value copied to another row does not open there.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from loremark.base import ids

KEY_BYTES = 32
_NONCE_BYTES = 12
_VERSION = "v1."


class SealError(Exception):
    """A sealed value does not open: wrong key, wrong context or modified bytes."""


class Sealer:
    """Seals and opens short secrets, and derives further keys from the same root."""

    def __init__(self, root_key: bytes) -> None:
        if len(root_key) != KEY_BYTES:
            raise ValueError(f"the encryption key must be {KEY_BYTES} bytes")
        self._root = root_key
        self._aead = AESGCM(self.derive("seal"))

    def derive(self, purpose: str) -> bytes:
        """Return the subkey for one purpose."""
        return hmac.new(self._root, b"loremark/" + purpose.encode(), hashlib.sha256).digest()

    @property
    def fingerprint(self) -> str:
        """Identifies the root key without revealing it."""
        return hashlib.sha256(self.derive("fingerprint")).hexdigest()[:16]

    def seal(self, text: str, context: str) -> str:
        nonce = ids.token_bytes(_NONCE_BYTES)
        sealed = nonce + self._aead.encrypt(nonce, text.encode(), context.encode())
        return _VERSION + base64.urlsafe_b64encode(sealed).decode()

    def open(self, sealed: str, context: str) -> str:
        try:
            raw = base64.urlsafe_b64decode(sealed.removeprefix(_VERSION))
            return self._aead.decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], context.encode()).decode()
        except (InvalidTag, binascii.Error, ValueError) as error:
            raise SealError("a stored secret cannot be decrypted with this installation's key") from error
