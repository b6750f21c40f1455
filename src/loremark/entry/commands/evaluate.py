"""``loremark eval``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Literal

SUMMARY = "Measure extraction, deduplication, drift, search and answer quality."
EXAMPLE = "loremark eval --split test --json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--split",
        default="test",
        choices=("test", "dev"),
        help="labeled set: test (for reporting, default) or dev (for tuning)",
    )
    parser.add_argument(
        "--sets",
        type=Path,
        metavar="DIR",
        help="folder with the labeled sets (default: evals/ in the source checkout)",
    )
    parser.add_argument(
        "--set",
        dest="own",
        type=Path,
        metavar="DIR",
        help="your own set: a folder with events.jsonl, and optionally pairs.jsonl and questions.jsonl",
    )
    parser.add_argument("--project", metavar="ID", help="measure the memory of a project in this installation")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    import dataclasses

    from loremark.cli.output import write
    from loremark.entry.commands.runner import read_settings, run_async

    if arguments.project is not None:
        from loremark.entry import project_evaluation

        result = run_async(project_evaluation.evaluate_project(read_settings(), arguments.project))
        write(json.dumps(dataclasses.asdict(result)) if arguments.json else result.to_table())
        return 0
    from loremark.entry import ask_evaluation, evaluation

    labelled = run_async(evaluation.load_set(arguments.split, arguments.sets, arguments.own))
    report, retrieval = run_async(evaluation.evaluate(read_settings(), labelled))
    asks = None
    if arguments.own is None:  # your own set has no questions for Ask
        split: Literal["dev", "test"] = "dev" if arguments.split == "dev" else "test"
        asks = run_async(ask_evaluation.evaluate_asks(read_settings(), split, arguments.sets))
    if arguments.json:
        extra = {"retrieval": retrieval and dataclasses.asdict(retrieval), "ask": asks and asks.figures}
        write(json.dumps(json.loads(report.to_json()) | extra))
    else:
        write("\n\n".join([report.to_table(), *(part.to_table() for part in (retrieval, asks) if part)]))
    return 0 if report.met else 1
