"""Prompts that users can start from their agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from loremark.mcp.errors import ToolError
from loremark.mcp.formatting import truncate

_MAX_CHARS = 4_000

Given = Mapping[str, str]


@dataclass(frozen=True)
class Prompt:
    """``arguments``: name, description, required."""

    name: str
    title: str
    description: str
    arguments: tuple[tuple[str, str, bool], ...]
    write: Callable[[Given], str]


def _required(given: Given, name: str) -> str:
    value = given.get(name, "").strip()
    if not value:
        raise ToolError(f"The argument {name} is required.")
    return truncate(value, _MAX_CHARS)


def _recall(given: Given) -> str:
    return (
        f"Before you start this task, check what the project memory knows about it:\n\n"
        f"<task>\n{_required(given, 'task')}\n</task>\n\n"
        "1. Call memory_brief with the task and the files it will touch, unless a briefing for it is already in your "
        "context.\n"
        "2. Call memory_search with the key terms of the task and where=all, and memory_files with the files it will "
        "touch. Check unreviewed quotations against the code before you rely on them.\n"
        "3. Summarize in a few lines which decisions, conventions and known bugs are relevant, with their IDs, and any "
        "that contradict the task.\nThen wait for my reply before you change anything."
    )


def _save_learnings(given: Given) -> str:
    focus = truncate(given.get("focus", "").strip(), _MAX_CHARS)
    about = f" Focus on: {focus}." if focus else ""
    return (
        "Review this session and save what the next person or agent needs to know." + about + "\n"
        "Collect decisions and their reasons, conventions, how things work, bugs and their causes, and open tasks. "
        "Leave out temporary state and anything obvious from the code. First search the memory for items that are no "
        "longer true and deprecate them. Then call memory_save once, with a short summary and one change per fact, and "
        "show me what you saved."
    )


def _review(given: Given) -> str:
    return (
        "Review this project's memory with me. Call memory_eval and memory_hygiene, then memory_search with "
        "drafts=true for drafts awaiting review. Compare the results with the code and show me a short list: what "
        "looks wrong or outdated, what is duplicated, and which drafts should be approved. Don't change anything "
        "until I confirm."
    )


PROMPTS: tuple[Prompt, ...] = (
    Prompt(
        "recall",
        "Recall before a task",
        "Check what the project memory knows about a task before you start it.",
        (("task", "The task you are about to start.", True),),
        _recall,
    ),
    Prompt(
        "save-learnings",
        "Save what you learned",
        "Save decisions and lessons from this session to the project memory.",
        (("focus", "What to focus on (optional).", False),),
        _save_learnings,
    ),
    Prompt(
        "review-memory",
        "Review the memory",
        "Check the memory's health, suggested cleanups and drafts.",
        (),
        _review,
    ),
)
BY_NAME: dict[str, Prompt] = {prompt.name: prompt for prompt in PROMPTS}
