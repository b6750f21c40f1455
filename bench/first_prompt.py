"""What reaches the next session: rules settled in earlier sessions and commits, in its first prompt and at its start.

Data comes from folders named by environment variables:

- ``LOREMARK_BENCH_SDE``: a git repository of sde-bench (MIT), ``LOREMARK_BENCH_BOLTONS``: one of boltons, its host.
- ``LOREMARK_BENCH_SCENARIOS``: a folder with ``scenarios.json``, ``decoys.json`` and ``uncovered.json``; by default
  ``evals/first_prompt/dev``.

Every conversation goes through the real hook program, turn by turn, into a real server with default settings. A rule
has arrived if the block contains nine tenths of the words of the message that states it (sde-bench), or all of the
scenario's literals. An old rule counts as told if it is not marked as outdated.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

from bench.agent_sessions import Developer, Exchange, exchanges
from bench.servers import start_loremark
from loremark.memory.ranking.terms import read_question
from loremark.ports.llm import tokens

_WHOLE = 0.9
_OUTDATED = "(outdated where it differs"
_RESTS = 0.6
SHORT_TOKENS = 120


def _words(text: str) -> frozenset[int]:
    return frozenset(read_question(text).words)


def _share(rule: str, block: str) -> float:
    wanted = _words(rule)
    return len(wanted & _words(block)) / max(1, len(wanted))


def current_part(block: str) -> str:
    """The block without what it marks as outdated."""
    parts = re.split(r"\n(?=\d{4}-\d\d-\d\d)", block)
    return "\n".join(part for part in parts if _OUTDATED not in part.partition("\n")[0])


def contains_literals(text: str, literals: Sequence[str]) -> bool:
    lower = text.lower()
    return all(
        re.search(one[3:], lower, re.IGNORECASE) if one.startswith("re:") else one.lower() in lower for one in literals
    )


def show_json(repository: str, path: str) -> Any:
    command = ["git", "-C", repository, "show", f"HEAD:{path}"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def list_tasks(repository: str) -> list[dict[str, Any]]:
    command = ["git", "-C", repository, "ls-tree", "-r", "--name-only", "HEAD"]
    paths = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()
    return [show_json(repository, path) for path in paths if path.endswith("/tasks/main/task.json")]


def prompt_of(task: Mapping[str, Any]) -> str:
    return f"{task['bug_report']}\n\nThe code is in {task['module']}."


class Run:
    """One project on its own server, with what its sessions said."""

    def __init__(self, stack: ExitStack, name: str) -> None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = start_loremark(stack, folder / "server", "", LOREMARK_LOG_LEVEL="error")
        self.developer = Developer(folder / "home", server, server.project, folder / "server" / "loremark.db")
        self.name = name
        self.sizes: list[int] = []
        self._asked = 0

    def ask(self, prompt: str) -> tuple[str, str]:
        self._asked += 1
        start, block = self.developer.ask(f"ask-{self._asked}", prompt)
        self.sizes.append(tokens.count(block))
        return start, block

    def report(self, *figures: tuple[str, int, int]) -> None:
        counted = ", ".join(f"{what} {found} of {total}" for what, found, total in figures)
        print(f"{self.name:24} {counted}; first-prompt block median {median(self.sizes):.0f} tokens", flush=True)


def found_by_search(run: Run, question: str) -> str:
    """The first five items and turns that search finds, reviewed or not."""
    address = f"/api/v2/search?projectId={run.developer.project}&in=all&limit=5&q={quote(question)}&status="
    server = run.developer.server
    return "\n".join(json.dumps(server.get(address + status), ensure_ascii=False) for status in ("approved", "draft"))


def add_decoys(run: Run, decoys: Sequence[Mapping[str, Any]]) -> None:
    for number, decoy in enumerate(decoys):
        run.developer.work(f"decoy-{number}", exchanges(decoy["turns"]))


def run_sde() -> None:
    """sde-bench: 27 plain conversations, 6 amended ones and 28 commits, among decoys and the host's history."""
    source = os.environ["LOREMARK_BENCH_SDE"]
    tasks = list_tasks(source)
    decoys = show_json(source, "gen/decoy_conversations.json")
    with ExitStack() as stack:
        _run_conversations(Run(stack, "sde conversation"), tasks, decoys)
    with ExitStack() as stack:
        _run_amended(Run(stack, "sde amended"), tasks, decoys)
    with ExitStack() as stack:
        _run_history(Run(stack, "sde history"), tasks, source)


def _run_conversations(run: Run, tasks: Sequence[Mapping[str, Any]], decoys: Sequence[Mapping[str, Any]]) -> None:
    plain = [task for task in tasks if task["source"] == "conversation"]
    half = len(decoys) // 2
    add_decoys(run, decoys[:half])
    for task in plain:
        run.developer.work(task["codebase"], exchanges(task["conversations"]))
    add_decoys(run, decoys[half:])
    run.developer.deliver()
    found = 0
    for task in plain:
        _, block = run.ask(prompt_of(task))
        share = max(_share(said["text"], block) for said in _stating(task["conversations"], task["policy"]))
        found += share >= _WHOLE
        if share < _WHOLE:
            print(f"  missed: {task['codebase']} ({share:.2f}, {run.sizes[-1]} tokens)")
    run.report(("rule", found, len(plain)))


def _stating(said: Sequence[Mapping[str, str]], policy: str) -> list[Mapping[str, str]]:
    """The messages that state the rule: the one that contains most of the policy's words, and the recap."""
    return [max(said, key=lambda message: _share(policy, message["text"])), said[-1]]


def _run_amended(run: Run, tasks: Sequence[Mapping[str, Any]], decoys: Sequence[Mapping[str, Any]]) -> None:
    amended = [task for task in tasks if task["source"] == "conversation-amended"]
    for task in amended:
        run.developer.work(f"{task['codebase']}-1", exchanges(task["conversations"][0]))
    add_decoys(run, decoys)
    for task in amended:
        run.developer.work(f"{task['codebase']}-2", exchanges(task["conversations"][1]))
    run.developer.deliver()
    new_told = old_told = 0
    for task in amended:
        _, block = run.ask(prompt_of(task))
        current = current_part(block)
        before, after = (said[-1]["text"] for said in task["conversations"])
        new_told += _share(after, current) >= _WHOLE
        only_old = _words(before) - _words(" ".join(said["text"] for said in task["conversations"][1]))
        old_told += len(only_old & _words(current)) > _RESTS * len(only_old)
        print(f"  {task['codebase']}: new {_share(after, current):.2f}, {run.sizes[-1]} tokens")
    run.report(("new rule current", new_told, len(amended)), ("old rule current", old_told, len(amended)))


def _run_history(run: Run, tasks: Sequence[Mapping[str, Any]], source: str) -> None:
    history = [task for task in tasks if task["source"] == "history" and task.get("decision_rationale")]
    folder = run.developer.folder
    host = os.environ["LOREMARK_BENCH_BOLTONS"]
    run.developer.adopt(host)
    for task in history:
        _commit(
            folder,
            task["module"],
            f"decided: {task['codebase']}",
            f"{task['decision_subject']}\n\n{task['decision_rationale']}",
        )
    for task in history:
        _commit(folder, task["module"], f"simplified: {task['codebase']}", task["cause_subject"])
    run.developer.command("digest")
    run.developer.deliver()
    found = 0
    for task in history:
        _, block = run.ask(prompt_of(task))
        share = _share(task["decision_rationale"], block)
        found += share >= _WHOLE
        if share < _WHOLE:
            print(f"  missed: {task['codebase']} ({share:.2f}, {run.sizes[-1]} tokens)")
    run.report(("rule", found, len(history)))


def _commit(folder: Path, path: str, content: str, message: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(f"{content}\n")
    author = ("-c", "user.name=Priya", "-c", "user.email=p@example.com")
    subprocess.run(["git", "-C", str(folder), "add", "--", path], check=True)
    subprocess.run(["git", "-C", str(folder), *author, "commit", "-q", "-m", message], check=True)


def run_scenarios() -> None:
    """Scenarios of independent authors: the rule arrives, the outdated one does not, and other prompts get little."""
    folder = Path(os.environ.get("LOREMARK_BENCH_SCENARIOS", "evals/first_prompt/dev"))
    scenarios, decoys, uncovered = (
        json.loads((folder / f"{name}.json").read_text()) for name in ("scenarios", "decoys", "uncovered")
    )
    shows = bool(os.environ.get("LOREMARK_BENCH_SHOW"))
    for project in sorted({one["project"] for one in scenarios}):
        with ExitStack() as stack:
            run = Run(stack, f"scenarios {project}")
            mine = [one for one in scenarios if one["project"] == project]
            sessions = [session for one in mine for session in one["sessions"]]
            sessions += [session for session in decoys if session["project"] == project]
            for number, session in enumerate(sorted(sessions, key=lambda session: str(session["date"]))):
                said = [Exchange(one.prompt, one.answer) for one in exchanges(session["messages"])]
                run.developer.work(f"session-{number}", said, files=session.get("files", ()))
            run.developer.deliver()
            told = old = 0
            for one in mine:
                start, block = run.ask(one["prompt"])
                text = f"{start}\n{current_part(block)}"
                arrived = contains_literals(text, one["must_contain"])
                told += arrived
                old += bool(one["must_not_be_current"]) and contains_literals(text, one["must_not_be_current"][:1])
                if shows:
                    print(f"--- {one['id']} {'ok' if arrived else 'MISSED'}: {one['rule']}\n{block}")
            sizes = []
            for one in uncovered:
                if one["project"] == project:
                    _, block = run.ask(one["prompt"])
                    sizes.append(tokens.count(block))
                    run.sizes.pop()
            little = sum(size < SHORT_TOKENS for size in sizes)
            amended = sum(bool(one["must_not_be_current"]) for one in mine)
            run.report(
                ("rule", told, len(mine)), ("outdated told", old, amended), ("uncovered, little", little, len(sizes))
            )
