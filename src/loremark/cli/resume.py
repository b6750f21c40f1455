"""``loremark resume``."""

from __future__ import annotations

import argparse
import os

from loremark.cli.framework import OK

SUMMARY = "Capture again after loremark pause."
EXAMPLE = "loremark resume"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.pause import linked_folder
    from loremark.hook import pausing

    ended = pausing.resume(os.getcwd()) or pausing.resume(linked_folder())
    for folder in ended:
        output.write(output.plain(f"Capture is on again in {folder}."))
    if not ended:
        output.write(output.plain(f"Capture is not paused in {linked_folder()}."))
    return OK
