"""The schema key of a context that was given none: its parent's, and its name as far as a key can say it."""

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


async def new_key(tx: Tx, scope: Scope, project_id: str | None, parent: str | None, name: str) -> str:
    """Whoever asks holds the memory. A name that a key cannot say gets a number where another has its key."""
    key = schema_keys.child(parent, name)
    if not loses_all(name) or await store.find_by_key(tx, scope, project_id, key) is None:
        return key
    taken = {place["schema_key"] for place in await store.list_places(tx, scope, project_id)}
    return next(free for number in count(2) if (free := f"{key}-{number}") not in taken)


def loses_all(name: str) -> bool:
    """Whether nothing is left of a name in its key, or none of its letters: other names have the same one."""
    plain = unicodedata.normalize("NFKD", name).lower()
    if _LETTER.search(plain):
        return False
    return not _LETTER_OR_DIGIT.search(plain) or any(sign.isalpha() for sign in name)
