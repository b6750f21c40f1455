"""Layer 0: what the project is, and how much is remembered of it. It fits in the least budget, whatever it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from loremark.memory.brain.entries import LAYERS, Count
from loremark.memory.brain.neutral import flat, in_code, one_line
from loremark.memory.brain.shortening import longest

_MOST_TOKENS = 155
"""The least budget without the note on what was left out."""
_LEAST_TOKENS = 90
_PART = 6
_NAME_TOKENS = 30
_REPOSITORY_TOKENS = 35
_BRANCH_TOKENS = 20


@dataclass(frozen=True, slots=True)
class Project:
    """What layer 0 says of a project. ``branch``: the one that was asked for."""

    name: str
    description: str = ""
    repo_url: str | None = None
    branch: str | None = None


def layer_zero(project: Project, items: int, contexts: int, budget: int, count: Count) -> str:
    """The head of the document. The description has what the other lines leave, and less of a small budget."""
    name = _cut(flat(project.name) or "Untitled", _NAME_TOKENS, count)
    lines = []
    if project.repo_url:
        lines.append(f"- Repository: {_cut(project.repo_url, _REPOSITORY_TOKENS, count)}\n")
    if project.branch is not None:
        branch = _cut(project.branch, _BRANCH_TOKENS, count, in_code)
        lines.append(f"- Branch: {branch}, beside what is in the default branch\n")
    lines.append(f"- Remembered: {_amount(items, 'item')} and {_amount(contexts, 'context')}\n")
    above, below = f"# {name}\n\n## Layer 0: project\n\n", "".join(lines) + "\n"
    left = max(_LEAST_TOKENS, min(_MOST_TOKENS, budget // _PART)) - count(above) - count(below)
    about = longest(
        flat(project.description),
        lambda text: count(f"- About: {one_line(text)}\n") <= left and bool(text.strip(" …")),
        left,
    )
    return f"{above}- About: {one_line(about)}\n{below}" if about.strip() else above + below


def left_out(omitted: Mapping[int, int]) -> str:
    """The note on what did not fit; empty when all did."""
    parts = [f"{omitted[layer]} in layer {layer}" for layer in LAYERS if omitted.get(layer)]
    return f"## Left out\n\nOver the budget: {', '.join(parts)}.\n\n" if parts else ""


def _amount(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _cut(text: str, most: int, count: Count, harmless: Callable[[str], str] = one_line) -> str:
    """The beginning that fits, made harmless after the cut: the other way round, a cut could undo it."""
    return harmless(longest(flat(text), lambda given: count(f" {harmless(given)}\n") <= most, most) or "…")
