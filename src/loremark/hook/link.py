"""Find the project a folder is linked to. ``loremark init`` and ``loremark link`` store links in ``links.json``.

A linked repository has a random ID in ``.git/config``, which its worktrees share, a rename keeps and a clone does not
get. Folders without a repository are identified by path. Each clone has to be linked, because a root commit proves
nothing: a stranger's fork has it too. It only tells which project a clone may belong to. Asking git for it is too slow
for a hook, so it is cached per git folder in ``repositories.json``; unknown repositories are left to the flusher.

``.loremark.toml`` is part of the repository and not trusted. Its project counts only if this user has linked the folder
to the same project, and its URL can never redirect us to a server other than the one we are signed in to.
"""

from __future__ import annotations

import json
import os

from loremark.base import clock, profile
from loremark.base.folders import config_folder, state_folder
from loremark.hook import files, gitpaths

TYPE_CHECKING = False  # importing typing would slow the hook down
if TYPE_CHECKING:
    from collections.abc import Container
    from typing import Any, NamedTuple

    class Link(NamedTuple):
        """A folder with its project and server. ``root`` is the root commit, or empty if unknown."""

        project: str
        url: str
        folder: str
        root: str

else:
    from collections import namedtuple

    Link = namedtuple("Link", ("project", "url", "folder", "root"))

FILE = ".loremark.toml"
FILE_BYTES = 16_384
_TABLE_BYTES = 4 << 20
_PROJECT_CHARS = 64
_MAX_REPOSITORIES = 2_000
_LEGACY_SHALLOW = "shallow-"  # an older format that trusted the origin URL; no longer accepted
_PLACE = "place-"
_LINK_SETTINGS = ("project", "url")
_PLACE_BYTES = 16
NOT_SIGNED_IN = "not signed in"
NOT_LINKED = "not linked to a project"
OTHER_SERVER = "a different server than the one you are signed in to"
UNRESOLVED = "could not identify this repository"
UNCONFIRMED = "this copy of the project is not linked; if you trust this folder, run `loremark link` in it"


def find_link(folder: str) -> Link | None:
    """Return the folder's link, or None."""
    return resolve_link(folder)[0]


def resolve_link(folder: str) -> tuple[Link | None, str]:
    """Return the folder's link, or None and the reason.

    A link returned with ``UNRESOLVED`` is valid, but the repository should be resolved again.
    """
    saved_profile = profile.load()
    if saved_profile is None:
        return None, NOT_SIGNED_IN
    url = saved_profile.url
    folder = os.path.realpath(folder)
    given = os.environ.get("LOREMARK_PROJECT", "")
    if given:
        return (
            (Link(given, url, folder, ""), "")
            if is_project_id(given)
            else (None, "LOREMARK_PROJECT is not a project ID")
        )
    top = _find_project_file(folder)
    named, reason = _read_project_file(top, url) if top is not None else ("", "")
    if reason:
        return None, reason
    repository = gitpaths.find_repository(top or folder)
    where = top or (repository.top if repository is not None else "")
    return _find_linked(where, repository, named, url) if where else (None, NOT_LINKED)


def suggest_project(folder: str) -> str | None:
    """Return the project that ``.loremark.toml`` or the root commit names, trusted or not, or None."""
    saved_profile, folder = profile.load(), os.path.realpath(folder)
    if saved_profile is None:
        return None
    top = _find_project_file(folder)
    named = _read_project_file(top, saved_profile.url)[0] if top is not None else ""
    repository = gitpaths.find_repository(top or folder)
    if named or repository is None:
        return named or None
    row = _row_by_root(_read_table(_links_path()), _known_repository(repository))
    project = row.get("project") if row is not None else None
    return project if isinstance(project, str) and is_project_id(project) else None


def _find_project_file(folder: str) -> str | None:
    """Return the nearest folder, here or above, with a project file.

    The file of a repository does not count in others inside of it, which may be a stranger's, unless they are its
    worktrees or submodules.
    """
    top = gitpaths.find_above(folder, FILE)
    inner = gitpaths.find_repository(folder) if top is not None and top != folder else None
    if top is None or inner is None or not inner.top.startswith(os.path.join(top, "")):
        return top
    outer = gitpaths.find_repository(top)
    return top if outer is None or gitpaths.is_part(inner, outer) else None


def _read_project_file(top: str, url: str) -> tuple[str, str]:
    """Return the project named in the file, or an empty string and the reason."""
    data = files.read_bounded(os.path.join(top, FILE), FILE_BYTES, owner=True)
    if data is None:
        return "", f"{FILE} is not a regular file owned by you"
    settings = read_settings(data.decode("utf-8", "replace"))
    project = settings.get("project", "")
    if not is_project_id(project):
        return "", f"{FILE} does not name a project"
    if "url" in settings and profile.normalize_url(settings["url"]) != url:
        return "", f"{FILE} points to {OTHER_SERVER}"
    return project, ""


def _find_linked(
    where: str, repository: gitpaths.RepositoryPaths | None, named: str, url: str
) -> tuple[Link | None, str]:
    """Return the link this user created here. A project named in the file must match it."""
    links = _read_table(_links_path())
    row, is_settled = _find_row(links, where, repository)
    known = _known_repository(repository) if repository is not None else None
    if row is None:
        if named:
            return None, UNCONFIRMED
        if not is_settled:
            return None, UNRESOLVED
        return None, UNCONFIRMED if _row_by_root(links, known) is not None else NOT_LINKED
    project, linked_url = row.get("project"), row.get("url")
    if not isinstance(project, str) or not is_project_id(project):
        return None, UNCONFIRMED if named else NOT_LINKED
    if isinstance(linked_url, str) and linked_url and profile.normalize_url(linked_url) != url:
        return None, f"linked to a project on {OTHER_SERVER}"
    if named and named != project:
        return None, UNCONFIRMED
    root = known.get("root", "") if known is not None else ""
    return Link(project, url, where, root), "" if is_settled else UNRESOLVED


def _find_row(
    links: dict[str, Any], where: str, repository: gitpaths.RepositoryPaths | None
) -> tuple[dict[str, Any] | None, bool]:
    """Return the folder's own link, and whether there is nothing left for ``resolve_repository`` to do."""
    here = _row_by_folder(links, where, repository)
    if not links or repository is None:
        return here, True
    row = _row_by_place(links, repository)
    if row is not None:
        return row, True
    known = _known_repository(repository)
    if here is not None:
        return here, known is not None and "linked_by" in known and not _has_new_commits(repository, known)
    if known is None:
        return None, False
    named = _row_by_root(links, known)
    if named is not None and "hint" not in named and "linked_by" not in known:
        return named, False  # linked by an older version, which trusted the root commit
    return None, bool(known.get("root")) or not _has_new_commits(repository, known)


def _row_by_place(links: dict[str, Any], repository: gitpaths.RepositoryPaths) -> dict[str, Any] | None:
    place = gitpaths.read_setting(repository, "loremark", "place")
    return _as_row(links.get(_PLACE + place)) if place else None


def _row_by_root(links: dict[str, Any], known: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return which project a repository with this root commit may belong to."""
    root = known.get("root") if known is not None else None
    if not isinstance(root, str) or not root or root.startswith(_LEGACY_SHALLOW):
        return None
    return _as_row(links.get(root))


def _known_repository(repository: gitpaths.RepositoryPaths) -> dict[str, Any] | None:
    """Return what ``resolve_repository`` found out, unless another repository has taken the place since."""
    known = _as_row(_read_table(_repositories_path()).get(repository.common))
    return known if known is not None and known.get("fingerprint") == _fingerprint(repository) else None


def _row_by_folder(
    links: dict[str, Any], where: str, repository: gitpaths.RepositoryPaths | None
) -> dict[str, Any] | None:
    """Return the link by path. For a repository without a root commit, it must still be the same repository."""
    row = _as_row(links.get(where))
    if row is None or "fingerprint" not in row:
        return row
    return row if repository is not None and row["fingerprint"] == _fingerprint(repository) else None


def _has_new_commits(repository: gitpaths.RepositoryPaths, known: dict[str, Any]) -> bool:
    """Return whether HEAD has moved since the repository was resolved."""
    since_ms = known.get("at_ms")
    try:
        moved_ms = os.stat(os.path.join(repository.gitdir, "logs", "HEAD")).st_mtime_ns // 1_000_000
    except OSError:
        return False
    return not isinstance(since_ms, int) or moved_ms >= since_ms


def _as_row(value: Any) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def _fingerprint(repository: gitpaths.RepositoryPaths) -> str:
    """Return a value that changes if the repository is replaced by another one."""
    found = []
    for path in (repository.common, os.path.join(repository.common, "description")):
        try:
            about = os.lstat(path)
        except OSError:
            continue
        found.append(f"{about.st_ino}" if path == repository.common else f"{about.st_mtime_ns}")
    return "-".join(found)


def is_project_id(text: str) -> bool:
    """Return whether the text is safe as a project ID in URLs and headers."""
    return 0 < len(text) <= _PROJECT_CHARS and text.isascii() and text.replace("_", "").replace("-", "").isalnum()


def read_settings(text: str) -> dict[str, str]:
    """Return the string values at the top of a TOML file, before the first table."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, is_pair, value = (part.strip() for part in line.partition("="))
        if line.lstrip().startswith("["):
            break
        quote = value[:1]
        end = value.find(quote, 1) if quote and quote in "\"'" else -1
        if is_pair and end > 0 and "\\" not in value[:end] and value[end + 1 :].strip()[:1] in ("", "#"):
            found.setdefault(name, value[1:end])
    return found


def save_link(folder: str, project: str, url: str) -> Link:
    """Link a folder in ``.loremark.toml`` and in ``links.json``. Raises OSError, ValueError."""
    if not is_project_id(project):
        raise ValueError("not a project ID")
    folder, url = os.path.realpath(folder), profile.normalize_url(url)
    path = os.path.join(folder, FILE)
    if os.path.lexists(path) and files.read_bounded(path, FILE_BYTES) is None:
        raise OSError(f"{FILE} is not a regular file, or is too large")
    before = (files.read_bounded(path, FILE_BYTES) or b"").decode("utf-8", "surrogateescape")
    text = _with_settings(before, {"project": project, "url": url})
    files.write_atomic(path, text.encode("utf-8", "surrogateescape"), 0o644)
    return confirm_link(folder, project, url)


def confirm_link(folder: str, project: str, url: str) -> Link:
    """Link a folder in ``links.json`` only. Raises OSError, ValueError."""
    if not is_project_id(project):
        raise ValueError("not a project ID")
    folder, url = os.path.realpath(folder), profile.normalize_url(url)
    repository = gitpaths.find_repository(folder)
    row = {"project": project, "url": url}
    links = _read_table(_links_path())
    if repository is None:
        links[folder] = row
        _write_table(_links_path(), links)
        return Link(project, url, folder, "")
    _save_place(links, repository, folder, row)
    root = root_commit(folder)
    if root and (_as_row(links.get(root)) or {}).get("project") != project:
        links[root] = {**row, "hint": True}
    _write_table(_links_path(), links)
    resolve_repository(folder, root)
    return Link(project, url, folder, root)


def _save_place(links: dict[str, Any], repository: gitpaths.RepositoryPaths, folder: str, row: dict[str, Any]) -> None:
    """Add a repository's link: by its ID in ``.git/config``, or by path if that file can't be changed.

    An ID that this table does not know is replaced: whoever packed the repository could have put it in others too.
    """
    if _row_by_place(links, repository) == row:
        return
    place = os.urandom(_PLACE_BYTES).hex()
    if _write_place(repository, place):
        links[_PLACE + place] = row
        links.pop(folder, None)
    else:
        links[folder] = {**row, "fingerprint": _fingerprint(repository)}


def _write_place(repository: gitpaths.RepositoryPaths, place: str) -> bool:
    from loremark.hook import git

    path = os.path.join(repository.common, "config")
    if os.path.lexists(path) and files.read_bounded(path, gitpaths.CONFIG_BYTES) is None:
        return False
    try:
        git.run(["config", "--local", "--replace-all", "loremark.place", place], gitdir=repository.common)
    except git.GitError:
        return False
    return gitpaths.read_setting(repository, "loremark", "place") == place


def list_linked_folders() -> list[str]:
    """Return the folders that this user has linked, and the working trees of linked repositories."""
    links = _read_table(_links_path())
    found = {name: None for name in links if os.path.isabs(name)}
    for common in _read_table(_repositories_path()):
        repository = gitpaths.find_repository(os.path.dirname(common))
        if repository is not None and _row_by_place(links, repository) is not None:
            found.update(dict.fromkeys(gitpaths.list_worktrees(repository)))
    return [folder for folder in found if os.path.isdir(folder)]


def without_link(folder: str) -> str | None:
    """Return the folder's ``.loremark.toml`` without the link, or None if there is no link in it."""
    data = files.read_bounded(os.path.join(folder, FILE), FILE_BYTES)
    text = (data or b"").decode("utf-8", "surrogateescape")
    rest = _without_settings(text, _LINK_SETTINGS)
    return rest if rest != text else None


def remove_link(folder: str) -> None:
    """Remove the link from ``.loremark.toml``, and the file if nothing else is in it."""
    rest, path = without_link(folder), os.path.join(folder, FILE)
    if rest:
        files.write_atomic(path, rest.encode("utf-8", "surrogateescape"), os.stat(path).st_mode & 0o777)
    elif rest is not None:
        files.remove(path)


def remove_place(repository: gitpaths.RepositoryPaths) -> None:
    """Remove the repository's ID from ``.git/config``. Raises GitError."""
    from loremark.hook import git

    if gitpaths.read_setting(repository, "loremark", "place"):
        git.run(["config", "--local", "--remove-section", "loremark"], gitdir=repository.common)


def _with_settings(before: str, wanted: dict[str, str]) -> str:
    """Return the file with these settings at the top and all other lines unchanged."""
    return "".join(f'{name} = "{value}"\n' for name, value in wanted.items()) + _without_settings(before, wanted)


def _without_settings(before: str, names: Container[str]) -> str:
    lines: list[str] = []
    in_table = False
    for line in before.splitlines(keepends=True):
        in_table = in_table or line.lstrip().startswith("[")
        if in_table or line.partition("=")[0].strip() not in names:
            lines.append(line)
    return "".join(lines)


def root_commit(folder: str) -> str:
    """Return the repository's root commit, or an empty string. Runs git: too slow for an agent's hook."""
    from loremark.hook import gitrepository
    from loremark.hook.git import GitError

    try:
        repository = gitrepository.discover(folder)
        paths = gitpaths.find_repository(os.path.realpath(folder))
        is_own = paths is not None and paths.common == repository.common
        return gitrepository.identity(repository) if is_own and not gitrepository.shallow_commits(repository) else ""
    except GitError:
        return ""


def resolve_repository(folder: str, root: str | None = None) -> None:
    """Find the root commit of the folder's repository for the hook, and give an older link its ID. Runs git."""
    found = gitpaths.find_repository(os.path.realpath(folder))
    if found is None:
        return
    root = root_commit(folder) if root is None else root
    links = _read_table(_links_path())
    row, _ = _find_row(links, found.top, found)
    row = row or _row_by_folder(links, os.path.dirname(found.common), found)
    if row is not None:
        row = {name: value for name, value in row.items() if name != "fingerprint"}
        _save_place(links, found, found.top, row)
        if root:
            links.setdefault(root, {**row, "hint": True})
        _write_table(_links_path(), links)
    repositories = _read_table(_repositories_path())
    repositories.pop(found.common, None)
    repositories[found.common] = {
        "root": root,
        "fingerprint": _fingerprint(found),
        "at_ms": clock.now_ms(),
        "linked_by": "place",
    }
    _write_table(_repositories_path(), dict(list(repositories.items())[-_MAX_REPOSITORIES:]))


def _links_path() -> str:
    return os.path.join(config_folder(), "links.json")


def _repositories_path() -> str:
    return os.path.join(state_folder(), "repositories.json")


def _read_table(path: str) -> dict[str, Any]:
    data = files.read_bounded(path, _TABLE_BYTES)
    try:
        table = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return {}
    return table if isinstance(table, dict) else {}


def _write_table(path: str, table: dict[str, Any]) -> None:
    files.ensure_private_folder(os.path.dirname(path))
    files.write_atomic(path, json.dumps(table, indent=1).encode())
