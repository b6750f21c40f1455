"""Two-factor authentication: authenticator apps and recovery codes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from loremark.base import limits
from loremark.wire.shapes import ANY_TEXT, PasswordInput, Shape

Code = Annotated[str, Meta(min_length=1, max_length=limits.CODE_CHARS, pattern=ANY_TEXT)]
"""Of an authenticator app, or a recovery code. Case, spaces and dashes do not matter."""


class TwoFactorStatus(Shape):
    enabled: bool
    recovery_codes: int
    """How many are unused."""


class TotpStart(Shape):
    password: PasswordInput


class QrCode(Shape):
    """The dark modules as the path of an SVG whose view box is ``0 0 size size``."""

    size: int
    path: str


class TotpSetup(Shape):
    """What an authenticator app needs. It has no effect until a code is confirmed."""

    secret: str
    uri: str
    qr: QrCode


class TotpConfirmation(Shape):
    code: Code


class TwoFactorProof(Shape):
    password: PasswordInput
    code: Code


class RecoveryCodes(Shape):
    """Shown once; each works once."""

    codes: list[str]
