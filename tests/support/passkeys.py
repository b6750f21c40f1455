"""A passkey device in software: what browser and device answer together."""

from __future__ import annotations

import hashlib
import json
import struct
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

from loremark.base import ids
from loremark.features.identity.passkey_ceremonies import encode

ORIGIN = "http://localhost:8000"
RP_ID = "localhost"
_PRESENT, _VERIFIED, _WITH_CREDENTIAL = 0x01, 0x04, 0x40


class Device:
    """Holds one passkey. The attributes can be changed to misbehave."""

    def __init__(self) -> None:
        self.credential_id = ids.token_bytes(16)
        self.user_handle: str | None = None
        self.origin = ORIGIN
        self.rp_id = RP_ID
        self.verifies_user = True
        self.sign_count = 0
        self._key = ec.generate_private_key(ec.SECP256R1())

    def create(self, options: dict[str, Any]) -> dict[str, Any]:
        """Answer ``navigator.credentials.create``."""
        self.user_handle = options["user"]["id"]
        numbers = self._key.public_key().public_numbers()
        public_key = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        credential = bytes(16) + struct.pack(">H", len(self.credential_id)) + self.credential_id
        data = self._authenticator_data(_WITH_CREDENTIAL) + credential + cbor2.dumps(public_key)
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client_data = self._client_data("webauthn.create", options["challenge"])
        return self._answer(clientDataJSON=encode(client_data), attestationObject=encode(attestation), transports=[])

    def sign(self, options: dict[str, Any]) -> dict[str, Any]:
        """Answer ``navigator.credentials.get``."""
        data = self._authenticator_data(0)
        client_data = self._client_data("webauthn.get", options["challenge"])
        signature = self._key.sign(data + hashlib.sha256(client_data).digest(), ec.ECDSA(SHA256()))
        return self._answer(
            clientDataJSON=encode(client_data),
            authenticatorData=encode(data),
            signature=encode(signature),
            userHandle=self.user_handle,
        )

    def _answer(self, **response: Any) -> dict[str, Any]:
        credential_id = encode(self.credential_id)
        return {
            "id": credential_id,
            "rawId": credential_id,
            "type": "public-key",
            "response": response,
            "clientExtensionResults": {},
            "authenticatorAttachment": "platform",
        }

    def _authenticator_data(self, flags: int) -> bytes:
        flags |= _PRESENT | (_VERIFIED if self.verifies_user else 0)
        return hashlib.sha256(self.rp_id.encode()).digest() + struct.pack(">BI", flags, self.sign_count)

    def _client_data(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}).encode()
