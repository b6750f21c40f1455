"""The signed-in user and their logins."""

from __future__ import annotations

from loremark.client.call import Call, path
from loremark.wire.identity import CurrentUser, LoginEntry


def get_me() -> Call[CurrentUser]:
    return Call(method="GET", path="/api/auth/me", response_type=CurrentUser)


def list_logins() -> Call[list[LoginEntry]]:
    return Call(method="GET", path="/api/auth/logins", response_type=list[LoginEntry])


def end_login(login_id: str) -> Call[None]:
    return Call(method="DELETE", path=path("/api/auth/logins/{}", login_id), response_type=type(None))
