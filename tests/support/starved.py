"""A test that failed while the host took the processor or the disk away is run again: nothing was seen of the code.

Virtual machines that share a host lose up to all of their time for seconds; what is stolen counts as time of the
process that was running, where it is counted at all. A fault of the code fails again. What was run again is told at
the end of a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

from tests.support.heartbeat import Heartbeat

STAT = Path("/proc/stat")
_TIMES = 3
_MUCH = 0.15
_LONG_S = 0.5
_STOLEN = 8
"""The place of stolen time among the columns of Linux: user, nice, system, idle, iowait, irq, softirq, steal."""
_RUN_AGAIN = "starved"


_heartbeat: Heartbeat | None = None


@dataclass(frozen=True)
class _Seen:
    """Since the machine runs: time that was stolen and time in all, and for how long it stood still."""

    stolen: float
    whole: float
    lost_s: float

    def held_up(self, before: _Seen) -> str:
        """What was taken away since then, in words; empty if it was not much."""
        whole = self.whole - before.whole
        share = (self.stolen - before.stolen) / whole if whole > 0 else 0.0
        lost_s = self.lost_s - before.lost_s
        if share >= _MUCH:
            return f"{share:.0%}"
        return f"{lost_s:.1f} s" if lost_s >= _LONG_S else ""


def _look() -> _Seen:
    global _heartbeat
    if _heartbeat is None:
        _heartbeat = Heartbeat()
    return _Seen(*_times(), _heartbeat.lost_s())


def _times() -> tuple[float, float]:
    """Stolen and in all; nothing where nobody counts it."""
    try:
        columns = STAT.read_text().partition("\n")[0].split()
    except OSError:
        return 0.0, 0.0
    numbers = [float(column) for column in columns[1 : _STOLEN + 1]]
    return (numbers[-1], sum(numbers)) if len(numbers) == _STOLEN else (0.0, 0.0)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    if not isinstance(item, pytest.Function):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports: list[pytest.TestReport] = []
    for attempt in range(_TIMES):
        if attempt:
            item._initrequest()
        before = _look()
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if not any(report.failed for report in reports):
            break
        taken = _look().held_up(before)
        if not taken or attempt == _TIMES - 1:
            break
        item.user_properties.append((_RUN_AGAIN, taken))
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    told = {
        report.nodeid: [value for name, value in report.user_properties if name == _RUN_AGAIN]
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport)
    }
    for node, shares in sorted(told.items()):
        if shares:
            terminalreporter.write_line(f"run again, the host took {' and '.join(map(str, shares))} away: {node}")
