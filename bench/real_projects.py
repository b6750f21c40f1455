"""What a new session learns of real projects: facts written down by readers before looking at any output.

``LOREMARK_BENCH_REAL`` names a folder of clones of the repositories in ``evals/real_projects``, each named like its
folder there; others are skipped. A repository's commits and the SpecStory sessions in it go through the client and the
hook program. A fact is covered if its literals are in the brain, in the context at the session's start or in the block
with its prompt. A question is answered if search finds the literals in its first five items and turns. Prompts that
nothing in the project's past would change should get little.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from bench.agent_sessions import Exchange, exchanges
from bench.first_prompt import SHORT_TOKENS, Run, contains_literals, found_by_search
from bench.specstory import read_sessions
from loremark.ports.llm import tokens

_SETS = Path(__file__).parent.parent / "evals" / "real_projects"
_PROMPT_CHARS, _ANSWER_CHARS = 12_000, 24_000
"""What the hook takes of a prompt and an answer. A transcript has all that the agent wrote; the hook gets its end."""


def run() -> None:
    repositories = Path(os.environ["LOREMARK_BENCH_REAL"])
    total: Counter[str] = Counter()
    for labels in sorted(path.parent for path in _SETS.glob("*/source.json")):
        if (repositories / labels.name).exists():
            with ExitStack() as stack:
                total += _run_project(stack, labels, str((repositories / labels.name).resolve()))
    print(f"{'all':24} {_figures(total)}")


def _run_project(stack: ExitStack, labels: Path, repository: str) -> Counter[str]:
    commit = json.loads((labels / "source.json").read_text())["commit"]
    run = Run(stack, labels.name)
    run.developer.adopt(repository)
    run.developer.command("digest")
    for number, session in enumerate(read_sessions(repository, commit)):
        said = [
            Exchange(one.prompt[:_PROMPT_CHARS], one.answer[-_ANSWER_CHARS:]) for one in exchanges(session.messages)
        ]
        run.developer.work(f"session-{number}", [one for one in said if one.prompt and one.answer])
    run.developer.deliver()
    brain = run.developer.command("brain")
    shows = bool(os.environ.get("LOREMARK_BENCH_SHOW"))
    found: Counter[str] = Counter()
    for fact in json.loads((labels / "facts.json").read_text()):
        start, block = run.ask(fact["prompt"])
        if "question" in fact:
            counts_as = contains_literals(found_by_search(run, fact["question"]), fact["literals"])
            found.update(["questions", *(["found by search"] if counts_as else [])])
        where = [
            name
            for name, text in (("brain", brain), ("start", start), ("prompt", block))
            if contains_literals(text, fact["literals"])
        ]
        kind = "said in instructions" if fact["inInstructions"] else "new"
        found.update([kind, *(f"{kind}: in {name}" for name in where), *([f"{kind}: covered"] if where else [])])
        if shows:
            print(f"--- {', '.join(where) or 'MISSED'} ({kind}): {fact['fact']}\n> {fact['prompt']}\n{block}")
    block_size = median(run.sizes)
    for prompt in json.loads((labels / "uncovered.json").read_text()):
        _, block = run.ask(prompt)
        found.update(["uncovered", *(["uncovered: little"] if tokens.count(block) < SHORT_TOKENS else [])])
        if shows:
            print(f"--- uncovered\n> {prompt}\n{block}")
    print(f"{labels.name:24} {_figures(found)}; brain {tokens.count(brain)}, block median {block_size:.0f}")
    return found


def _figures(found: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(found.items()))
