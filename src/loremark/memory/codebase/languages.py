"""Detects the language of a file from its name."""

from __future__ import annotations

import re
from functools import lru_cache

_BY_ENDING = {
    "python": "py pyi pyw",
    "javascript": "js jsx mjs cjs",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "kotlin": "kt kts",
    "scala": "scala",
    "groovy": "groovy gradle",
    "csharp": "cs",
    "fsharp": "fs",
    "ruby": "rb rake gemspec ru",
    "php": "php phtml",
    "c": "c",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp",
    "header": "h",
    "swift": "swift",
    "objective-c": "m mm",
    "dart": "dart",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "haskell": "hs",
    "ocaml": "ml mli",
    "lua": "lua",
    "perl": "pl pm t",
    "r": "r",
    "julia": "jl",
    "zig": "zig",
    "tcl": "tcl",
    "shell": "sh bash zsh fish",
    "powershell": "ps1 psm1",
    "sql": "sql",
    "prisma": "prisma",
    "protobuf": "proto",
    "graphql": "graphql gql graphqls",
    "html": "html htm",
    "css": "css",
    "scss": "scss sass",
    "less": "less",
    "vue": "vue",
    "svelte": "svelte",
    "astro": "astro",
    "markdown": "md mdx markdown",
    "restructuredtext": "rst",
    "json": "json jsonc json5",
    "yaml": "yml yaml",
    "toml": "toml",
    "xml": "xml csproj fsproj vbproj props targets config xaml",
    "ini": "ini cfg conf editorconfig properties env",
    "terraform": "tf tfvars hcl",
    "razor": "cshtml razor",
    "erb": "erb",
    "haml": "haml",
    "slim": "slim",
    "nix": "nix",
}
_LANGUAGE_OF = {ending: language for language, endings in _BY_ENDING.items() for ending in endings.split()}
_BY_NAME = {
    "dockerfile": "docker",
    "containerfile": "docker",
    "makefile": "make",
    "gnumakefile": "make",
    "justfile": "make",
    "cmakelists.txt": "cmake",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "guardfile": "ruby",
    "capfile": "ruby",
    "vagrantfile": "ruby",
    "jenkinsfile": "groovy",
    "go.mod": "gomod",
    # There is no Objective-C grammar, but the file with its main is almost plain C.
    "main.m": "c",
    "main.mm": "cpp",
}


@lru_cache(maxsize=32_768)
def language_of(path: str) -> str | None:
    """The language of a file by its name, or None."""
    name = path.rpartition("/")[2].lower()
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name.startswith("dockerfile."):
        return "docker"
    stem, dot, ending = name.rpartition(".")
    return _LANGUAGE_OF.get(ending) if dot and (stem or ending in ("env", "editorconfig")) else None


_INTERPRETERS = {
    "python": "python",
    "ruby": "ruby",
    "php": "php",
    "node": "javascript",
    "deno": "typescript",
    "bun": "typescript",
    "perl": "perl",
    "sh": "shell",
    "bash": "shell",
    "zsh": "shell",
    "dash": "shell",
    "fish": "shell",
    "lua": "lua",
    "tclsh": "tcl",
}
_SHEBANG = re.compile(
    r"#![ \t]{0,4}(?:\S{0,100}/)?(?:env[ \t]{1,4}(?:-\S{1,20}[ \t]{1,4})?)?([a-z]{1,20})[0-9.]{0,8}(?=\s|$)"
)


def language_of_script(content: str) -> str | None:
    """The language named in the shebang line, for files without a known extension."""
    named = _SHEBANG.match(content)
    return _INTERPRETERS.get(named[1]) if named else None
