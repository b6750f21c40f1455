"""What a new session learns of real projects: facts written down by a reader before looking at any output.

``LOREMARK_BENCH_REAL`` names a folder with a folder per project: ``repo.json`` with the path of a git repository
(``git_dir``), ``sessions.json`` with its agent sessions (``id``, ``date``, ``messages``), and ``lines.json`` with the
facts: ``line``, ``literals`` that a text conveying it contains, ``in_instructions`` if the repository's own instruction
files say it, and ``prompt``, a later task for which it matters. ``uncovered.json``, if present, lists further prompts
that nothing in the project's past would change.

Commits and sessions go through the client and the hook program. A fact is covered if its literals are in the brain, in
the context at the session's start or in the block with its prompt.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from bench.agent_sessions import Exchange, exchanges
from bench.first_prompt import SHORT_TOKENS, Run, contains_literals
from loremark.ports.llm import tokens

_CHARS = 12_000
"""Longer messages are cut as the hook cuts prompts; transcripts repeat whole files."""


def run() -> None:
    folder = Path(os.environ["LOREMARK_BENCH_REAL"])
    total: Counter[str] = Counter()
    for project in sorted(path.parent for path in folder.glob("*/lines.json")):
        with ExitStack() as stack:
            total += _run_project(stack, project)
    print(f"{'all':24} {_figures(total)}")


def _run_project(stack: ExitStack, project: Path) -> Counter[str]:
    about = json.loads((project / "repo.json").read_text())
    run = Run(stack, project.name)
    run.developer.adopt(about["git_dir"])
    run.developer.command("digest")
    sessions = json.loads((project / "sessions.json").read_text())
    for number, session in enumerate(sorted(sessions, key=lambda session: str(session["date"]))):
        said = [Exchange(one.prompt[:_CHARS], one.answer[:_CHARS]) for one in exchanges(session["messages"])]
        run.developer.work(f"session-{number}", [one for one in said if one.prompt and one.answer])
    run.developer.deliver()
    brain = run.developer.command("brain")
    found: Counter[str] = Counter()
    for fact in json.loads((project / "lines.json").read_text()):
        start, block = run.ask(fact["prompt"])
        where = [
            name
            for name, text in (("brain", brain), ("start", start), ("prompt", block))
            if contains_literals(text, fact["literals"])
        ]
        kind = "said in instructions" if fact["in_instructions"] else "new"
        found.update([kind, *(f"{kind}: in {name}" for name in where), *([f"{kind}: covered"] if where else [])])
        if os.environ.get("LOREMARK_BENCH_SHOW"):
            print(f"--- {', '.join(where) or 'MISSED'} ({kind}): {fact['line']}\n> {fact['prompt']}\n{block}")
    sizes = median(run.sizes)
    uncovered = project / "uncovered.json"
    for one in json.loads(uncovered.read_text()) if uncovered.exists() else ():
        _, block = run.ask(one["prompt"])
        found.update(["uncovered", *(["uncovered: little"] if tokens.count(block) < SHORT_TOKENS else [])])
        if os.environ.get("LOREMARK_BENCH_SHOW"):
            print(f"--- uncovered\n> {one['prompt']}\n{block}")
    print(f"{project.name:24} {_figures(found)}; brain {tokens.count(brain)}, block median {sizes:.0f}")
    return found


def _figures(found: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(found.items()))
