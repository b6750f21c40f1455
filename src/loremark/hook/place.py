"""Where a folder lies: below which file, in which git repository, on which branch. Read from files; no git is run."""

from __future__ import annotations

import os

from loremark.hook import files

TYPE_CHECKING = False  # not from typing, which a hook has no time to load
if TYPE_CHECKING:
    from typing import NamedTuple

    class Around(NamedTuple):
        """The top of the working tree, its own git folder, and the one that all worktrees share."""

        top: str
        gitdir: str
        common: str

else:
    from collections import namedtuple

    Around = namedtuple("Around", ("top", "gitdir", "common"))

_MOST_LEVELS = 64
_POINTER_BYTES = 4_096
_BRANCH_CHARS = 200


def find_above(folder: str, name: str) -> str | None:
    """The nearest folder, this one or above it, that holds the name; not above the home or another file system."""
    home = os.path.realpath(os.path.expanduser("~"))
    try:
        device = os.stat(folder).st_dev
        for _ in range(_MOST_LEVELS):
            if os.path.lexists(os.path.join(folder, name)):
                return folder
            above = os.path.dirname(folder)
            if above in (folder, home) or folder == home or os.stat(above).st_dev != device:
                return None
            folder = above
    except (OSError, ValueError):
        return None
    return None


def find_repository(folder: str) -> Around | None:
    """The repository around a folder, by its files alone."""
    top = find_above(folder, ".git")
    if top is None:
        return None
    pointer = os.path.join(top, ".git")
    gitdir = os.path.realpath(pointer)
    if not os.path.isdir(pointer):
        # A worktree or a submodule: a file that tells where the git folder is.
        told = _pointer(pointer, "gitdir:")
        if told is None:
            return None
        gitdir = os.path.realpath(os.path.join(top, told))
    if (os.path.islink(pointer) or not os.path.isdir(pointer)) and not _is_own(gitdir, pointer):
        return None
    told = _pointer(os.path.join(gitdir, "commondir"), "")
    common = os.path.realpath(os.path.join(gitdir, told)) if told else gitdir
    if common != gitdir and os.path.dirname(gitdir) != os.path.join(common, "worktrees"):
        return None  # a folder can call anybody's repository its own; that of a worktree knows it
    return Around(top, gitdir, common)


def _is_own(gitdir: str, pointer: str) -> bool:
    """Whether a git folder is that of the tree that points to it: a file can point to anybody's."""
    back = _pointer(os.path.join(gitdir, "gitdir"), "")
    if back is not None:
        return os.path.realpath(os.path.join(gitdir, back)) == os.path.realpath(pointer)
    return os.path.basename(gitdir) != ".git"


def branch_of(folder: str) -> str:
    """The branch that is checked out; empty where none is."""
    found = find_repository(folder)
    told = _pointer(os.path.join(found.gitdir, "HEAD"), "ref: refs/heads/") if found is not None else None
    return (told or "")[:_BRANCH_CHARS]


def _pointer(path: str, prefix: str) -> str | None:
    data = files.read_bounded(path, _POINTER_BYTES)
    text = os.fsdecode(data).strip() if data is not None else ""
    if not text.startswith(prefix) or "\0" in text or "\n" in text:
        return None
    return text[len(prefix) :].strip() or None
