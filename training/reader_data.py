"""Prepares the training data of the reader: pairs of texts with the relation that it learns to see.

    python training/reader_data.py data.jsonl [--squad dev-v2.0.json ...] [--nli snli.jsonl ...]

Reads ``groups/`` and ``sessions/`` beside this file, and the development sets of ``evals/``. Each line is ``task``
(``answers``: a question and a text; ``matters``: a coding task and a text; ``pair``: two statements), the two texts,
the label, its weight, and the author and project it is from.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
_EVALS = _HERE.parent / "evals"
SAME, REPLACES, DIFFERENT = range(3)
_NLI = {"entailment": SAME, "contradiction": REPLACES, "neutral": DIFFERENT}
_NEAREST, _OTHERS = 4, 2
_ELSEWHERE = 3
"""Texts of other projects that each question and task is shown with; memory never answers for another project."""
_WORD = re.compile(r"[a-z0-9]{3,}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--squad", type=Path, nargs="*", default=[])
    parser.add_argument("--nli", type=Path, nargs="*", default=[])
    given = parser.parse_args()
    random.seed(7)
    examples = [*_groups(), *_sessions(), *_asks(), *_pairs(), *_squad(given.squad), *_nli(given.nli)]
    with given.out.open("w") as out:
        for example in examples:
            out.write(json.dumps(example, ensure_ascii=False) + "\n")
    print(f"{len(examples)} pairs:", dict(Counter((one["task"], one["source"]) for one in examples)))


def _example(
    task: str,
    first: str,
    second: str,
    label: int,
    source: str,
    author: str = "",
    project: str = "",
    weight: float = 1.0,
) -> dict[str, Any]:
    return {
        "task": task,
        "a": first,
        "b": second,
        "label": label,
        "weight": weight,
        "source": source,
        "author": author,
        "project": project,
    }


class _Nearest:
    """Finds the texts that share rare words with a query: they look right and mostly are not."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._having: dict[str, list[int]] = defaultdict(list)
        for place, text in enumerate(texts):
            for word in _words(text):
                self._having[word].append(place)
        self._count = len(texts)

    def find(self, query: str, without: Iterable[int], most: int) -> list[int]:
        scores: Counter[int] = Counter()
        for word in sorted(_words(query)):
            places = self._having.get(word, ())
            for place in places:
                scores[place] += math.log(self._count / len(places))  # type: ignore[assignment]
        left_out = set(without)
        return [place for place, _ in scores.most_common(most + len(left_out)) if place not in left_out][:most]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _groups() -> Iterator[dict[str, Any]]:
    for path in sorted((_HERE / "groups").glob("*.jsonl")):
        by_project: dict[str, list[dict[str, Any]]] = {}
        for line in path.read_text().splitlines():
            group = json.loads(line)
            by_project.setdefault(group["project"], []).append(group)
        for project, groups in by_project.items():
            for task, first, second, label, weight in _group_pairs(groups):
                yield _example(task, first, second, label, "groups", path.stem, project, weight)
        for task, project, first, second in _from_elsewhere(by_project):
            yield _example(task, first, second, 0, "groups", path.stem, project, 0.7)


def _from_elsewhere(by_project: Mapping[str, Sequence[dict[str, Any]]]) -> Iterator[tuple[str, str, str, str]]:
    """The questions and tasks of each project with the nearest texts of the author's other projects."""
    told = {name: [text for group in groups for text in _texts(group)] for name, groups in by_project.items()}
    texts = [text for mine in told.values() for text in mine]
    nearest = _Nearest(texts)
    start = 0
    for name, groups in by_project.items():
        mine = range(start, start := start + len(told[name]))
        for group in groups:
            for task, asked in _asked(group):
                for place in nearest.find(asked, mine, _ELSEWHERE):
                    yield task, name, asked, texts[place]


def _texts(group: dict[str, Any]) -> list[str]:
    told = [group["item"], group["repeat"], group["replaces"], group["sibling"]]
    return [*told, *group.get("near_miss_answers", ()), *group.get("near_task_rules", ())]


def _asked(group: dict[str, Any]) -> list[tuple[str, str]]:
    questions = [("answers", text) for text in (*group["covered"], *group["near_miss"])]
    return [*questions, *(("matters", text) for text in (*group["tasks"], *group["near_tasks"]))]


def _group_pairs(groups: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str, str, int, float]]:
    """Each question and task with the texts of its group, and with the nearest and some other texts of the project."""
    texts: list[str] = []
    own: list[set[int]] = []
    for group in groups:
        start = len(texts)
        texts += _texts(group)
        own.append(set(range(start, len(texts))))
    nearest = _Nearest(texts)
    for group, mine in zip(groups, own, strict=True):
        yield from _within(group)
        for task, text in _asked(group):
            others = nearest.find(text, mine, _NEAREST)
            others += random.sample([at for at in range(len(texts)) if at not in mine], _OTHERS)
            for place in dict.fromkeys(others):
                yield task, text, texts[place], 0, 0.7
        for place in nearest.find(group["item"], mine, 3):
            yield "pair", group["item"], texts[place], DIFFERENT, 0.7


def _within(group: dict[str, Any]) -> Iterator[tuple[str, str, str, int, float]]:
    item, repeat, replaces, sibling = (group[name] for name in ("item", "repeat", "replaces", "sibling"))
    answers, rules = group.get("near_miss_answers", ()), group.get("near_task_rules", ())
    for text in group["covered"]:
        yield "answers", text, item, 1, 1.5
        yield "answers", text, repeat, 1, 0.7
        yield "answers", text, sibling, 0, 1.0
        yield "matters", text, item, 1, 0.4
        for other in random.sample(list(answers), min(2, len(answers))):
            yield "answers", text, other, 0, 1.0
    for number, text in enumerate(group["near_miss"]):
        yield "answers", text, item, 0, 1.0
        for other, answer in enumerate(answers):
            yield "answers", text, answer, int(other == number), 1.5 if other == number else 0.5
    for text in group["tasks"]:
        yield "matters", text, item, 1, 1.5
        yield "matters", text, repeat, 1, 1.0
        yield "matters", text, replaces, 1, 0.7
        yield "matters", text, sibling, 0, 0.7
        for rule in rules:
            yield "matters", text, rule, 0, 1.0
    for number, text in enumerate(group["near_tasks"]):
        yield "matters", text, item, 0, 1.0
        for other, rule in enumerate(rules):
            yield "matters", text, rule, int(other == number), 2.0 if other == number else 0.7
    if group.get("without"):
        yield "answers", group["covered"][0], group["without"], 0, 1.5
        yield "pair", item, group["without"], DIFFERENT, 0.5
    yield "pair", item, repeat, SAME, 1.5
    yield "pair", repeat, item, SAME, 1.0
    for first, second, label in ((item, replaces, REPLACES), (repeat, replaces, REPLACES), (replaces, item, REPLACES)):
        yield "pair", first, second, label, 1.0
    for other in (sibling, *answers[:2]):
        yield "pair", item, other, DIFFERENT, 1.0
    yield "pair", repeat, sibling, DIFFERENT, 1.0


def exchange_text(user: str, agent: str, before: str = "") -> str:
    """An exchange as it is shown to the reader."""
    lines = [("", before), ("user: ", user), ("agent: ", agent)]
    return "\n".join(f"{role}{' '.join(text.split())}" for role, text in lines if text.strip())


def _sessions() -> Iterator[dict[str, Any]]:
    projects = {path.stem: json.loads(path.read_text()) for path in sorted((_HERE / "sessions").glob("*.json"))}
    told = {name: dict(_exchanges(project)) for name, project in projects.items()}
    for name, project in projects.items():
        places = list(told[name])
        texts = [told[name][place] for place in places]
        elsewhere = [text for other, exchanges in told.items() if other != name for text in exchanges.values()]
        nearest, far = _Nearest(texts), _Nearest(elsewhere)
        for prompt in project["prompts"]:
            right, maybe, near = (
                [places.index(place) for place in prompt[kind] if place in told[name]]
                for kind in ("matters", "outdated", "near")
            )
            wrong = list(dict.fromkeys([*near, *nearest.find(prompt["text"], [*right, *maybe], 6)]))
            wrong += random.sample([at for at in range(len(texts)) if at not in {*right, *maybe, *wrong}], 2)
            judged = [(texts[at], 1, 2.0) for at in right]
            judged += [(texts[at], 0, 1.0 if at in near else 0.7) for at in wrong]
            judged += [(elsewhere[at], 0, 0.7) for at in far.find(prompt["text"], (), _ELSEWHERE)]
            for task in ("answers", "matters") if prompt["kind"] == "question" else ("matters",):
                for text, label, weight in judged:
                    yield _example(task, prompt["text"], text, label, "sessions", name[:2], name, weight)


def _exchanges(project: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The exchanges of a project's sessions by their names."""
    for session in project["sessions"]:
        before = ""
        for number, said in enumerate(session["exchanges"]):
            yield f"{session['id']}:{number}", exchange_text(said["user"], said["agent"], before)
            before = " ".join(said["agent"].split())[-200:]


def _asks() -> Iterator[dict[str, Any]]:
    """The questions of asks-dev with the items that answer them, and the nearest of their project and of the next."""
    items = [json.loads(line) for line in (_EVALS / "asks-dev" / "memory.jsonl").read_text().splitlines()]
    by_project: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        by_project.setdefault(item["project"], []).append(item)
    texts = {name: [f"{item['title']}. {item['content']}" for item in mine] for name, mine in by_project.items()}
    nearest = {name: _Nearest(mine) for name, mine in texts.items()}
    names = list(by_project)
    following = dict(zip(names, names[1:] + names[:1], strict=True))
    for line in (_EVALS / "asks-dev" / "questions.jsonl").read_text().splitlines():
        asked = json.loads(line)
        project = asked["project"]
        question = " ".join([*(turn["question"] for turn in asked.get("earlier", ())[-1:]), asked["question"]])
        right = [place for place, item in enumerate(by_project[project]) if item["key"] in asked["answers"]]
        wrong = nearest[project].find(question, right, 6 if right else 8)
        for label, places, weight in ((1, right, 1.5), (0, wrong, 0.8)):
            for place in places:
                yield _example("answers", question, texts[project][place], label, "asks", "asks", project, weight)
        for place in nearest[following[project]].find(question, (), 3):
            yield _example("answers", question, texts[following[project]][place], 0, "asks", "asks", project, 0.4)


def _pairs() -> Iterator[dict[str, Any]]:
    relations = {"duplicate": SAME, "contradiction": REPLACES, "different": DIFFERENT}
    for line in (_EVALS / "dev" / "pairs.jsonl").read_text().splitlines():
        pair = json.loads(line)
        first, second = (f"{pair[side]['title']}. {pair[side]['content']}" for side in "ab")
        for one, other in ((first, second), (second, first)):
            yield _example("pair", one, other, relations[pair["label"]], "pairs", "pairs", "", 1.0)


def _squad(paths: Sequence[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        for article in json.loads(path.read_text())["data"]:
            passages = [paragraph["context"] for paragraph in article["paragraphs"]]
            for paragraph in article["paragraphs"]:
                for asked in paragraph["qas"]:
                    right = bool(asked.get("answers"))
                    start = max(0, asked["answers"][0]["answer_start"] - 400) if right else 0
                    text = paragraph["context"][start : start + 900]
                    yield _example("answers", asked["question"], text, int(right), "squad", weight=0.5)
                    other = random.choice(passages)
                    if right and other is not paragraph["context"]:
                        yield _example("answers", asked["question"], other[:900], 0, "squad", weight=0.3)


def _nli(paths: Sequence[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        known = [line for line in lines if line["gold_label"] in _NLI]
        for line in random.sample(known, min(30_000, len(known))):
            yield _example("pair", line["sentence1"], line["sentence2"], _NLI[line["gold_label"]], "nli", weight=0.3)


if __name__ == "__main__":
    main()
