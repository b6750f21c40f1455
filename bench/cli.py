"""Startup cost of common commands: CPU time, next to `python -c pass`.

Both run in turn, so that noise affects both; compare the ratio and the difference.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from tests.servers import lifetime

from bench.servers import address_for, start_loremark

_ROUNDS = 15
_COMMAND = str(Path(sys.executable).parent / "loremark")
_BARE = (sys.executable, "-c", "pass")
_COMMANDS = {
    "loremark --version": ("--version",),
    "loremark whoami": ("whoami",),
    "loremark brain": ("brain",),
    "loremark search": ("search", "how are webhooks retried"),
    "loremark save": ("save", "We retry webhooks three times", "--type", "decision"),
    "loremark items list": ("items", "list"),
}


def run() -> None:
    """Print CPU milliseconds per command (user and system, including children) and the ratio to bare Python."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        stack.callback(lifetime.stop_all)
        folder = Path(name)
        loremark = start_loremark(stack, folder / "server", address_for("sqlite", "cli"))
        environment = {
            **lifetime.child_env(),
            "HOME": str(folder),
            "LOREMARK_URL": f"http://127.0.0.1:{loremark.port}",
            "LOREMARK_API_KEY": loremark.key,
            "LOREMARK_PROJECT": loremark.project,
            "LOREMARK_HMAC_SECRET": loremark.secret_of(loremark.project),
        }
        figures = _measure(
            {"python -c pass": _BARE} | {name: (_COMMAND, *words) for name, words in _COMMANDS.items()}, environment
        )
    bare = figures["python -c pass"]
    print(f"start-up: CPU ms (median of {_ROUNDS}), times bare Python, ms above it")
    for name, ms in figures.items():
        print(f"  {name:<18} {ms:7.1f}  {ms / bare:5.1f}x  {ms - bare:+7.1f}")


def _measure(commands: dict[str, tuple[str, ...]], environment: dict[str, str]) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(_ROUNDS + 1):
        for name, command in commands.items():
            ms = _cpu_ms(command, environment)
            if number:  # the first time, Python writes its compiled files
                taken[name].append(ms)
    return {name: median(values) for name, values in taken.items()}


def _cpu_ms(command: tuple[str, ...], environment: dict[str, str]) -> float:
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as child:
        assert child.stderr is not None
        lines = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}: {lines.decode()}")
    return (used.ru_utime + used.ru_stime) * 1000
