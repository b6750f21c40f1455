"""Inviting, adding and removing team members."""

from __future__ import annotations

from loremark.base import clock, errors, limits
from loremark.base.caller import MANAGERS, MEMBER, AuthMethod, Caller, Origin, Role, Scope
from loremark.base.passwords import Passwords
from loremark.features.audit import store as audit
from loremark.features.identity import second_factor
from loremark.features.identity import service as identity
from loremark.features.identity import store as people
from loremark.features.identity.email_address import canonical, email_key
from loremark.features.identity.limited_keys import require_unlimited
from loremark.features.identity.service import SignedIn
from loremark.features.team import invitations, store
from loremark.features.team.departures import Departure, DepartureSteps, tell_owner
from loremark.features.team.tokens import InvitationTokens
from loremark.jobs import outbox, queue
from loremark.jobs.notices import notify_access_changed, notify_changed
from loremark.storage.database import Database, Row, Tx
from loremark.wire.events import WebhookEvent
from loremark.wire.team import Invitation, InvitationAcceptance, InvitationPreview, NewMember, TeamMember

INVITATION_EMAIL = "team.invitation_email"


def member_shape(row: Row) -> TeamMember:
    return TeamMember(
        id=row["id"],
        user_id=row["user_id"],
        name=row["name"],
        email=row["email"],
        role=row["role"],
        joined_at=clock.iso(row["joined_at_ms"]),
    )


def team_role(invitation: Row) -> Role:
    """The team role an invitation grants; ``member`` if it is only for projects."""
    role: Role = invitation["role"] or MEMBER
    return role


def invitation_shape(row: Row, role: Role) -> Invitation:
    return Invitation(
        id=row["id"],
        email=row["email"],
        role=role,
        status="invited",
        invited_at=clock.iso(row["invited_at_ms"]),
    )


async def invite(tx: Tx, caller: Caller, wanted: NewMember, *, project_id: str | None = None) -> Invitation:
    """Invite an email address to the team and, if acceptance, to a project. The email is sent after the commit.

    Renewing a pending invitation keeps its other projects and its team role.
    """
    require_unlimited(caller)
    email, key = canonical(wanted.email), email_key(wanted.email)
    role = wanted.role if project_id is None else None
    invitation = await invitations.invite(tx, caller, email=email, email_key=key, role=role)
    # Checked while the invitation is locked, so it cannot be accepted in between.
    if await store.find_member_by_email(tx, caller.scope, key) is not None:
        raise errors.ALREADY_MEMBER()
    if await invitations.count_valid(tx, caller.scope) > limits.INVITATIONS:
        raise errors.INVITATION_LIMIT()
    if project_id is not None:
        await invitations.add_project(tx, caller.scope, invitation["id"], project_id, wanted.role)
    await queue.enqueue(tx, INVITATION_EMAIL, {"invitationId": invitation["id"]}, team_id=caller.team_id)
    await audit.record(
        tx,
        caller,
        "team.member_invited",
        invitation["id"],
        project_id=project_id,
        email=email,
        role=wanted.role,
    )
    notify_changed(tx, caller.team_id, "team")
    return invitation_shape(invitation, wanted.role)


async def get_member(tx: Tx, scope: Scope, member_id: str) -> Row:
    member = await store.find_member(tx, scope, member_id)
    if member is None:
        raise errors.MEMBER_NOT_FOUND()
    return member


async def change_role(tx: Tx, caller: Caller, member_id: str, role: Role, steps: DepartureSteps) -> TeamMember:
    """Change the role. An admin who becomes a member loses what a removed one does, but not as a project's manager."""
    require_unlimited(caller)
    member = await get_member(tx, caller.scope, member_id)
    if member["role"] == "owner":
        raise errors.OWNER_ROLE_FIXED()
    before = await store.list_managed_projects(tx, caller.scope, member, was_manager=False)
    await store.update_role(tx, caller.scope, member_id, role)
    await audit.record(tx, caller, "team.role_changed", member_id, email=member["email"], role=role)
    if role not in MANAGERS and member["role"] in MANAGERS:
        demoted = await get_member(tx, caller.scope, member_id)
        kept = await store.list_managed_projects(tx, caller.scope, demoted, was_manager=False)
        lost = Departure(member["user_id"], [project_id for project_id in before if project_id not in kept])
        measures = [*await _revoke_invitations_of(tx, caller, member["user_id"]), *await steps.run(tx, caller, lost)]
        team = await people.get_team(tx, caller.team_id)
        await tell_owner(tx, caller, member, f"is no longer an admin of the team {team['name']}", measures)
    notify_access_changed(tx, member["user_id"])
    notify_changed(tx, caller.team_id, "team")
    return member_shape(await get_member(tx, caller.scope, member_id))


async def remove(tx: Tx, caller: Caller, member_id: str, steps: DepartureSteps) -> None:
    """Remove a member or revoke a pending invitation. All access of the member ends with this commit.

    So does what would work without an account: invitations they sent, and what ``steps`` know of.
    """
    if await invitations.revoke(tx, caller.scope, member_id):
        await audit.record(tx, caller, "team.invitation_revoked", member_id)
        notify_changed(tx, caller.team_id, "team")
        return
    member = await get_member(tx, caller.scope, member_id)
    if member["role"] == "owner":
        raise errors.OWNER_NOT_REMOVABLE()
    owner = await store.find_owner(tx, caller.scope)
    assert owner is not None
    # Whose role was ever changed has been an admin, before or after.
    was_manager = await audit.has_entry(tx, caller.scope, action="team.role_changed", target=member_id)
    managed = await store.list_managed_projects(tx, caller.scope, member, was_manager=was_manager)
    departure = Departure(member["user_id"], managed)
    left, joined = await store.delete_member(tx, caller.scope, member, owner)
    for project_id in joined:
        await emit_member_added(tx, caller.scope, project_id, owner, "owner")
    for membership in left:
        await emit_member_removed(tx, caller.scope, membership["project_id"], member, membership["role"])
    await audit.record(tx, caller, "team.member_removed", member_id, email=member["email"])
    measures = [*await _revoke_invitations_of(tx, caller, member["user_id"]), *await steps.run(tx, caller, departure)]
    team = await people.get_team(tx, caller.team_id)
    await tell_owner(tx, caller, member, f"was removed from the team {team['name']}", measures)
    notify_access_changed(tx, member["user_id"])
    notify_changed(tx, caller.team_id, "team")


async def _revoke_invitations_of(tx: Tx, caller: Caller, user_id: str) -> list[str]:
    """Revoke the invitations that a removed or demoted member sent: one may be to themselves."""
    revoked = await invitations.revoke_made_by(tx, caller.scope, user_id)
    for invitation in revoked:
        await audit.record(tx, caller, "team.invitation_revoked", invitation["id"], email=invitation["email"])
    return [f"revoked the invitation for {invitation['email']}" for invitation in revoked]


async def emit_member_added(tx: Tx, scope: Scope, project_id: str, person: Row, role: Role) -> None:
    """Emit ``member.added`` for a project."""
    await _emit(tx, scope, WebhookEvent.MEMBER_ADDED, project_id, person, role)


async def emit_member_removed(tx: Tx, scope: Scope, project_id: str, person: Row, role: Role) -> None:
    """Emit ``member.removed`` for a project, with the role the member had."""
    await _emit(tx, scope, WebhookEvent.MEMBER_REMOVED, project_id, person, role)


async def _emit(tx: Tx, scope: Scope, event: WebhookEvent, project_id: str, person: Row, role: Role) -> None:
    data = {"userId": person["user_id"], "email": person["email"], "role": role}
    await outbox.emit(tx, scope, event, project_id, data)


async def preview_invitation(tx: Tx, tokens: InvitationTokens, token: str, login: str | None) -> InvitationPreview:
    """Show the team behind an invitation link; an invalid token is refused. ``login``: the visitor's cookie token."""
    invitation = await _get_open_invitation(tx, tokens, token)
    team = await people.get_team(tx, invitation["team_id"])
    user = await people.find_user(tx, invitation["email"])
    return InvitationPreview(
        team_name=team["name"],
        email=invitation["email"],
        has_account=user is not None,
        signed_in=user is not None and await _is_signed_in(tx, user["id"], login),
        expires_at=clock.iso(invitation["expires_at_ms"]),
    )


async def _is_signed_in(tx: Tx, user_id: str, login: str | None) -> bool:
    caller = await people.find_by_login(tx, login) if login else None
    return caller is not None and caller.user_id == user_id


async def invited_address(tx: Tx, tokens: InvitationTokens, token: str) -> str:
    """Return the address that an open invitation is for."""
    return str((await _get_open_invitation(tx, tokens, token))["email"])


async def accept(
    database: Database,
    tokens: InvitationTokens,
    passwords: Passwords,
    acceptance: InvitationAcceptance,
    origin: Origin,
    login: str | None,
) -> tuple[TeamMember, SignedIn]:
    """Accept an invitation, creating an account if the address has none, and sign in.

    An existing account must be signed in (``login`` is the cookie's token) or give its password, which is enough only
    without two-factor authentication.
    """
    async with database.read() as tx:
        invitation = await _get_open_invitation(tx, tokens, acceptance.token)
        user = await people.find_user(tx, invitation["email"])
        proven = user is not None and await _is_signed_in(tx, user["id"], login)
        needs_code = user is not None and await second_factor.is_required(tx, user["id"])
    if user is not None and not proven:
        if acceptance.password is None or needs_code:
            raise errors.SIGN_IN_TO_ACCEPT()
        if not await passwords.matches(acceptance.password, user["password_hash"]):
            raise errors.WRONG_PASSWORD()
    hashed = await passwords.hash(acceptance.password) if user is None and acceptance.password else None
    async with database.write() as tx:
        if user is not None and not proven:
            await identity.require_same_password(tx, user)
            if await second_factor.is_required(tx, user["id"]):  # turned on since
                raise errors.SIGN_IN_TO_ACCEPT()
        invitation = await _get_open_invitation(tx, tokens, acceptance.token)
        user_id, name = await _get_or_create_account(tx, invitation, acceptance, hashed, user)
        scope = Scope(invitation["team_id"])
        await people.add_member(tx, team_id=scope, user_id=user_id, role=team_role(invitation))
        if not await invitations.accept(tx, invitation["id"]):
            raise errors.INVITATION_INVALID()
        member = await store.find_member_by_user(tx, scope, user_id)
        assert member is not None
        caller = Caller(
            user_id=user_id,
            team_id=scope,
            role=member["role"],
            auth_method=AuthMethod.LOGIN,
            credential_id="",
            name=name,
            email=invitation["email"],
            address=origin.address,
            request_id=origin.request_id,
        )
        await audit.record(tx, caller, "team.member_joined", member["id"])
        notify_changed(tx, scope, "team")
        await _join_projects(tx, caller, invitation, member)
        return member_shape(member), await identity.sign_in(tx, caller, origin)


async def _join_projects(tx: Tx, caller: Caller, invitation: Row, member: Row) -> None:
    """Join the invitation's projects that still exist."""
    for joined in await invitations.pop_projects(tx, caller.scope, invitation["id"]):
        project_id, role = joined["project_id"], joined["role"]
        if not await store.add_to_project(tx, caller.scope, project_id, member["user_id"], role):
            continue
        detail = {"email": member["email"], "role": role}
        await audit.record(tx, caller, "project.member_added", member["user_id"], project_id=project_id, **detail)
        await emit_member_added(tx, caller.scope, project_id, member, role)
        notify_changed(tx, caller.scope, "projects", project_id)


async def _get_open_invitation(tx: Tx, tokens: InvitationTokens, token: str) -> Row:
    invitation = await invitations.find(tx, tokens.invitation_id_in(token))
    if (
        invitation is None
        or invitation["status"] != "invited"
        or invitation["expires_at_ms"] <= clock.now_ms()
        or not tokens.matches(token, invitation)
    ):
        raise errors.INVITATION_INVALID()
    # They could have sent it while they were being removed or demoted.
    sender = await store.find_member_by_user(tx, Scope(invitation["team_id"]), invitation["invited_by"])
    if sender is None or sender["role"] not in MANAGERS:
        raise errors.INVITATION_INVALID()
    return invitation


async def _get_or_create_account(
    tx: Tx, invitation: Row, acceptance: InvitationAcceptance, password_hash: str | None, known: Row | None
) -> tuple[str, str]:
    """The id and name of the invited address's account, created if needed. ``known``: the account that was proven."""
    if known is not None:
        return known["id"], known["name"]
    if password_hash is None:
        raise errors.invalid("password is required")
    name = acceptance.name or invitation["email"].partition("@")[0]
    user_id = await people.create_user(tx, email=invitation["email"], name=name, password_hash=password_hash)
    if user_id is None:  # an account was created meanwhile
        raise errors.SIGN_IN_TO_ACCEPT()
    return user_id, name
