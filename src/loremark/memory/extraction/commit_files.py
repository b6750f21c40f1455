"""Classifies the files of a commit: product source, or supporting files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from loremark.memory.paths import is_generated_file

_DECISIONS = re.compile(r"(?:^|/)(?:adrs?|decisions)/[^/]+$", re.IGNORECASE)
_BESIDE = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|e2e|__snapshots__|goldens|fuzz|corpus|benches|benchmarks?|fixtures|testdata)/|"
    r"[._-](?:tests?|specs?)\.\w+$|_test\.\w+$|(?:^|/)(?:test_[^/]+|conftest\.py)$|"
    r"(?:^|/)(?:readme|change(?:s|log)|history|news|licen[cs]e|notice|contributing|code_of_conduct|security|authors|"
    r"codeowners|agents|claude|hacking)(?:[_-][^/.]*)?(?:(?:\.[\w-]{1,6})?\.(?:md|mdx|rst|txt|adoc|org))?$|"
    r"(?:^|/)\.(?:gitignore|gitattributes|editorconfig|mailmap)$|"
    r"(?:^|/)docs?/.*\.(?:md|mdx|rst|txt|adoc|svg|png|webp|jpe?g|gif)$|^[^/]+\.(?:md|mdx|rst)$|"
    r"^docs?/(?:.*\.(?:html?|css|ya?ml|json|js)$|(?:overrides|partials|themes?|img|images|assets|static)/)|"
    r"(?:^|/)mkdocs\.ya?ml$|^(?:[^/]+/)?examples/|"
    r"(?:^|/)\.(?:github|gitlab|circleci|devcontainer|vscode|idea|agents|claude)/|(?:^|/)\.pre-commit-config\.ya?ml$|"
    r"(?:^|/)(?:\.travis\.yml|appveyor\.yml|renovate\.json5?|tox\.ini|\.readthedocs\.ya?ml)$|"
    r"(?:^|/)requirements(?:/[^/]+|[\w.-]*)\.(?:txt|in)$",
    re.IGNORECASE,
)
_TRANSLATION = re.compile(
    r"\.(?:po|pot|xliff?|xlf|arb|mo)$|(?:^|/)(?:locales?|l10n|i18n|translations?|lang|languages|LC_MESSAGES)/.*"
    r"\.(?:json|ya?ml|strings|properties|ts|php|ini|toml)$|(?:^|/)values-\w\w(?:-\w+)?/strings\.xml$",
    re.IGNORECASE,
)
_MANIFEST = re.compile(
    r"(?:^|/)(?:package\.json|pnpm-workspace\.yaml|pyproject\.toml|setup\.(?:py|cfg)|go\.mod|cargo\.toml|gemfile|"
    r"composer\.json|pom\.xml|build\.sbt|mix\.exs|pubspec\.yaml|build\.zig\.zon[^/]*|flatpak/[^/]+\.json|version|"
    r"manifest\.json|west\.yml|[^/]+\.(?:cabal|gemspec|csproj|nix)|(?:libs\.versions|versions)\.toml)$",
    re.IGNORECASE,
)
_ASSET = re.compile(
    r"\.(?:png|jpe?g|gif|webp|svg|ico|icns|ttf|otf|woff2?|mp[34]|wav|pdf|meta|asset|ipynb|psd|lock|snap|min\.js|map|"
    r"td|csv|unity|prefab)$",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(
    r"(?:^|/)(?:readme|contributing|style|agents|claude|architecture|security)[^/]*$|^[^/]+\.(?:md|mdx|rst)$|"
    r"(?:^|/)docs?/.*\.(?:md|mdx|rst|txt|adoc)$",
    re.IGNORECASE,
)


def is_supporting_file(path: str) -> bool:
    """Tests, documents, workflows, lock files, translations: they change with the product but are not part of it."""
    if _DECISIONS.search(path):
        return False
    return _BESIDE.search(path) is not None or is_translation(path) or is_generated_file(path)


def is_translation(path: str) -> bool:
    return _TRANSLATION.search(path) is not None


def is_manifest(path: str) -> bool:
    """Whether a file declares the project's dependencies or version."""
    return _MANIFEST.search(path) is not None


def touches_source(paths: Iterable[str]) -> bool:
    """Whether any file is product source."""
    return any(not (is_supporting_file(path) or is_manifest(path) or _ASSET.search(path)) for path in paths)


def are_all_documents(paths: Sequence[str]) -> bool:
    """Whether only documents changed."""
    return bool(paths) and all(_DOCUMENT.search(path) for path in paths)
