"""Find a folder's git repository and branch by reading files. Doesn't run git."""

from __future__ import annotations

import os

from loremark.hook import files

TYPE_CHECKING = False  # importing typing would slow the hook down
if TYPE_CHECKING:
    from typing import NamedTuple

    class RepositoryPaths(NamedTuple):
        """The top of the working tree, its git folder, and the git folder shared by all worktrees."""

        top: str
        gitdir: str
        common: str

else:
    from collections import namedtuple

    RepositoryPaths = namedtuple("Around", ("top", "gitdir", "common"))

_MAX_LEVELS = 64
CONFIG_BYTES = 1 << 20
_POINTER_BYTES = 4_096
_BRANCH_CHARS = 200


def find_above(folder: str, name: str) -> str | None:
    """Return the nearest folder, here or above, that contains the name. Stops at home and at file system bounds."""
    home = os.path.realpath(os.path.expanduser("~"))
    try:
        device = os.stat(folder).st_dev
        for _ in range(_MAX_LEVELS):
            if os.path.lexists(os.path.join(folder, name)):
                return folder
            parent = os.path.dirname(folder)
            if parent in (folder, home) or folder == home or os.stat(parent).st_dev != device:
                return None
            folder = parent
    except (OSError, ValueError):
        return None
    return None


def find_repository(folder: str) -> RepositoryPaths | None:
    """Return the repository that contains the folder, or None."""
    top = find_above(folder, ".git")
    if top is None:
        return None
    pointer = os.path.join(top, ".git")
    gitdir = os.path.realpath(pointer)
    if not os.path.isdir(pointer):
        # In a worktree or submodule, .git is a file with the path of the git folder.
        target = _read_pointer(pointer, "gitdir:")
        if target is None:
            return None
        gitdir = os.path.realpath(os.path.join(top, target))
    if (os.path.islink(pointer) or not os.path.isdir(pointer)) and not _belongs_to(gitdir, pointer):
        return None
    target = _read_pointer(os.path.join(gitdir, "commondir"), "")
    common = os.path.realpath(os.path.join(gitdir, target)) if target else gitdir
    if common != gitdir and os.path.dirname(gitdir) != os.path.join(common, "worktrees"):
        return None  # a folder can claim any repository; a real worktree is registered in it
    return RepositoryPaths(top, gitdir, common)


def _belongs_to(gitdir: str, pointer: str) -> bool:
    """Return whether the git folder points back to this working tree; a .git file can name any repository."""
    back = _read_pointer(os.path.join(gitdir, "gitdir"), "")
    if back is not None:
        return os.path.realpath(os.path.join(gitdir, back)) == os.path.realpath(pointer)
    return os.path.basename(gitdir) != ".git"


def is_part(inner: RepositoryPaths, outer: RepositoryPaths) -> bool:
    """Return whether a repository is a worktree or submodule of the other one."""
    if inner.common == outer.common:
        return True
    if not inner.common.startswith(os.path.join(outer.common, "modules", "")):
        return False
    tree = read_setting(inner, "core", "worktree")  # a .git file can name any submodule
    return bool(tree) and os.path.realpath(os.path.join(inner.common, tree)) == inner.top


def list_worktrees(repository: RepositoryPaths) -> list[str]:
    """Return the working trees of a repository. One that does not belong to it is left out: a folder can name any."""
    worktrees = os.path.join(repository.common, "worktrees")
    pointers = [_read_pointer(os.path.join(worktrees, name, "gitdir"), "") for name in files.list_names(worktrees)]
    tops = [os.path.dirname(repository.common), *(os.path.dirname(pointer) for pointer in pointers if pointer)]
    found = {repository.top: None}
    for top in tops:
        around = find_repository(top) if os.path.isabs(top) else None
        if around is not None and around.common == repository.common and around.top == top:
            found[top] = None
    return list(found)


def current_branch(folder: str) -> str:
    """Return the checked-out branch, or an empty string."""
    found = find_repository(folder)
    target = _read_pointer(os.path.join(found.gitdir, "HEAD"), "ref: refs/heads/") if found is not None else None
    return (target or "")[:_BRANCH_CHARS]


def read_setting(repository: RepositoryPaths, section: str, name: str) -> str:
    """Return a setting from the repository's own ``config``, as git writes it, or an empty string."""
    data = files.read_bounded(os.path.join(repository.common, "config"), CONFIG_BYTES) or b""
    found, is_inside = "", False
    for line in data.decode("utf-8", "replace").splitlines():
        text = line.strip()
        if text.startswith("["):
            is_inside = text == f"[{section}]"
        elif is_inside:
            key, is_pair, value = text.partition("=")
            found = value.strip() if is_pair and key.strip() == name else found
    return found


def _read_pointer(path: str, prefix: str) -> str | None:
    data = files.read_bounded(path, _POINTER_BYTES)
    text = os.fsdecode(data).strip() if data is not None else ""
    if not text.startswith(prefix) or "\0" in text or "\n" in text:
        return None
    return text[len(prefix) :].strip() or None
