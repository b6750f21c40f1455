"""A played model: what memory makes of the answers that a strong model would give about sde-bench's conversations.

``LOREMARK_BENCH_SDE`` as for ``sde``; ``LOREMARK_BENCH_PLAYED`` is a folder with one ``NAME.json`` per session: the
model's answer, written without a look at the code. Each prompt is stored beside it as ``NAME.prompt.txt``, so that
missing answers can be written. In ``known``, ``title: …`` stands for the id of the item with that title. Decoys
are enriched by the rules.

Compared with the answers: whether each rule became an item word for word, was found by the next session's first prompt,
and whether amended rules are current and the old ones superseded.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.agent_sessions import exchanges
from bench.first_prompt import Run, add_decoys, list_tasks, prompt_of, show_json
from loremark.ports.llm import tokens

_LISTED = re.compile(r"^\[(itm_\w+)\] \([^)]*\) (.+)$", re.MULTILINE)


class PlayedModel:
    """Answers readings from files, and stores the prompts."""

    def __init__(self, run: Run, folder: Path) -> None:
        self._server = run.developer.server
        self._folder = folder
        self.missing: list[str] = []
        self.tokens: list[int] = []

    def read(self, name: str, session_id: str) -> list[dict[str, Any]]:
        """Have a session read; return the items of the answer."""
        state = self._server.call("POST", f"/api/v2/sessions/{session_id}/readings", {"agent": "played"})
        told: list[dict[str, Any]] = []
        while (part := state.get("next")) is not None:
            label = name if part["parts"] == 1 else f"{name}.{part['part']}"
            (self._folder / f"{label}.prompt.txt").write_text(f"{part['system']}\n\n{part['user']}")
            path = self._folder / f"{label}.json"
            if not path.exists():
                self.missing.append(label)
            answer = json.loads(path.read_text()) if path.exists() else {"items": []}
            ids = {title: item_id for item_id, title in _LISTED.findall(part["user"])}
            for item in answer["items"]:
                known = str(item.get("known", ""))
                item["known"] = ids.get(known.removeprefix("title: "), known)
            told += answer["items"]
            text = json.dumps(answer)
            self.tokens.append(part["tokenEstimate"] + tokens.count(text))
            state = self._server.call(
                "POST", f"/api/v2/readings/{state['id']}/answers", {"part": part["part"], "text": text}
            )
        return told


def run() -> None:
    source = os.environ["LOREMARK_BENCH_SDE"]
    folder = Path(os.environ.get("LOREMARK_BENCH_PLAYED", "evals/played_model"))
    tasks = [task for task in list_tasks(source) if task["source"].startswith("conversation")]
    decoys = show_json(source, "gen/decoy_conversations.json")
    # Apart, because some amended rules end up the same as a plain task's.
    for kind in ("conversation", "conversation-amended"):
        with ExitStack() as stack:
            _run_tasks(
                Run(stack, f"played model, {kind}"), [task for task in tasks if task["source"] == kind], decoys, folder
            )


def _run_tasks(run: Run, tasks: Sequence[Mapping[str, Any]], decoys: Any, folder: Path) -> None:
    run.developer.server.patch(f"/api/projects/{run.developer.project}", {"autoApproveThreshold": 0.9})
    add_decoys(run, decoys)
    run.developer.deliver()
    run.developer.stop_enriching()
    model = PlayedModel(run, folder)
    told: dict[str, list[dict[str, Any]]] = {}
    for task in tasks:
        for name, said in _sessions_of(task):
            run.developer.work(name, exchanges(said))
            run.developer.deliver()
            told[name] = model.read(name, _session_id(run, name))
            run.developer.deliver()
    if model.missing:
        print(f"answers missing in {folder}: {', '.join(model.missing)}")
    _report(run, tasks, told)
    print(f"tokens per session: {sorted(model.tokens)[len(model.tokens) // 2]} (median), {max(model.tokens)} (most)")


def _sessions_of(task: Mapping[str, Any]) -> list[tuple[str, Sequence[Mapping[str, str]]]]:
    if task["source"] == "conversation":
        return [(task["codebase"], task["conversations"])]
    return [(f"{task['codebase']}-{number}", said) for number, said in enumerate(task["conversations"], start=1)]


def _session_id(run: Run, name: str) -> str:
    sessions = run.developer.server.list(f"/api/v2/sessions?projectId={run.developer.project}&limit=1000")
    return next(str(one["id"]) for one in sessions if one["source"] == f"claude-code:{name}")


def _report(run: Run, tasks: Sequence[Mapping[str, Any]], told: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    items: dict[str, dict[str, Any]] = {}
    cursor = ""
    while True:
        page = run.developer.server.list(f"/api/v2/items?projectId={run.developer.project}&limit=100{cursor}")
        items |= {one["title"]: one for one in page}
        if len(page) < 100:
            break
        cursor = f"&cursor={page[-1]['id']}"
    lost = altered = current = served = amended = old_gone = old_served = 0
    for task in tasks:
        names = [name for name, _ in _sessions_of(task)]
        for one in (one for name in names for one in told[name] if one.get("verdict") != "repeats"):
            stored = items.get(one["title"])
            lost += stored is None
            altered += stored is not None and one["content"] not in stored["content"]
            if stored is None:
                print(f"  lost: {names[0]}: {one['title']}")
        newest = [one["title"] for one in told[names[-1]] if one.get("verdict") != "repeats"]
        holds = [title for title in newest if title in items and items[title]["status"] != "deprecated"]
        current += bool(holds)
        _, block = run.ask(prompt_of(task))
        arrived = any(title in block for title in holds)
        served += arrived
        if not arrived:
            print(f"  not in the first prompt: {names[0]}: {holds or newest}")
        if len(names) > 1:
            amended += 1
            replaced = {one["known"] for one in told[names[-1]] if one.get("verdict") == "supersedes"}
            old = [one for one in items.values() if one["id"] in replaced]
            old_gone += bool(old) and all(one["status"] == "deprecated" for one in old)
            old_served += any(one["title"] in block for one in old)
    total = sum(len(one) for one in told.values())
    run.report(
        ("rule is an item", current, len(tasks)),
        ("rule in the first prompt", served, len(tasks)),
        ("old rule superseded", old_gone, amended),
        ("old rule told", old_served, amended),
        ("items lost", lost, total),
        ("altered", altered, total),
    )
