"""Genesis: precision and recall on well-known repositories, and the cost of a scan."""

from __future__ import annotations

import json
import os
import sysconfig
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import datetime
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from typing import Any

from tests.servers import lifetime
from tests.servers.git import Commit, GitServer, add_commits, make_repository
from tests.servers.https import Authority

from bench.genesis_repositories import Repository, find_folder, repositories
from bench.measure import cpu_seconds, rss_mib
from bench.servers import ENGINES, Loremark, address_for, start_loremark
from loremark.base import signing
from loremark.memory.codebase.analysis.analysis import analyze_codebase
from loremark.memory.codebase.analysis.entry_points import entry_points
from loremark.memory.codebase.analysis.survey import Survey
from loremark.memory.codebase.file_reader import read_file
from loremark.memory.codebase.graph.import_graph import import_counts
from loremark.memory.codebase.layout import main_directories
from loremark.memory.codebase.records import Codebase
from loremark.memory.codebase.selection.content_checks import text_of
from loremark.memory.codebase.selection.file_selection import ListedFile, list_candidates, select_files
from loremark.memory.codebase.selection.quick_imports import quick_imports
from loremark.memory.evaluation.codebase_facts import SPLITS, Score, Scores, score

_SIZES = tuple(int(size) for size in os.environ.get("LOREMARK_BENCH_FILES", "1250,2500,5000").split(","))
_MAX_FILES = 5_000
_TIMEOUT_S = 900.0
_CHANGES = 5
"""How often files change after a scan: a scan takes only seconds, and a shared machine is noisy."""
_FETCHING = ("fetch_tree", "fetch_files")
_CHANGED = b"\n# changed\nCHANGED = 1\n"


def run() -> None:
    """Precision if repositories are available, then speed on both engines."""
    run_precision()
    run_speed()


# ── precision


def run_precision() -> None:
    """Print recall and precision for each split; errors are listed for the development splits only."""
    folder = find_folder()
    if folder is None:
        return
    for split in SPLITS:
        scores = tuple(_score(repository) for repository in repositories(folder, (split,)))
        print(Scores(split, scores).to_table(), "\n")


def _score(repository: Repository) -> Score:
    codebase = read_repository(repository)
    paths = list(dict.fromkeys(path for path, _ in entry_points(codebase, Survey(codebase).graph)))
    directories = [directory.path for directory in main_directories(codebase)]
    return score(repository.facts, analyze_codebase(codebase).stack, paths, directories)


def read_repository(repository: Repository) -> Codebase:
    """Read a repository like a scan does."""
    blobs = {entry.path: entry.blob for entry in repository.entries}
    ignores = {path: blob for path, blob in blobs.items() if path.rpartition("/")[2] == ".gitignore"}
    contents = repository.read(list(ignores.values()))
    listed = [ListedFile(entry.path, entry.size) for entry in repository.entries]
    texts = {path: contents[blob].decode(errors="replace") for path, blob in ignores.items() if blob in contents}
    kept = list_candidates(listed, texts).kept
    imported: dict[str, int] = {}
    if len(kept) > _MAX_FILES:
        contents = repository.read([blobs[entry.path] for entry in kept])
        glanced = {
            entry.path: quick_imports(entry.path, contents.get(blobs[entry.path], b"").decode(errors="replace"))
            for entry in kept
        }
        imported = import_counts(glanced, tuple(glanced))
    chosen = select_files(kept, _MAX_FILES, imported)
    contents = repository.read([blobs[path] for path in chosen])
    readable = {path: text_of(contents[blobs[path]]) for path in chosen if blobs[path] in contents}
    files = {path: read_file(path, text) for path, text in readable.items() if text is not None}
    name = repository.name.rpartition("/")[2]
    return Codebase(name=name, paths=tuple(blobs), files=files, commits=repository.commits(60))


# ── speed


def run_speed() -> None:
    for engine in ENGINES:
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            stack.callback(lifetime.stop_all)
            authority = Authority(Path(folder) / "authority")
            server = stack.enter_context(GitServer(authority, Path(folder) / "served"))
            settings = {
                "LOREMARK_OUTBOUND_ALLOW": "127.0.0.0/8",
                "LOREMARK_CA_FILE": str(authority.ca_file),
                "LOREMARK_REPO_HOSTS": f"127.0.0.1:{server.port}",
                "LOREMARK_CACHE_DIR": str(Path(folder) / "cache"),
                "LOREMARK_ROUTE_LIMITS": "genesis.start=0",
            }
            loremark = start_loremark(stack, Path(folder) / "loremark", address_for(engine, "genesis"), **settings)
            print(f"genesis, {engine}: scans of real source files over HTTPS, one reader process")
            costs = {size: _scan_sizes(loremark, server, size) for size in _SIZES}
            first, last = min(costs), max(costs)
            growth = costs[last] / costs[first]
            print(f"  analysis of {last} files to that of {first}: {growth:.2f} times (files: {last / first:.2f})\n")


def sources(count: int) -> dict[bytes, bytes]:
    """Source files available on every machine: those of the standard library and installed packages."""
    found: dict[bytes, bytes] = {}
    places = sysconfig.get_paths()
    for place in dict.fromkeys((places["stdlib"], places["purelib"])):
        for path in sorted(Path(place).rglob("*.py")):
            inside = path.relative_to(place).as_posix()
            content = path.read_bytes()
            if 200 < len(content) < 100_000 and not {"site-packages", "test", "tests"} & set(inside.split("/")):
                found.setdefault(b"src/%s" % inside.encode(), content)
            if len(found) == count:
                return found
    raise RuntimeError(f"this machine has only {len(found)} source files to read")


def _scan_sizes(loremark: Loremark, server: GitServer, size: int) -> float:
    name = f"bench/files-{size}"
    files = sources(size)
    make_repository(server.root / name, [])
    add_commits(server.root / name, [Commit(b"feat: all of it", files)])
    project = loremark.create_project(f"{size} files")
    loremark.patch(f"/api/projects/{project}", {"repoUrl": server.url(name)})
    full = _scan(loremark, project, selective=False)
    _print(f"{size} files", full)
    shares = []
    for start in range(_CHANGES):
        changed_paths = list(files)[start :: max(1, size // max(1, size // 100))][: max(1, size // 100)]
        add_commits(
            server.root / name, [Commit(b"fix: a little", {path: files[path] + _CHANGED for path in changed_paths})]
        )
        partial = _scan(loremark, project, selective=True)
        _print(f"{len(changed_paths)} changed", partial)
        shares.append(partial["analysis_ms"] / full["analysis_ms"])
    listed = ", ".join(f"{share:.3f}" for share in shares)
    print(f"    selective to full analysis: {listed}; median {median(shares):.3f}")
    return float(full["analysis_ms"])


def _print(what: str, scan: Mapping[str, Any]) -> None:
    phases = "  ".join(f"{name} {duration}" for name, duration in scan["phases"].items())
    print(
        f"  {what:>14}: {scan['analysis_ms'] / 1000:6.2f} s after the fetch, CPU {scan['cpu_s']:.1f} s of the server, "
        f"{scan['findings']} findings, RSS at most {scan['rss_mib']:.0f} MiB (reader {scan['reader_mib']:.0f})\n"
        f"{'':>18}{phases} ms"
    )


def _scan(loremark: Loremark, project: str, *, selective: bool) -> dict[str, Any]:
    """Run a scan and everything that follows from it."""
    secret = loremark.secret_of(project)
    cpu_s = cpu_seconds(loremark.pid)
    request = {"projectId": project, "maxFiles": _MAX_FILES, "selective": selective}
    _signed(loremark, project, secret, "POST", "/api/v2/genesis/start", request)
    began = time.monotonic()
    max_rss = reader = 0.0
    path = f"/api/v2/genesis/status?projectId={project}"
    while (scan := _signed(loremark, project, secret, "GET", path)["scan"])["completedAt"] is None:
        if time.monotonic() - began > _TIMEOUT_S:
            raise TimeoutError(str(scan))
        max_rss = max(max_rss, rss_mib(loremark.pid))
        reader = max([reader, *(rss_mib(child) for child in _children(loremark.pid))])
        time.sleep(0.05)
    if scan["phase"] != "complete":
        raise RuntimeError(str(scan))
    spent_s = cpu_seconds(loremark.pid) - cpu_s
    job = next(job for job in loremark.jobs("genesis.scan") if job["projectId"] == project)
    phases = {stage["stage"]: stage["duration"] for stage in job["stages"]}
    _wait_enriched(loremark, project)
    return {
        "phases": phases,
        "analysis_ms": _duration_ms(scan) - sum(phases[name] for name in _FETCHING),
        "cpu_s": spent_s,
        "findings": scan["findingsCount"],
        "rss_mib": max_rss,
        "reader_mib": reader,
    }


def _duration_ms(scan: Mapping[str, Any]) -> float:
    """From start to end, including commits."""
    ended, started = (datetime.fromisoformat(scan[name]) for name in ("completedAt", "startedAt"))
    return (ended - started).total_seconds() * 1000


def _wait_enriched(loremark: Loremark, project: str) -> None:
    while any(
        session["status"] in ("active", "enriching")
        for session in loremark.list(f"/api/v2/sessions?projectId={project}")
    ):
        time.sleep(0.2)


def _signed(loremark: Loremark, project: str, secret: str, method: str, path: str, body: Any = None) -> Any:
    raw = json.dumps(body).encode() if body is not None else b""
    now_s = str(int(time.time()))
    headers = {
        "Content-Type": "application/json",
        "X-Service-Project": project,
        "X-Service-Timestamp": now_s,
        "X-Service-Signature": signing.sign_request(secret, now_s, raw),
    }
    wire = HTTPConnection("127.0.0.1", loremark.port, timeout=30)
    wire.request(method, path, raw, headers)
    answer = wire.getresponse()
    content = answer.read()
    wire.close()
    if answer.status >= 400:
        raise RuntimeError(content.decode())
    return json.loads(content)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            found += [int(child) for child in (task / "children").read_text().split()]
        except OSError:
            continue
    return found
