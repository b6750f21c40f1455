"""Parameters that select a brain document."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import msgspec

from loremark.base import limits


@dataclass(frozen=True)
class BrainRequest:
    """A project's brain with a token budget, optionally for a branch and the files being worked on."""

    project_id: str
    budget: int = limits.BRAIN_TOKENS_DEFAULT
    branch: str | None = None
    files: tuple[str, ...] = ()

    @cached_property
    def variant(self) -> str:
        """A short key for all parameters except the project."""
        if self.branch is None and not self.files:
            return str(self.budget)
        rest = msgspec.json.encode([self.branch, sorted(set(self.files))])
        return f"{self.budget} {hashlib.sha256(rest).hexdigest()[:40]}"


DEFAULT_VARIANT = BrainRequest("").variant
LAST_ANNOUNCED = "told"
"""Variant under which the last default brain announced by a webhook is stored."""
