"""Describes formatter, linter and type checker settings as ``tool:<name>`` signs."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

_MAX_CHARS = 200_000
_VALUE_CHARS = 300
_YAML_LINE = re.compile(r"^(\s{0,12})(?:-\s{1,3})?[\"']?([A-Za-z][\w./ -]{0,60})[\"']?\s{0,3}:\s{0,3}(.{0,200})$")
_YAML_ITEM = re.compile(r"^\s{0,12}-\s{1,3}[\"']?([\w@./:-]{1,80})[\"']?\s*(?:#.*)?$")
_JS_SETTING = re.compile(r"[\"']?\b([a-zA-Z]{3,30})[\"']?\s{0,3}:\s{0,3}(true|false|\d{1,4}|[\"'][\w-]{1,30}[\"'])")
_ESLINT_BASE = re.compile(
    r"[\"']((?:@[\w-]{1,40}/)?(?:eslint-(?:config|plugin)-[\w-]{1,40}|eslint-(?:config|plugin)"
    r"|(?:plugin:|eslint:)[\w@/-]{1,60}|next(?:/[\w-]{1,30})?|airbnb[\w/-]{0,30}|standard[\w-]{0,20}|prettier"
    r"|typescript-eslint))[\"']"
)
_PRETTIER: dict[str, str | tuple[str, str]] = {
    "printWidth": "line length {}",
    "tabWidth": "{} spaces",
    "useTabs": ("tabs", ""),
    "singleQuote": ("single quotes", "double quotes"),
    "semi": ("semicolons", "no semicolons"),
    "trailingComma": "trailing commas: {}",
}
Signs = dict[str, str]


def tool_signs(path: str, content: str) -> Signs:
    """The tool settings in a file; empty for other files."""
    name = path.rpartition("/")[2].lower()
    content = content[:_MAX_CHARS]
    reader = _READERS.get(name)
    if reader is None:
        reader = next((known for start, known in _BY_START if name.startswith(start)), None)
    if reader is None:
        return {}
    try:
        found = reader(content)
    except (ValueError, RecursionError, configparser.Error, KeyError, TypeError, AttributeError):
        return {}
    return {key: value[:_VALUE_CHARS] for key, value in found.items() if value}


def _tool(name: str, *settings: str, **plain_signs: object) -> Signs:
    """A tool's settings, and the signs that others look up by name (``line_length`` → ``line-length``)."""
    said = "; ".join(setting for setting in settings if setting)
    signs = {f"tool:{name}": said or "configured"}
    signs |= {key.replace("_", "-"): str(value)[:60] for key, value in plain_signs.items() if value not in (None, "")}
    return signs


def _setting(words: str, value: object) -> str:
    return words.format(str(value)[:60]) if isinstance(value, (str, int)) and value not in ("", False) else ""


def _table(value: object, *names: str) -> dict[str, Any]:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _listed(value: object, most: int = 14) -> str:
    values = value if isinstance(value, list) else []
    return ", ".join(str(one)[:40] for one in values[:most] if isinstance(one, str))


def _python_tools(content: str) -> Signs:
    tools = _table(tomllib.loads(content), "tool")
    signs: Signs = {}
    if "ruff" in tools:
        signs |= _ruff(_table(tools, "ruff"))
    if "black" in tools:
        length = _table(tools, "black").get("line-length")
        signs |= _tool("Black", _setting("line length {}", length), line_length=length)
    if "isort" in tools:
        signs |= _tool("isort", _setting("profile {}", _table(tools, "isort").get("profile")))
    if "mypy" in tools:
        signs |= _mypy(_table(tools, "mypy"))
    if "pyright" in tools or "basedpyright" in tools:
        table = _table(tools, "pyright") or _table(tools, "basedpyright")
        signs |= _tool("Pyright", _setting("mode {}", table.get("typeCheckingMode")))
    pytest = _table(tools, "pytest", "ini_options") or _table(tools, "pytest")
    if pytest:
        signs |= _tool("pytest", _setting("test paths {}", _listed(pytest.get("testpaths"))))
    least = _table(tools, "coverage", "report").get("fail_under")
    return signs | (_tool("coverage", _setting("at least {}%", least)) if least else {})


def _ruff(table: Mapping[str, Any]) -> Signs:
    lint, form = _table(table, "lint"), _table(table, "format")
    rules = lint.get("select") or table.get("select") or lint.get("extend-select") or table.get("extend-select")
    length = table.get("line-length")
    quotes = form.get("quote-style")
    return _tool(
        "Ruff",
        _setting("line length {}", length),
        _setting("{} quotes", quotes),
        f"rules {_listed(rules)}" if rules else "",
        line_length=length,
        quotes=quotes,
    )


def _mypy(table: Mapping[str, Any]) -> Signs:
    is_on = (True, "True", "true", "1")
    strict = table.get("strict") in is_on
    typed = table.get("disallow_untyped_defs") in is_on
    return _tool("mypy", "strict" if strict else "untyped definitions are rejected" if typed else "")


def _ini(content: str) -> Signs:
    parser = configparser.ConfigParser(interpolation=None, strict=False, allow_no_value=True)
    parser.read_string(content)
    sections = {name: dict(parser[name]) for name in parser.sections()[:200]}
    signs: Signs = {}
    if "flake8" in sections:
        length = sections["flake8"].get("max-line-length")
        signs |= _tool("Flake8", _setting("line length {}", length or ""), line_length=length)
    if "mypy" in sections:
        signs |= _mypy(sections["mypy"])
    if "isort" in sections:
        signs |= _tool("isort", _setting("profile {}", sections["isort"].get("profile") or ""))
    if "tool:pytest" in sections or "pytest" in sections:
        signs |= _tool("pytest")
    environments = sections.get("tox", {}).get("envlist") or sections.get("tox", {}).get("env_list")
    if environments:
        signs |= _tool("tox", "environments " + ", ".join(environments.replace(",", " ").split()[:12]))
    return signs


def _editorconfig(content: str) -> Signs:
    at = content.find("[*]")
    body = content[at + 3 :].split("\n[", 1)[0] if at >= 0 else ""
    pairs = (line.partition("=") for line in body.splitlines()[:100] if "=" in line and line.lstrip()[:1] not in "#;")
    said = {key.strip().lower(): value.strip().lower()[:40] for key, _, value in pairs}
    style, size, length = said.get("indent_style"), said.get("indent_size"), said.get("max_line_length")
    indent = "tabs" if style == "tab" else f"{size} spaces" if size and size.isdigit() else ""
    return _tool(
        "EditorConfig",
        indent and f"indent with {indent}",
        _setting("line length {}", length if length != "off" else ""),
        _setting("line endings {}", said.get("end_of_line", "")),
        indent=indent,
    )


def _prettier(content: str) -> Signs:
    return _prettier_of({key: _value(raw) for key, raw in _JS_SETTING.findall(content)} or _yaml_pairs(content))


def _prettier_of(said: Mapping[str, object]) -> Signs:
    words: list[str] = []
    for key, text in _PRETTIER.items():
        value = said.get(key)
        if value is None:
            continue
        words.append((text[0] if value is True else text[1]) if isinstance(text, tuple) else text.format(value))
    quotes = {True: "single", False: "double"}.get(bool(said["singleQuote"])) if "singleQuote" in said else None
    return _tool("Prettier", *words, line_length=said.get("printWidth"), quotes=quotes)


def _value(raw: str) -> object:
    raw = raw.strip().strip("\"'")
    return {"true": True, "false": False}.get(raw.lower(), int(raw) if raw.isdigit() and len(raw) < 6 else raw)


def _yaml_pairs(content: str) -> dict[str, object]:
    """The last plain value of each key, at any depth."""
    found = (_YAML_LINE.match(line) for line in content.splitlines()[:2_000])
    pairs = ((match.group(2), match.group(3).split(" #", 1)[0].strip()) for match in found if match)
    return {key: _value(value) for key, value in pairs if value}


def _eslint(content: str) -> Signs:
    bases = list(dict.fromkeys(_ESLINT_BASE.findall(content)))
    return _tool("ESLint", f"on {', '.join(bases[:6])}" if bases else "")


def _package(content: str) -> Signs:
    table = json.loads(content)
    if not isinstance(table, dict):
        return {}
    signs: Signs = {}
    if "prettier" in table:
        signs |= _prettier_of(_table(table, "prettier"))
    if "eslintConfig" in table:
        signs |= _eslint(json.dumps(table["eslintConfig"]))
    staged = _table(table, "lint-staged")
    return signs | (_tool("lint-staged", "before each commit on " + ", ".join(list(staged)[:5])) if staged else {})


def _typescript(content: str) -> Signs:
    said = {key: _value(raw) for key, raw in _JS_SETTING.findall(content)}
    strict = said.get("strict")
    alias = re.search(
        r"[\"']([@~#][\w-]{0,20}/)\*[\"']\s{0,3}:\s{0,3}\[\s{0,20}[\"']([\w./-]{1,60}?)/?\*[\"']", content
    )
    return _tool(
        "TypeScript",
        "strict" if strict is True else "not strict" if strict is False else "",
        _setting("target {}", said.get("target", "")),
        f"`{alias.group(1)}` is an alias for `{alias.group(2)}/`" if alias else "",
    )


def _rubocop(content: str) -> Signs:
    at = content.find("LineLength:")
    length = re.search(r"Max:\s{0,3}(\d{2,4})", content[at : at + 200]) if at >= 0 else None
    base = re.search(r"inherit_gem:\s{0,20}\n\s{1,8}([\w-]{2,40})", content)
    ruby = _yaml_pairs(content).get("TargetRubyVersion", "")
    return _tool(
        "RuboCop",
        f"line length {length.group(1)}" if length else "",
        f"on {base.group(1)}" if base else "",
        _setting("Ruby {}", ruby),
        line_length=length.group(1) if length else None,
    )


def _golangci(content: str) -> Signs:
    at = content.find("enable:")
    lines = content[at:].splitlines()[1:60] if at >= 0 else []
    linters = [found.group(1) for line in lines if (found := _YAML_ITEM.match(line))]
    return _tool("golangci-lint", "linters " + ", ".join(linters[:15]) if linters else "")


def _rustfmt(content: str) -> Signs:
    table = tomllib.loads(content)
    return _tool("rustfmt", _setting("line length {}", table.get("max_width", "")), line_length=table.get("max_width"))


def _clang_format(content: str) -> Signs:
    said = _yaml_pairs(content)
    return _tool(
        "clang-format",
        _setting("{} style", said.get("BasedOnStyle", "")),
        _setting("line length {}", said.get("ColumnLimit", "")),
        _setting("indent {}", said.get("IndentWidth", "")),
        line_length=said.get("ColumnLimit"),
    )


def _by_pair(tool: str, key: str, words: str) -> Callable[[str], Signs]:
    return lambda content: _tool(tool, _setting(words, _yaml_pairs(content).get(key, "")))


def _found(tool: str, pattern: str, words: str) -> Callable[[str], Signs]:
    compiled = re.compile(pattern)

    def read(content: str) -> Signs:
        found = compiled.search(content)
        return _tool(tool, words.format(found.group(1)) if found else "")

    return read


_READERS: dict[str, Callable[[str], Signs]] = {
    "pyproject.toml": _python_tools,
    "ruff.toml": lambda content: _ruff(tomllib.loads(content)),
    ".ruff.toml": lambda content: _ruff(tomllib.loads(content)),
    **dict.fromkeys(("setup.cfg", "tox.ini", ".flake8", "mypy.ini", ".mypy.ini", "pytest.ini"), _ini),
    ".editorconfig": _editorconfig,
    "package.json": _package,
    "rustfmt.toml": _rustfmt,
    ".rustfmt.toml": _rustfmt,
    ".clang-format": _clang_format,
    "pint.json": _found("Pint", r'"preset"\s{0,3}:\s{0,3}"([\w-]{1,30})"', "preset {}"),
    "checkstyle.xml": lambda content: _tool("Checkstyle"),
    ".swiftlint.yml": lambda content: _tool("SwiftLint"),
    ".scalafmt.conf": lambda content: _tool("scalafmt"),
    ".stylecop.json": lambda content: _tool("StyleCop"),
    "stylecop.json": lambda content: _tool("StyleCop"),
}
_BY_START: tuple[tuple[str, Callable[[str], Signs]], ...] = (
    (".prettierrc", _prettier),
    ("prettier.config.", _prettier),
    (".eslintrc", _eslint),
    ("eslint.config.", _eslint),
    ("biome.json", _found("Biome", r'"indentStyle"\s{0,3}:\s{0,3}"(tab|space)"', "indent style {}")),
    ("tsconfig.json", _typescript),
    ("tsconfig.base.json", _typescript),
    (".rubocop.y", _rubocop),
    (".golangci.", _golangci),
    ("phpstan", _by_pair("PHPStan", "level", "level {}")),
    ("psalm.xml", _found("Psalm", r'errorLevel="(\d)"', "error level {}")),
    ("phpcs.xml", _found("PHP_CodeSniffer", r'<rule\s{1,4}ref="([\w-]{2,30})"', "standard {}")),
    (".phpcs.xml", _found("PHP_CodeSniffer", r'<rule\s{1,4}ref="([\w-]{2,30})"', "standard {}")),
    (".php-cs-fixer", lambda content: _tool("PHP CS Fixer")),
    (".stylelintrc", lambda content: _tool("Stylelint")),
    ("stylelint.config.", lambda content: _tool("Stylelint")),
)
