"""Retrieval sets as projects: LoCoMo, CoSQA, installed functions and our own development questions."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from bench.retrieval_functions import functions as installed_functions
from loremark.base import clock, limits
from loremark.entry.evaluation import find_items
from loremark.features.items.records import item_text
from loremark.memory.evaluation.ask_sets import load_ask_set
from loremark.memory.evaluation.labeled_sets import load
from loremark.memory.evaluation.scoring import match_all
from loremark.memory.items import Item

EmbeddedBy = Literal["system", "bench", "nobody"]
"""Who embeds a question: the system under test, the benchmark, or nobody if only words count."""

SETS = ("LoCoMo dev", "LoCoMo test", "LoCoMo category 5", "CoSQA", "functions dev", "own dev", "asks dev")
_WANTED = os.environ.get("LOREMARK_BENCH_SETS", ",".join(SETS)).split(",")
"""When tuning, use the dev sets only: a test set that is inspected repeatedly is no longer a test."""


_TURN = re.compile(r"D:?(\d+):(\d+)")
_FUNCTION = re.compile(r"\bdef\s+(\w+)")
_ADVERSARIAL = 5
_TUNED_ON = 5
"""Conversations of LoCoMo that weights may be fitted on; the others are only reported."""


@dataclass(frozen=True)
class Document:
    """A searchable text. Documents with the same ``fact`` count as one result; ``session`` is None if it has none."""

    item: Item
    fact: str
    session: str | None = None
    created_ms: int | None = None

    @cached_property
    def text(self) -> str:
        """The text given to every system."""
        return item_text(self.item)


@dataclass(frozen=True)
class Question:
    text: str
    facts: frozenset[str]


@dataclass(frozen=True)
class Project:
    """Documents that are searched together, and the questions about them by set."""

    name: str
    documents: tuple[Document, ...]
    questions: dict[str, tuple[Question, ...]]

    @property
    def texts(self) -> list[str]:
        """All texts that need a vector."""
        question_texts = [one.text for questions in self.questions.values() for one in questions]
        return [document.text for document in self.documents] + question_texts


def load_projects() -> list[Project]:
    """The projects of all sets. Requires the public datasets."""
    unknown = [name for name in _WANTED if name not in SETS]
    if unknown:
        raise SystemExit(f"unknown set: {', '.join(unknown)}; available: {', '.join(SETS)}")
    folder = Path(os.environ.get("LOREMARK_BENCH_DATA", ""))
    talks, functions = folder / "locomo" / "locomo10.json", folder / "cosqa"
    if not talks.is_file() or not (functions / "code_idx_map.txt").is_file():
        raise SystemExit("set LOREMARK_BENCH_DATA to the folder with locomo/locomo10.json and cosqa/")
    sources: dict[str, Callable[[], Iterable[Project]]] = {
        "LoCoMo": lambda: _conversations(talks),
        "CoSQA": lambda: [_functions(functions)],
        "functions dev": lambda: [_installed()],
        "own dev": lambda: [_own()],
        "asks dev": _asks,
    }
    projects = []
    for name, read in sources.items():
        for project in read() if any(wanted.startswith(name) for wanted in _WANTED) else ():
            selected = {name: group for name, group in project.questions.items() if name in _WANTED}
            if selected:
                projects.append(replace(project, questions=selected))
    return projects


def _conversations(path: Path) -> list[Project]:
    conversations = json.loads(path.read_text(encoding="utf-8"))
    return [_conversation(number, conversation) for number, conversation in enumerate(conversations, start=1)]


def _conversation(number: int, conversation: dict[str, Any]) -> Project:
    """One item per turn, with its session and date. Questions without a turn as evidence are left out."""
    documents = _turns(conversation["conversation"])
    known = {document.fact for document in documents}
    plain: list[Question] = []
    adversarial: list[Question] = []
    for row in conversation["qa"]:
        named = {f"D{int(a)}:{int(b)}" for text in row.get("evidence", []) for a, b in _TURN.findall(text)}
        if named & known:
            target_list = adversarial if row["category"] == _ADVERSARIAL else plain
            target_list.append(Question(row["question"], frozenset(named & known)))
    split = "LoCoMo dev" if number <= _TUNED_ON else "LoCoMo test"
    questions = {split: tuple(plain), "LoCoMo category 5": tuple(adversarial)}
    return Project(f"LoCoMo {number}", tuple(documents), questions)


def _turns(conversation: dict[str, Any]) -> list[Document]:
    documents = []
    for number in sorted(int(name[8:]) for name in conversation if re.fullmatch(r"session_\d+", name)):
        started = datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(
            tzinfo=UTC
        )
        for place, turn in enumerate(conversation[f"session_{number}"]):
            image = f" [shared image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            title, content = _cut(f"{turn['speaker']}: {turn['text']}{image}")
            created_ms = int(started.timestamp()) * clock.SECOND_MS + place * clock.MINUTE_MS
            item = Item(title, content, "decision", "", 0.9, status="approved")
            documents.append(Document(item, turn["dia_id"], f"session-{number:03}", created_ms))
    return documents


def _cut(text: str) -> tuple[str, str]:
    """A title of at most the allowed length, cut between words, and the rest."""
    if len(text) <= limits.ITEM_TITLE_CHARS:
        return text, ""
    at = text.rfind(" ", 0, limits.ITEM_TITLE_CHARS)
    at = at if at > 0 else limits.ITEM_TITLE_CHARS
    return text[:at], text[at:].strip()


def _functions(folder: Path) -> Project:
    """One item per function: its name and its code."""
    numbers: dict[str, int] = json.loads((folder / "code_idx_map.txt").read_text(encoding="utf-8"))
    rows = json.loads((folder / "cosqa-retrieval-dev-500.json").read_text(encoding="utf-8"))
    documents = []
    for code, number in sorted(numbers.items(), key=lambda pair: pair[1]):
        named = _FUNCTION.search(code)
        title = named[1] if named else code.split("\n", 1)[0]
        item = Item(title[: limits.ITEM_TITLE_CHARS], code, "implementation", "", 0.9, tier=2, status="approved")
        documents.append(Document(item, str(number)))
    questions = tuple(Question(row["doc"], frozenset((str(row["retrieval_idx"]),))) for row in rows)
    return Project("CoSQA", tuple(documents), {"CoSQA": questions})


def _installed() -> Project:
    """The same for installed functions."""
    code, questions = installed_functions()
    documents = [
        Document(Item(id.rpartition(":")[2].rpartition(".")[2], text, "implementation", "", 0.9, status="approved"), id)
        for id, text in code.items()
    ]
    set_questions = tuple(Question(question, frozenset((id,))) for id, question in questions.items())
    return Project("functions dev", tuple(documents), {"functions dev": set_questions})


def _own() -> Project:
    """The items extracted from the labeled events of dev, in one project, with the questions of all projects."""
    labeled = load("dev")
    found = {event.id: find_items(event.raw) for event in labeled.events}
    facts = {(match.event.id, match.index): match.gold.fact for match in match_all(labeled.events, found)}
    documents = [
        Document(item, facts.get((event.id, place), ""), event.id)
        for event in labeled.events
        for place, item in enumerate(found[event.id])
    ]
    questions = tuple(Question(one.question, frozenset(one.facts)) for one in labeled.questions)
    return Project("own dev", tuple(documents), {"own dev": questions})


def _asks() -> list[Project]:
    """Handwritten memories, without uncovered questions and follow-ups."""
    asks = load_ask_set("dev")
    projects = []
    for name in dict.fromkeys(line.project for line in asks.memory):
        documents = tuple(
            Document(
                Item(line.title, line.content, line.type, line.schema_key, line.confidence, files=line.files),
                line.key,
                line.session,
            )
            for line in asks.memory
            if line.project == name
        )
        questions = tuple(
            Question(line.question, frozenset(line.answers))
            for line in asks.questions
            if line.project == name and line.answers and not line.earlier
        )
        projects.append(Project(f"asks dev, {name}", documents, {"asks dev": questions}))
    return projects
