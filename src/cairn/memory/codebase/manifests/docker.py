"""Containers: ``Dockerfile``, Compose files, and the ``Procfile`` of hosts that need none."""

from __future__ import annotations

import json
import re

from cairn.memory.codebase.manifests.documents import lines_of, yaml_of
from cairn.memory.codebase.manifests.facts import Draft, ManifestFacts

_FROM = re.compile(
    r"FROM\s{1,4}(?:--platform=\S{1,60}\s{1,4})?(\S{1,200})(?:\s{1,4}AS\s{1,4}(\S{1,60}))?", re.IGNORECASE
)
_ARGUMENT = re.compile(r"ARG\s{1,4}(\w{1,60})=[\"']?([^\"'\s]{1,80})", re.IGNORECASE)
_RUN = re.compile(r"(ENTRYPOINT|CMD)\s{1,4}(.{1,300})")
_USED = re.compile(r"\$\{?(\w{1,60})(?::?-([^}]{0,80}))?\}?")
_INSTALL = re.compile(r"\b(?:apt-get|apt|apk|dnf|yum)\b.{0,200}?\b(?:install|add)\b")
_WORD = re.compile(r"[a-z][a-z0-9.+-]{2,40}")
_PACKAGES = re.compile(
    r"\b(?:(npm)\s{1,4}(?:install|i)\s{1,4}(?:-g|--global)|(yarn)\s{1,4}global\s{1,4}add|(pip)3?\s{1,4}install|(gem)\s{1,4}install)"
    r"\s([^&|;\\\n]{2,300})"
)
_PACKAGE = re.compile(r"(@?[A-Za-z][\w./-]{1,60})(?:[@=<>~\[!].{0,40})?")
_KINDS = {"npm": "npm", "yarn": "npm", "pip": "pypi", "gem": "gem"}
_SYSTEM = (
    *(
        "nginx",
        "apache2",
        "supervisor",
        "ffmpeg",
        "imagemagick",
        "ghostscript",
        "tesseract-ocr",
        "libvips",
        "redis-server",
    ),
    *("memcached", "chromium", "pandoc", "libreoffice", "poppler-utils", "xdebug", "valgrind", "wkhtmltopdf"),
)
"""Programs that an image is given beside its own, and that say what it does."""
_PROCESS = re.compile(r"([\w-]{1,40}):\s{0,4}(\S.{0,300})")


def image(text: str) -> tuple[str, str]:
    """Name and tag of an image: ``registry/team/postgres:16@sha256:…`` is ``team/postgres`` and 16."""
    bare = text.partition("@")[0]
    head, slash, tail = bare.rpartition("/")
    name, _, tag = tail.partition(":")
    parts = [part for part in head.split("/") if part and "." not in part and ":" not in part and part != "library"]
    return "/".join([*parts[-1:], name]) if slash else name, tag


def read_dockerfile(path: str, content: str) -> ManifestFacts:
    """``Dockerfile``: what it is built from and what it runs."""
    draft = Draft("docker")
    given: dict[str, str] = {}
    stages: set[str] = set()
    programs: dict[str, tuple[str, int]] = {}
    run_by: dict[str, dict[str, tuple[str, int]]] = {}
    installed: set[str] = set()
    packages: dict[str, None] = {}
    is_exposed = is_installing = False
    for number, line in lines_of(content):
        text = line.strip()
        argument = _ARGUMENT.match(text)
        if argument is not None and len(given) < 100:
            given[argument.group(1)] = argument.group(2)
        is_exposed = is_exposed or text[:7].upper() == "EXPOSE "
        is_installing = is_installing or _INSTALL.search(text) is not None
        if is_installing:
            installed.update(_WORD.findall(text))
        is_installing = is_installing and text.endswith("\\")
        packages.update(dict.fromkeys(_packages(text)))
        base = _FROM.match(text)
        if base is not None:
            name, tag = image(_filled(base.group(1), given))
            if name and name.lower() not in stages and name != "scratch" and "$" not in name:
                draft.needs(name, tag if "$" not in tag else None)
            if base.group(2):
                stages.add(base.group(2).lower())
            # A stage goes on with what the one before it runs.
            programs = dict(run_by.get(_filled(base.group(1), given).lower(), {}))
            run_by[(base.group(2) or "").lower()] = programs
        run = _RUN.match(text)
        if run is not None:
            programs[run.group(1)] = (_command(run.group(2)), number)
    draft.says("image-packages", list(packages)[:40])
    draft.says("system-packages", [name for name in _SYSTEM if name in installed])
    if programs:
        first = programs.get("ENTRYPOINT") or programs["CMD"]
        words = " ".join(programs[key][0] for key in ("ENTRYPOINT", "CMD") if key in programs)
        draft.runs("server" if is_exposed else "main", words, first[1])
    return draft.facts()


def _packages(line: str) -> list[str]:
    """What a line installs by name beside the manifests: ``npm install -g pm2`` is ``npm:pm2``."""
    found: list[str] = []
    for *managers, words in _PACKAGES.findall(line) if line[:1] != "#" else ():
        kind = _KINDS[next(name for name in managers if name)]
        names = (_PACKAGE.fullmatch(word.strip("\"'")) for word in words.split())
        # A path and a list of requirements are no names.
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
                draft.runs("server", line.key, line.number)
                names.append(line.key)
                inner = 0
                continue
            inner = inner or line.indent
            if line.key == "image" and line.indent == inner:
                name, tag = image(_filled(line.value, {}))
                draft.needs(name, tag if "$" not in tag else None)
    draft.says("services", names)
    return draft.facts()


def read_procfile(path: str, content: str) -> ManifestFacts:
    """``Procfile``: one process a line."""
    draft = Draft("docker")
    for number, line in lines_of(content):
        found = _PROCESS.match(line)
        if found is not None:
            draft.runs("server" if found.group(1) == "web" else "job", f"{found.group(1)}: {found.group(2)}", number)
    return draft.facts()
