"""Which brain is asked for. Two requests for the same one have the same variant."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import msgspec

from loremark.base import limits


@dataclass(frozen=True)
class Asked:
    """A brain of a project: its budget, the branch beside the default one, and the files at hand."""

    project_id: str
    budget: int = limits.BRAIN_TOKENS_DEFAULT
    branch: str | None = None
    files: tuple[str, ...] = ()

    @cached_property
    def variant(self) -> str:
        """Stands for all that is asked but the project, in few characters however long that is."""
        if self.branch is None and not self.files:
            return str(self.budget)
        rest = msgspec.json.encode([self.branch, sorted(set(self.files))])
        return f"{self.budget} {hashlib.sha256(rest).hexdigest()[:40]}"


DEFAULT_VARIANT = Asked("").variant
TOLD = "told"
"""The default brain as webhooks were last told of it."""
