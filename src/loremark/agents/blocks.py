"""Insert, update and remove our block between two markers in a text file."""

from __future__ import annotations

import re
import tomllib

from loremark.agents.changes import Block, UndoInfo
from loremark.agents.errors import EditError
from loremark.agents.jsonc_edit import newline_style

MARKERS = {
    "markdown": ("<!-- loremark:begin -->", "<!-- loremark:end -->"),
    "toml": ("# >>> loremark: managed block, removed by `loremark uninstall` >>>", "# <<< loremark <<<"),
}
_BEGINS = {
    "markdown": re.compile(r"^<!-- loremark:begin -->[ \t]*\r?$", re.MULTILINE),
    "toml": re.compile(r"^# >>> loremark[^\n]*$", re.MULTILINE),
}
_ENDS = {
    "markdown": re.compile(r"^<!-- loremark:end -->[ \t]*\r?$", re.MULTILINE),
    "toml": re.compile(r"^# <<< loremark[^\n]*$", re.MULTILINE),
}


def find_block(text: str, style: str) -> tuple[int, int] | None:
    """Return the span of the block, including its markers but not the final newline, or None."""
    begins, ends = list(_BEGINS[style].finditer(text)), list(_ENDS[style].finditer(text))
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or begins[0].start() > ends[0].start():
        raise EditError(
            "its loremark markers are damaged; there must be exactly one begin marker, followed by one end marker"
        )
    return begins[0].start(), ends[0].end() - (1 if ends[0].group().endswith("\r") else 0)


def block_text(text: str, style: str) -> str | None:
    """Return the text between the markers, or None."""
    found = find_block(text, style)
    if found is None:
        return None
    lines = text[found[0] : found[1]].replace("\r\n", "\n").split("\n")
    return "\n".join(lines[1:-1])


def apply(text: str, change: Block) -> tuple[str, UndoInfo]:
    newline = newline_style(text)
    begin, end = MARKERS[change.style]
    block = newline.join([begin, *change.text.rstrip("\n").split("\n"), end])
    found = find_block(text, change.style)
    if change.style == "toml":
        _check_toml(text if found is None else text[: found[0]] + text[found[1] :], change)
    if found is not None:
        result, undo = text[: found[0]] + block + text[found[1] :], UndoInfo()
    elif not text:
        result, undo = block + newline, UndoInfo(separator="")
    else:
        separator = newline if text.endswith("\n") else newline * 2
        result, undo = text + separator + block + newline, UndoInfo(separator=separator)
    if change.style == "toml":
        _read_toml(result)
    return result, undo


def revert(text: str, change: Block, undo: UndoInfo | None) -> str:
    try:
        found = find_block(text, change.style)
    except EditError:
        return text  # without both markers we can't tell which lines are ours
    if found is None:
        return text
    start, end = found
    if text.startswith("\r\n", end):
        end += 2
    elif text.startswith("\n", end):
        end += 1
    separator = undo.separator if undo is not None and undo.separator is not None else newline_style(text)
    if separator and text[:start].endswith(separator):
        start -= len(separator)
    return text[:start] + text[end:]


def _check_toml(rest: str, change: Block) -> None:
    found: object = _read_toml(rest)
    for key in change.table:
        if not isinstance(found, dict) or key not in found:
            return
        found = found[key]
    raise EditError(f"it already has a [{'.'.join(change.table)}] table; remove the table and run this again")


def _read_toml(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise EditError(f"it is not valid TOML, or adding the loremark table would make it invalid ({error})") from None
