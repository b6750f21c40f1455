"""A git repository: its folders, HEAD, identity and remote."""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import NamedTuple
from urllib.parse import urlsplit

from loremark.hook import files, git, gitledger
from loremark.hook.git import GitError

SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
SHALLOW = "shallow-"
_HEADS = "refs/heads/"
_ORIGIN = "refs/remotes/origin/"
_BRANCH_CHARS = 255
_SCP = re.compile(r"(?:[^@/:\s]{1,100}@)?([A-Za-z0-9.-]{1,253}):(?!//)([^\s:]{1,500})")
_REFLOG_BYTES = 65_536
_MAX_ROOTS = 500
_ROOTS_BYTES = 4_194_304
_SHALLOW_BYTES = 4_194_304


class Repository(NamedTuple):
    """``branch`` is empty if HEAD is detached, ``head`` if there are no commits."""

    gitdir: str
    common: str
    head: str
    branch: str


def discover(folder: str) -> Repository:
    """Return the repository that contains the folder. Git checks its ownership."""
    if not os.path.isdir(folder):
        raise GitError("folder not found")
    found = git.run(["rev-parse", "--absolute-git-dir"], folder=folder)
    if found.code != 0:
        raise GitError("not a git repository")
    return open_repository(os.fsdecode(found.out.removesuffix(b"\n")))


def open_repository(gitdir: str) -> Repository:
    """Return the repository with this git folder."""
    if not os.path.isdir(gitdir):
        raise GitError("the repository no longer exists")
    found = git.run(["rev-parse", "--git-common-dir"], gitdir=gitdir)
    if found.code != 0:
        raise GitError("not a git repository")
    common = os.path.realpath(os.path.join(gitdir, os.fsdecode(found.out.removesuffix(b"\n"))))
    _shallow_commits(common)  # checked first: git would block if it were a pipe
    return Repository(gitdir, common, resolve(gitdir, "HEAD") or "", _branch(gitdir))


def worktree(folder: str) -> str | None:
    """Return the top of the working tree, or None for a bare repository."""
    found = git.run(["rev-parse", "--show-toplevel"], folder=folder)
    top = os.fsdecode(found.out.removesuffix(b"\n"))
    return top if found.code == 0 and top else None


def resolve(gitdir: str, name: str) -> str | None:
    """Return the commit for a revision, or None. A leading dash is not treated as an option."""
    found = git.run(["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"], gitdir=gitdir)
    text = found.out.decode(errors="replace").strip()
    return text if found.code == 0 and SHA.fullmatch(text) else None


def _branch(gitdir: str) -> str:
    found = git.run(["symbolic-ref", "--quiet", "HEAD"], gitdir=gitdir)
    return branch_name(found.out.decode(errors="replace").removesuffix("\n")) if found.code == 0 else ""


def branch_name(ref: str) -> str:
    """Return the branch for a full ref name, or an empty string."""
    return ref.removeprefix(_HEADS)[:_BRANCH_CHARS] if ref.startswith(_HEADS) else ""


def is_rebasing(repository: Repository) -> bool:
    """Return whether a rebase is running. Also checks the hook's environment, since it may just have ended."""
    names = ("rebase-merge", "rebase-apply")
    return "GIT_CHERRY_PICK_HELP" in os.environ or any(
        os.path.isdir(os.path.join(repository.gitdir, name)) for name in names
    )


def last_head_move(repository: Repository, head: str) -> tuple[str, str]:
    """Return the previous HEAD and the action that moved it here, from the reflog; empty strings if unknown."""
    reflog = files.read_tail(os.path.join(repository.gitdir, "logs", "HEAD"), _REFLOG_BYTES) or b""
    for line in reversed(reflog.decode(errors="replace").split("\n")):
        old, new, *_ = (*line.split(" ", 2), "", "")
        if new == head and old != new and SHA.fullmatch(old):
            return old if old.strip("0") else "", line.partition("\t")[2]
    return "", ""


def default_branch(repository: Repository) -> str | None:
    """Return the remote's default branch as of the clone, or None."""
    found = git.run(["symbolic-ref", "--quiet", f"{_ORIGIN}HEAD"], gitdir=repository.gitdir)
    name = found.out.decode(errors="replace").removesuffix("\n")
    return name.removeprefix(_ORIGIN)[:_BRANCH_CHARS] if found.code == 0 and name.startswith(_ORIGIN) else None


def remote_url(repository: Repository) -> str | None:
    """Return the origin URL without credentials, or None for a local path."""
    found = git.run(["config", "--null", "--get", "remote.origin.url"], gitdir=repository.gitdir)
    return public_url(found.out.partition(b"\0")[0].decode(errors="replace")) if found.code == 0 else None


def public_url(url: str) -> str | None:
    scp = _SCP.fullmatch(url)
    if scp is not None:
        return f"ssh://{scp.group(1)}/{scp.group(2).lstrip('/')}"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in ("https", "http", "ssh", "git") or not host or len(url) > 1_000:
        return None
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path}"


def shallow_commits(repository: Repository) -> frozenset[str]:
    """Return the boundary commits of a shallow clone, whose parents are missing."""
    return _shallow_commits(repository.common)


def _shallow_commits(common: str) -> frozenset[str]:
    path = os.path.join(common, "shallow")
    if not os.path.lexists(path):
        return frozenset()
    data = files.read_bounded(path, _SHALLOW_BYTES)
    if data is None:
        raise GitError("the repository's shallow file is not a regular file")
    return frozenset(data.decode(errors="replace").split())


def identity(repository: Repository) -> str:
    """Return the root commit, which clones and worktrees share; for a shallow clone, a hash of its path."""
    if shallow_commits(repository):  # its origin URL is not proof: a repository can claim any origin
        return f"{SHALLOW}{hashlib.sha256(os.fsencode(repository.common)).hexdigest()[:40]}"
    known = _known_roots()
    root = known.get(repository.common, "")
    if root and resolve(repository.gitdir, root) == root:
        return root
    found = git.run(
        ["rev-list", "--first-parent", "--max-parents=0", "--end-of-options", "HEAD"], gitdir=repository.gitdir
    )
    root = found.out.decode(errors="replace").split("\n")[0]
    if found.code != 0 or not SHA.fullmatch(root):
        raise GitError("this repository has no commits yet")
    if resolve(repository.gitdir, root) != root:  # the walk trusts recorded parents; this reads the commit itself
        raise GitError("the repository's root commit is missing")
    known.pop(repository.common, None)
    kept = dict([*known.items(), (repository.common, root)][-_MAX_ROOTS:])
    files.ensure_private_folder(gitledger.folder())
    files.write_atomic(_roots_path(), json.dumps(kept).encode())
    return root


def _roots_path() -> str:
    return os.path.join(gitledger.folder(), "roots.json")


def _known_roots() -> dict[str, str]:
    """Return cached root commits by git folder. Finding one takes seconds in a large history; entries are verified."""
    try:
        read = json.loads(files.read_bounded(_roots_path(), _ROOTS_BYTES) or b"{}")
    except (ValueError, RecursionError):
        return {}
    found = read if isinstance(read, dict) else {}
    return {path: root for path, root in found.items() if isinstance(root, str) and SHA.fullmatch(root)}
