"""Classifies paths to weigh security hits: tests, documents, settings, lock files."""

from __future__ import annotations

import re

_TRIAL = re.compile(
    r"(?:^|[/_.-])(?:tests?|testing|testdata|specs?|__tests__|__mocks__|mocks?|fixtures?|examples?|samples?|demos?"
    r"|e2e|cypress"
    r"|playground|stubs?|fakes?|benchmarks?|docs?|documentation|tutorials?|storybook|stories)(?:[/_.-]|$)"
)
_TRIAL_NAMES = re.compile(
    r"(?:Tests?|Specs?|IT|TestCase|Fixture|Mock)\.(?:java|kt|scala|cs|swift|php|groovy)$|\.Tests?/|/Tests?/"
)
_LOCKS = re.compile(
    r"(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|go\.sum|packages\.lock\.json"
    r"|gradle\.lockfile"
    r"|\.terraform\.lock\.hcl|deno\.lock|bun\.lock|[a-z.]{1,40}\.lock|checksums?(?:\.txt)?|[^/]{1,80}\.(?:map|svg"
    r"|sum|sha256|md5|asc|crt|cer))$"
)
_MINIFIED = re.compile(
    r"[.-](?:min|bundle|chunk|prod)\.(?:js|css|mjs)$|(?:^|/)(?:vendor|vendors|node_modules|third_party"
    r"|bower_components)/"
)
_WORDING = re.compile(
    r"(?:^|[/._-])(?:i18n|l10n|locales?|lang|langs|languages|translations?|messages|intl|strings|phrases)(?:[/._-]"
    r"|$)|\.po$|\.resx$|\.xlf$"
)
_DOCUMENTS = frozenset(["markdown", "restructuredtext"])
_SETTINGS = frozenset(
    ["ini", "yaml", "json", "toml", "xml", "terraform", "docker", "make", "shell", "powershell", "nix"]
)
_BARE = frozenset(["ini", "yaml", "docker", "make", "shell"])
_SQUEEZED_CHARS = 5_000


def is_test_or_example(path: str) -> bool:
    """Whether the path is a test, fixture, example or documentation, where secrets are rarely real."""
    lower = path.lower()
    return (
        _TRIAL.search(lower) is not None
        or _TRIAL_NAMES.search(path) is not None
        or lower.endswith((".md", ".rst", ".txt", ".adoc"))
    )


def is_document(language: str | None, path: str) -> bool:
    return language in _DOCUMENTS or path.lower().endswith((".txt", ".adoc", ".po", ".pot"))


def is_settings(language: str | None) -> bool:
    """Whether the file is a settings file; files of unknown language count as settings."""
    return language is None or language in _SETTINGS


def has_bare_values(language: str | None) -> bool:
    """Whether values may be unquoted in this language."""
    return language is None or language in _BARE


def is_lock(path: str) -> bool:
    """Whether the file is a lock file, which is full of hashes."""
    return _LOCKS.search(path.lower()) is not None


def is_translation(path: str) -> bool:
    """Whether the file holds translations, where "password" is a label."""
    return _WORDING.search(path.lower()) is not None


def is_minified(path: str, content: str) -> bool:
    """Whether the file is minified or vendored."""
    if _MINIFIED.search(path.lower()):
        return True
    return len(content) > _SQUEEZED_CHARS and content.count("\n") < len(content) // 1_000
