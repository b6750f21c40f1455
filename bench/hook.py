"""CPU cost of one ``loremark hook`` process including interpreter startup, next to a bare ``python``.

Runs are interleaved. A flusher started by a run is a separate process and reported separately. The first prompt of a
session gets its briefing from a local server; in the other runs the server is unreachable.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import mean, quantiles
from threading import Thread
from typing import Any

from bench.measure import cpu_seconds

_RUNS = 40
_REFERENCES = {"python -S -c pass": ("-S", "-c", "pass"), "python -c pass": ("-c", "pass")}
_ANSWER = (
    "The login test failed because the clock was frozen before the token was issued; I moved the freeze after "
    "`issue_token()` in `tests/test_login.py`. The password is read from the settings now, never from the code. "
) * 12
_INSTRUCTIONS = (
    "Run the linter before you commit. Webhooks are retried three times, then they wait for a person.\n" * 100
)
_MEMORY = (
    "## Rules\n\n" + "- Webhooks are retried three times with a growing pause, then they wait for a person.\n" * 80
)


def _samples(folder: str) -> dict[str, dict[str, Any]]:
    known = {"session_id": "5f0c", "transcript_path": f"{folder}/.claude/projects/x/5f0c.jsonl", "cwd": folder}
    tool = {"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_use_id": "toolu_1"}
    change = {"file_path": f"{folder}/src/app.py", "old_string": "x = 1\n" * 200, "new_string": "x = 2\n" * 200}
    return {
        "session start": {**known, "hook_event_name": "SessionStart", "source": "startup"},
        "prompt": {
            **known,
            "hook_event_name": "UserPromptSubmit",
            "prompt": "Fix the login test: the token expires early. Use src/auth.py for it, please. " * 8,
        },
        "tool": {**known, **tool, "tool_input": change, "tool_response": {"filePath": "src/app.py", "ok": True}},
        "tool, 1 MiB answer": {
            **known,
            **tool,
            "tool_input": change,
            "tool_response": {"stdout": "line of it\n" * 95_000},
        },
        "turn end": {**known, "hook_event_name": "Stop", "last_assistant_message": _ANSWER},
    }


class _Handler(BaseHTTPRequestHandler):
    """Answers every request with the same briefing, and counts them."""

    answered = 0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = json.dumps({"markdown": _MEMORY}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        _Handler.answered += 1

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


@contextmanager
def _briefing_server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def _run(command: Sequence[str], environment: dict[str, str], given: bytes) -> tuple[float, float]:
    """CPU and wall time in milliseconds of one process and its children."""
    started = time.perf_counter()
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        process.stdin.write(given)
        process.stdin.close()
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
    return (used.ru_utime + used.ru_stime) * 1_000, (time.perf_counter() - started) * 1_000


def _prepare(home: Path, url: str) -> tuple[Path, dict[str, str]]:
    project = home / "project"
    project.mkdir(parents=True)
    for name in ("AGENTS.md", "README.md"):
        (project / name).write_text(_INSTRUCTIONS)
    (home / ".config" / "loremark").mkdir(parents=True)
    profile = {"url": url, "key": "service_sk_none", "secrets": {"prj_bench": "none"}}
    (home / ".config" / "loremark" / "profile.json").write_text(json.dumps(profile))
    (project / ".loremark.toml").write_text('project = "prj_bench"\n')
    links = {str(project.resolve()): {"project": "prj_bench"}}
    (home / ".config" / "loremark" / "links.json").write_text(json.dumps(links))
    bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(home / "pycache")}
    return project, {"HOME": str(home), "PATH": os.environ["PATH"], **bytecode}


def _end_flusher(home: Path) -> float:
    """The CPU time of the flusher so far, in milliseconds; then stop it."""
    lock = home / ".local" / "state" / "loremark" / "spool" / "lock"
    try:
        pid = int(lock.read_text())
        if f"HOME={home}".encode() not in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
            return 0.0
        used = cpu_seconds(pid) * 1_000
        os.kill(pid, signal.SIGKILL)
    except (OSError, ValueError):
        return 0.0
    return used


def _row(name: str, cpu: Sequence[float], wall: Sequence[float]) -> None:
    high = quantiles(cpu, n=20)[-1]
    print(f"{name:28} {mean(cpu):9.1f} {high:9.1f} {quantiles(wall, n=2)[0]:9.1f}")


def run() -> None:
    with tempfile.TemporaryDirectory() as folder, _briefing_server() as url:
        home, briefed_home = Path(folder) / "home", Path(folder) / "briefed"
        project, environment = _prepare(home, "http://127.0.0.1:9")
        briefed_project, briefed_environment = _prepare(briefed_home, url)
        samples = _samples(str(project))
        hook = [str(Path(sys.executable).parent / "loremark"), "hook"]
        payloads = {name: json.dumps(sample).encode() for name, sample in samples.items()}
        prompt = {**_samples(str(briefed_project))["prompt"], "cwd": str(briefed_project)}
        for data in payloads.values():
            _run(hook, environment, data)
        _run(hook, briefed_environment, json.dumps(prompt).encode())
        figures: dict[str, list[tuple[float, float]]] = {
            name: [] for name in (*_REFERENCES, *payloads, "first prompt", "not linked")
        }
        flusher: list[float] = []
        unlinked = json.dumps({**samples["turn end"], "cwd": "/"}).encode()
        for number in range(_RUNS):
            for name, options in _REFERENCES.items():
                figures[name].append(_run([sys.executable, *options], environment, b""))
            for name, data in payloads.items():
                figures[name].append(_run(hook, environment, data))
            first = json.dumps({**prompt, "session_id": f"first-{number}"}).encode()
            figures["first prompt"].append(_run(hook, briefed_environment, first))
            figures["not linked"].append(_run(hook, environment, unlinked))
            time.sleep(0.1)
            flusher.append(_end_flusher(home))
            _end_flusher(briefed_home)
        assert _Handler.answered == _RUNS + 1, "a first prompt did not get its briefing"
        print(f"loremark hook, {_RUNS} runs each, interleaved; milliseconds")
        print(f"{'':28} {'CPU mean':>9} {'CPU p95':>9} {'wall p50':>9}")
        for name, rows in figures.items():
            _row(name, [cpu for cpu, _ in rows], [wall for _, wall in rows])
        print(f"the flusher, separately: {mean(flusher):.0f} ms of CPU until its first failed attempt")
