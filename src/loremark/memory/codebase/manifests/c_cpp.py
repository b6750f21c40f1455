"""Reads C and C++ build files: CMake, Conan, vcpkg, Meson, Autoconf, Makefile."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.c_cpp_programs import (
    add_automake_programs,
    add_cmake_programs,
    add_meson_programs,
)
from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import items, json_of, lines_of, table
from loremark.memory.codebase.manifests.pipelines import tools_in

_COMMAND = re.compile(
    r"\s*+(project|find_package|pkg_check_modules|add_executable|add_library|FetchContent_Declare|cmake_minimum_required|"
    r"set)\s{0,4}\(\s{0,8}([^)#]{1,300})",
    re.IGNORECASE,
)
_STANDARD = re.compile(r"CMAKE_(C|CXX)_STANDARD\s{1,4}(\d{2})")
_VERSION = re.compile(r"\bVERSION\s{1,4}\"?(\d[\w.]{0,20})")
_DESCRIPTION = re.compile(r"\bDESCRIPTION\s{1,4}\"([^\"]{1,200})\"")
_CONAN = re.compile(r"[\"'\s]?([a-z0-9][\w.+-]{1,60})/(\[?[\w.*<>= -]{1,30}\]?)(?:@[\w/]{0,60})?[\"'\s]?$")
_CONAN_CALL = re.compile(
    r"(?:self\.|\.)?(tool_requires|requires|build_requires|test_requires)\(\s{0,4}[\"']([a-z0-9][\w.+-]{1,60})/([^\"'@]{1,30})"
)
_MESON = re.compile(r"(project|dependency|executable)\s{0,2}\(\s{0,4}'([\w.+ -]{1,80})'")
_MESON_VERSION = re.compile(r"\bversion\s{0,2}:\s{0,2}'([^']{1,30})'")
_AUTOCONF = re.compile(
    r"^[ \t]*+(AC_INIT|AC_CHECK_LIB|AC_SEARCH_LIBS|PKG_CHECK_MODULES)\s{0,2}\(\s{0,40}\[?([\w.+ -]{1,80})\]?\s{0,40}"
    r"(?:,\s{0,40}\[?([\w.+ <>=-]{1,120}))?",
    re.MULTILINE,
)
_MAX_AUTOCONF_CHARS = 400_000
_TARGET = re.compile(r"([A-Za-z][\w.-]{0,40})\s{0,2}:(?!=)")


def read_cmake(path: str, content: str) -> ManifestFacts:
    """``CMakeLists.txt``."""
    draft = Draft("cmake")
    for number, line in lines_of(content):
        found = _COMMAND.match(line)
        if found is None:
            continue
        command, words = found.group(1).lower(), found.group(2).split()
        if not words:
            continue
        version = _VERSION.search(line)
        if command == "project":
            draft.add_sign("name", words[0].strip('"'))
            draft.add_sign("version", version.group(1) if version else None)
            description = _DESCRIPTION.search(line)
            draft.add_sign("description", description.group(1) if description else None)
        elif command == "cmake_minimum_required":
            draft.add_sign("tool-version", words[1].partition("...")[0] if len(words) > 1 else None)
        elif command in ("find_package", "fetchcontent_declare"):
            number_given = words[1] if len(words) > 1 and words[1][0].isdigit() else None
            draft.add_dependency(words[0], number_given, is_dev="test" in words[0].lower())
        elif command == "pkg_check_modules":
            for name in words[1:]:
                if not name.isupper():
                    draft.add_dependency(name.partition(">")[0].partition("=")[0])
        elif command == "add_executable" and "$" not in words[0] and "IMPORTED" not in words:
            draft.add_entry("main", words[0], number)
        elif command == "add_library" and "$" not in words[0] and not {"ALIAS", "INTERFACE", "IMPORTED"} & set(words):
            draft.add_entry("library", words[0], number)
        standard = _STANDARD.search(line)
        if standard is not None:
            draft.add_sign("language-version", ("C++" if standard.group(1) == "CXX" else "C") + standard.group(2))
    add_cmake_programs(path, content, draft)
    return draft.facts()


def read_conan(path: str, content: str) -> ManifestFacts:
    """``conanfile.txt`` and ``conanfile.py``, both line by line."""
    draft = Draft("conan")
    draft.add_sign("package-manager", "Conan")
    section = ""
    for _, line in lines_of(content):
        text = line.strip()
        if text.startswith("["):
            section = text.strip("[]")
            continue
        call = _CONAN_CALL.search(text)
        if call is not None:
            draft.add_dependency(call.group(2), call.group(3), is_dev=call.group(1) != "requires")
        elif section in ("requires", "tool_requires", "build_requires"):
            found = _CONAN.match(text)
            if found is not None:
                draft.add_dependency(found.group(1), found.group(2).strip("[]"), is_dev=section != "requires")
    return draft.facts()


def read_vcpkg(path: str, content: str) -> ManifestFacts:
    """``vcpkg.json``."""
    document = json_of(content)
    draft = Draft("vcpkg")
    draft.add_sign("package-manager", "vcpkg")
    for key, sign in (("name", "name"), ("version", "version"), ("description", "description"), ("license", "licence")):
        draft.add_sign(sign, document.get(key))
    for row in items(document.get("dependencies")):
        name = row if isinstance(row, str) else table(row).get("name")
        version = table(row).get("version>=")
        draft.add_dependency(name, version, is_dev=table(row).get("host") is True)
    return draft.facts()


def read_meson(path: str, content: str) -> ManifestFacts:
    """``meson.build``."""
    draft = Draft("cmake")
    for number, line in lines_of(content):
        for kind, name in _MESON.findall(line):
            if kind == "project":
                draft.add_sign("name", name)
            elif kind == "dependency":
                version = _MESON_VERSION.search(line)
                draft.add_dependency(name, version.group(1) if version else None)
            else:
                draft.add_entry("main", name, number)
        if "meson_version" not in line and line.lstrip().startswith("version"):
            version = _MESON_VERSION.search(line)
            draft.add_sign("version", version.group(1) if version else None)
    add_meson_programs(content, draft)
    return draft.facts()


def read_automake(path: str, content: str) -> ManifestFacts:
    """``Makefile.am``: installed programs."""
    draft = Draft("cmake")
    add_automake_programs(content, draft)
    return draft.facts()


def read_autoconf(path: str, content: str) -> ManifestFacts:
    """``configure.ac``; a call may span several lines."""
    draft = Draft("cmake")
    for found in _AUTOCONF.finditer(content[:_MAX_AUTOCONF_CHARS]):
        macro, first, second = found.groups()
        words = (second or "").split()
        if macro == "AC_INIT":
            draft.add_sign("name", first)
            draft.add_sign("version", second)
        elif macro == "AC_CHECK_LIB":
            draft.add_dependency(first)
        for name in words if macro == "AC_SEARCH_LIBS" else words[:1] if macro == "PKG_CHECK_MODULES" else ():
            draft.add_dependency(name)
    return draft.facts()


def read_makefile(path: str, content: str) -> ManifestFacts:
    """``Makefile``: its first targets and the tools its recipes call."""
    draft = Draft("make")
    targets: dict[str, None] = {}
    for _, line in lines_of(content):
        found = _TARGET.match(line)
        if found is not None and len(targets) < 25 and not found.group(1).endswith((".o", ".c", ".h")):
            targets[found.group(1)] = None
    draft.add_sign("targets", list(targets))
    draft.add_sign("tools", tools_in(line for _, line in lines_of(content) if line.startswith("\t")))
    return draft.facts()
