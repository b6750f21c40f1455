"""``loremark resume``."""

from __future__ import annotations

import argparse
import os

from loremark.cli.framework import OK

SUMMARY = "Resume capture after loremark pause."
EXAMPLE = "loremark resume"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.pause import linked_folder
    from loremark.hook import pausing

    ended = pausing.resume(os.getcwd()) or pausing.resume(linked_folder())
    if arguments.json:
        output.write_json({"folders": list(ended)})
        return OK
    for folder in ended:
        output.write(output.plain(f"Capture resumed in {folder}."))
    if not ended:
        output.write(output.plain(f"Capture is not paused in {linked_folder()}."))
    return OK
