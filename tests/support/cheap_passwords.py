"""Password hashing with a minimal cost. With the real one, hashing was a tenth of the suite's CPU time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from loremark.base.passwords import Passwords
from loremark.entry import application
from loremark.entry.main import main


@contextmanager
def real_passwords() -> Iterator[None]:
    """Services started inside use the real cost."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(application, "Passwords", Passwords)
        yield


def run_with_real_passwords() -> int:
    """The ``loremark`` command with the real cost, for a forked process."""
    with real_passwords():
        return main()


def use(patch: pytest.MonkeyPatch) -> None:
    """Replace the hasher of services started from now on. ``tests/base/test_passwords.py`` tests the real one."""
    patch.setattr(application, "Passwords", partial(Passwords, memory_kib=8))
