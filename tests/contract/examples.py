"""A valid request for every route, with fresh data each time.

Names are route names, optionally with the variant in parentheses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loremark.base.sealed_box import Recipient
from loremark.entry.application import ROUTES
from loremark.web.routes import Route
from tests.contract.cast import TEAM, Actor, Ask, Cast, Example, new_email
from tests.contract.examples_ask import ASK
from tests.contract.examples_billing import BILLING, form
from tests.contract.examples_brain import BRAIN
from tests.contract.examples_capture import CAPTURE
from tests.contract.examples_chats import CHATS
from tests.contract.examples_genesis import GENESIS
from tests.contract.examples_hygiene import HYGIENE
from tests.contract.examples_memory import MEMORY
from tests.contract.examples_overview import OVERVIEW
from tests.contract.examples_passkeys import PASSKEYS
from tests.contract.examples_search import SEARCH
from tests.contract.examples_transfer import TRANSFER
from tests.contract.examples_two_factor import TWO_FACTOR
from tests.support.service import PASSWORD

BY_NAME: dict[str, Route] = {route.name: route for route in ROUTES}
EXAMPLES: dict[str, Example] = {**CAPTURE, **MEMORY, **CHATS, **SEARCH, **ASK, **BRAIN, **GENESIS, **HYGIENE, **BILLING}
EXAMPLES |= TRANSFER
EXAMPLES |= OVERVIEW
EXAMPLES |= TWO_FACTOR
EXAMPLES |= PASSKEYS
UNIMPLEMENTED_ERRORS: set[tuple[str, int, str]] = set()
"""Refusals of built endpoints that come later."""


def route_of(example: str) -> Route:
    return BY_NAME[example.partition(" ")[0]]


def examples_of(route: Route) -> list[Example]:
    return [example for name, example in EXAMPLES.items() if route_of(name) is route]


def _example(name: str) -> Callable[[Example], Example]:
    def register_example(example: Example) -> Example:
        EXAMPLES[name] = example
        return example

    return register_example


def _plain(name: str, json: Any = None, query: str = "") -> None:
    async def ask(cast: Cast, actor: Actor) -> Ask:
        return Ask(json=dict(json) if json else None, query=query)

    EXAMPLES[name] = ask


def _on_project(name: str, json: Callable[[Cast], Any] = lambda _: None) -> None:
    """A route on a project, for a private and a public one."""

    def about(visibility: str) -> Example:
        async def ask(cast: Cast, actor: Actor) -> Ask:
            project = await cast.project(visibility)
            return Ask({"id": project}, json(cast), target=project, project=project)

        return ask

    EXAMPLES[name] = about("private")
    EXAMPLES[f"{name} (public)"] = about("public")


for _name in ("auth.logins", "auth.end_logins", "audit.export"):
    _plain(_name)
for _name in ("auth.registration", "auth.me", "team.list", "audit.list", "models.list", "live.stream"):
    _plain(_name)
for _name in ("operations.healthz", "operations.readyz", "operations.metrics", "operations.openapi", "operations.docs"):
    _plain(_name)
for _name in (
    "home",
    "sign_in",
    "register",
    "invitation",
    "welcome",
    "team",
    "keys",
    "billing",
    "models",
    "audit",
    "account",
):
    _plain(f"dashboard.{_name}")
_plain("dashboard.signin", query="?token=used-up")
_plain("keys.list (team)", query="?include=team")
_plain("projects.create", {"name": "Fresh", "description": "New", "visibility": "private"})
_plain("keys.create", {"name": "fresh"})


@_example("keys.create (limited)")
async def _create_limited_key(cast: Cast, actor: Actor) -> Ask:
    project = await cast.project()
    limits = {"scopes": ["read"], "expiresAt": "2100-01-01T00:00:00Z", "allowedAddresses": ["127.0.0.1"]}
    return Ask(json={"name": "limited", "projectId": project, **limits}, target=project, project=project)


@_example("keys.list")
async def _list_keys(cast: Cast, actor: Actor) -> Ask:
    created = await _create_limited_key(cast, actor)
    assert (await cast.owner.post("/api/keys", created.json)).status_code == 201
    return Ask()


_plain("models.test", {"purpose": "reader"})

_on_project("projects.get")
_on_project("projects.update", lambda _: {"name": "Renamed"})
_on_project("projects.delete")
_on_project("projects.list_members")
_on_project("projects.add_member", lambda cast: {"email": cast["unassigned"].email})
_on_project("projects.remove_member", lambda cast: {"userId": cast["assigned"].person.user_id})
_on_project("projects.get_hmac_secret")
_on_project("projects.rotate_hmac_secret", lambda _: {})


@_example("projects.add_member (unknown)")
async def _add_unknown(cast: Cast, actor: Actor) -> Ask:
    project = await cast.project()
    return Ask({"id": project}, {"email": new_email(), "role": "admin"}, target=project, project=project)


@_example("projects.list")
async def _list_projects(cast: Cast, actor: Actor) -> Ask:
    await cast.project()
    return Ask()


@_example("auth.register")
async def _register(cast: Cast, actor: Actor) -> Ask:
    return Ask(json={"email": new_email(), "password": PASSWORD, "name": "Nils New", "teamName": "New"})


@_example("auth.login")
async def _login(cast: Cast, actor: Actor) -> Ask:
    await cast.reset_two_factor(cast["owner"])
    return Ask(json={"email": cast.owner.email, "password": PASSWORD})


@_example("auth.logout")
async def _logout(cast: Cast, actor: Actor) -> Ask:
    has_account = actor.name in (*TEAM, "stranger")
    return Ask(login=await cast.log_in(actor) if has_account else actor.login)


@_example("auth.password")
async def _password(cast: Cast, actor: Actor) -> Ask:
    return Ask(json={"currentPassword": PASSWORD, "newPassword": PASSWORD})


@_example("team.list (invited)")
async def _list_invited(cast: Cast, actor: Actor) -> Ask:
    await cast.invitation()
    return Ask(query="?include=invited")


@_example("team.invite")
async def _invite(cast: Cast, actor: Actor) -> Ask:
    return Ask(json={"email": new_email(), "role": "admin"})


@_example("team.update")
async def _change_role(cast: Cast, actor: Actor) -> Ask:
    member = await cast.visitor()
    return Ask({"memberId": member}, {"role": "admin"}, target=member)


@_example("team.remove")
async def _remove_member(cast: Cast, actor: Actor) -> Ask:
    member = await cast.visitor()
    return Ask({"memberId": member}, target=member)


@_example("team.remove (invitation)")
async def _revoke_invitation(cast: Cast, actor: Actor) -> Ask:
    invitation = await cast.invitation()
    return Ask({"memberId": invitation}, target=invitation)


@_example("team.preview")
async def _preview_invitation(cast: Cast, actor: Actor) -> Ask:
    return Ask(json={"token": await cast.service.invitation_token(await cast.invitation())})


@_example("team.accept")
async def _accept(cast: Cast, actor: Actor) -> Ask:
    token = await cast.service.invitation_token(await cast.invitation())
    return Ask(json={"token": token, "name": "Nora New", "password": PASSWORD})


@_example("keys.delete")
async def _delete_own_key(cast: Cast, actor: Actor) -> Ask:
    has_account = actor.name in (*TEAM, "stranger")
    key = await cast.key_of(actor if has_account else cast["owner"])
    return Ask(json={"keyId": key}, target=key)


@_example("keys.delete (the owner's)")
async def _delete_anothers_key(cast: Cast, actor: Actor) -> Ask:
    key = await cast.key_of(cast["owner"])
    return Ask(json={"keyId": key}, target=key)


@_example("auth.end_login")
async def _end_own_login(cast: Cast, actor: Actor) -> Ask:
    has_account = actor.name in (*TEAM, "stranger")
    login = await cast.login_of(actor if has_account else cast["owner"])
    return Ask({"id": login}, target=login)


@_example("auth.end_login (the owner's)")
async def _end_anothers_login(cast: Cast, actor: Actor) -> Ask:
    login = await cast.login_of(cast["owner"])
    return Ask({"id": login}, target=login)


@_example("dashboard.asset")
async def _asset(cast: Cast, actor: Actor) -> Ask:
    return Ask({"name": "loremark.css"})


for _name in ("project", "project_page", "project_record"):

    @_example(f"dashboard.{_name}")
    async def _project_page(cast: Cast, actor: Actor) -> Ask:
        return Ask({"projectId": "any", "page": "memory", "id": "any"})


@_example("dashboard.connect")
async def _connect(cast: Cast, actor: Actor) -> Ask:
    return Ask(query=f"?key={Recipient().public_key}&name=desk&port=4000")


@_example("dashboard.allow")
async def _allow(cast: Cast, actor: Actor) -> Ask:
    return form(key=Recipient().public_key, name="desk", port="4000")
