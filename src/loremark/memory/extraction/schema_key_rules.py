"""Schema keys of extracted items: the same topic gets the same key, whether from a file, a scope or a word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from loremark.memory import schema_keys
from loremark.memory.extraction.word_patterns import CaseInsensitivePattern, words_from
from loremark.wire.items import ItemType

_MAX_SEGMENTS = 4
# Folders that say how a project is organized, not what it is about.
_LAYOUT = words_from(
    """
    src lib libs app apps pkg pkgs packages package internal cmd source sources main java kotlin scala python php
    server services service modules module components features feature domain core code com org net io crates projects
    tests test controllers models views helpers includes handlers routes hooks initializers middleware concerns types
    spec specs e2e unit integration fixtures scripts bin root www public static assets go cs ts js include
    """
)
_SIDE_FOLDERS = words_from("tests test spec specs e2e __tests__ docs doc")
_TEST_NAME = re.compile(
    r"^(?:test[_-])|(?:[_.-](?:test|tests|spec|stories|module|controller|service|handler|model|helper))$"
)
_NOT_TOPICS = words_from(
    "__init__ index main mod lib app init setup conftest types utils util helpers common constants config"
)
_OF_TYPE: dict[ItemType, str] = {
    "architecture": "architecture",
    "convention": "conventions",
    "implementation": "implementation",
    "decision": "decisions",
    "bug": "bugs",
    "todo": "todos",
    "codemap": "codemap",
}
# Common topics, by the words that indicate them.
_TOPICS: tuple[tuple[str, CaseInsensitivePattern], ...] = tuple(
    (topic, CaseInsensitivePattern(rf"\b(?:{words})\b"))
    for topic, words in (
        ("payments", r"payments?|billing|invoices?|stripe|refunds?|checkout|subscriptions?"),
        ("auth", r"auth\w*|oauth2?|jwt|login|logins|passwords?|sso|saml|permissions?|rbac|access tokens?"),
        ("database", r"database|postgres(?:ql)?|mysql|sqlite|migrations?|sql|orm|schema|indexes|mongodb|dynamodb"),
        ("testing", r"tests?|testing|fixtures?|pytest|jest|vitest|playwright|cypress|mocks?|coverage"),
        ("deployment", r"deploy\w*|docker\w*|kubernetes|k8s|helm|terraform|ci|pipelines?|rollback|staging|release"),
        ("logging", r"logs?|logging|logger|metrics?|tracing|traces|opentelemetry|observability|alerts?|monitoring"),
        ("caching", r"cache[sd]?|caching|redis|memcached|ttl|invalidation"),
        ("queue", r"queues?|workers?|jobs?|kafka|rabbitmq|celery|sqs|background tasks?|cron|scheduler"),
        ("frontend", r"frontend|ui|css|react|vue|svelte|components?|tailwind|accessibility|dark mode|browser"),
        ("search", r"search|elasticsearch|embeddings?|ranking|full-text"),
        ("email", r"e-?mails?|smtp|newsletters?|mailer"),
        ("security", r"security|csrf|xss|ssrf|injection|encrypt\w*|secrets?|vulnerabilit(?:y|ies)|tls"),
        ("api", r"api|apis|endpoints?|rest|graphql|grpc|webhooks?|pagination|rate limit\w*|http"),
        ("performance", r"performance|latency|slow|memory usage|throughput|profil\w*"),
        ("configuration", r"config\w*|settings?|environment variables?|feature flags?"),
        ("documentation", r"docs|documentation|readme|changelog"),
        ("errors", r"errors?|exceptions?|retry|retries|timeouts?"),
        ("style", r"naming|formatting|lint\w*|style|imports?|commits?|branches|typescript"),
    )
)


def infer_schema_key(kind: ItemType, files: Sequence[str], scope: str, text: str) -> str:
    """``root/<area>/<topic…>``: from the scope, else the files' folder, else the text, else the type."""
    area = _of_files(files)
    if scope:
        segments = [schema_keys.slug(part) for part in re.split(r"[/,:]", scope[:100]) if part.strip()][:2]
        segments = [part for part in segments if part != "untitled"]
        if segments and (not area or segments[0] not in area):
            area = segments
        elif segments:
            area = area[area.index(segments[0]) :]
    if not area:
        topic = _topic_of(text)
        area = [topic] if topic else [_OF_TYPE[kind]]
    return "/".join((schema_keys.ROOT, *area[: _MAX_SEGMENTS - 1]))


def parse_schema_key(value: object) -> str | None:
    """A given key, slugified if needed; None if nothing of it is usable."""
    if not isinstance(value, str) or not value.strip():
        return None
    if schema_keys.is_valid(value):
        return value
    segments = [schema_keys.slug(part) for part in value[:500].split("/") if re.search(r"[A-Za-z0-9]", part)]
    key = "/".join(segments[: schema_keys.MAX_DEPTH])
    return key if key and schema_keys.is_valid(key) else None


def _of_files(files: Sequence[str]) -> list[str]:
    areas = Counter(tuple(_area_of(path)) for path in files[:50])
    areas.pop((), None)
    if not areas:
        return []
    # The most frequent area wins; on a tie the first one.
    most = max(areas.values())
    return list(next(area for area, count in areas.items() if count == most))


def _area_of(path: str) -> list[str]:
    *folders, name = path.split("/")
    kept = [schema_keys.slug(part) for part in folders if part.lower() not in _LAYOUT | _SIDE_FOLDERS]
    kept = [part for part in kept if part != "untitled"][:2]
    if kept:
        return kept
    stem = _TEST_NAME.sub("", name.lstrip(".").split(".", 1)[0].lower())
    if folders and stem and stem not in _NOT_TOPICS:
        return [schema_keys.slug(stem)]
    return []


def _topic_of(text: str) -> str:
    seen = text[:250]
    hits = [(found.start(), topic) for topic, form in _TOPICS if (found := form.search(seen)) is not None]
    return min(hits)[1] if hits else ""
