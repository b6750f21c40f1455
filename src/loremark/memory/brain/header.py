"""Layer 0: the project and the size of its memory. It fits the smallest budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from loremark.memory.brain.entries import LAYERS, Count
from loremark.memory.brain.markdown_escaping import code_span, collapse_whitespace, escape_inline
from loremark.memory.brain.truncation import truncate_to_fit

_MAX_TOKENS = 155
"""The smallest budget minus the note on what was left out."""
_MIN_TOKENS = 90
_PART = 6
_NAME_TOKENS = 30
_REPOSITORY_TOKENS = 35
_BRANCH_TOKENS = 20


@dataclass(frozen=True, slots=True)
class Project:
    """What layer 0 says about a project. ``branch`` is the requested one."""

    name: str
    description: str = ""
    repo_url: str | None = None
    branch: str | None = None


def render_layer_zero(project: Project, items: int, contexts: int, budget: int, count: Count) -> str:
    """Render the document's head. The description gets what the other lines leave, and less of a small budget."""
    name = _cut(collapse_whitespace(project.name) or "Untitled", _NAME_TOKENS, count)
    lines = []
    if project.repo_url:
        lines.append(f"- Repository: {_cut(project.repo_url, _REPOSITORY_TOKENS, count)}\n")
    if project.branch is not None:
        branch = _cut(project.branch, _BRANCH_TOKENS, count, code_span)
        lines.append(f"- Branch: {branch}, in addition to the default branch\n")
    lines.append(f"- Memory: {_pluralize(items, 'item')} and {_pluralize(contexts, 'context')}\n")
    above, below = f"# {name}\n\n## Layer 0: project\n\n", "".join(lines) + "\n"
    left = max(_MIN_TOKENS, min(_MAX_TOKENS, budget // _PART)) - count(above) - count(below)
    about = truncate_to_fit(
        collapse_whitespace(project.description),
        lambda text: count(f"- About: {escape_inline(text)}\n") <= left and bool(text.strip(" …")),
        left,
    )
    return f"{above}- About: {escape_inline(about)}\n{below}" if about.strip() else above + below


def render_left_out(omitted: Mapping[int, int]) -> str:
    """The note on what did not fit; empty if everything did."""
    parts = [f"{omitted[layer]} in layer {layer}" for layer in LAYERS if omitted.get(layer)]
    return f"## Left out\n\nOver the budget: {', '.join(parts)}.\n\n" if parts else ""


def _pluralize(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _cut(text: str, most: int, count: Count, harmless: Callable[[str], str] = escape_inline) -> str:
    """The prefix that fits, escaped after the cut: escaping first could be undone by the cut."""
    return harmless(
        truncate_to_fit(collapse_whitespace(text), lambda given: count(f" {harmless(given)}\n") <= most, most) or "…"
    )
