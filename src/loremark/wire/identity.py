"""Accounts and logins."""

from __future__ import annotations

from typing import Literal

from loremark.base.caller import Role
from loremark.wire.shapes import AnyId, Email, GivenPassword, Password, PersonName, Shape, TeamName


class Registration(Shape):
    email: Email
    password: Password
    name: PersonName
    team_name: TeamName | None = None


class LoginRequest(Shape):
    email: Email
    password: GivenPassword
    team_id: AnyId | None = None


class PasswordChange(Shape):
    """The present password may be left out where there is none yet."""

    new_password: Password
    current_password: GivenPassword | None = None


class DoorState(Shape):
    """Whether one may register, for those who are not signed in yet."""

    registration: Literal["open", "invite", "closed"]
    first_account: bool
    """Nobody has an account yet, and whoever comes first may make one."""


class TeamShape(Shape):
    id: str
    name: str


class Me(Shape):
    """Who is signed in, and in which of their teams they act."""

    user_id: str
    name: str
    email: str
    role: Role
    team_id: str
    team_name: str
    plan: str
    via: str
    teams: list[TeamShape]
    has_password: bool = True
