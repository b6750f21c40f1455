"""Reads ``Gemfile``, ``*.gemspec`` and ``Gemfile.lock``."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import lines_of

_GEM = re.compile(r"\s*+gem[ (]\s{0,4}[\"']([\w.-]{1,100})[\"'](?:\s{0,4},\s{0,4}[\"']([^\"']{1,60})[\"'])?")
_GROUP = re.compile(r"\s*+group[ (]([^#]{1,200}?)\)?\s{1,4}do\b")
_INLINE_GROUP = re.compile(r"(?:\bgroups?:|:groups?\s{0,2}=>)\s{0,4}(\[[^\]]{1,100}\]|:\w{1,40}|[\"']\w{1,40}[\"'])")
_BLOCK = re.compile(r"\s*+(?:(?:if|unless|case|begin|while)\b|.{0,200}\bdo\s{0,4}(?:\|[^|]{0,60}\|)?\s{0,4}$)")
_RUBY = re.compile(r"\s*+ruby[ (]\s{0,4}[\"']([^\"']{1,40})[\"']")
_ADDED = re.compile(
    r"\s*+\w{1,30}\.add_(?:(runtime_|development_))?dependency[ (]\s{0,4}"
    r"[\"']([\w.-]{1,100})[\"'](?:\.freeze)?(?:\s{0,4},\s{0,4}\[?[\"']([^\"']{1,60})[\"'])?"
)
_FIELD = re.compile(
    r"\s*+\w{1,30}\.(name|summary|description|version|licenses?|required_ruby_version|executables?)\s{0,12}\+?=\s{0,4}(.{1,300})"
)
_QUOTED = re.compile(r"[\"']([^\"']{1,200})[\"']")
_LOCKED = re.compile(r"    ([\w.-]{1,100}) \(([^)\s]{1,60})\)")
_DIRECT = re.compile(r"  ([\w.-]{1,100})!?(?: \(|$)")
_SIGNS = {"name": "name", "summary": "description", "version": "version", "license": "licence", "licenses": "licence"}
_DEV_GROUPS = ("test", "development", "ci", "lint", "rubocop", "doc", "debug")


def read_gemfile(path: str, content: str) -> ManifestFacts:
    """``Gemfile``; a gem is for development if all its groups are."""
    draft = Draft("rubygems")
    draft.add_sign("package-manager", "Bundler")
    blocks: list[bool] = []
    for _, line in lines_of(content):
        ruby = _RUBY.match(line)
        if ruby is not None:
            draft.add_sign("language-version", ruby.group(1))
        gem = _GEM.match(line)
        if gem is not None:
            inline = _INLINE_GROUP.search(line)
            is_dev = any(blocks) or (inline is not None and _is_dev(inline.group(1)))
            draft.add_dependency(gem.group(1), gem.group(2), is_dev=is_dev)
            continue
        group = _GROUP.match(line)
        if group is not None:
            blocks.append(_is_dev(group.group(1)))
        elif _BLOCK.match(line) and len(blocks) < 50:
            blocks.append(False)
        elif line.strip() == "end" and blocks:
            blocks.pop()
    return draft.facts()


def _is_dev(groups: str) -> bool:
    names = re.findall(r"[a-z_]{2,40}", groups.lower().replace("optional: true", ""))
    return bool(names) and all(any(word in name for word in _DEV_GROUPS) for name in names)


def read_gemspec(path: str, content: str) -> ManifestFacts:
    """``*.gemspec``, line by line, never executed."""
    draft = Draft("rubygems")
    for number, line in lines_of(content):
        added = _ADDED.match(line)
        if added is not None:
            draft.add_dependency(added.group(2), added.group(3), is_dev=added.group(1) == "development_")
            continue
        found = _FIELD.match(line)
        words = _QUOTED.findall(found.group(2)) if found is not None else []
        if found is None:
            continue
        key = found.group(1)
        if key.startswith("executable"):
            names = words or re.findall(r"[\w-]{1,60}", found.group(2).removeprefix("%w")) if "f" not in key else words
            if "%w" in found.group(2):
                names = re.findall(r"[\w.-]{1,60}", found.group(2).partition("%w")[2])
            for name in names if "glob" not in found.group(2) and "grep" not in found.group(2) else []:
                draft.add_entry("cli", name, number)
        elif words:
            draft.add_sign("language-version" if key == "required_ruby_version" else _SIGNS.get(key, key), words[0])
    return draft.facts()


def read_gemfile_lock(path: str, content: str) -> ManifestFacts:
    """``Gemfile.lock``: gems are indented by four spaces; direct dependencies are listed at the end."""
    draft = Draft("rubygems", is_lock=True)
    direct: set[str] = set()
    rows: dict[str, str] = {}
    section = ""
    for _, line in lines_of(content):
        if line and line[0] != " ":
            section = line.strip()
        elif section in ("GEM", "GIT", "PATH"):
            found = _LOCKED.match(line)
            if found is not None and len(rows) < 5_000:
                rows.setdefault(found.group(1), found.group(2))
        elif section == "DEPENDENCIES":
            named = _DIRECT.match(line)
            if named is not None:
                direct.add(named.group(1))
        elif section == "RUBY VERSION":
            draft.add_sign("language-version", line.strip().removeprefix("ruby ").partition("p")[0])
        elif section == "BUNDLED WITH":
            draft.add_sign("tool-version", line)
    for name, version in rows.items():
        draft.add_dependency(
            name, re.sub(r"-(?:x86|x64|arm|aarch|java|universal).*", "", version), is_direct=name in direct
        )
    return draft.facts()
