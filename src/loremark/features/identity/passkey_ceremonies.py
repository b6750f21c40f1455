"""What the Web Authentication standard requires: options for the browser, and checks of its answers.

The library takes 0.2 s to import and most servers never need it, so it is imported when the first passkey is used.
"""

from __future__ import annotations

import base64
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import msgspec

from loremark.base import errors, limits
from loremark.features.identity import passkey_attestation
from loremark.features.identity.cookies import is_loopback, own_origins
from loremark.wire.passkeys import Assertion, NewCredential

_NAME = "Loremark"
_LOCALHOST = "localhost"


@dataclass(frozen=True)
class RelyingParty:
    """Where passkeys are valid. Browsers have none for IP addresses; on this machine it is ``localhost``."""

    id: str | None
    origins: tuple[str, ...]

    @classmethod
    def of(cls, base_url: str) -> RelyingParty:
        host = urlsplit(base_url).hostname or ""
        if is_loopback(base_url):
            return cls(_LOCALHOST, tuple(each for each in own_origins(base_url) if _LOCALHOST in each))
        return cls(None if _is_address(host) else host, tuple(own_origins(base_url)))

    def require_id(self) -> str:
        if self.id is None:
            raise errors.PASSKEYS_NEED_A_NAME()
        return self.id


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class Registered:
    """A verified new passkey."""

    credential_id: str
    public_key: bytes
    sign_count: int


def encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def registration_options(
    party: RelyingParty, challenge: bytes, *, user_id: str, email: str, name: str, known: Sequence[str]
) -> dict[str, Any]:
    """Return the options for creating a passkey. ``known``: those of the account, which the device must not repeat."""
    return {
        "rp": {"id": party.require_id(), "name": _NAME},
        "user": {"id": encode(user_id.encode()), "name": email, "displayName": name},
        "challenge": encode(challenge),
        "pubKeyCredParams": [{"type": "public-key", "alg": algorithm} for algorithm in (-8, -7, -257)],
        "timeout": limits.PASSKEY_CHALLENGE_VALID_MS,
        "excludeCredentials": [{"type": "public-key", "id": credential_id} for credential_id in known],
        "authenticatorSelection": {
            "residentKey": "required",
            "requireResidentKey": True,
            "userVerification": "required",
        },
        "attestation": "none",
    }


def sign_in_options(party: RelyingParty, challenge: bytes) -> dict[str, Any]:
    """Return the options for signing in. They name no passkey, so they do not reveal who has one."""
    return {
        "rpId": party.require_id(),
        "challenge": encode(challenge),
        "timeout": limits.PASSKEY_CHALLENGE_VALID_MS,
        "allowCredentials": [],
        "userVerification": "required",
    }


def challenge_in(client_data_json: str) -> bytes:
    """Return the challenge that the browser says it answers. It proves nothing until the answer is verified."""
    try:
        return decode(msgspec.json.decode(decode(client_data_json), type=_ClientData).challenge)
    except (ValueError, RecursionError) as error:
        raise errors.PASSKEY_REFUSED() from error


class _ClientData(msgspec.Struct):
    challenge: str


def verify_registration(party: RelyingParty, credential: NewCredential, challenge: bytes) -> Registered:
    """Return the new passkey, created on our page by a device that verified its user; raise for anything else."""
    from webauthn import verify_registration_response
    from webauthn.helpers.exceptions import WebAuthnException

    try:
        rebuilt = encode(passkey_attestation.rebuild(decode(credential.response.attestation_object)))
        response = msgspec.structs.replace(credential.response, attestation_object=rebuilt)
        found = verify_registration_response(
            credential=msgspec.to_builtins(msgspec.structs.replace(credential, response=response)),
            expected_challenge=challenge,
            expected_rp_id=party.require_id(),
            expected_origin=list(party.origins),
            require_user_verification=True,
        )
    except (WebAuthnException, *_MALFORMED) as error:
        raise errors.PASSKEY_REFUSED() from error
    if encode(found.credential_id) != credential.raw_id:  # nobody has signed it
        raise errors.PASSKEY_REFUSED()
    return Registered(credential.raw_id, found.credential_public_key, found.sign_count)


def verify_assertion(
    party: RelyingParty, credential: Assertion, challenge: bytes, *, public_key: bytes, sign_count: int
) -> int:
    """Return the passkey's new signature counter if it signed this challenge on our page; raise otherwise."""
    from webauthn import verify_authentication_response
    from webauthn.helpers.exceptions import WebAuthnException

    try:
        if not passkey_attestation.has_only_header(decode(credential.response.authenticator_data)):
            raise errors.PASSKEY_REFUSED()
        found = verify_authentication_response(
            credential=msgspec.to_builtins(credential),
            expected_challenge=challenge,
            expected_rp_id=party.require_id(),
            expected_origin=list(party.origins),
            credential_public_key=public_key,
            credential_current_sign_count=sign_count,
            require_user_verification=True,
        )
    except (WebAuthnException, *_MALFORMED) as error:
        raise errors.PASSKEY_REFUSED() from error
    return found.new_sign_count


_MALFORMED = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OverflowError)
"""What the library lets through for bytes that are no attestation."""
