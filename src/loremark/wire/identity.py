"""Accounts and logins."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from loremark.base.caller import Role
from loremark.wire.shapes import AnyId, Email, Password, PasswordInput, PersonName, Shape, TeamName, Token
from loremark.wire.two_factor import Code


class Registration(Shape):
    email: Email
    password: Password
    name: PersonName
    team_name: TeamName | None = None
    setup_token: Token | None = None
    """From the sign-in link that the server printed; required for the first account of an invite-only server."""


class LoginRequest(Shape):
    email: Email
    password: PasswordInput
    team_id: AnyId | None = None
    code: Code | None = None
    """Required if two-factor authentication is on."""


class PasswordChange(Shape):
    """``currentPassword`` may be omitted if the account has no password yet."""

    new_password: Password
    current_password: PasswordInput | None = None


class RegistrationStatus(Shape):
    """Whether visitors can register."""

    mode: Literal["open", "invite", "closed"]
    first_account: bool
    """True if no account exists yet and registration of the first one is allowed."""
    needs_setup_token: bool
    """True if the first account needs the printed token, because the caller is not on the server's machine."""
    sends_email: bool
    """False if the server writes emails to files instead of sending them."""


class LoginEntry(Shape):
    """A browser that is signed in. ``device`` is derived from its User-Agent header."""

    id: str
    device: str
    address: str
    team_name: str
    current: bool
    created_at: str
    last_used: str | None
    expires_at: str


class LoginsEnded(Shape):
    ended: int


class TeamSummary(Shape):
    id: str
    name: str


class CurrentUser(Shape):
    """The signed-in user and the team they are acting in."""

    user_id: str
    name: str
    email: str
    role: Role
    team_id: str
    team_name: str
    plan: str
    auth_method: str
    teams: list[TeamSummary]
    has_password: bool = True
    key_id: str | UnsetType = UNSET
    """The API key, if one was used."""
