"""Our lines between two markers in a text file: put in, renewed in place, taken out."""

from __future__ import annotations

import re
import tomllib

from loremark.agents.changes import Block, Trace
from loremark.agents.jsonc_edit import newline_of
from loremark.agents.refusal import Refused

MARKERS = {
    "markdown": ("<!-- loremark:begin -->", "<!-- loremark:end -->"),
    "toml": ("# >>> loremark: managed block, `loremark uninstall` takes it out >>>", "# <<< loremark <<<"),
}
_BEGINS = {
    "markdown": re.compile(r"^<!-- loremark:begin -->[ \t]*\r?$", re.MULTILINE),
    "toml": re.compile(r"^# >>> loremark[^\n]*$", re.MULTILINE),
}
_ENDS = {
    "markdown": re.compile(r"^<!-- loremark:end -->[ \t]*\r?$", re.MULTILINE),
    "toml": re.compile(r"^# <<< loremark[^\n]*$", re.MULTILINE),
}


def find(text: str, style: str) -> tuple[int, int] | None:
    """Where the block stands, markers included, without the end of its last line."""
    begins, ends = list(_BEGINS[style].finditer(text)), list(_ENDS[style].finditer(text))
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or begins[0].start() > ends[0].start():
        raise Refused("the markers of our block in it are damaged: there must be one beginning and one end after it")
    return begins[0].start(), ends[0].end() - (1 if ends[0].group().endswith("\r") else 0)


def inside(text: str, style: str) -> str | None:
    """What stands between the markers."""
    found = find(text, style)
    if found is None:
        return None
    lines = text[found[0] : found[1]].replace("\r\n", "\n").split("\n")
    return "\n".join(lines[1:-1])


def apply(text: str, change: Block) -> tuple[str, Trace]:
    newline = newline_of(text)
    begin, end = MARKERS[change.style]
    block = newline.join([begin, *change.text.rstrip("\n").split("\n"), end])
    found = find(text, change.style)
    if change.style == "toml":
        _check_toml(text if found is None else text[: found[0]] + text[found[1] :], change)
    if found is not None:
        made, trace = text[: found[0]] + block + text[found[1] :], Trace()
    elif not text:
        made, trace = block + newline, Trace(separator="")
    else:
        separator = newline if text.endswith("\n") else newline * 2
        made, trace = text + separator + block + newline, Trace(separator=separator)
    if change.style == "toml":
        _read_toml(made)
    return made, trace


def revert(text: str, change: Block, trace: Trace | None) -> str:
    try:
        found = find(text, change.style)
    except Refused:
        return text  # without both markers nobody can tell what is ours
    if found is None:
        return text
    start, end = found
    if text.startswith("\r\n", end):
        end += 2
    elif text.startswith("\n", end):
        end += 1
    separator = trace.separator if trace is not None and trace.separator is not None else newline_of(text)
    if separator and text[:start].endswith(separator):
        start -= len(separator)
    return text[:start] + text[end:]


def _check_toml(rest: str, change: Block) -> None:
    found: object = _read_toml(rest)
    for key in change.table:
        if not isinstance(found, dict) or key not in found:
            return
        found = found[key]
    raise Refused(
        f"it already has its own [{'.'.join(change.table)}]; take that table out (or keep it and do without ours)"
    )


def _read_toml(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Refused(f"it is not valid TOML, or would not be with our table ({error})") from None
