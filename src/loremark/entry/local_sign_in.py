"""Sign in to a server on this machine through its database, which only the user who runs the server can open."""

from __future__ import annotations

from loremark.base.caller import AuthMethod, Caller
from loremark.base.plans import Plans, load_plans
from loremark.base.settings import Settings
from loremark.entry.runtime import database_address
from loremark.features.identity import service as identity
from loremark.features.identity import store as people
from loremark.features.keys import service as keys
from loremark.storage import schema
from loremark.storage.connect import open_database
from loremark.storage.database import Tx
from loremark.wire.keys import NewKey

_CLAIMED_BY = "setup"


async def create_owner(tx: Tx, plans: Plans) -> Caller | None:
    """Create the owner of a fresh installation, so that nobody else registers first. None if it has an account."""
    owner = await identity.create_local_owner(tx, plans, _CLAIMED_BY, AuthMethod.OPERATOR)
    if owner is not None:
        await people.assign_setup_links(tx, owner.user_id)
    return owner


async def create_key(settings: Settings, name: str) -> str:
    """An API key for the operator's owner, who is created on a fresh installation. The server may be running.

    Raises ValueError if somebody else registered the first account.
    """
    plans = load_plans(settings.default_plan, settings.plans_file)
    await schema.require_current(database_address(settings))
    database = await open_database(database_address(settings), pool=1)
    try:
        async with database.write() as tx:
            owner = await create_owner(tx, plans) or await identity.find_operator_owner(tx)
            if owner is None:
                raise ValueError(await _describe_first_account(tx))
            created = await keys.create_key(tx, owner, NewKey(name=name))
    finally:
        await database.close()
    return created.key


async def _describe_first_account(tx: Tx) -> str:
    first = await people.find_first_owner(tx)
    if first is None:
        return "this server has no owner; create one with: loremark admin create-owner"
    return f"{first['email']} registered its first account without the printed link, and may be another user"
