"""The invitation email."""

from __future__ import annotations

import re

from loremark.base import clock
from loremark.features.identity import store as people
from loremark.features.team import invitations
from loremark.features.team.tokens import InvitationTokens
from loremark.jobs.run import Run
from loremark.ports.mail.mailer import Mailer
from loremark.storage.database import Database

_LINK_SIGNS = re.compile(r"[:/\\@]+|(?<=\w)[.\u3002\uff0e\uff61]+(?=\w)")
_NAME_CHARS = 60
_TEXT = """Hello,

{inviter} has invited you to join the team "{team}" on Loremark, shared project memory for coding agents.

Accept the invitation:
{link}

The link expires on {until} and can be used once. If you weren't expecting this invitation, you can ignore this email.
"""


class InvitationEmail:
    """Sends the link of a pending invitation; does nothing if it was accepted or revoked in the meantime."""

    def __init__(self, database: Database, mailer: Mailer, tokens: InvitationTokens, base_url: str) -> None:
        self._database = database
        self._mailer = mailer
        self._tokens = tokens
        self._base_url = base_url

    async def __call__(self, run: Run) -> None:
        async with self._database.read() as tx:
            invitation = await invitations.find(tx, run.payload["invitationId"])
            if invitation is None or invitation["status"] != "invited":
                return
            inviter = await people.get_user(tx, invitation["invited_by"])
            team = await people.get_team(tx, invitation["team_id"])
        inviter_name, team_name = without_links(inviter["name"]), without_links(team["name"])
        text = _TEXT.format(
            inviter=inviter_name,
            team=team_name,
            until=clock.iso(invitation["expires_at_ms"])[:16].replace("T", " ") + " UTC",
            link=f"{self._base_url}/invitation?token={self._tokens.make(invitation)}",
        )
        subject = f"{inviter_name} invited you to join {team_name} on Loremark"
        await self._mailer.send(invitation["email"], subject, text)


def without_links(name: str) -> str:
    """Return a name in which no mail program finds a link, because it goes to somebody who knows neither of us."""
    return " ".join(_LINK_SIGNS.sub(" ", name).split())[:_NAME_CHARS].strip()
