"""Finds programs declared by CMake, Meson and Automake, with their main source files."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.facts import Draft

_MAX_CHARS = 400_000
_MAX = 24
_MAX_VALUES = 40
_CMAKE = re.compile(
    r"^[ \t]*+(foreach|endforeach|set|project|add_executable|target_sources)[ \t]{0,4}\(([^()]{0,4000})\)",
    re.MULTILINE | re.IGNORECASE,
)
_COMMENT = re.compile(r"#[^\n]{0,1000}")
_VARIABLE = re.compile(r"\$\{(\w{1,80})\}")
_KEYWORDS = frozenset(
    ("WIN32", "MACOSX_BUNDLE", "EXCLUDE_FROM_ALL", "PRIVATE", "PUBLIC", "INTERFACE", "IN", "ITEMS", "LISTS")
)
_NO_PROGRAM = frozenset(("ALIAS", "IMPORTED"))
_SOURCE = re.compile(r"[\w./+-]{1,160}\.(?:c|cc|cpp|cxx|c\+\+|m|mm|rs|vala|d)", re.IGNORECASE)
_OF_TESTS = re.compile(r"(?:^|[^a-z])(?:tests?|bench(?:mark)?s?|fuzz(?:er|ing)?|examples?|samples?|demos?)(?:[^a-z]|$)")
_MESON = re.compile(
    r"^[ \t]*+(?:\w{1,60}[ \t]{0,4}=[ \t]{0,4})?executable\(\s{0,20}'([\w.+-]{1,80})'([^()]{0,2000})", re.MULTILINE
)
_QUOTED = re.compile(r"'([^'\n]{1,160})'")
_KEYED = re.compile(r"\b\w{1,40}\s{0,4}:")
_AUTOMAKE = re.compile(r"^(\w{1,80})_(PROGRAMS|SOURCES)[ \t]{0,4}\+?=((?:[^\n\\]|\\\n|\\){0,4000})", re.MULTILINE)


def add_cmake_programs(path: str, content: str, draft: Draft) -> None:
    """``add_executable(name a.c b.c)``, also followed by ``target_sources`` or in a loop over names."""
    values: dict[str, list[str]] = {}
    sources: dict[str, list[str]] = {}
    for found in _CMAKE.finditer(content[:_MAX_CHARS]):
        command = found[1].lower()
        words = _COMMENT.sub("", found[2]).replace('"', "").split()
        if command == "endforeach" or not words:
            continue
        if command == "project":
            values["PROJECT_NAME"] = [words[0]]
        elif command in ("set", "foreach"):
            given = [word for word in words[1:] if word not in _KEYWORDS]
            if command == "foreach" and "LISTS" in words:
                given = [value for name in given for value in values.get(name, ())]
            values[words[0]] = given[:_MAX_VALUES]
        elif not _NO_PROGRAM & set(words):
            for name, files in _turns(words, values):
                if command == "add_executable" and len(sources) < _MAX:
                    sources[name] = files
                elif name in sources:
                    sources[name].extend(files)
    folder = path.rpartition("/")[0].rpartition("/")[2]
    for name, files in sources.items():
        _tell(name, files, draft, folder)


def _turns(words: list[str], values: dict[str, list[str]]) -> list[tuple[str, list[str]]]:
    """A target and its files, once per value of the variable in the target's name."""
    varied = next((name for name in _VARIABLE.findall(words[0]) if len(values.get(name, ())) > 1), "")
    turns = []
    for value in values[varied] if varied else [""]:
        known = values | {varied: [value]} if varied else values
        files = [file for word in words[1:] if word not in _KEYWORDS for file in _filled(word, known)]
        turns.append((" ".join(_filled(words[0], known)[:1]), files))
    return turns


def _filled(word: str, values: dict[str, list[str]]) -> list[str]:
    """A word with its known variables expanded; a list if it is a single variable."""
    whole = _VARIABLE.fullmatch(word)
    if whole is not None and whole[1] in values:
        return values[whole[1]]
    word = word.replace("${CMAKE_CURRENT_SOURCE_DIR}/", "")
    return [_VARIABLE.sub(lambda found: (values.get(found[1]) or [found[0]])[0], word)]


def add_meson_programs(content: str, draft: Draft) -> None:
    """``executable('name', 'a.c', 'b.c', install: true)``."""
    for name, rest in _MESON.findall(content[:_MAX_CHARS])[:_MAX]:
        _tell(name, _QUOTED.findall(_KEYED.split(rest, maxsplit=1)[0]), draft)


def add_automake_programs(content: str, draft: Draft) -> None:
    """``bin_PROGRAMS = name`` and ``name_SOURCES = a.c b.c``; the default source is ``name.c``."""
    programs: dict[str, None] = {}
    sources: dict[str, list[str]] = {}
    for owner, kind, value in _AUTOMAKE.findall(content[:_MAX_CHARS]):
        words = _COMMENT.sub("", value.replace("\\", " ")).split()[:200]
        if kind == "SOURCES":
            sources.setdefault(owner, []).extend(words)
        elif owner.removeprefix("nobase_").removeprefix("dist_") in ("bin", "sbin", "libexec", "pkglibexec"):
            programs.update(dict.fromkeys(word for word in words if "$" not in word and "@" not in word))
    for name in list(programs)[:_MAX]:
        draft.add_entry("main", name)
        _tell(name, sources.get(re.sub(r"[^\w@]", "_", name), [f"{name}.c"]), draft)


def _tell(name: str, files: list[str], draft: Draft, folder: str = "") -> None:
    """Adds a program only if it is clear which file contains main."""
    own = [file for file in files if _SOURCE.fullmatch(file)]
    begins = next((file for file in own if _stem(file) in ("main", name.lower())), None)
    if begins is None and len(own) > 1:
        begins = next((file for file in own if name.lower().endswith(("-" + _stem(file), "_" + _stem(file)))), None)
    begins = begins or (own[0] if len(own) == 1 else None)
    if begins is None or _OF_TESTS.search(f"{name} {begins}".lower()):
        return
    # If the name is a variable, the source or its folder is more informative.
    plain = name if "$" not in name else _stem(begins)
    plain = folder if plain == "main" and folder else plain
    draft.add_sign(f"target:{plain}", begins if "/" in begins else f"./{begins}")


def _stem(file: str) -> str:
    return file.rpartition("/")[2].partition(".")[0].lower()
