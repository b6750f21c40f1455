"""Starts programs in processes forked from one that has already imported Loremark.

Starting ``loremark serve`` takes about three seconds of CPU time, most of it for imports. A test run starts hundreds of
processes, so it imports once per test worker and forks. The process is as real as any other: it has its own process
id, environment, working folder and output, and can be killed. The nightly run starts the installed command instead.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.support.preloaded"])


class ForkedProcess:
    """The part of ``subprocess.Popen`` that the tests use."""

    def __init__(
        self,
        program: Callable[[], object],
        arguments: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        stdout: Path | None = None,
        stderr: Path | None = None,
        stdin: Path | None = None,
    ) -> None:
        """Call ``program`` with these command line arguments; outputs are appended, and both may be the same file."""
        files = [str(path or os.devnull) for path in (stdin, stdout, stderr)]
        given = (program, list(arguments), dict(env), str(cwd), files)
        self._process = ForkServerProcess(target=_run, args=given, daemon=False)
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("loremark", timeout or 0.0)
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()

    def terminate(self) -> None:
        self._process.terminate()


def run_program(
    program: Callable[[], object],
    arguments: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    input: str = "",
    timeout: float = 60.0,
) -> subprocess.CompletedProcess[str]:
    """Like ``subprocess.run`` with captured output."""
    with tempfile.TemporaryDirectory(prefix="loremark-run-") as folder:
        stdin, stdout, stderr = (Path(folder) / name for name in ("stdin", "stdout", "stderr"))
        stdin.write_text(input)
        child = ForkedProcess(program, arguments, env=env, cwd=cwd, stdin=stdin, stdout=stdout, stderr=stderr)
        try:
            code = child.wait(timeout)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            raise
        return subprocess.CompletedProcess(["loremark", *arguments], code, stdout.read_text(), stderr.read_text())


def _run(program: Callable[[], object], arguments: list[str], env: dict[str, str], cwd: str, files: list[str]) -> None:
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    for descriptor, (path, flags) in enumerate(
        zip(files, (os.O_RDONLY, *[os.O_WRONLY | os.O_APPEND | os.O_CREAT] * 2), strict=True)
    ):
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
    sys.argv = [str(Path(sys.executable).parent / "loremark"), *arguments]
    sys.exit(program())  # type: ignore[arg-type]
