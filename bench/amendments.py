"""Which of two statements the next session is told: what was settled first, or what changed it later.

``LOREMARK_BENCH_AMENDMENTS`` names a folder with ``set.json`` and ``decoys.json``. Each amendment has two steps, a
session or a commit, and a later prompt; projects and kinds are reported apart. Sessions go through the hook program,
commits through ``loremark digest``, in the order of their dates. ``new`` counts if its literals are in the context of
the prompt, ``old`` if its literals are there and not marked as outdated. ``kept`` counts changes whose new state is
among the first five items and first five turns that search finds.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.agent_sessions import exchanges
from bench.first_prompt import Run, contains_literals, current_part, found_by_search

_AUTHOR = ("-c", "user.name=Priya", "-c", "user.email=priya@example.com")


def run() -> None:
    folder = Path(os.environ["LOREMARK_BENCH_AMENDMENTS"])
    amendments, decoys = (json.loads((folder / f"{name}.json").read_text()) for name in ("set", "decoys"))
    total: dict[str, Counter[str]] = defaultdict(Counter)
    for project in sorted({one["project"] for one in amendments}):
        mine = [one for one in amendments if one["project"] == project]
        with ExitStack() as stack:
            for kind, found in _run_project(stack, project, mine, decoys).items():
                total[kind] += found
    for kind, found in total.items():
        print(f"{kind:12} " + ", ".join(f"{name} {found[name]}" for name in ("of", "new", "old", "kept")))


def _run_project(
    stack: ExitStack, project: str, amendments: Sequence[Mapping[str, Any]], decoys: Sequence[Mapping[str, Any]]
) -> dict[str, Counter[str]]:
    run = Run(stack, project)
    folder = run.developer.folder
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    steps = [(str(step["date"]), one["id"], step) for one in amendments for step in one["steps"]]
    steps += [(str(decoy["date"]), "", decoy) for decoy in decoys if decoy["project"] == project]
    commits: dict[str, str] = {}
    for number, (date, name, step) in enumerate(sorted(steps, key=lambda step: step[0])):
        if "session" in step:
            run.developer.work(f"session-{number}", exchanges(step["session"]))
        else:
            commits[name] = _commit(folder, step["commit"], date, commits.get(name, ""))
            run.developer.command("digest")
    run.developer.deliver()
    figures: dict[str, Counter[str]] = defaultdict(Counter)
    for one in amendments:
        start, block = run.ask(one["prompt"])
        told = f"{start}\n{current_part(block)}"
        found = {
            "of": True,
            "new": contains_literals(told, one["new"]),
            "old": contains_literals(told, one["old"]),
            "kept": contains_literals(found_by_search(run, one["question"]), one["new"]),
        }
        figures[one["kind"]].update(name for name, holds in found.items() if holds)
        if os.environ.get("LOREMARK_BENCH_SHOW"):
            print(f"--- {one['id']} {one['kind']} {found}\n> {one['prompt']}\n{block}", flush=True)
    return figures


def _commit(folder: Path, commit: Mapping[str, Any], date: str, before: str) -> str:
    for path, content in commit.get("files", {}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"{content}\n")
    git = ["git", "-C", str(folder)]
    subprocess.run([*git, "add", "-A", "--", *commit.get("files", {})], check=True)
    words = [*git, *_AUTHOR, "commit", "-q", "--allow-empty", "-m", commit["message"].replace("{sha}", before)]
    environment = {**os.environ, "GIT_AUTHOR_DATE": f"{date}T12:00:00", "GIT_COMMITTER_DATE": f"{date}T12:00:00"}
    subprocess.run(words, check=True, env=environment)
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
