"""A test that failed while the host took the processor away is run again: nothing about the code was seen then.

Virtual machines that share a host lose up to all of their time for seconds, and what is stolen counts as time of the
process that was running. A fault of the code fails again. What was run again is told at the end of a run.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

STAT = Path("/proc/stat")
_TIMES = 3
_MUCH = 0.15
_STOLEN = 8
"""The place of stolen time among the columns of Linux: user, nice, system, idle, iowait, irq, softirq, steal."""
_RUN_AGAIN = "starved"


def _times() -> tuple[float, float]:
    """Time that was stolen and time in all, since the machine runs; nothing where nobody counts it."""
    try:
        columns = STAT.read_text().partition("\n")[0].split()
    except OSError:
        return 0.0, 0.0
    numbers = [float(column) for column in columns[1 : _STOLEN + 1]]
    return (numbers[-1], sum(numbers)) if len(numbers) == _STOLEN else (0.0, 0.0)


def _share_since(before: tuple[float, float]) -> float:
    stolen, whole = (now - then for now, then in zip(_times(), before, strict=True))
    return stolen / whole if whole > 0 else 0.0


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    if not isinstance(item, pytest.Function):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports: list[pytest.TestReport] = []
    for attempt in range(_TIMES):
        if attempt:
            item._initrequest()
        before = _times()
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if not any(report.failed for report in reports):
            break
        share = _share_since(before)
        if share < _MUCH or attempt == _TIMES - 1:
            break
        item.user_properties.append((_RUN_AGAIN, f"{share:.0%}"))
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
