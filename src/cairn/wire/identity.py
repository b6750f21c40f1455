"""Accounts and logins."""

from __future__ import annotations

from cairn.base.caller import Role
from cairn.wire.shapes import AnyId, Email, GivenPassword, Password, PersonName, Shape, TeamName


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
    current_password: GivenPassword
    new_password: Password


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
