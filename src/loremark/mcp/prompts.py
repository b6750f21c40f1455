"""Prompts: what people start by hand in their agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from loremark.mcp.problem import Problem
from loremark.mcp.shown import cut

_MOST_CHARS = 4_000

Given = Mapping[str, str]


@dataclass(frozen=True)
class Prompt:
    """``arguments``: name, description, whether it is needed."""

    name: str
    title: str
    description: str
    arguments: tuple[tuple[str, str, bool], ...]
    write: Callable[[Given], str]


def _needed(given: Given, name: str) -> str:
    value = given.get(name, "").strip()
    if not value:
        raise Problem(f"The argument {name} is required.")
    return cut(value, _MOST_CHARS)


def _recall(given: Given) -> str:
    return (
        f"Before you begin this task, find out what the project's memory knows about it:\n\n"
        f"<task>\n{_needed(given, 'task')}\n</task>\n\n"
        "1. Call memory_brief, unless a briefing is in your context already.\n"
        "2. Call memory_search with the main terms of the task, and memory_files with the files it will touch.\n"
        "3. Say in a few lines which decisions, conventions and known bugs matter here, each with its id, and where "
        "they contradict the task.\nThen wait for me before changing anything."
    )


def _learnt(given: Given) -> str:
    focus = cut(given.get("focus", "").strip(), _MOST_CHARS)
    about = f" Pay attention to: {focus}." if focus else ""
    return (
        "Look back at this session and save what the next person or agent would need to know." + about + "\n"
        "Collect decisions with their reasons, conventions, how things work, bugs with their causes, and what is left "
        "to do; leave out what the code says itself and passing states. Search the memory first for entries that are "
        "no longer true and deprecate them. Then call memory_save once, with a short summary and one change for each "
        "fact, and show me what you saved."
    )


def _review(given: Given) -> str:
    return (
        "Review the memory of this project with me. Call memory_eval and memory_hygiene, then memory_search with "
        "drafts for what waits for approval. Show me a short list: what looks wrong or out of date when you compare "
        "it with the code, what is there twice, which drafts deserve approval. Change nothing without my word."
    )


PROMPTS: tuple[Prompt, ...] = (
    Prompt(
        "recall",
        "Recall before a task",
        "Find out what the project's memory knows about a task before beginning it.",
        (("task", "What you are about to do.", True),),
        _recall,
    ),
    Prompt(
        "save-learnings",
        "Save what was learnt",
        "Save the lasting knowledge of this session to the project's memory.",
        (("focus", "What to pay attention to, if anything.", False),),
        _learnt,
    ),
    Prompt(
        "review-memory",
        "Review the memory",
        "Go through the health of the project's memory, what could be tidied up, and the drafts.",
        (),
        _review,
    ),
)
BY_NAME: dict[str, Prompt] = {prompt.name: prompt for prompt in PROMPTS}
