"""Reads CI workflows and Makefile recipes: the languages, services and tools they use."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from loremark.memory.codebase.manifests.databases import databases_in
from loremark.memory.codebase.manifests.docker import image
from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import lines_of
from loremark.memory.codebase.manifests.system_packages import installed_in, stack_packages

_SETUP = re.compile(
    r"(?:actions/setup-|ruby/setup-|shivammathur/setup-|dtolnay/|actions-rs/|oven-sh/setup-|astral-sh/setup-)(python|node|go|java|dotnet|ruby|php|rust|rust-toolchain|toolchain|bun|uv)\b"
)
_SERVICES = {
    "gitlab": "GitLab CI",
    "github": "GitHub Actions",
    "circleci": "CircleCI",
    "travis": "Travis CI",
    "azure": "Azure Pipelines",
}
_MAX_CHARS = 200_000
_LANGUAGES = {"rust-toolchain": "rust", "toolchain": "rust"}
_IMAGE = re.compile(r"\s*+(?:- )?image:\s{1,8}[\"']?([\w./:@-]{2,200})")
_WORD = re.compile(r"[A-Za-z][\w+-]{1,40}+")
_TOOLS = {
    "clippy": "clippy clippy-driver rust-clippy",
    "rustfmt": "rustfmt",
    "cargo-deny": "cargo-deny",
    "cargo-audit": "cargo-audit audit-check rustsec",
    "cross-rs": "cross-rs",
    "release-plz": "release-plz",
    "golangci-lint": "golangci-lint",
    "goreleaser": "goreleaser",
    "gofmt": "gofmt gofumpt",
    "staticcheck": "staticcheck",
    "shellcheck": "shellcheck",
    "shfmt": "shfmt",
    "hadolint": "hadolint",
    "codespell": "codespell",
    "pytest": "pytest",
    "mypy": "mypy",
    "ruff": "ruff",
    "flake8": "flake8",
    "pylint": "pylint",
    "pyright": "pyright",
    "isort": "isort",
    "tox": "tox",
    "eslint": "eslint",
    "prettier": "prettier",
    "uv": "setup-uv uvx",
    "poetry": "poetry install-poetry",
    "valgrind": "valgrind",
    "gcc": "gcc g++",
    "clang": "clang clang++",
    "clang-format": "clang-format",
    "clang-tidy": "clang-tidy",
    "cppcheck": "cppcheck",
    "lcov": "lcov gcov gcovr",
    "coverity": "coverity coverity-scan",
    "buf": "buf-action buf-setup-action",
    "protoc": "protoc setup-protoc",
    "k6": "k6",
    "docker-build": "build-push-action",
    "typos": "crate-ci",
    "codecov": "codecov",
    "coveralls": "coverallsapp",
    "scorecard": "scorecard",
    "release-please": "release-please",
    "release-drafter": "release-drafter",
    "renovate": "renovatebot",
    "zizmor": "zizmor zizmorcore",
    "semgrep": "semgrep",
    "snyk": "snyk",
    "sonarqube": "sonarsource sonarcloud",
    "trivy": "trivy",
    "gitleaks": "gitleaks",
    "actionlint": "actionlint",
    "yamllint": "yamllint",
    "markdownlint": "markdownlint markdownlint-cli2",
    "lychee": "lychee",
    "cibuildwheel": "cibuildwheel",
    "govulncheck": "govulncheck",
    "gotestsum": "gotestsum",
    "cargo-nextest": "cargo-nextest nextest",
    "cargo-llvm-cov": "cargo-llvm-cov",
    "tarpaulin": "cargo-tarpaulin",
    "cargo-machete": "cargo-machete",
    "miri": "miri",
    "wasm-pack": "wasm-pack",
    "mdbook": "mdbook actions-mdbook",
    "sphinx": "sphinx-build",
    "mkdocs": "mkdocs",
    "zig": "setup-zig",
}
_TOOL_OF = {word: tool for tool, words in _TOOLS.items() for word in words.split()}
_COMMANDS = {
    "cargo": {"clippy": "clippy", "fmt": "rustfmt", "deny": "cargo-deny", "audit": "cargo-audit"},
    "dotnet": {"format": "dotnet-format"},
    "docker": {"build": "docker-build"},
    "codeql-action": {"init": "codeql", "analyze": "codeql"},
}


def tools_in(lines: Iterable[str]) -> list[str]:
    """The tools called by commands and actions in these lines, ignoring comments."""
    found: set[str] = set()
    for line in lines:
        words = _WORD.findall(line.split(" #", 1)[0]) if line.lstrip()[:1] != "#" else []
        for word in words:
            lower = word.lower()
            tool = _TOOL_OF.get(lower) or _TOOL_OF.get(lower.removesuffix("-action").removeprefix("action-"))
            if tool is not None:
                found.add(tool)
        for first, second in pairwise(words):
            tool = _COMMANDS.get(first, {}).get(second)
            if tool is not None:
                found.add(tool)
    return sorted(found)


def read_workflow(path: str, content: str) -> ManifestFacts:
    """A CI workflow: the languages, services and tools it uses."""
    draft = Draft("ci")
    draft.add_sign("ci", next((name for word, name in _SERVICES.items() if word in path.lower()), "others"))
    lines = [line for _, line in lines_of(content)]
    found = {_LANGUAGES.get(name, name) for line in lines for name in _SETUP.findall(line)}
    draft.add_sign("ci-languages", sorted(found))
    images = (_IMAGE.match(line) for line in lines)
    draft.add_sign("ci-images", sorted({image(row.group(1))[0] for row in images if row is not None})[:20])
    draft.add_sign("database", databases_in(lines))
    draft.add_sign("tools", tools_in(lines))
    commands = content[:_MAX_CHARS].replace("\\\n", " ").splitlines()[:10_000]
    draft.add_sign("system-packages", stack_packages(name for line in commands for name in installed_in(line[:4_000])))
    return draft.facts()
