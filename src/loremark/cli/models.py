"""``loremark models``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loremark.wire.models import ModelEntry

SUMMARY = "List the models the server uses, and test each with one small call."
EXAMPLE = "loremark models"

TEST_TIMEOUT_S = 180.0
"""Longer than the server waits by default; a local model may have to be loaded first."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    parser.add_argument("--no-test", action="store_true", help="only list the models")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    import msgspec

    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.models import list_models, run_model_test

    tested = []
    with open_client(TEST_TIMEOUT_S) as client:
        for model in client.send(list_models()):
            output.progress(f"Testing {model.purpose}: {model.model} …")
            result = None if arguments.no_test else client.send(run_model_test(model.purpose))
            output.clear_progress()
            tested.append({**msgspec.to_builtins(model), "test": msgspec.to_builtins(result)})
            if arguments.json:
                continue
            mark, color = ("-   ", "dim") if result is None else ("ok  ", "green") if result.ok else ("FAIL", "red")
            output.write(f"{output.styled(mark, color)}  {model.purpose:<10}  {output.one_line(describe(model))}")
            if result is not None:
                output.paragraph(" " * 18, result.message, "dim", indent=" " * 18)
    if arguments.json:
        output.write_json(tested)
    return 1 if any(each["test"] is not None and not each["test"]["ok"] for each in tested) else 0


def describe(model: ModelEntry) -> str:
    if model.server is None:
        return (
            "the built-in engine, without a language model" if model.model == "builtin" else f"{model.model}, built in"
        )
    return f"{model.model} at {model.server}, {'with a' if model.has_key else 'without a'} key"
