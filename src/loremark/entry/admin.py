"""The ``loremark admin`` commands. They work directly on the database."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from loremark.base import clock, errors, ids
from loremark.base.caller import OWNER, AuthMethod, Caller
from loremark.base.passwords import Passwords
from loremark.base.plans import load_plans
from loremark.base.settings import Settings, SettingsError
from loremark.entry.engines import list_models, open_engines
from loremark.entry.parser_check import check_parser
from loremark.entry.runtime import Runtime, database_address, open_runtime
from loremark.entry.startup_banner import signin_url
from loremark.features.audit import store as audit
from loremark.features.billing import ledger, subscriptions
from loremark.features.identity import second_factor
from loremark.features.identity import service as identity
from loremark.features.identity import store as people
from loremark.features.keys import service as keys
from loremark.features.models.service import ModelDirectory
from loremark.features.projects import service as projects
from loremark.jobs import operator
from loremark.jobs.queue import RECURRING
from loremark.ports.blobs.store import open_blobs
from loremark.ports.mail.mailer import open_mailer
from loremark.storage import schema
from loremark.storage.connect import open_database
from loremark.storage.database import Row, StorageUnavailable, Tx
from loremark.web.validation import explain
from loremark.wire.keys import NewKey
from loremark.wire.projects import NewProject
from loremark.wire.shapes import Email, PersonName, ProjectName, Shape, TeamName

_NO_PROJECT = "doctor"


async def migrate(settings: Settings) -> str:
    """Migrate the database to the current schema."""
    done = await schema.migrate(database_address(settings))
    return (
        f"Migrated the database to schema {schema.HEAD}."
        if done
        else f"The database is already at schema {schema.HEAD}."
    )


@dataclass(frozen=True)
class NewOwner:
    """The result of ``create-owner``."""

    userId: str
    teamId: str
    projectId: str
    apiKey: str


class _OwnerFields(Shape):
    """The same constraints as for registration."""

    email: Email
    team: TeamName
    name: PersonName
    project: ProjectName


def _validate(given: dict[str, str]) -> None:
    try:
        msgspec.convert(given, _OwnerFields)
    except msgspec.ValidationError as error:
        raise SettingsError(explain(error, _OwnerFields)) from error


async def create_owner(
    settings: Settings, *, email: str, team: str, name: str, project: str, password: str | None
) -> NewOwner:
    """Create an owner with a team, a project and an API key. Creates the database on SQLite."""
    _validate({"email": email, "team": team, "name": name, "project": project})
    if settings.on_sqlite or settings.auto_migrate:
        await schema.migrate(database_address(settings))
    async with open_runtime(settings) as runtime:
        hashed = await Passwords().hash(password) if password else None
        plans = load_plans(settings.default_plan, settings.plans_file)
        async with runtime.database.write() as tx:
            user_id = await people.create_user(tx, email=email, name=name, password_hash=hashed)
            if user_id is None:
                raise errors.EMAIL_TAKEN()
            await people.claim(tx, identity.FIRST_ACCOUNT, user_id)
            await people.claim(tx, identity.OPERATOR_OWNER, user_id)
            await people.invalidate_setup_links(tx)
            owner = await identity.create_owner(tx, plans, user_id, name, email, team, AuthMethod.OPERATOR)
            created = await projects.create_project(tx, owner, plans, runtime.sealer, NewProject(name=project))
            key = await keys.create_key(tx, owner, NewKey(name="create-owner"))
    return NewOwner(userId=user_id, teamId=owner.team_id, projectId=created.id, apiKey=key.key)


class SigninLink(NamedTuple):
    """A one-time link and the address of its account; None if using it creates the owner."""

    url: str
    email: str | None


async def signin_link(settings: Settings, email: str | None) -> SigninLink:
    """A one-time sign-in link for this account, or for the operator's owner, else for the first owner."""
    async with _open_transaction(settings) as tx:
        if email is None and (owner := await identity.find_operator_owner(tx)) is not None:
            return await _create_link(tx, settings, owner.user_id, owner.email)
        user = await people.find_user(tx, email) if email else await people.find_first_owner(tx)
        if user is None and email:
            raise SettingsError(f"No account with the email address {email}")
        return await _create_link(tx, settings, *((user["id"], user["email"]) if user else (None, None)))


async def own_signin_link(settings: Settings) -> SigninLink | None:
    """A one-time sign-in link for the operator's owner. None if somebody else registered the first account."""
    async with _open_transaction(settings) as tx:
        owner = await identity.find_operator_owner(tx)
        if owner is not None:
            return await _create_link(tx, settings, owner.user_id, owner.email)
        is_new = await people.find_claim(tx, identity.FIRST_ACCOUNT) is None
        return await _create_link(tx, settings, None, None) if is_new else None


async def _create_link(tx: Tx, settings: Settings, user_id: str | None, email: str | None) -> SigninLink:
    return SigninLink(signin_url(settings.base_url, await people.create_link(tx, user_id)), email)


@asynccontextmanager
async def _open_transaction(settings: Settings) -> AsyncIterator[Tx]:
    """A write transaction of a database whose server may be running."""
    await schema.require_current(database_address(settings))
    database = await open_database(database_address(settings), pool=1)
    try:
        async with database.write() as tx:
            yield tx
    finally:
        await database.close()


async def reset_two_factor(settings: Settings, email: str) -> bool:
    """Turn two-factor authentication off for an account. Returns whether it was on."""
    async with open_runtime(settings) as runtime, runtime.database.write() as tx:
        user = await people.find_user(tx, email)
        if user is None:
            raise SettingsError(f"No account with the email address {email}")
        teams = await people.list_memberships(tx, user["id"])
        if not teams:
            raise SettingsError(f"{email} is no longer in a team")
        return await second_factor.remove(tx, _as_operator(user, teams[0]))


def _as_operator(user: Row, team: Row) -> Caller:
    """The actor for the audit log: the operator acts for this account."""
    return Caller(
        user_id=user["id"],
        team_id=team["id"],
        role=team["role"],
        auth_method=AuthMethod.OPERATOR,
        credential_id="",
        name=user["name"],
        email=user["email"],
    )


async def grant(settings: Settings, email: str, *, plan_id: str | None, pack_id: str | None) -> str:
    """Give the team that this account owns a plan, a credit pack or both; returns the team's name."""
    plans = load_plans(settings.default_plan, settings.plans_file)
    for known, wanted, name in ((plans.purchasable, plan_id, "plan"), (plans.packs, pack_id, "pack")):
        if wanted is not None and wanted not in known:
            raise SettingsError(f"The {name} must be one of {', '.join(known)}")
    async with open_runtime(settings) as runtime, runtime.database.write() as tx:
        user = await people.find_user(tx, email)
        teams = await people.list_memberships(tx, user["id"]) if user else []
        team = next((row for row in teams if row["role"] == OWNER), None)
        if user is None or team is None:
            raise SettingsError(f"No team is owned by {email}")
        caller = _as_operator(user, team)
        if plan_id is not None:
            await subscriptions.start_local(tx, caller, plans, plan_id, 1)
        if pack_id is not None:
            description = "Granted by the operator"
            transaction_id = ids.new("ctx")
            await ledger.credit_purchase(
                tx, caller.scope, plans.packs[pack_id], transaction_id, description=description
            )
            await audit.record(tx, caller, "billing.credits_purchased", transaction_id, pack=pack_id, payment="granted")
    return str(team["name"])


async def doctor(settings: Settings) -> list[tuple[str, bool, str]]:
    """The checks as (name, passed, message)."""
    checks = [("python", True, sys.version.split()[0])]
    address = database_address(settings)
    where = str(address) if settings.on_sqlite else "PostgreSQL"
    try:
        found = await schema.version(address)
        checks.append(("database", True, where))
        checks.append(("schema", found == schema.HEAD, f"{found or 'empty'} (required: {schema.HEAD})"))
        if found == schema.HEAD:
            async with open_runtime(settings) as runtime:
                checks.append(await _check_accounts(runtime))
    except (StorageUnavailable, SettingsError, schema.SchemaError) as error:
        checks.append(("database", False, str(error)))
    try:
        blobs = open_blobs(settings.blobs_url, s3_endpoint=settings.s3_endpoint)
        await blobs.list_project(_NO_PROJECT)  # contacts the bucket
        checks.append(("blobs", True, settings.blobs_url))
    except (ValueError, OSError, StorageUnavailable) as error:
        checks.append(("blobs", False, str(error)))
    try:
        open_mailer(settings.mail_url, settings.mail_from)
        checks.append(("mail", True, _without_password(settings.mail_url)))
    except (ValueError, OSError) as error:
        checks.append(("mail", False, str(error)))
    checks.append(("sandbox", *await check_parser()))
    try:
        async with open_engines(settings) as engines:
            checks += await _check_models(list_models(settings, engines))
    except SettingsError as error:
        checks.append(("model", False, str(error)))
    return checks


async def _check_models(models: ModelDirectory) -> list[tuple[str, bool, str]]:
    """Test the models on other servers. The calls belong to no team."""
    results = [(entry, await models.test(entry.purpose)) for entry in models.entries() if entry.server is not None]
    return [
        ("model", result.ok, f"{entry.purpose}: {entry.model} at {entry.server}: {result.message}")
        for entry, result in results
    ]


async def list_jobs(settings: Settings, status: str | None, kind: str | None, take: int) -> list[dict[str, Any]]:
    """The newest jobs, filtered by status and kind."""
    async with open_runtime(settings) as runtime, runtime.database.read() as tx:
        return [_describe_job(row) for row in await operator.list_jobs(tx, status=status, kind=kind, take=take)]


async def show_job(settings: Settings, job_id: str) -> dict[str, Any]:
    async with open_runtime(settings) as runtime, runtime.database.read() as tx:
        row = await operator.find_job(tx, job_id)
    if row is None:
        raise _job_not_found(job_id)
    return _describe_job(row)


async def retry_job(settings: Settings, job_id: str) -> str:
    """Queue a failed or cancelled job again."""
    async with open_runtime(settings) as runtime, runtime.database.write() as tx:
        if await operator.retry_job(tx, job_id):
            return f"{job_id} is queued again."
        row = await operator.find_job(tx, job_id)
    raise (
        _job_not_found(job_id)
        if row is None
        else SettingsError(f"{job_id} is {row['status']}; only failed and cancelled jobs can be retried")
    )


async def cancel_job(settings: Settings, job_id: str) -> str:
    """Cancel a queued job now, a running one at its next step."""
    async with open_runtime(settings) as runtime, runtime.database.write() as tx:
        done = await operator.cancel_job(tx, job_id)
        row = await operator.find_job(tx, job_id)
    if row is None:
        raise _job_not_found(job_id)
    if job_id.startswith(RECURRING):
        raise SettingsError(f"{job_id} is a recurring maintenance job and cannot be cancelled")
    if not done:
        raise SettingsError(f"{job_id} is {row['status']}; there is nothing to cancel")
    return f"{job_id} is cancelled." if row["status"] == "cancelled" else f"{job_id} will stop at its next step."


def _job_not_found(job_id: str) -> SettingsError:
    return SettingsError(f"No job {job_id} (see: loremark admin jobs list)")


def _describe_job(row: Row) -> dict[str, Any]:
    """A job without its payload, which may contain private data."""
    return {
        "id": row["id"],
        "kind": row["kind"],
        "status": row["status"],
        "teamId": row["team_id"],
        "projectId": row["project_id"],
        "sessionId": row["session_id"],
        "attempt": row["attempt"],
        "maxAttempts": row["max_attempts"],
        "cancelRequested": bool(row["cancel_requested"]),
        "error": row["error"],
        "stages": msgspec.json.decode(row["stages"]),
        "createdAt": clock.iso(row["created_at_ms"]),
        "runAt": clock.iso(row["run_at_ms"]),
        "startedAt": clock.iso_or_none(row["started_at_ms"]),
        "finishedAt": clock.iso_or_none(row["finished_at_ms"]),
    }


async def _check_accounts(runtime: Runtime) -> tuple[str, bool, str]:
    async with runtime.database.read() as tx:
        owner = await people.find_first_owner(tx)
    return ("accounts", True, f"first owner {owner['email']}" if owner else "none yet")


def _without_password(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"
