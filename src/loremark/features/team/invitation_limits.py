"""How often a team may invite, because each invitation sends an email with its words to somebody who did not ask."""

from __future__ import annotations

from loremark.base.signing import sha256_hex
from loremark.features.identity.email_address import email_key
from loremark.web.call import Call

LIMIT = "invite"
ADDRESSES_PER_TEAM = 30


async def check_invitation_limit(call: Call, email: str) -> None:
    """Count an invitation from the caller's team, and one to this address from any team."""
    await call.check_rate_limit(LIMIT, f"team:{call.caller.team_id}", times=ADDRESSES_PER_TEAM)
    await call.check_rate_limit(LIMIT, f"address:{sha256_hex(email_key(email))}")
