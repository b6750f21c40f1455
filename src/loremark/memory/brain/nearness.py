"""Which items are about the files at hand, and which about their neighbours."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from loremark.memory.paths import normal_path


def nearness(files: Collection[str], known: Iterable[tuple[str, str]]) -> dict[str, int]:
    """0 for items of these files; 1 for those of files in the same folder, or that an item names beside these.

    ``known``: item ids with their paths.
    """
    wanted = {*files, *(path for file in files if (path := normal_path(file)) is not None)}
    folders = {_folder(path) for path in wanted}
    pairs = list(known)
    direct = {item_id for item_id, path in pairs if path in wanted}
    beside = {path for item_id, path in pairs if item_id in direct}
    found = {item_id: 1 for item_id, path in pairs if path in beside or _folder(path) in folders}
    return found | dict.fromkeys(direct, 0)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
