"""Which items are about the given files, and which about related files."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from loremark.memory.paths import normalize_path


def file_proximity(files: Collection[str], known: Iterable[tuple[str, str]]) -> dict[str, int]:
    """0 for items about these files; 1 for items about files in the same folders or mentioned together with them.

    ``known`` holds item ids with their paths.
    """
    wanted = {*files, *(path for file in files if (path := normalize_path(file)) is not None)}
    folders = {_folder(path) for path in wanted}
    pairs = list(known)
    direct = {item_id for item_id, path in pairs if path in wanted}
    beside = {path for item_id, path in pairs if item_id in direct}
    found = {item_id: 1 for item_id, path in pairs if path in beside or _folder(path) in folders}
    return found | dict.fromkeys(direct, 0)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
