"""A ``loremark`` command that kills itself with SIGKILL at a chosen commit of a stage.

``CRASH`` names a stage of an enrichment or scan and a moment: ``before`` or ``after`` its first intermediate commit,
or ``before-end`` or ``after-end`` around its final one. Without ``CRASH``, the only difference is that lost leases are
taken over quickly.
"""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from loremark.entry import background, main
from loremark.jobs.run import Run
from loremark.jobs.runner import Runner, RunnerTiming
from loremark.storage.database import Tx

LEASE_MS = 3_000
_KINDS = ("enrichment", "genesis.scan")


def _install_crash(point: str) -> None:
    step, finish = Run.step, Run.finish

    def crash_at(when: str, run: Run, stage: str | None = None) -> None:
        running = [entry.stage for entry in run._stages if entry.status == "running"]
        if run.job.kind in _KINDS and point == f"{stage or next(iter(running), '')}/{when}":
            os.kill(os.getpid(), signal.SIGKILL)

    @asynccontextmanager
    async def crashing_step(self: Run) -> AsyncIterator[Tx]:
        async with step(self) as tx:
            yield tx
            crash_at("before", self)
        crash_at("after", self)

    @asynccontextmanager
    async def crashing_finish(self: Run, stage: str) -> AsyncIterator[Tx]:
        async with finish(self, stage) as tx:
            yield tx
            crash_at("before-end", self, stage)
        crash_at("after-end", self, stage)

    Run.step, Run.finish = crashing_step, crashing_finish  # type: ignore[method-assign]


def run() -> int:
    """Run the ``loremark`` command with these changes."""
    _install_crash(os.environ.pop("CRASH", ""))
    vars(background)["Runner"] = partial(Runner, timing=RunnerTiming(lease_ms=LEASE_MS))
    return main.main()
