"""Which project a folder belongs to: what this person has linked (``loremark init``), as ``links.json`` has it.

A repository is known by its root commit, which clones, worktrees and renamed folders share; a folder without one, and
a shallow clone, by its place. Asking git for the root takes too long for a hook, so what was found is kept by place
(``places.json``), and a place that is not known yet is left to the flusher.

``.loremark.toml`` comes with a repository that may be anybody's. It says what a team means, and decides nothing: a
project that it names counts only where this person has linked the same one, and an address in it never sends us to
another server than the one signed in to.
"""

from __future__ import annotations

import json
import os

from loremark.base import clock, profile
from loremark.base.folders import config_folder, state_folder
from loremark.hook import files, place

TYPE_CHECKING = False  # not from typing, which a hook has no time to load
if TYPE_CHECKING:
    from typing import Any, NamedTuple

    class Link(NamedTuple):
        """A folder, the project it belongs to, and that project's server; ``root``: the root commit, where known."""

        project: str
        url: str
        folder: str
        root: str

else:
    from collections import namedtuple

    Link = namedtuple("Link", ("project", "url", "folder", "root"))

FILE = ".loremark.toml"
_FILE_BYTES = 16_384
_TABLE_BYTES = 4 << 20
_PROJECT_CHARS = 64
_MOST_PLACES = 2_000
_BY_ORIGIN = "shallow-"  # once a shallow clone was linked by the origin that it names; nobody is known by that
_NOT_LINKED = "not linked to a project"
UNKNOWN_PLACE = "the repository of this folder is not known yet"
UNCONFIRMED = f"{FILE} names a project that was not confirmed for this place: run loremark init here to trust it"


def find_link(folder: str) -> Link | None:
    """The link of a folder, or None."""
    return look(folder)[0]


def look(folder: str) -> tuple[Link | None, str]:
    """The link of a folder, or None and why there is none.

    A link that comes with ``UNKNOWN_PLACE`` holds, but the repository should be looked at once more.
    """
    person = profile.load()
    if person is None:
        return None, "not signed in"
    url = person.url
    folder = os.path.realpath(folder)
    given = os.environ.get("LOREMARK_PROJECT", "")
    if given:
        return (
            (Link(given, url, folder, ""), "") if is_project(given) else (None, "LOREMARK_PROJECT is no project's id")
        )
    top = place.find_above(folder, FILE)
    named, why = _named(top, url) if top is not None else ("", "")
    if why:
        return None, why
    around = place.find_repository(top or folder)
    where = top or (around.top if around is not None else "")
    return _linked(where, around, named, url) if where else (None, _NOT_LINKED)


def named_here(folder: str) -> str | None:
    """The project that ``.loremark.toml`` names, whether this person trusts it or not; None where it names none."""
    person, top = profile.load(), place.find_above(os.path.realpath(folder), FILE)
    return (_named(top, person.url)[0] or None) if person is not None and top is not None else None


def _named(top: str, url: str) -> tuple[str, str]:
    """The project that the file names, and why that cannot be."""
    data = files.read_bounded(os.path.join(top, FILE), _FILE_BYTES, owner=True)
    if data is None:
        return "", f"{FILE} is no plain file of this person"
    told = read_settings(data.decode("utf-8", "replace"))
    project = told.get("project", "")
    if not is_project(project):
        return "", f"{FILE} names no project"
    if "url" in told and profile.plain_url(told["url"]) != url:
        return "", f"{FILE} names another server than the one signed in to"
    return project, ""


def _linked(where: str, around: place.Around | None, named: str, url: str) -> tuple[Link | None, str]:
    """What this person has linked here. What the file names counts only where it is the same."""
    row, root, is_settled = _confirmed(where, around)
    if row is None and not is_settled:
        return None, UNKNOWN_PLACE
    project, told = (row.get("project"), row.get("url")) if row is not None else (None, None)
    if not isinstance(project, str) or not is_project(project):
        return None, UNCONFIRMED if named else _NOT_LINKED
    if isinstance(told, str) and told and profile.plain_url(told) != url:
        return None, "linked to a project on another server than the one signed in to"
    if named and named != project:
        return None, UNCONFIRMED
    return Link(project, url, where, root), "" if is_settled else UNKNOWN_PLACE


def _confirmed(where: str, around: place.Around | None) -> tuple[dict[str, Any] | None, str, bool]:
    """The link by root commit, else by place; the root commit where it is known; False if it is to be found out."""
    links = _read_table(_links_path())
    here = _by_place(links, where, around)
    if not links or around is None:
        return here, "", True
    known = _row(_read_table(_places_path()).get(around.common))
    if known is None or known.get("mark") != _mark(around):
        return here, "", False
    root = known.get("root")
    if isinstance(root, str) and root:
        if root.startswith(_BY_ORIGIN):
            return here, "", False
        return _row(links.get(root)) or here, root, True
    return here, "", not _has_moved(around, known.get("at_ms"))


def _by_place(links: dict[str, Any], where: str, around: place.Around | None) -> dict[str, Any] | None:
    """The link of a folder; where a repository without a root commit was linked, it must be that one still."""
    row = _row(links.get(where))
    if row is None or "mark" not in row:
        return row
    return row if around is not None and row["mark"] == _mark(around) else None


def _has_moved(around: place.Around, since_ms: Any) -> bool:
    """Whether something was committed since then."""
    try:
        moved_ms = os.stat(os.path.join(around.gitdir, "logs", "HEAD")).st_mtime_ns // 1_000_000
    except OSError:
        return False
    return not isinstance(since_ms, int) or moved_ms >= since_ms


def _row(value: Any) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def _mark(around: place.Around) -> str:
    """Tells a repository from another one that was put in its place."""
    found = []
    for path in (around.common, os.path.join(around.common, "description")):
        try:
            about = os.lstat(path)
        except OSError:
            continue
        found.append(f"{about.st_ino}" if path == around.common else f"{about.st_mtime_ns}")
    return "-".join(found)


def is_project(text: str) -> bool:
    """Whether it can be a project's id: it goes into addresses and headers."""
    return 0 < len(text) <= _PROJECT_CHARS and text.isascii() and text.replace("_", "").replace("-", "").isalnum()


def read_settings(text: str) -> dict[str, str]:
    """The plain strings at the top of a TOML file, up to its first table."""
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
    """Link a folder, and trust it: ``.loremark.toml`` in it, and ``links.json``. Raises OSError, ValueError."""
    if not is_project(project):
        raise ValueError("no project's id")
    folder, url = os.path.realpath(folder), profile.plain_url(url)
    path = os.path.join(folder, FILE)
    if os.path.lexists(path) and files.read_bounded(path, _FILE_BYTES) is None:
        raise OSError(f"{FILE} is there and is no plain small file")
    before = (files.read_bounded(path, _FILE_BYTES) or b"").decode("utf-8", "surrogateescape")
    text = _with_settings(before, {"project": project, "url": url})
    files.write_whole(path, text.encode("utf-8", "surrogateescape"), 0o644)
    around = place.find_repository(folder)
    root = root_commit(folder) if around is not None else ""
    links = _read_table(_links_path())
    row = {"project": project, "url": url}
    links[root or folder] = row if root or around is None else {**row, "mark": _mark(around)}
    _write_table(_links_path(), links)
    remember_place(folder, root)
    return Link(project, url, folder, root)


def _with_settings(before: str, wanted: dict[str, str]) -> str:
    """The file with these settings at its top; every other line stays as it is."""
    lines: list[str] = []
    in_table = False
    for line in before.splitlines(keepends=True):
        in_table = in_table or line.lstrip().startswith("[")
        if in_table or line.partition("=")[0].strip() not in wanted:
            lines.append(line)
    return "".join(f'{name} = "{value}"\n' for name, value in wanted.items()) + "".join(lines)


def root_commit(folder: str) -> str:
    """What names the folder's repository everywhere; empty where nothing does. Runs git: never in an agent's hook."""
    from loremark.hook import gitrepository
    from loremark.hook.git import GitFailed

    try:
        repository = gitrepository.discover(folder)
        around = place.find_repository(os.path.realpath(folder))
        is_own = around is not None and around.common == repository.common
        return gitrepository.identity(repository) if is_own and not gitrepository.shallow(repository) else ""
    except GitFailed:
        return ""


def remember_place(folder: str, root: str | None = None) -> None:
    """Find out which repository a folder belongs to, and keep it for the hook. Runs git."""
    found = place.find_repository(os.path.realpath(folder))
    if found is None:
        return
    root = root_commit(folder) if root is None else root
    links = _read_table(_links_path())
    here = _by_place(links, found.top, found) or _by_place(links, os.path.dirname(found.common), found)
    if root and here is not None and root not in links:  # linked before anything was committed, or as a shallow clone
        links[root] = {name: value for name, value in here.items() if name != "mark"}
        _write_table(_links_path(), links)
    places = _read_table(_places_path())
    places.pop(found.common, None)
    places[found.common] = {"root": root, "mark": _mark(found), "at_ms": clock.now_ms()}
    _write_table(_places_path(), dict(list(places.items())[-_MOST_PLACES:]))


def _links_path() -> str:
    return os.path.join(config_folder(), "links.json")


def _places_path() -> str:
    return os.path.join(state_folder(), "places.json")


def _read_table(path: str) -> dict[str, Any]:
    data = files.read_bounded(path, _TABLE_BYTES)
    try:
        table = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return {}
    return table if isinstance(table, dict) else {}


def _write_table(path: str, table: dict[str, Any]) -> None:
    files.private_folder(os.path.dirname(path))
    files.write_whole(path, json.dumps(table, indent=1).encode())
