"""What the path of a file says of how much a hit in it weighs."""

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


def is_trial(path: str) -> bool:
    """Tests, fixtures, examples and documentation: what is there seldom guards anything."""
    lower = path.lower()
    return (
        _TRIAL.search(lower) is not None
        or _TRIAL_NAMES.search(path) is not None
        or lower.endswith((".md", ".rst", ".txt", ".adoc"))
    )


def is_document(language: str | None, path: str) -> bool:
    return language in _DOCUMENTS or path.lower().endswith((".txt", ".adoc", ".po", ".pot"))


def is_settings(language: str | None) -> bool:
    """A name that tells no language is taken for settings too."""
    return language is None or language in _SETTINGS


def has_bare_values(language: str | None) -> bool:
    """Whether a value stands there without quotes."""
    return language is None or language in _BARE


def is_lock(path: str) -> bool:
    """Made by a tool, full of hashes."""
    return _LOCKS.search(path.lower()) is not None


def is_wording(path: str) -> bool:
    """Texts for people, where "password" is a label."""
    return _WORDING.search(path.lower()) is not None


def is_squeezed(path: str, content: str) -> bool:
    """Minified or taken from elsewhere as it is."""
    if _MINIFIED.search(path.lower()):
        return True
    return len(content) > _SQUEEZED_CHARS and content.count("\n") < len(content) // 1_000
