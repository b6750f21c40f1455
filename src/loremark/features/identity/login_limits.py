"""How often a password may be tried.

An account has no limit of its own: with one, anybody could lock its owner out by trying wrong passwords. People in one
office share an address, so an address may try several accounts.
"""

from __future__ import annotations

from loremark.base.signing import sha256_hex
from loremark.features.identity.email_address import email_key
from loremark.web.call import Call
from loremark.web.client_address import bucket

LIMIT = "login"
ACCOUNTS_PER_ADDRESS = 5


async def check_password_limit(call: Call, email: str) -> None:
    """Count an attempt for this account from the caller's address, and one from the address for any account."""
    address = bucket(call.request.address)
    await call.check_rate_limit(LIMIT, f"address:{address}", times=ACCOUNTS_PER_ADDRESS)
    await call.check_rate_limit(LIMIT, f"account:{sha256_hex(email_key(email))}@{address}")
