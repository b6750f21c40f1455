"""Password hashing with a minimal cost. With the real one, hashing was a tenth of the suite's CPU time."""

from __future__ import annotations

from functools import partial

import pytest

from loremark.base.passwords import Passwords
from loremark.entry import application
from loremark.entry.main import main


def run_with_real_passwords() -> int:
    """The ``loremark`` command with the real cost, in a forked process."""
    vars(application)["Passwords"] = Passwords
    return main()


def use(patch: pytest.MonkeyPatch) -> None:
    """Replace the hasher of services started from now on. ``tests/base/test_passwords.py`` tests the real one."""
    patch.setattr(application, "Passwords", partial(Passwords, memory_kib=8))
