"""What ends beside the access of a person who is removed or demoted: what they know or set up that works without it.

Features above this one add their steps, which run in the transaction of the removal.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from loremark.base.caller import Caller, Scope
from loremark.features.team import store
from loremark.jobs import queue
from loremark.jobs.run import Run
from loremark.ports.mail.mailer import Mailer
from loremark.storage.database import Database, Row, Tx

DEPARTURE_EMAIL = "team.departure_email"
_TEXT = """Hello,

{name} ({email}) {change} (changed by {actor}). To end all access that {name} had as a manager, Loremark has also:

{measures}

These changes took effect immediately. For details, see the audit log.
"""


@dataclass(frozen=True)
class Departure:
    """A person who was removed or demoted, and the projects that they can no longer manage."""

    user_id: str
    project_ids: Sequence[str]


Step = Callable[[Tx, Caller, Departure], Awaitable[list[str]]]
"""Ends something, and returns a line for the owner about each thing that ended."""


class DepartureSteps:
    """The steps of all features."""

    def __init__(self, *steps: Step) -> None:
        self._steps = steps

    async def run(self, tx: Tx, caller: Caller, departure: Departure) -> list[str]:
        return [line for step in self._steps for line in await step(tx, caller, departure)]


async def tell_owner(tx: Tx, caller: Caller, member: Row, change: str, measures: Sequence[str]) -> None:
    """Send the team's owner an email about the measures, if there were any. ``change``: "was removed from …"."""
    if not measures:
        return
    about = {"name": member["name"], "email": member["email"], "change": change}
    payload = {"actor": caller.name, **about, "measures": list(measures)}
    await queue.enqueue(tx, DEPARTURE_EMAIL, payload, team_id=caller.team_id)


class DepartureEmail:
    """Tells the team's owner what ended with a person's access."""

    def __init__(self, database: Database, mailer: Mailer) -> None:
        self._database = database
        self._mailer = mailer

    async def __call__(self, run: Run) -> None:
        async with self._database.read() as tx:
            owner = await store.find_owner(tx, Scope(run.job.team_id or ""))
        if owner is None:
            return
        measures = "\n".join(f"- {line}" for line in run.payload["measures"])
        text = _TEXT.format(**{**run.payload, "measures": measures})
        await self._mailer.send(owner["email"], f"{run.payload['name']} {run.payload['change']}", text)
