"""Passkeys, in the JSON form of the Web Authentication API (``PublicKeyCredential.toJSON()``)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, field

from loremark.base import limits
from loremark.wire.shapes import VISIBLE_TEXT, AnyId, PasswordInput, Shape
from loremark.wire.two_factor import Code

PasskeyName = Annotated[str, Meta(min_length=1, max_length=limits.PASSKEY_NAME_CHARS, pattern=VISIBLE_TEXT)]
Base64Url = Annotated[str, Meta(min_length=1, max_length=limits.CREDENTIAL_CHARS, pattern=r"^[A-Za-z0-9_-]+$(?!\n)")]


class PasskeyEntry(Shape):
    id: str
    name: str
    created_at: str
    last_used: str | None


class PasskeyStart(Shape):
    password: PasswordInput
    code: Code | None = None
    """Required if two-factor authentication is on."""


class PasskeyOptions(Shape):
    """What to pass to the browser's API."""

    options: dict[str, Any]


class AttestationResponse(Shape):
    attestation_object: Base64Url
    client_data_json: Base64Url = field(name="clientDataJSON")


class NewCredential(Shape):
    id: Base64Url
    raw_id: Base64Url
    type: Literal["public-key"]
    response: AttestationResponse


class NewPasskey(Shape):
    name: PasskeyName
    credential: NewCredential


class PasskeyRename(Shape):
    name: PasskeyName


class AssertionResponse(Shape):
    authenticator_data: Base64Url
    signature: Base64Url
    client_data_json: Base64Url = field(name="clientDataJSON")
    user_handle: Base64Url | None = None


class Assertion(Shape):
    id: Base64Url
    raw_id: Base64Url
    type: Literal["public-key"]
    response: AssertionResponse


class PasskeySignIn(Shape):
    credential: Assertion
    team_id: AnyId | None = None
