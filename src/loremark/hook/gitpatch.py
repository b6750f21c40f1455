"""Remove files from the text of a patch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

IsExcluded = Callable[[str], bool]
_HEADER = "diff --git "
_RENAMES = ("rename from ", "rename to ", "copy from ", "copy to ")
_ESCAPE = re.compile(r"\\([0-7]{3}|.)")
_ESCAPED = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}


def without_files(patch: str, is_excluded: IsExcluded) -> str:
    """Return the patch without the files whose path, before or after, is excluded."""
    kept: list[str] = []
    for section in _sections(patch.split("\n")):
        paths = _paths(section)
        # A section whose paths cannot be read is left out too.
        if paths and not any(map(is_excluded, paths)):
            kept += section
    return "\n".join(kept)


def _sections(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    """Split at the header of each file. Lines of its content never start like one."""
    starts = [at for at, line in enumerate(lines) if line.startswith(_HEADER)]
    for start, end in pairwise([*starts, len(lines)]):
        yield lines[start:end]


def _paths(section: Sequence[str]) -> list[str]:
    """Return the path of the file, or both if it was renamed or copied; none if they cannot be read."""
    renamed = [_unquote(line[len(start) :]) for line in section for start in _RENAMES if line.startswith(start)]
    if renamed:
        return renamed if len(renamed) == 2 else []
    # Otherwise the header has the same path twice.
    both = section[0][len(_HEADER) :]
    half = len(both) // 2
    before, after = both[:half], both[half + 1 :]
    for prefix, other in (("a/", "b/"), ('"a/', '"b/')):
        path = before.removeprefix(prefix)
        if before.startswith(prefix) and after == other + path:
            return [_unquote(f'"{path}' if prefix[0] == '"' else path)]
    return []


def _unquote(path: str) -> str:
    """Undo git's quoting of unusual names."""
    if len(path) < 2 or path[0] != '"' or path[-1] != '"':
        return path
    octal = _ESCAPE.sub(
        lambda found: (
            chr(int(found.group(1), 8)) if found.group(1).isdigit() else _ESCAPED.get(found.group(1), found.group(1))
        ),
        path[1:-1].encode().decode("latin-1"),
    )
    return octal.encode("latin-1", "replace").decode(errors="replace")
