"""``loremark eval``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

SUMMARY = "Measure extraction, dedup, drift, retrieval and answers: on the shipped sets, your own, or a project."
EXAMPLE = "loremark eval --split test --json"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--split", default="test", choices=("test", "dev"), help="the shipped set: test (to report) or dev (to tune on)"
    )
    parser.add_argument(
        "--set",
        dest="own",
        type=Path,
        metavar="DIR",
        help="a set of your own: events.jsonl, pairs.jsonl, questions.jsonl",
    )
    parser.add_argument("--project", metavar="ID", help="look at the memory of a project of this installation")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    import dataclasses

    from loremark.cli.page import write
    from loremark.entry.commands.running import read_settings, run_all

    if arguments.project is not None:
        from loremark.entry import examination

        seen = run_all(examination.examine(read_settings(), arguments.project))
        write(json.dumps(dataclasses.asdict(seen)) if arguments.json else seen.to_table())
        return 0
    from loremark.entry import asking, evaluation

    labelled = run_all(evaluation.load_set(arguments.split, arguments.own))
    report, retrieval = run_all(evaluation.evaluate(read_settings(), labelled))
    # A set of one's own holds events; the questions to a memory are those of the shipped sets.
    asks = (
        None
        if arguments.own
        else run_all(asking.evaluate_asks(read_settings(), "dev" if arguments.split == "dev" else "test"))
    )
    if arguments.json:
        told = {"retrieval": retrieval and dataclasses.asdict(retrieval), "ask": asks and asks.figures}
        write(json.dumps(json.loads(report.to_json()) | told))
    else:
        write("\n\n".join([report.to_table(), *(part.to_table() for part in (retrieval, asks) if part)]))
    return 0 if report.met else 1
