"""How often a password or a two-factor code may be tried.

An account has no limit of its own: with one, anybody could lock its owner out by trying wrong passwords. People in one
office share an address, so an address may try several accounts. Codes are counted per account, wherever they come
from: only who knows the password gets to try one.
"""

from __future__ import annotations

from loremark.base.signing import sha256_hex
from loremark.features.identity.email_address import email_key
from loremark.web.call import Call
from loremark.web.client_address import bucket

LIMIT = "login"
CODE_LIMIT = "code"
ACCOUNTS_PER_ADDRESS = 5


async def check_password_limit(call: Call, email: str) -> None:
    """Count an attempt for this account from the caller's address, and one from the address for any account."""
    address = bucket(call.request.address)
    await call.check_rate_limit(LIMIT, f"address:{address}", times=ACCOUNTS_PER_ADDRESS)
    await call.check_rate_limit(LIMIT, f"account:{sha256_hex(email_key(email))}@{address}")


async def check_code_limit(call: Call, user_id: str) -> None:
    """Count a two-factor code for an account whose password was right."""
    await call.check_rate_limit(CODE_LIMIT, f"account:{user_id}")


async def check_sign_in_limit(call: Call) -> None:
    """Count an attempt from the caller's address for an account that is not known yet."""
    await call.check_rate_limit(LIMIT, f"address:{bucket(call.request.address)}", times=ACCOUNTS_PER_ADDRESS)
