"""``loremark`` that kills itself (-9) at a chosen commit of a stage.

``CRASH`` names the stage of an enrichment or a scan, and whether to die just ``before`` or just ``after`` its first
commit in the midst of it, or ``before-end`` or ``after-end``: around the one that ends it. Without it nothing happens
but that lost leases are taken over quickly.
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

LEASE_MS = 1_500
_KINDS = ("enrichment", "genesis.scan")


def _arm(point: str) -> None:
    step, finish = Run.step, Run.finish

    def die(when: str, run: Run, stage: str | None = None) -> None:
        running = [known.stage for known in run._stages if known.status == "running"]
        if run.job.kind in _KINDS and point == f"{stage or next(iter(running), '')}/{when}":
            os.kill(os.getpid(), signal.SIGKILL)

    @asynccontextmanager
    async def dying_step(self: Run) -> AsyncIterator[Tx]:
        async with step(self) as tx:
            yield tx
            die("before", self)
        die("after", self)

    @asynccontextmanager
    async def dying_finish(self: Run, stage: str) -> AsyncIterator[Tx]:
        async with finish(self, stage) as tx:
            yield tx
            die("before-end", self, stage)
        die("after-end", self, stage)

    Run.step, Run.finish = dying_step, dying_finish  # type: ignore[method-assign]


def run() -> int:
    """The ``loremark`` command, with these changes."""
    _arm(os.environ.pop("CRASH", ""))
    vars(background)["Runner"] = partial(Runner, timing=RunnerTiming(lease_ms=LEASE_MS))
    return main.main()
