"""Recovery codes: for signing in without the second factor, each once.

A code has 80 random bits, so a plain hash is enough.
"""

from __future__ import annotations

import base64
import re

from loremark.base import ids
from loremark.base.signing import sha256_hex

CODES = 10
_CODE_BYTES = 10
_GROUP = 4


def new_codes() -> list[str]:
    """Return codes like ``abcd-efgh-2345-wxyz``."""
    texts = (base64.b32encode(ids.token_bytes(_CODE_BYTES)).decode().lower() for _ in range(CODES))
    return ["-".join(text[at : at + _GROUP] for at in range(0, len(text), _GROUP)) for text in texts]


def hash_code(user_id: str, code: str) -> str:
    """Return what is stored of a code. Case, spaces and dashes do not matter."""
    return sha256_hex(f"{user_id}:{re.sub(r'[^a-z2-7]', '', code.lower())}")
