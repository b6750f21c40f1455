"""A repository: where its git folder is, where it stands, and what it is called everywhere."""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import NamedTuple
from urllib.parse import urlsplit

from loremark.hook import files, git, gitledger
from loremark.hook.git import GitFailed

SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
SHALLOW = "shallow-"
_HEADS = "refs/heads/"
_ORIGIN = "refs/remotes/origin/"
_BRANCH_CHARS = 255
_SCP = re.compile(r"(?:[^@/:\s]{1,100}@)?([A-Za-z0-9.-]{1,253}):(?!//)([^\s:]{1,500})")
_REFLOG_BYTES = 65_536
_MOST_ROOTS = 500
_ROOTS_BYTES = 4_194_304
_SHALLOW_BYTES = 4_194_304


class Repository(NamedTuple):
    """``branch`` is empty where HEAD is detached, ``head`` where nothing was committed yet."""

    gitdir: str
    common: str
    head: str
    branch: str


def discover(folder: str) -> Repository:
    """The repository that a folder belongs to; git itself decides whether its owner can be trusted."""
    if not os.path.isdir(folder):
        raise GitFailed("there is no such folder")
    found = git.run(["rev-parse", "--absolute-git-dir"], folder=folder)
    if found.code != 0:
        raise GitFailed("this folder is in no git repository")
    return open_repository(os.fsdecode(found.out.removesuffix(b"\n")))


def open_repository(gitdir: str) -> Repository:
    """The repository of a git folder that is known already."""
    if not os.path.isdir(gitdir):
        raise GitFailed("the repository is not there any more")
    found = git.run(["rev-parse", "--git-common-dir"], gitdir=gitdir)
    if found.code != 0:
        raise GitFailed("this is no git repository")
    common = os.path.realpath(os.path.join(gitdir, os.fsdecode(found.out.removesuffix(b"\n"))))
    _shallow(common)  # git opens it at the first commit it reads, and would wait for a pipe
    return Repository(gitdir, common, resolve(gitdir, "HEAD") or "", _branch(gitdir))


def worktree(folder: str) -> str | None:
    """The top of the working tree; a bare repository has none."""
    found = git.run(["rev-parse", "--show-toplevel"], folder=folder)
    top = os.fsdecode(found.out.removesuffix(b"\n"))
    return top if found.code == 0 and top else None


def resolve(gitdir: str, name: str) -> str | None:
    """The commit that a name means; whatever it begins with, it is no option."""
    found = git.run(["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"], gitdir=gitdir)
    text = found.out.decode(errors="replace").strip()
    return text if found.code == 0 and SHA.fullmatch(text) else None


def _branch(gitdir: str) -> str:
    found = git.run(["symbolic-ref", "--quiet", "HEAD"], gitdir=gitdir)
    return branch_name(found.out.decode(errors="replace").removesuffix("\n")) if found.code == 0 else ""


def branch_name(ref: str) -> str:
    """The branch that a full name means; empty for what is none."""
    return ref.removeprefix(_HEADS)[:_BRANCH_CHARS] if ref.startswith(_HEADS) else ""


def is_rebasing(repository: Repository) -> bool:
    """Whether a rebase is at work. Its end may come before we look, so what it told its hooks counts too."""
    names = ("rebase-merge", "rebase-apply")
    return "GIT_CHERRY_PICK_HELP" in os.environ or any(
        os.path.isdir(os.path.join(repository.gitdir, name)) for name in names
    )


def last_move(repository: Repository, head: str) -> tuple[str, str]:
    """Where HEAD was before it came to this commit, and by what, as the reflog has it; empty where it does not say."""
    told = files.read_tail(os.path.join(repository.gitdir, "logs", "HEAD"), _REFLOG_BYTES) or b""
    for line in reversed(told.decode(errors="replace").split("\n")):
        old, new, *_ = (*line.split(" ", 2), "", "")
        if new == head and old != new and SHA.fullmatch(old):
            return old if old.strip("0") else "", line.partition("\t")[2]
    return "", ""


def default_branch(repository: Repository) -> str | None:
    """As the remote told it when it was cloned."""
    found = git.run(["symbolic-ref", "--quiet", f"{_ORIGIN}HEAD"], gitdir=repository.gitdir)
    name = found.out.decode(errors="replace").removesuffix("\n")
    return name.removeprefix(_ORIGIN)[:_BRANCH_CHARS] if found.code == 0 and name.startswith(_ORIGIN) else None


def remote(repository: Repository) -> str | None:
    """Where it comes from, without user names and passwords; a folder of this machine is nobody's business."""
    found = git.run(["config", "--null", "--get", "remote.origin.url"], gitdir=repository.gitdir)
    return public_address(found.out.partition(b"\0")[0].decode(errors="replace")) if found.code == 0 else None


def public_address(url: str) -> str | None:
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


def shallow(repository: Repository) -> frozenset[str]:
    """The commits at which a shallow clone ends: their parents are not here."""
    return _shallow(repository.common)


def _shallow(common: str) -> frozenset[str]:
    path = os.path.join(common, "shallow")
    if not os.path.lexists(path):
        return frozenset()
    told = files.read_bounded(path, _SHALLOW_BYTES)
    if told is None:
        raise GitFailed("its list of shallow commits is no plain file")
    return frozenset(told.decode(errors="replace").split())


def identity(repository: Repository) -> str:
    """What clones, worktrees and renamed folders share: the root commit. A shallow clone has but its place."""
    if shallow(repository):  # its origin is what its own configuration says, and an archive can say anybody's
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
        raise GitFailed("nothing was committed here yet")
    if resolve(repository.gitdir, root) != root:  # a walk believes what a repository says of parents; this reads it
        raise GitFailed("its first commit is not here")
    known.pop(repository.common, None)
    kept = dict([*known.items(), (repository.common, root)][-_MOST_ROOTS:])
    files.private_folder(gitledger.folder())
    files.write_whole(_roots_path(), json.dumps(kept).encode())
    return root


def _roots_path() -> str:
    return os.path.join(gitledger.folder(), "roots.json")


def _known_roots() -> dict[str, str]:
    """A walk to the root takes seconds in a large history, so it is walked once. What is kept is checked when used."""
    try:
        read = json.loads(files.read_bounded(_roots_path(), _ROOTS_BYTES) or b"{}")
    except (ValueError, RecursionError):
        return {}
    found = read if isinstance(read, dict) else {}
    return {path: root for path, root in found.items() if isinstance(root, str) and SHA.fullmatch(root)}
