"""Prepares the training data of the embedder: projects of documents, with queries and the documents they should find.

    python training/embedder_data.py data.json [squad.json ...]

Reads ``groups/`` and ``sessions/`` beside this file. Files in SQuAD's format may be added, which keeps the model good
at ordinary questions.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loremark.memory.items import RawEvent
from loremark.memory.recall.turns import ending, searched_text, turns_of

_HERE = Path(__file__).parent
CLOSED_AUTHORS = frozenset(("author11", "author12"))
_SQUAD_QUESTIONS = 9_000
_SQUAD_BATCH = 60
_FOLLOWING = 700


def main() -> None:
    projects = [*_groups(), *_sessions(), *_squad(sys.argv[2:])]
    Path(sys.argv[1]).write_text(json.dumps(projects, ensure_ascii=False))
    print(f"{len(projects)} projects, {sum(len(project['queries']) for project in projects)} queries")


def _query(text: str, finds: list[int], ignores: list[int] = (), near: list[int] = ()) -> dict[str, Any]:  # type: ignore[assignment]
    """``ignores``: documents that may or may not be found; ``near``: documents that look right but are not."""
    return {"text": text, "finds": finds, "ignores": list(ignores), "near": list(near)}


def _groups() -> Iterator[dict[str, Any]]:
    for path in sorted((_HERE / "groups").glob("*.jsonl")):
        if path.stem in CLOSED_AUTHORS:
            continue
        by_project: dict[str, list[dict[str, Any]]] = {}
        for line in path.read_text().splitlines():
            group = json.loads(line)
            by_project.setdefault(group["project"], []).append(group)
        for groups in by_project.values():
            documents: list[str] = []
            queries: list[dict[str, Any]] = []
            for group in groups:
                item = len(documents)
                repeat, sibling, replaces = item + 1, item + 2, item + 3
                documents += [group["item"], group["repeat"], group["sibling"], group["replaces"]]
                queries += [
                    _query(text, [item, repeat], [replaces], [sibling]) for text in [*group["covered"], *group["tasks"]]
                ]
                queries.append(_query(group["repeat"], [item], [repeat, replaces], [sibling]))
            yield {"documents": documents, "queries": queries}


def _sessions() -> Iterator[dict[str, Any]]:
    for path in sorted((_HERE / "sessions").glob("*.json")):
        project = json.loads(path.read_text())
        documents: list[str] = []
        places: dict[str, list[int]] = {}
        for session in project["sessions"]:
            before = ""
            for number, said in enumerate(session["exchanges"]):
                event = RawEvent(
                    f"evt_{len(documents)}", "session_save", {"notes": said["user"], "summary": said["agent"]}
                )
                turns = turns_of(event, before)
                for turn in turns:
                    places.setdefault(f"{session['id']}:{number}", []).append(len(documents))
                    documents.append(searched_text(turn.before, turn.messages))
                before = ending(turns[-1].messages) if turns else before

        def at(prompt: dict[str, Any], kind: str, places: dict[str, list[int]] = places) -> list[int]:
            return [place for name in prompt.get(kind, ()) for place in places.get(name, ())]

        queries = [
            _query(prompt["text"], at(prompt, "matters"), at(prompt, "outdated"), at(prompt, "near"))
            for prompt in project["prompts"]
            if prompt["matters"]
        ]
        yield {"documents": documents, "queries": queries}


def _squad(paths: list[str]) -> Iterator[dict[str, Any]]:
    chance = random.Random(7)
    pairs = [pair for path in paths for pair in _squad_pairs(Path(path))]
    chance.shuffle(pairs)
    for start in range(0, min(len(pairs), _SQUAD_QUESTIONS), _SQUAD_BATCH):
        some = pairs[start : start + _SQUAD_BATCH]
        documents = list(dict.fromkeys(passage for _, passage in some))
        yield {
            "documents": documents,
            "queries": [_query(question, [documents.index(passage)]) for question, passage in some],
        }


def _squad_pairs(path: Path) -> Iterator[tuple[str, str]]:
    for article in json.loads(path.read_text())["data"]:
        for paragraph in article["paragraphs"]:
            for asked in paragraph["qas"]:
                if asked.get("answers"):
                    start = max(0, asked["answers"][0]["answer_start"] - 450)
                    yield asked["question"], paragraph["context"][start : start + 2 * _FOLLOWING]


if __name__ == "__main__":
    main()
