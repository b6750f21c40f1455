"""Default schema keys: the parent's key plus a slug of the name."""

from __future__ import annotations

import re
import unicodedata
from itertools import count

from loremark.base.caller import Scope
from loremark.features.contexts import store
from loremark.memory import schema_keys
from loremark.storage.database import Tx

_LETTER = re.compile(r"[a-z]")
_LETTER_OR_DIGIT = re.compile(r"[a-z0-9]")


async def generate_key(tx: Tx, scope: Scope, project_id: str | None, parent: str | None, name: str) -> str:
    """Generate a key, numbered if taken and the name has no Latin letters. The caller holds the memory lock."""
    key = schema_keys.child(parent, name)
    if not lacks_latin_letters(name) or await store.find_by_key(tx, scope, project_id, key) is None:
        return key
    taken = {node["schema_key"] for node in await store.list_nodes(tx, scope, project_id)}
    return next(free for number in count(2) if (free := f"{key}-{number}") not in taken)


def lacks_latin_letters(name: str) -> bool:
    """Return whether the slug loses all letters of the name, so that different names would collide."""
    plain = unicodedata.normalize("NFKD", name).lower()
    if _LETTER.search(plain):
        return False
    return not _LETTER_OR_DIGIT.search(plain) or any(sign.isalpha() for sign in name)
