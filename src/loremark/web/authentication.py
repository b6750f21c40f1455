"""The credentials and roles a route requires, and their check before the handler runs."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from loremark.base import errors
from loremark.base.caller import KEY_SCOPES, Caller, KeyScope, Role
from loremark.base.errors import ErrorKind
from loremark.storage.database import Database, Tx
from loremark.web.request import Request


class Credential(enum.Flag):
    """The ways to authenticate a request."""

    KEY = enum.auto()
    LOGIN = enum.auto()
    SIGNATURE = enum.auto()
    QUICK_SIGNATURE = enum.auto()
    """Checked against the cached secret, without a query. The handler must confirm ``caller.proof`` in its write
    transaction."""
    TICKET = enum.auto()
    """Sent in the body and checked by the handler; there is no caller."""


KEY = Credential.KEY
LOGIN = Credential.LOGIN
SIGNATURE = Credential.SIGNATURE
QUICK_SIGNATURE = Credential.QUICK_SIGNATURE
TICKET = Credential.TICKET


@dataclass(frozen=True)
class Needs:
    """The requirements of a route. Without ``credentials`` anyone may call it."""

    credentials: Credential | None
    scopes: frozenset[KeyScope] = frozenset()
    """An API key needs one of these."""
    roles: frozenset[Role] | None = None
    is_page: bool = False
    """A browser page: unauthenticated visitors are redirected to sign in."""
    by_key: bool = field(init=False)
    by_login: bool = field(init=False)
    by_signature: bool = field(init=False)
    by_quick_signature: bool = field(init=False)
    by_ticket: bool = field(init=False)

    def __post_init__(self) -> None:
        # Computed once, because testing a Flag costs more than the rest of the check.
        given = self.credentials or Credential(0)
        quick = QUICK_SIGNATURE in given
        for name, holds in (
            ("by_key", KEY in given),
            ("by_login", LOGIN in given),
            ("by_signature", quick or SIGNATURE in given),
            ("by_quick_signature", quick),
            ("by_ticket", TICKET in given),
        ):
            object.__setattr__(self, name, holds)


ANYONE = Needs(None)


def needs(credentials: Credential, *scopes: KeyScope, roles: frozenset[Role] | None = None) -> Needs:
    """Require one of these credentials, of an API key one of these scopes, and, if given, one of these team roles.

    A key limited to one project has no team role.
    """
    if (KEY in credentials) != bool(scopes):
        raise TypeError("routes for API keys, and only they, name the scopes of which a key needs one")
    return Needs(credentials, frozenset(scopes), roles)


ANY_SCOPE = KEY_SCOPES


def page_needs_login(roles: frozenset[Role] | None = None) -> Needs:
    """Require a browser login and, if given, one of these team roles; redirect others to sign in."""
    return Needs(LOGIN, roles=roles, is_page=True)


@dataclass(frozen=True)
class Origins:
    """The origins of our own pages. The Host header is not trusted, because of DNS rebinding."""

    own: frozenset[str]

    def is_same(self, request: Request) -> bool:
        """Return whether the browser says that the request comes from one of our pages."""
        site = request.header(b"sec-fetch-site")
        return site == "same-origin" if site is not None else request.header(b"origin") in self.own

    def refuse_cross_site(self, request: Request) -> None:
        """Raise if a browser says that the request comes from another site."""
        site = request.header(b"sec-fetch-site")
        origin = request.header(b"origin")
        foreign = site not in ("same-origin", "none") if site is not None else origin not in (None, *self.own)
        if foreign:
            raise errors.CROSS_SITE()


FindCaller = Callable[[Tx, str, str], Awaitable[Caller | None]]
"""By credential, and the address that the request comes from. Raises if it must not be used from there."""
VerifySignature = Callable[[Database, Request, bool], Awaitable[Caller]]


@dataclass(frozen=True)
class Authenticators:
    """The functions that look up credentials, provided by the features."""

    find_by_key: FindCaller
    find_by_login: FindCaller
    verify_signature: VerifySignature
    cookie_name: str
    origins: Origins


_SAFE_METHODS = frozenset(("GET", "HEAD"))
_BEARER = "bearer "


async def authenticate(
    request: Request, tx: Tx, required: Needs, by: Authenticators, unauthorized: ErrorKind
) -> Caller:
    """Return the caller or raise. If both are sent, an API key takes precedence over a cookie."""
    caller = await _find_caller(request, tx, required, by)
    if caller is None:
        raise unauthorized()
    if caller.key_scopes is not None and caller.key_scopes.isdisjoint(required.scopes):
        raise errors.FORBIDDEN()
    if required.roles is not None and (caller.role not in required.roles or caller.only_project is not None):
        raise errors.FORBIDDEN()
    return caller


async def _find_caller(request: Request, tx: Tx, required: Needs, by: Authenticators) -> Caller | None:
    authorization = request.header(b"authorization")
    if authorization is not None and required.by_key:
        if authorization[:7].lower() != _BEARER:
            return None
        return await by.find_by_key(tx, authorization[7:].strip(), request.address)
    if not required.by_login:
        return None
    token = cookie(request, by.cookie_name)
    caller = await by.find_by_login(tx, token, request.address) if token else None
    if caller is not None and request.method not in _SAFE_METHODS and not by.origins.is_same(request):
        raise errors.CROSS_SITE()
    return caller


def cookie(request: Request, name: str) -> str | None:
    header = request.header(b"cookie")
    if header is None:
        return None
    for part in header.split(";"):
        key, _, value = part.strip().partition("=")
        if key == name:
            return value
    return None
