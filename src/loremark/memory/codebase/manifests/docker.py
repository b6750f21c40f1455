"""Reads container files: ``Dockerfile``, Compose, Helm charts, Kubernetes, ``Procfile``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from loremark.memory.codebase.manifests.databases import addresses_in
from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import lines_of, yaml_of
from loremark.memory.codebase.manifests.system_packages import extensions_in, installed_in, stack_packages

_FROM = re.compile(
    r"FROM\s{1,4}(?:--platform=\S{1,60}\s{1,4})?(\S{1,200})(?:\s{1,4}AS\s{1,4}(\S{1,60}))?", re.IGNORECASE
)
_ARGUMENT = re.compile(r"ARG\s{1,4}(\w{1,60})=[\"']?([^\"'\s]{1,80})", re.IGNORECASE)
_RUN = re.compile(r"(ENTRYPOINT|CMD)\s{1,4}(.{1,300})")
_USED = re.compile(r"\$\{?(\w{1,60})(?::?-([^}]{0,80}))?\}?")
_PACKAGES = re.compile(
    r"\b(?:(p?npm)\s{1,4}(?:install|i|add)\s{1,4}(?:-g|--global)|(yarn)\s{1,4}global\s{1,4}add|(pip)[3x]?\s{1,4}install|(gem)\s{1,4}install)"
    r"\s([^&|;\\\n]{2,300})"
)
_PACKAGE = re.compile(r"(@?[A-Za-z][\w./-]{1,60})(?:[@=<>~\[!].{0,40})?")
_KINDS = {"npm": "npm", "pnpm": "npm", "yarn": "npm", "pip": "pypi", "gem": "gem"}
_MAX_JOINED = 6_000
_PROCESS = re.compile(r"([\w-]{1,40}):\s{0,4}(\S.{0,300})")


def image(text: str) -> tuple[str, str]:
    """Name and tag of an image: ``registry/team/postgres:16@sha256:…`` is ``team/postgres`` and 16."""
    bare = text.partition("@")[0]
    head, slash, tail = bare.rpartition("/")
    name, _, tag = tail.partition(":")
    parts = [part for part in head.split("/") if part and "." not in part and ":" not in part and part != "library"]
    return "/".join([*parts[-1:], name]) if slash else name, tag


def read_dockerfile(path: str, content: str) -> ManifestFacts:
    """``Dockerfile``: base images and what it runs."""
    draft = Draft("docker")
    given: dict[str, str] = {}
    stages: set[str] = set()
    programs: dict[str, tuple[str, int]] = {}
    run_by: dict[str, dict[str, tuple[str, int]]] = {}
    installed: set[str] = set()
    packages: dict[str, None] = {}
    is_exposed = False
    for number, text in _instructions(content):
        argument = _ARGUMENT.match(text)
        if argument is not None and len(given) < 100:
            given[argument.group(1)] = argument.group(2)
        is_exposed = is_exposed or text[:7].upper() == "EXPOSE "
        installed.update(installed_in(text) if len(installed) < 2_000 else ())
        packages.update(dict.fromkeys([*_packages(text), *extensions_in(text)]))
        base = _FROM.match(text)
        if base is not None:
            name, tag = image(_filled(base.group(1), given))
            if name and name.lower() not in stages and name != "scratch" and "$" not in name:
                draft.add_dependency(name, tag if "$" not in tag else None)
            if base.group(2):
                stages.add(base.group(2).lower())
            # A stage inherits the command of the stage before it.
            programs = dict(run_by.get(_filled(base.group(1), given).lower(), {}))
            run_by[(base.group(2) or "").lower()] = programs
        run = _RUN.match(text)
        if run is not None:
            programs[run.group(1)] = (_command(run.group(2)), number)
    draft.add_sign("image-packages", list(packages)[:40])
    draft.add_sign("system-packages", stack_packages(installed))
    if programs:
        first = programs.get("ENTRYPOINT") or programs["CMD"]
        words = " ".join(programs[key][0] for key in ("ENTRYPOINT", "CMD") if key in programs)
        draft.add_entry("server" if is_exposed else "main", words, first[1])
    return draft.facts()


def _instructions(content: str) -> Iterator[tuple[int, str]]:
    """The instructions, each as one line: a trailing backslash continues them across comments and empty lines."""
    begun, parts, length = 0, list[str](), 0
    for number, line in lines_of(content):
        text = line.strip()
        if text[:1] in ("#", ""):
            continue
        goes_on = text.endswith("\\")
        begun = begun if parts else number
        if length < _MAX_JOINED:
            parts.append(text.rstrip("\\").rstrip())
            length += len(text)
        if not goes_on:
            yield begun, " ".join(parts)
            parts, length = [], 0
    if parts:
        yield begun, " ".join(parts)


def _packages(line: str) -> list[str]:
    """Packages that a line installs by name, outside of manifests: ``npm install -g pm2`` is ``npm:pm2``."""
    found: list[str] = []
    for *managers, words in _PACKAGES.findall(line):
        kind = _KINDS[next(name for name in managers if name)]
        names = (_PACKAGE.fullmatch(word.strip("\"'")) for word in words.split())
        # Paths and requirements files are not package names.
        plain = [name.group(1) for name in names if name is not None and not name.group(1).endswith((".txt", "/"))]
        found.extend(f"{kind}:{name}" for name in plain if "/" not in name or name.startswith("@"))
    return found


def _filled(text: str, given: dict[str, str]) -> str:
    return _USED.sub(lambda found: given.get(found.group(1)) or found.group(2) or found.group(), text)


def _command(text: str) -> str:
    if text.startswith("["):
        try:
            words = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return " ".join(word for word in words if isinstance(word, str)) if isinstance(words, list) else text
    return text


def read_compose(path: str, content: str) -> ManifestFacts:
    """``docker-compose.yml``: its services and their images."""
    draft = Draft("docker")
    section = ""
    depth = inner = 0
    names: list[str] = []
    for line in yaml_of(content):
        if line.indent == 0:
            section, depth, inner = line.key, 0, 0
        elif section == "services":
            depth = depth or line.indent
            if line.indent == depth and not line.is_item:
                draft.add_entry("server", line.key, line.number)
                names.append(line.key)
                inner = 0
                continue
            inner = inner or line.indent
            if line.key == "image" and line.indent == inner:
                name, tag = image(_filled(line.value, {}))
                draft.add_dependency(name, tag if "$" not in tag else None)
    draft.add_sign("services", names)
    draft.add_sign("database", addresses_in(line for _, line in lines_of(content)))
    return draft.facts()


def read_chart(path: str, content: str) -> ManifestFacts:
    """Helm's ``Chart.yaml``: its chart dependencies."""
    draft = Draft("docker")
    section = ""
    names: list[str] = []
    for line in yaml_of(content):
        section = line.key if line.indent == 0 and not line.is_item else section
        if section == "dependencies" and line.key == "name" and len(names) < 40:
            names.append(line.value)
    draft.add_sign("services", names)
    return draft.facts()


def read_cluster(path: str, content: str) -> ManifestFacts:
    """Kubernetes resources: the container images."""
    draft = Draft("docker")
    images = (image(_filled(line.value, {}))[0] for line in yaml_of(content) if line.key == "image" and line.value)
    draft.add_sign("ci-images", sorted({name for name in images if "{" not in name and "$" not in name})[:20])
    draft.add_sign("database", addresses_in(line for _, line in lines_of(content)))
    return draft.facts()


def read_procfile(path: str, content: str) -> ManifestFacts:
    """``Procfile``: one process per line."""
    draft = Draft("docker")
    for number, line in lines_of(content):
        found = _PROCESS.match(line)
        if found is not None:
            draft.add_entry(
                "server" if found.group(1) == "web" else "job", f"{found.group(1)}: {found.group(2)}", number
            )
    return draft.facts()
