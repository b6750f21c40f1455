"""``loremark pause`` and the wording that other commands share."""

from __future__ import annotations

import argparse
import os
import re
from typing import TYPE_CHECKING

from loremark.cli.framework import OK, CommandError

if TYPE_CHECKING:
    from loremark.hook.pausing import Pause

SUMMARY = "Pause capture in this folder."
EXAMPLE = "loremark pause --for 2h"

_DURATION = re.compile(r"(\d{1,4})(m|h|d)")
_MINUTES = {"m": 1, "h": 60, "d": 1_440}
_UNITS = ((2 * 1_440, 1_440, "d"), (120, 60, "h"), (1, 1, "min"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    parser.add_argument(
        "--for",
        dest="minutes",
        type=_parse_duration,
        metavar="TIME",
        help="resume automatically after this long, such as 30m, 2h or 1d",
    )
    add_json(parser)


def _parse_duration(text: str) -> int:
    found = _DURATION.fullmatch(text.strip().lower())
    if found is None or int(found.group(1)) == 0:
        raise argparse.ArgumentTypeError("must be a time such as 30m, 2h or 1d")
    return int(found.group(1)) * _MINUTES[found.group(2)]


def run(arguments: argparse.Namespace) -> int:
    from loremark.base import clock
    from loremark.cli import output
    from loremark.hook import pausing

    until_ms = clock.now_ms() + arguments.minutes * clock.MINUTE_MS if arguments.minutes else None
    pause = pausing.pause(linked_folder(), until_ms)
    if arguments.json:
        output.write_json({"folder": pause.folder, "until": clock.iso_or_none(pause.until_ms)})
    else:
        output.write(output.plain(describe(pause)))
    return OK


def linked_folder() -> str:
    """The linked folder that contains the current one."""
    from loremark.cli.connection import resolve_link
    from loremark.hook.link import NOT_LINKED, NOT_SIGNED_IN

    link, why = resolve_link(os.getcwd())
    if link is None:
        fix = {NOT_SIGNED_IN: "; run: loremark login", NOT_LINKED: "; run: loremark init"}.get(why, "")
        raise CommandError(f"nothing is captured in {os.getcwd()}: {why}{fix}")
    return link.folder


def note_if_paused(folder: str) -> None:
    """Mention on standard error that nothing is captured in this folder."""
    from loremark.cli import output
    from loremark.hook.pausing import find_pause

    pause = find_pause(folder)
    if pause is not None:
        output.note(describe(pause))


def describe(pause: Pause) -> str:
    """Say which folder is paused and how it ends."""
    from loremark.base import clock

    if pause.until_ms is None:
        return f"Capture is paused in {pause.folder}; run `loremark resume` to continue."
    minutes = max(1, -(-(pause.until_ms - clock.now_ms()) // clock.MINUTE_MS))
    left = next(f"{round(minutes / size)} {unit}" for least, size, unit in _UNITS if minutes >= least)
    return f"Capture is paused in {pause.folder} for {left}; run `loremark resume` to continue now."
