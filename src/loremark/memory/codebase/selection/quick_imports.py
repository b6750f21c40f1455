"""Finds imports with one regular expression per language, to rank files before they are parsed."""

from __future__ import annotations

import re

from loremark.memory.codebase.languages import language_of

_MAX_CHARS = 40_000
_MAX = 200
_B = r"[ \t]{0,80}+"
# Each starts with a literal word, which makes the search fast; matches in comments resolve to no file.
_JS = (
    re.compile(r"from\s{0,20}+['\"]([^'\"\n]{1,300})['\"]"),
    re.compile(r"import[ \t(]{0,20}+['\"]([^'\"\n]{1,300})['\"]"),
    re.compile(r"require[ \t]{0,9}+\([ \t]{0,9}+['\"]([^'\"\n]{1,300})['\"]"),
)
_C = re.compile(
    rf"^{_B}#{_B}(?:include|import){_B}(?:\"([^\"\n]{{1,300}})\"|<([^>\n]{{1,200}}/[^>\n]{{1,200}})>)", re.MULTILINE
)
_PYTHON = re.compile(
    rf"^{_B}(?:from{_B}(\.{{0,20}}[\w.]{{0,200}}){_B}import\b[ \t(]{{0,80}}([^\n#)]{{0,300}})|"
    r"import[ \t]{1,80}+([\w., \t]{1,300}))",
    re.MULTILINE,
)
_GO_BLOCK = re.compile(
    r"^import[ \t]{0,20}(?:\(([^()]{0,20000})\)|(?:[\w.]{1,60}[ \t]{1,20})?(\"[^\"\n]{1,300}\"))", re.MULTILINE
)
_QUOTED = re.compile(r"\"([^\"\n]{1,300})\"")
_RUST = re.compile(
    rf"^{_B}(?:pub(?:\([^)\n]{{1,60}}\))?[ \t]{{1,20}})?"
    r"(?:use[ \t]{1,20}+(?:::)?([\w:]{1,300})(?:\{([^;]{0,2000}))?|mod[ \t]{1,20}+(\w{1,100});)",
    re.MULTILINE,
)
_JAVA = re.compile(rf"^{_B}import[ \t]{{1,20}}+(?:static[ \t]{{1,20}}+)?([\w.]{{1,300}}\*?)", re.MULTILINE)
_CSHARP = re.compile(
    rf"^{_B}(?:global[ \t]{{1,20}}+)?using[ \t]{{1,20}}+(?:static[ \t]{{1,20}}+)?"
    rf"(?:\w{{1,100}}{_B}={_B})?([A-Za-z_][\w.]{{0,300}}){_B};",
    re.MULTILINE,
)
_RUBY = re.compile(
    rf"^{_B}(require|require_relative|load|autoload{_B}:\w{{1,100}},){_B}\(?{_B}['\"]([^'\"\n#]{{1,300}})['\"]",
    re.MULTILINE,
)
_PHP = re.compile(
    rf"^{_B}use[ \t]{{1,20}}+(?:function[ \t]{{1,20}}+|const[ \t]{{1,20}}+)?"
    rf"\\?([\w\\]{{1,300}})(?:\{{([^{{}}]{{0,2000}})\}})?",
    re.MULTILINE,
)
_PHP_FILE = re.compile(
    r"\b(?:require|include)(?:_once)?[ \t(]{1,20}(?:__DIR__[ \t]{0,9}\.[ \t]{0,9})?['\"]([^'\"\n]{1,300})['\"]"
)
_RUST_NAME = re.compile(r"(?:^|,)\s{0,80}+([\w:]{1,200})")


def quick_imports(path: str, content: str) -> tuple[str, ...]:
    """The import targets of a file as written, without duplicates.

    Relative imports of Ruby and PHP start with ``./``, modules that Rust declares with ``mod``.
    """
    language = language_of(path)
    text = content[:_MAX_CHARS]
    found: list[str]
    if language in ("javascript", "typescript", "tsx", "vue", "svelte", "astro"):
        found = [target for form in _JS for target in form.findall(text)]
    elif language == "python":
        found = _python(text)
    elif language == "go":
        found = [target for block, single in _GO_BLOCK.findall(text) for target in _QUOTED.findall(block or single)]
    elif language == "rust":
        found = _rust(text)
    elif language in ("java", "kotlin", "scala", "groovy"):
        found = _JAVA.findall(text)
    elif language in ("csharp", "razor"):
        found = _CSHARP.findall(text)
    elif language == "ruby":
        found = [_beside(target) if how == "require_relative" else target for how, target in _RUBY.findall(text)]
    elif language == "php":
        found = _php(text)
    elif language in ("c", "cpp", "header", "objective-c"):
        found = [quoted or angled for quoted, angled in _C.findall(text)]
    else:
        found = []
    return tuple(dict.fromkeys(target for target in found if target))[:_MAX]


def _beside(target: str) -> str:
    return target if target.startswith(".") else f"./{target}"


def _python(text: str) -> list[str]:
    """``from a import b`` may mean the module a.b, so both are returned; only existing ones count."""
    found: list[str] = []
    for origin, names, modules in _PYTHON.findall(text):
        if modules:
            found += [module.split()[0] for module in modules.split(",") if module.strip()]
        elif origin:
            found.append(origin)
            base = origin if origin.endswith(".") else f"{origin}."
            found += [
                f"{base}{name.split()[0]}"
                for name in names.split(",")
                if name.strip() and name.split()[0].isidentifier()
            ]
    return found


def _rust(text: str) -> list[str]:
    found: list[str] = []
    for target, names, module in _RUST.findall(text):
        if module:
            found.append(f"mod {module}")
        elif names and target.endswith("::"):
            found += [f"{target}{name}" for name in _RUST_NAME.findall(names)]
        else:
            found.append(target.rstrip(":"))
    return found


def _php(text: str) -> list[str]:
    found: list[str] = []
    for target, names in _PHP.findall(text):
        found += (
            [f"{target}{name.strip().split(' ')[0]}" for name in names.split(",") if name.strip()]
            if names
            else [target]
        )
    if "require" in text or "include" in text:
        found += [_beside(target.lstrip("/")) for target in _PHP_FILE.findall(text)]
    return found
