"""Fuzz all targets in a bounded time: ``python -m tests.fuzz.run --seconds 600 [TARGET …]``.

Each target runs in a process of its own with atheris, which looks for inputs that reach new code. An input that
crashes or hangs a target is saved under build/fuzz. To fix it, copy it to tests/fuzz/crashes.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.fuzz.names import NAMES
from tests.fuzz.seeds import seeds

_FOUND = Path("build/fuzz")
_HANG_S = 20
_MEMORY_MB = 2_048
_INPUT_BYTES = 8_192
_GRACE_S = 60
"""A target that runs this much longer than it should is killed and counts as failed."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzz every decoder and parser.")
    parser.add_argument("--seconds", type=int, default=600, help="time for all targets together")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(NAMES))
    arguments = parser.parse_args()
    if importlib.util.find_spec("atheris") is None:
        print("Fuzzing needs atheris, which supports Linux on x86-64 and Python 3.11 to 3.13. Run: make fuzz")
        return 2
    return _fuzz_all(arguments.targets or list(NAMES), arguments.seconds)


def _fuzz_all(names: list[str], seconds: int) -> int:
    """Start the targets, as many at a time as there are processors. The code is instrumented once, before."""
    import atheris

    with atheris.instrument_imports(include=["loremark"], enable_loader_override=False):
        from tests.fuzz.targets import TARGETS

    workers = min(len(names), os.cpu_count() or 1)
    each_s = max(1, seconds * workers // len(names))
    waiting, running, failed = list(names), dict[int, tuple[str, float]](), list[str]()
    while waiting or running:
        while waiting and len(running) < workers:
            name = waiting.pop(0)
            _write_corpus(name)
            running[_start(name, TARGETS[name], each_s)] = (name, time.monotonic())
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid:
            name = running.pop(pid)[0]
            _report(name, os.waitstatus_to_exitcode(status))
            failed += [name] if status else []
            continue
        for pid, (_, started) in running.items():
            if time.monotonic() > started + each_s + _GRACE_S:
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.2)
    print(f"{len(names)} targets, {each_s} s each, failed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


def _write_corpus(name: str) -> None:
    corpus = _FOUND / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds(name)):
        (corpus / f"seed{number}").write_bytes(seed)


def _start(name: str, target: Callable[[bytes], None], seconds: int) -> int:
    """Fuzz in a child process, and return its id."""
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    log = os.open(_FOUND / f"{name}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    _fuzz(name, target, seconds)
    os._exit(0)


def _fuzz(name: str, target: Callable[[bytes], None], seconds: int) -> None:
    import atheris

    options = [
        f"-max_total_time={seconds}",
        f"-timeout={_HANG_S}",
        f"-rss_limit_mb={_MEMORY_MB}",
        f"-max_len={_INPUT_BYTES}",
        f"-artifact_prefix={_FOUND}/{name}-",
        "-print_final_stats=1",
        str(_FOUND / "corpus" / name),
    ]
    atheris.Setup([sys.argv[0], *options], target)
    atheris.Fuzz()


def _report(name: str, code: int) -> None:
    lines = (_FOUND / f"{name}.log").read_text(errors="replace").splitlines()
    runs = next((line.split()[-1] for line in lines if "number_of_executed_units" in line), "?")
    print(f"{'FAIL' if code else 'ok':<4}  {name:<14} {runs} runs", flush=True)
    if code:
        print("\n".join(line for line in lines[-40:] if not line.startswith("#")), flush=True)


if __name__ == "__main__":
    sys.exit(main())
